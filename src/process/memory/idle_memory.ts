/** The memory of a process: garbage collection when it is idle, and the limit for open requests. */

import type { Clock } from "../../core/clock.ts";
import { getHeapStatistics } from "node:v8";
import { type InFlightBuffer, InFlightMemory } from "../../core/in_flight_memory.ts";
import type { ServerMetrics } from "../../telemetry/server_metrics.ts";
import { logMessage } from "../system/stdio.ts";

/** The options of {@linkcode releaseWhenIdle}. */
interface IdleMemoryOptions {
  readonly clock: Clock;
  readonly idleTime: IdleTime;
  /** Returns the number of workers of the process. */
  readonly workers: () => number;
  /** Returns the size of the JavaScript heap, in bytes. */
  readonly heapBytes: () => number;
  /** Collects all garbage, and returns free heap memory to the system. */
  readonly collect: () => void;
  /** Recompiles the request code, which a collection drops. */
  readonly warmUp: () => Promise<void>;
}

/** The interval at which the idle time is checked. */
const CHECK_MS = 1000;
/**
 * The time without a request after which garbage is collected. The collection also drops compiled
 * code, since no request keeps the shapes of its objects alive: requests would then take up to
 * twice the CPU time for some seconds. It must therefore not run during short pauses in traffic.
 */
const IDLE_MS = 30_000;
/** The growth of the heap since the last collection that justifies another one. */
const MIN_GROWTH = 1.5;

/**
 * Collects garbage once the gateway is idle, if the heap has grown or a worker has ended: until
 * then, 16 MB of an ended worker stay in use (measured 2026-11-23). Never returns.
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
    // Checked again later, since other requests also use memory.
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

/** Returns the number of open requests to models, and of all that have ended. */
export type ReadLoad = () => { readonly inFlight: number; readonly requests: number };

export class IdleTime {
  readonly #clock: Pick<Clock, "now">;
  readonly #load: ReadLoad;
  #requests: number;
  #since: number;

  constructor(clock: Pick<Clock, "now">, load: ReadLoad) {
    this.#clock = clock;
    this.#load = load;
    this.#requests = load().requests;
    this.#since = clock.now();
  }

  /** Milliseconds since a call last detected a new or open request, or since the start. */
  read(): number {
    const { inFlight, requests } = this.#load();
    if (inFlight > 0 || requests !== this.#requests) this.#since = this.#clock.now();
    this.#requests = requests;
    return this.#clock.now() - this.#since;
  }
}

/** The memory of all workers, and the number of this worker. */
export interface InFlightPlace {
  readonly buffer: InFlightBuffer;
  /** From 1. */
  readonly worker: number;
}

/** The share of the heap limit for requests and answers. One worker may handle all of them. */
const PART_OF_HEAP = 0.5;

/** The share of a container's memory. */
const PART_OF_CONTAINER = 0.25;

/** The limits of a container: cgroup v2, then v1. */
const CONTAINER_LIMITS = [
  "/sys/fs/cgroup/memory.max",
  "/sys/fs/cgroup/memory/memory.limit_in_bytes",
];

/** The minimum time between two messages about rejected requests, in milliseconds. */
const MESSAGE_INTERVAL_MS = 60_000;

/** Creates a worker's view of the memory; rejections are counted and logged. */
export function createInFlightMemory(
  { buffer, worker }: InFlightPlace,
  clock: Clock,
  metrics: ServerMetrics,
): InFlightMemory {
  let loggedAt = -Infinity;
  return new InFlightMemory(buffer, worker, {
    defaultLimit: defaultLimit(),
    onRefused(kind) {
      metrics.memoryRefusals.add(1, kind);
      const now = clock.now();
      if (now - loggedAt < MESSAGE_INTERVAL_MS) return;
      loggedAt = now;
      logMessage(`refusing large ${kind}s: server.max_in_flight_bytes has been reached`);
    },
  });
}

/**
 * The default limit in bytes. The runtime derives its heap limit from the system's memory, and with
 * DENO_USE_CGROUPS from the container's. The container's limit itself can be read only with all
 * permissions.
 */
function defaultLimit(): number {
  const heap = PART_OF_HEAP * getHeapStatistics().heap_size_limit;
  return Math.floor(Math.min(heap, PART_OF_CONTAINER * readContainerLimit()));
}

function readContainerLimit(): number {
  for (const path of CONTAINER_LIMITS) {
    try {
      const limit = Number(Deno.readTextFileSync(path));
      if (limit > 0) return limit;
    } catch {
      // The limit does not exist, or there is no permission to read it.
    }
  }
  return Infinity;
}
