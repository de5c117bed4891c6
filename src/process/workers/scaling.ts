/** Adds workers while the running ones are busy and others would help, and ends needless ones. */

import type { Clock } from "../../core/clock.ts";

/** What {@linkcode scaleWithLoad} needs. */
export interface ScalingOptions {
  readonly clock: Clock;
  /** Returns the CPU time of the process so far, in milliseconds. */
  readonly cpuMs: () => number;
  /**
   * Returns how long programs of this machine have waited for a processor so far, in milliseconds;
   * undefined where the system does not tell.
   */
  readonly waitedMs: () => number | undefined;
  /** Returns the number of requests to models that have ended so far; undefined if it is unknown. */
  readonly requests: () => Promise<number | undefined>;
  /** Returns the number of workers. */
  readonly workers: () => number;
  /** The number of workers that are never ended. */
  readonly minWorkers: number;
  readonly maxWorkers: number;
  /** Starts workers until there are this many; resolves when they serve. */
  readonly grow: (workers: number) => Promise<void>;
  /** Ends workers until there are this many. Their open answers are completed. */
  readonly shrink: (workers: number) => void;
  /** Ends those workers that are idle. */
  readonly endIdle: () => void;
}

/** How long nothing is measured after the start: the first worker compiles its code. */
const START_MS = 5000;
/** The interval at which CPU time is measured. */
const SAMPLE_MS = 250;
/** The number of consecutive busy intervals before workers are added. */
const BUSY_SAMPLES = 4;
/** The CPU time of a busy interval, as a share of one core for each worker. */
const BUSY_SHARE = 0.75;
/**
 * The time that programs wait for a processor, as a share of an interval, above which more workers
 * would only take it from others.
 */
const MAX_WAITED_SHARE = 0.3;
/** How long new workers are not measured: callers move their connections. */
const SETTLE_MS = 1000;
/** How long the requests of the workers are counted after others were added. */
const JUDGE_MS = 2000;
/** The fewest requests from which a rate is known well enough. */
const MIN_REQUESTS = 200;
/** How much more requests must end when workers were added; else those are ended again. */
const MIN_GAIN = 1.1;
/** The share of the CPU time before, below which callers have become fewer. */
const FEWER_CALLERS = 0.75;
/** How long no worker is added after some that did not help; each time longer. */
const FIRST_RETRY_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;
/** The interval at which idle workers are looked for. */
const IDLE_CHECK_MS = 10_000;
/**
 * The CPU time of an interval in which idle workers may be ended, as a share of one core. Above
 * that, the remaining workers would soon be busy and others would be started again.
 */
const CALM_SHARE = 0.4;

/**
 * Doubles the number of workers, up to the maximum, whenever they use their cores for a second and
 * other processors have time. Ends them again if no more requests end than before, and ends those
 * that are idle. Returns the function that stops it.
 */
export function scaleWithLoad(options: ScalingOptions): () => void {
  const growth = new Growth(options);
  const stopEnding = endWhenIdle(options);
  return () => {
    growth.stop();
    stopEnding();
  };
}

/** What was used in an interval, each as a rate. */
interface Use {
  /** CPU time, as a share of one core. */
  readonly cpu: number;
  /** Requests per millisecond; undefined if they are unknown or too few. */
  readonly requests: number | undefined;
}

class Growth {
  readonly #options: ScalingOptions;
  #cancel = () => {};
  #isStopped = false;
  #retryMs = FIRST_RETRY_MS;

  constructor(options: ScalingOptions) {
    this.#options = options;
    void this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** Never resolves after {@linkcode stop}. */
  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#isStopped) this.#cancel = this.#options.clock.after(ms, resolve);
    });
  }

  async #run(): Promise<void> {
    const { workers, maxWorkers, grow, shrink } = this.#options;
    await this.#wait(START_MS);
    while (true) {
      if (workers() >= maxWorkers) {
        await this.#wait(SETTLE_MS);
        continue;
      }
      // Requests are counted by messages to the workers, so only if it may matter.
      if (!await this.#isBusy(1)) continue;
      const before = await this.#measure(() => this.#isBusy(BUSY_SAMPLES));
      if (before === undefined) continue;
      const count = workers();
      await grow(Math.min(2 * count, maxWorkers));
      await this.#wait(SETTLE_MS);
      const after = await this.#measure(() => this.#wait(JUDGE_MS).then(() => true));
      if (after === undefined || !hasNoGain(before, after)) continue;
      shrink(count);
      await this.#wait(this.#retryMs);
      this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
    }
  }

  /** Measures the use until a promise resolves; undefined if that resolves with false. */
  async #measure(untilEnd: () => Promise<boolean>): Promise<Use | undefined> {
    const { clock, cpuMs, requests } = this.#options;
    const [at, cpu, first] = [clock.now(), cpuMs(), await requests()];
    if (!await untilEnd()) return undefined;
    const [elapsed, last] = [clock.now() - at, await requests()];
    const count = first === undefined || last === undefined ? 0 : last - first;
    return {
      cpu: (cpuMs() - cpu) / elapsed,
      requests: count < MIN_REQUESTS ? undefined : count / elapsed,
    };
  }

  /** Whether the workers use their cores in each interval, while other processors have time. */
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
}

/** Whether added workers brought no more requests to an end, although callers sent as many. */
function hasNoGain(before: Use, after: Use): boolean {
  if (before.requests === undefined || after.requests === undefined) return false;
  return after.cpu >= FEWER_CALLERS * before.cpu && after.requests < MIN_GAIN * before.requests;
}

function endWhenIdle({ clock, cpuMs, workers, minWorkers, endIdle }: ScalingOptions): () => void {
  let cancel = () => {};
  const checkLater = () => {
    const [at, cpu] = [clock.now(), cpuMs()];
    cancel = clock.after(IDLE_CHECK_MS, () => {
      const isCalm = cpuMs() - cpu < CALM_SHARE * (clock.now() - at);
      if (isCalm && workers() > minWorkers) endIdle();
      checkLater();
    });
  };
  checkLater();
  return () => cancel();
}
