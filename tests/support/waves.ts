/**
 * Loaded before Sluice: its time passes faster, also in workers, and the process seems to use all of
 * its cores while the file `load` in its folder says `high`.
 */

import process from "node:process";
import "./idle_processors.ts";
import { runWorker, type WorkerScope } from "../../src/process/workers/worker.ts";

const SPEED = 20;
/** Shorter waits stay as they are: they limit what takes as long as ever. */
const SHORT_MS = 1000;
const CORES = 100;

const now = performance.now.bind(performance);
performance.now = () => now() * SPEED;
const { setTimeout } = globalThis;
Object.assign(globalThis, {
  setTimeout: (run: () => void, ms = 0) => setTimeout(run, ms < SHORT_MS ? ms : ms / SPEED),
});

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
