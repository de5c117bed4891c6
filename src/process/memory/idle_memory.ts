/** Returns memory to the system when the gateway is idle after load. */

import type { Clock } from "../../core/clock.ts";
import type { IdleTime } from "./idle_time.ts";

/** What {@linkcode releaseWhenIdle} needs. */
export interface IdleMemoryOptions {
  readonly clock: Clock;
  readonly idleTime: IdleTime;
  /** Returns the number of workers of the process. */
  readonly workers: () => number;
  /** Returns the size of the JavaScript heap, in bytes. */
  readonly heapBytes: () => number;
  /** Collects all garbage, and releases the memory of the heap that is free. */
  readonly collect: () => void;
  /** Compiles the code of a request again, which a collection drops. */
  readonly warmUp: () => Promise<void>;
}

/** The interval at which the idle time is read. */
const CHECK_MS = 1000;
/**
 * The time without a request after which garbage is collected. The collection also drops compiled
 * code, since no request holds the shapes of its objects: requests would then take up to twice the
 * CPU time for some seconds. So it must not run in short pauses of the traffic.
 */
const IDLE_MS = 30_000;
/** How much larger the heap must be than after the last collection, to justify a collection. */
const MIN_GROWTH = 1.5;

/**
 * Collects garbage once the gateway is idle, if the heap has grown or a worker has ended: 16 MB of
 * an ended worker stay in use until then (measured 2026-11-23). Never ends by itself.
 */
export function releaseWhenIdle(
  { clock, idleTime, workers, heapBytes, collect, warmUp }: IdleMemoryOptions,
): void {
  let least = 0;
  let mostWorkers = 0;
  const noteUse = () => {
    least = heapBytes();
    mostWorkers = workers();
  };
  noteUse();
  let dueAfter = IDLE_MS;
  let lastIdleMs = 0;
  const release = () => {
    collect();
    noteUse();
    void warmUp().then(noteUse);
  };
  const check = () => {
    const idleMs = idleTime.read();
    if (idleMs < lastIdleMs) dueAfter = IDLE_MS;
    lastIdleMs = idleMs;
    mostWorkers = Math.max(mostWorkers, workers());
    const isDue = idleMs >= dueAfter;
    // Checked again later, since other requests use memory, too.
    if (isDue) dueAfter = idleMs + IDLE_MS;
    if (isDue && (heapBytes() > MIN_GROWTH * least || workers() < mostWorkers)) release();
    clock.after(CHECK_MS, check);
  };
  clock.after(CHECK_MS, check);
}

/** The engine's function that collects garbage; it exists with the flag `--expose-gc`. */
type CollectGarbage = (
  options: {
    readonly type: "major";
    readonly execution: "sync";
    readonly flavor: "last-resort";
  },
) => void;

/**
 * Finds the function that collects all garbage and shrinks the heap. It takes about 0.1 s (measured
 * 2026-11-23). Undefined without the flag `--expose-gc`.
 */
export function findCollector(scope: object): (() => void) | undefined {
  const gc: unknown = Reflect.get(scope, "gc");
  if (typeof gc !== "function") return undefined;
  const collectGarbage = gc as CollectGarbage;
  return () => collectGarbage({ type: "major", execution: "sync", flavor: "last-resort" });
}
