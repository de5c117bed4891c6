/** The resources of the process: memory, CPU time and file descriptors. */

import process from "node:process";
import { VERSION } from "../../core/version.ts";
import type { ProcessFacts } from "../../telemetry/process_metrics.ts";

/** @param startedAt in milliseconds since the epoch */
export function createProcessFacts(startedAt: number): ProcessFacts {
  return {
    version: VERSION,
    startedAt,
    memory: () => Deno.memoryUsage(),
    cpu: () => process.cpuUsage(),
    freeDescriptor,
  };
}

/**
 * The lowest free file descriptor, which is the one that `open` returns
 * (https://pubs.opengroup.org/onlinepubs/9799919799/functions/open.html, 2026-11). The list of open
 * descriptors in /proc can be read only with all permissions.
 */
function freeDescriptor(): number | undefined {
  if (Deno.build.os === "windows") return undefined;
  // Loaded on use, because it takes time.
  const { closeSync, openSync } = process.getBuiltinModule("node:fs");
  try {
    const descriptor = openSync("/dev/null", "r");
    closeSync(descriptor);
    return descriptor;
  } catch {
    // No descriptor is free, or there is no permission.
    return undefined;
  }
}

/**
 * A system file that requires only read permission, unlike others in `/proc`. Source:
 * https://docs.kernel.org/accounting/psi.html (2026-11-26).
 */
const PRESSURE = "/proc/pressure/cpu";

/**
 * Returns how long programs have waited for a processor since the system started, averaged over its
 * processors, in milliseconds; undefined if the system does not report it.
 */
export function readWaitedMs(read = Deno.readTextFileSync): number | undefined {
  try {
    const total = /^some .*\btotal=(\d+)$/m.exec(read(PRESSURE))?.[1];
    return total === undefined ? undefined : Number(total) / 1000;
  } catch {
    return undefined;
  }
}
