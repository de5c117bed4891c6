/** How much the programs of this machine wait for a processor. */

/**
 * The file of the system, which is readable with the permission to read files, as others of `/proc`
 * are not. Source: https://docs.kernel.org/accounting/psi.html (2026-11-26).
 */
const PRESSURE = "/proc/pressure/cpu";

/**
 * Returns how long programs have waited for a processor since the system started, averaged over its
 * processors, in milliseconds; undefined where the system does not tell.
 */
export function readWaitedMs(read = Deno.readTextFileSync): number | undefined {
  try {
    const total = /^some .*\btotal=(\d+)$/m.exec(read(PRESSURE))?.[1];
    return total === undefined ? undefined : Number(total) / 1000;
  } catch {
    return undefined;
  }
}
