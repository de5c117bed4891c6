/** CPU time, memory and sockets of a process from /proc; undefined on other systems. */

/** The kernel reports CPU time in hundredths of a second. */
const MS_PER_TICK = 10;
const LISTENING = "0A";

/** CPU time of all threads so far, in milliseconds. */
export function cpuOf(pid: number): number | undefined {
  const text = read(`/proc/${pid}/stat`);
  // The name in parentheses may contain spaces; user and system time are fields 12 and 13 after it.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

/** Resident memory, in bytes. */
export function memoryOf(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`) ?? "")?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** The TCP connections of the process with their states, without listeners; undefined if unknown. */
export function connectionsOf(pid: number): readonly string[] | undefined {
  const tables = [read("/proc/net/tcp"), read("/proc/net/tcp6")];
  if (tables.every((table) => table === undefined)) return undefined;
  const open = new Map<string, string>();
  for (const line of tables.flatMap((table) => table?.trim().split("\n").slice(1) ?? [])) {
    const [, local, remote, state, queues, , , , , inode] = line.trim().split(/\s+/);
    if (state === LISTENING || inode === undefined) continue;
    open.set(`socket:[${inode}]`, `${local} -> ${remote}, state ${state}, queues ${queues}`);
  }
  return linksOf(pid).flatMap((link) => open.get(link) ?? []);
}

/** A description of the machine. */
export function describeMachine(): Record<string, string | number> {
  const model = /^model name\s*: (.+)$/m.exec(read("/proc/cpuinfo") ?? "")?.[1];
  return {
    cpu: model ?? Deno.build.arch,
    cores: navigator.hardwareConcurrency,
    memory_gib: Math.round(Deno.systemMemoryInfo().total / 2 ** 30),
    os: `${Deno.build.os} ${Deno.osRelease()}`,
    deno: Deno.version.deno,
    v8: Deno.version.v8,
    load_average_before: Deno.loadavg().map((load) => load.toFixed(2)).join(" "),
  };
}

function linksOf(pid: number): string[] {
  const directory = `/proc/${pid}/fd`;
  try {
    return [...Deno.readDirSync(directory)].map(({ name }) => linkOf(`${directory}/${name}`));
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return "";
  }
}

function read(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return undefined;
  }
}
