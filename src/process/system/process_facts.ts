/** What the process takes from the system: memory, CPU time and file descriptors. */

import { closeSync, openSync } from "node:fs";
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
 * The lowest file descriptor that is free, which `open` returns
 * (https://pubs.opengroup.org/onlinepubs/9799919799/functions/open.html, 2026-11). The list of open
 * ones in /proc is readable only with all permissions.
 */
function freeDescriptor(): number | undefined {
  if (Deno.build.os === "windows") return undefined;
  try {
    const descriptor = openSync("/dev/null", "r");
    closeSync(descriptor);
    return descriptor;
  } catch {
    // None is free, or there is no permission.
    return undefined;
  }
}
