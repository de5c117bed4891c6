/**
 * Loaded before Sluice: its time passes faster, also in workers, and the process seems to use all
 * of its cores while the file `load` in its folder says `high`.
 */

import process from "node:process";
import "./fast_time.ts";
import "./idle_processors.ts";
import { runWorker, type WorkerScope } from "../../src/process/workers/worker.ts";

const CORES = 100;

class FastWorker extends Worker {
  constructor(_: string | URL, options: WorkerOptions) {
    super(import.meta.url, options);
  }
}

if ("DedicatedWorkerGlobalScope" in globalThis) {
  runWorker(globalThis as unknown as WorkerScope);
} else {
  Object.assign(globalThis, { Worker: FastWorker });
  let measured = performance.now();
  let busyMs = 0;
  process.cpuUsage = () => {
    const elapsed = performance.now() - measured;
    measured += elapsed;
    if (Deno.readTextFileSync("load") === "high") busyMs += elapsed;
    return { user: busyMs * 1000 * CORES, system: 0 };
  };
}
