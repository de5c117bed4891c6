/** File descriptors, port and peak memory of a gateway, from the kernel. */

/** The number of open file descriptors; undefined when the process has exited. */
export function descriptorsOf(pid: number): number | undefined {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
  } catch {
    return undefined;
  }
}

/** Current resident memory, and its peak since {@linkcode resetPeak}, in bytes. */
export interface ResidentMemory {
  readonly now: number;
  readonly peak: number;
}

/** Resident memory; zero when the process has exited. */
export function residentOf(pid: number): ResidentMemory {
  const text = readOptional(`/proc/${pid}/status`);
  const kilobytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1]);
  return { now: (kilobytes("VmRSS") || 0) * 1024, peak: (kilobytes("VmHWM") || 0) * 1024 };
}

/** Resets the peak. */
export function resetPeak(pid: number): void {
  Deno.writeTextFileSync(`/proc/${pid}/clear_refs`, "5");
}

const LISTENING = "0A";

/** The port that a process listens on; undefined before that. */
export function listeningPortOf(pid: number): number | undefined {
  const sockets = new Set(linksOf(pid));
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of readOptional(table).split("\n")) {
      const fields = line.trim().split(/\s+/);
      if (fields[3] !== LISTENING || !sockets.has(`socket:[${fields[9]}]`)) continue;
      return parseInt(fields[1]?.split(":").at(-1) ?? "", 16);
    }
  }
  return undefined;
}

function linksOf(pid: number): string[] {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/fd`)].map(({ name }) =>
      Deno.readLinkSync(`/proc/${pid}/fd/${name}`)
    );
  } catch {
    // The process has exited, or a descriptor was just closed.
    return [];
  }
}

function readOptional(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}
