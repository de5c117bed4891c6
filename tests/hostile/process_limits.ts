/** What the kernel knows of a gateway: open file descriptors, and the most memory it had. */

/** Open file descriptors; undefined when the process has ended. */
export function descriptorsOf(pid: number): number | undefined {
  try {
    return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
  } catch {
    return undefined;
  }
}

/** Resident memory now, and the most of it since {@linkcode resetPeak}, in bytes. */
export interface ResidentMemory {
  readonly now: number;
  readonly peak: number;
}

/** Resident memory; zero when the process has ended. */
export function residentOf(pid: number): ResidentMemory {
  let text = "";
  try {
    text = Deno.readTextFileSync(`/proc/${pid}/status`);
  } catch {
    // It has ended.
  }
  const kilobytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1]);
  return { now: (kilobytes("VmRSS") || 0) * 1024, peak: (kilobytes("VmHWM") || 0) * 1024 };
}

/** Makes the kernel forget the peak so far. */
export function resetPeak(pid: number): void {
  Deno.writeTextFileSync(`/proc/${pid}/clear_refs`, "5");
}
