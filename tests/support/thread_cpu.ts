/** The CPU time of the thread that runs a test. Other tests run in other threads of the process. */

import process from "node:process";

/** https://nodejs.org/api/process.html#processthreadcpuusagepreviousvalue (2026-11-22). */
const usage = (process as Partial<{ threadCpuUsage: typeof process.cpuUsage }>).threadCpuUsage ??
  process.cpuUsage;

/** CPU time of this thread so far in milliseconds, in steps of 10 on Linux. */
export function threadCpuMs(): number {
  const { user, system } = usage();
  return (user + system) / 1000;
}
