/** Adds workers while the running ones are busy and more would help, and stops unnecessary ones. */

import type { Clock } from "../../core/clock.ts";
import { type Config, MAX_WORKERS } from "../../config/config.ts";

/** The range of the number of workers. */
export interface WorkerPlan {
  /** The number of workers to start with. */
  readonly first: number;
  /** The maximum number. If larger than the initial number, workers are added under load. */
  readonly max: number;
}

/** The number of model requests that each worker has completed, by worker number. */
export type RequestCounts = ReadonlyMap<number, number>;

/** The inputs for computing rates. */
interface RateSources {
  readonly clock: Clock;
  /** Returns the CPU time of the process so far, in milliseconds. */
  readonly cpuMs: () => number;
  /** Returns the requests of each worker; undefined if a worker does not reply. */
  readonly requests: () => Promise<RequestCounts | undefined>;
}

/** The rates of a period. */
interface Rates {
  /** CPU time, as a share of one core. */
  readonly cpu: number;
  /** Requests per millisecond; undefined if they are unknown or too few. */
  readonly requests: number | undefined;
}

/** A period that has begun. */
interface Measurement {
  /** The requests of each worker at its start. */
  readonly counts: RequestCounts | undefined;
  /** Ends the period. */
  end(): Promise<Rates>;
}

/** The minimum number of requests for a meaningful rate. */
const MIN_REQUESTS = 200;

/** Starts measuring. Exported for tests. */
export async function measure({ clock, cpuMs, requests }: RateSources): Promise<Measurement> {
  const counts = await requests();
  const [at, cpu] = [clock.now(), cpuMs()];
  return {
    counts,
    async end() {
      const elapsed = clock.now() - at;
      const used = cpuMs() - cpu;
      const count = countBetween(counts, await requests());
      return {
        cpu: used / elapsed,
        requests: count === undefined || count < MIN_REQUESTS ? undefined : count / elapsed,
      };
    },
  };
}

/**
 * The requests between two times; undefined if a worker was added, stopped or restarted in between.
 */
function countBetween(
  first: RequestCounts | undefined,
  last: RequestCounts | undefined,
): number | undefined {
  if (first === undefined || first.size !== last?.size) return undefined;
  let sum = 0;
  for (const [worker, count] of last) {
    const before = first.get(worker);
    if (before === undefined || count < before) return undefined;
    sum += count - before;
  }
  return sum;
}

/** The age below which a worker is cold, because the engine is still compiling its code. */
const WARM_AFTER_MS = 20_000;
/** The number of requests below which a worker is cold. */
const WARM_AFTER_REQUESTS = 10_000;
/** The length of a window, in which requests are counted. */
const WINDOW_MS = 10_000;
/** The number of consecutive windows without any gain after which added workers are stopped. */
const WINDOWS_WITHOUT_GAIN = 2;
/** The gain in one window after which they are kept permanently. */
const CLEAR_GAIN = 1.1;
/** The minimum lifetime of a worker, during which callers and connections settle. */
const MIN_LIFE_MS = 180_000;
/** The age after which they are kept, since the traffic may no longer be comparable. */
const LAST_WINDOW_MS = 300_000;
/** The share of the previous CPU time below which the load has decreased. */
const FEWER_CALLERS = 0.75;

/**
 * Whether workers that have been serving since `since` are warm, judging by their age and requests.
 */
function areWarm(
  counts: RequestCounts | undefined,
  since: number,
  { clock }: Pick<RateSources, "clock">,
): boolean {
  return counts !== undefined && clock.now() - since >= WARM_AFTER_MS &&
    counts.values().every((count) => count >= WARM_AFTER_REQUESTS);
}

/** The options of a trial. */
interface TrialOptions extends RateSources {
  /** The rates of the earlier workers, measured when they were warm. */
  readonly before: Rates;
  /** Resolves after a number of milliseconds; never after the end of the trial. */
  readonly wait: (ms: number) => Promise<void>;
}

/**
 * Measures window after window once all workers are warm. Resolves to whether to keep the added
 * workers: false if, after at least three minutes, two consecutive windows show no gain.
 */
async function tryGrowth(options: TrialOptions): Promise<boolean> {
  const { clock, before, wait } = options;
  const since = clock.now();
  const age = () => clock.now() - since;
  await wait(WARM_AFTER_MS);
  let withoutGain = 0;
  while (age() < LAST_WINDOW_MS) {
    const window = await measure(options);
    const isWarm = areWarm(window.counts, since, options);
    await wait(WINDOW_MS);
    const gain = isWarm ? gainOf(await window.end(), before) : undefined;
    if (gain !== undefined && gain >= CLEAR_GAIN) return true;
    withoutGain = gain !== undefined && gain <= 1 ? withoutGain + 1 : 0;
    if (withoutGain >= WINDOWS_WITHOUT_GAIN && age() >= MIN_LIFE_MS) return false;
  }
  return true;
}

/** The rate of requests as a multiple of the previous one; undefined if they are not comparable. */
function gainOf(after: Rates, before: Rates): number | undefined {
  if (before.requests === undefined || after.requests === undefined) return undefined;
  if (after.cpu < FEWER_CALLERS * before.cpu) return undefined;
  return after.requests / before.requests;
}

/** The options of {@linkcode scaleWithLoad}. */
interface ScalingOptions extends RateSources {
  /**
   * Returns how long programs of this machine have waited for a processor so far, in milliseconds;
   * undefined if the system does not report it.
   */
  readonly waitedMs: () => number | undefined;
  /** Returns the number of workers. */
  readonly workers: () => number;
  /** The number of workers that are never stopped. */
  readonly minWorkers: number;
  readonly maxWorkers: number;
  /** Starts workers until there are this many; resolves when they are serving. */
  readonly grow: (workers: number) => Promise<void>;
  /** Stops workers until there are this many. Their open responses are completed. */
  readonly shrink: (workers: number) => void;
  /** Stops idle workers. */
  readonly endIdle: () => void;
}

/** How long new workers are not measured, because they are still compiling their code. */
const COMPILING_MS = 5000;
/** The interval at which CPU time is measured. */
const SAMPLE_MS = 250;
/** The number of consecutive busy intervals before workers are added. */
const BUSY_SAMPLES = 4;
/** The CPU time of a busy interval, as a share of one core for each worker. */
const BUSY_SHARE = 0.75;
/**
 * The time that programs wait for a processor, as a share of an interval, above which more workers
 * would only compete with others.
 */
const MAX_WAITED_SHARE = 0.3;
/** How long to wait before measuring again while no worker may be added. */
const PAUSE_MS = 1000;
/**
 * How long to wait before adding workers again after added ones did not help; increases each time.
 */
const FIRST_RETRY_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;
/** The interval for checking for idle workers. */
const IDLE_CHECK_MS = 10_000;
/**
 * The CPU time in an interval below which idle workers may be stopped, as a share of one core.
 * Above that, the remaining workers would soon be busy and others would have to be started again.
 */
const CALM_SHARE = 0.4;

/**
 * Doubles the number of workers, up to the maximum, whenever they use their cores for a second and
 * other processors are idle. Stops them again if throughput has not increased, and stops idle ones,
 * but never within their first three minutes. Returns a function that stops it.
 */
export function scaleWithLoad(options: ScalingOptions): () => void {
  const scaling = new Scaling(options);
  return () => scaling.stop();
}

class Scaling {
  readonly #options: ScalingOptions;
  /** Cancels the timers. */
  readonly #timers = new Set<() => void>();
  #isStopped = false;
  #retryMs = FIRST_RETRY_MS;
  /** No worker is added before this time. */
  #retryAt = 0;
  /** When the latest workers started serving. */
  #grownAt: number;
  /** The number of times that workers were added; only the latest ones are evaluated. */
  #growths = 0;

  constructor(options: ScalingOptions) {
    this.#options = options;
    this.#grownAt = options.clock.now();
    void this.#growWhenBusy();
    void this.#endWhenIdle();
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  /** Never resolves after {@linkcode stop}. */
  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isStopped) return;
      const cancel = this.#options.clock.after(ms, () => {
        this.#timers.delete(cancel);
        resolve();
      });
      this.#timers.add(cancel);
    });
  }

  async #growWhenBusy(): Promise<void> {
    const { clock, workers, maxWorkers, grow } = this.#options;
    await this.#wait(COMPILING_MS);
    while (true) {
      if (workers() >= maxWorkers || clock.now() < this.#retryAt) {
        await this.#wait(PAUSE_MS);
        continue;
      }
      // Counting requests requires messages to the workers, so it is done only if necessary.
      if (!await this.#isBusy(1)) continue;
      const measured = await measure(this.#options);
      if (!await this.#isBusy(BUSY_SAMPLES)) continue;
      const before = await measured.end();
      const wereWarm = areWarm(measured.counts, this.#grownAt, this.#options);
      const count = workers();
      await grow(Math.min(2 * count, maxWorkers));
      this.#grownAt = clock.now();
      const growth = ++this.#growths;
      if (wereWarm) void this.#judge(growth, count, before);
      await this.#wait(COMPILING_MS);
    }
  }

  /** Stops the workers that were added to `count` others if they bring no gain. */
  async #judge(growth: number, count: number, before: Rates): Promise<void> {
    const wait = async (ms: number) => {
      await this.#wait(ms);
      // More workers have been added, so these are no longer compared with the earlier state.
      if (growth !== this.#growths) await new Promise(() => {});
    };
    if (await tryGrowth({ ...this.#options, before, wait })) return;
    if (this.#options.workers() > count) this.#options.shrink(count);
    this.#retryAt = this.#options.clock.now() + this.#retryMs;
    this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
  }

  /** Whether the workers use their cores in each interval, while other processors are idle. */
  async #isBusy(intervals: number): Promise<boolean> {
    const { clock, cpuMs, waitedMs, workers } = this.#options;
    for (let interval = 0; interval < intervals; interval++) {
      const [at, cpu, waited] = [clock.now(), cpuMs(), waitedMs()];
      await this.#wait(SAMPLE_MS);
      const elapsed = clock.now() - at;
      if (cpuMs() - cpu < BUSY_SHARE * elapsed * workers()) return false;
      const others = waited === undefined ? 0 : (waitedMs() ?? waited) - waited;
      if (others > MAX_WAITED_SHARE * elapsed) return false;
    }
    return true;
  }

  async #endWhenIdle(): Promise<void> {
    const { clock, cpuMs, workers, minWorkers, endIdle } = this.#options;
    while (true) {
      const [at, cpu] = [clock.now(), cpuMs()];
      await this.#wait(IDLE_CHECK_MS);
      const isCalm = cpuMs() - cpu < CALM_SHARE * (clock.now() - at);
      const isOld = clock.now() - this.#grownAt >= MIN_LIFE_MS;
      if (isCalm && isOld && workers() > minWorkers) endIdle();
    }
  }
}

/** Plans the number of workers: one if the system cannot share a port between threads. */
export function planWorkers(
  wanted: number | "auto",
  { cores, os }: { readonly cores: number; readonly os: string } = {
    cores: navigator.hardwareConcurrency,
    os: Deno.build.os,
  },
): WorkerPlan {
  if (os !== "linux") return { first: 1, max: 1 };
  if (wanted !== "auto") return { first: wanted, max: wanted };
  return { first: 1, max: Math.min(cores, MAX_WORKERS) };
}

/**
 * The configuration of one worker, with its share of the limits on requests, connections and
 * memory.
 */
export function shareOf(config: Config, workers: number): Config {
  const { server } = config;
  const { reasoning_state: state, responses_memory: answers } = server;
  const share = (limit: number) => Math.ceil(limit / workers);
  return {
    ...config,
    server: {
      ...server,
      max_in_flight: share(server.max_in_flight),
      max_connections: share(server.max_connections),
      max_connections_per_address: share(server.max_connections_per_address),
      response_cache: { size: share(server.response_cache.size) },
      responses_memory: { ...answers, bytes: share(answers.bytes) },
      reasoning_state: {
        ...state,
        memory: { ...state.memory, bytes: share(state.memory.bytes) },
      },
    },
  };
}
