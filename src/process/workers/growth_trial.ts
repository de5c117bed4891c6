/** Judges workers that were added under load: they stay if more requests end with them. */

import { measure, type Rates, type RateSources, type RequestCounts } from "./load_rates.ts";

/** The age below which a worker is cold: the engine still compiles its code. */
const WARM_AFTER_MS = 20_000;
/** The requests of each worker below which it is cold. */
const WARM_AFTER_REQUESTS = 10_000;
/** The length of a window, in which requests are counted. */
const WINDOW_MS = 10_000;
/** The consecutive windows without any gain after which the added workers end. */
const WINDOWS_WITHOUT_GAIN = 2;
/** The gain of one window after which they stay for good. */
const CLEAR_GAIN = 1.1;
/** The shortest life of a worker: the callers and their connections have settled. */
export const MIN_LIFE_MS = 180_000;
/** The age after which they stay: what callers send may no longer be what they sent before. */
const LAST_WINDOW_MS = 300_000;
/** The share of the CPU time before, below which callers have become fewer. */
const FEWER_CALLERS = 0.75;

/** Whether workers that began to serve at `since` are warm, by their age and their requests. */
export function areWarm(
  counts: RequestCounts | undefined,
  since: number,
  { clock }: Pick<RateSources, "clock">,
): boolean {
  return counts !== undefined && clock.now() - since >= WARM_AFTER_MS &&
    counts.values().every((count) => count >= WARM_AFTER_REQUESTS);
}

/** What a trial needs. */
export interface TrialOptions extends RateSources {
  /** The rates of the earlier workers, measured when they were warm. */
  readonly before: Rates;
  /** Resolves after a time in milliseconds; never after the end of the trial. */
  readonly wait: (ms: number) => Promise<void>;
}

/**
 * Measures one window after the other once all workers are warm. Resolves with whether the workers
 * that were added now stay: unless two windows in a row, after at least three minutes, bring no gain.
 */
export async function tryGrowth(options: TrialOptions): Promise<boolean> {
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

/** The rate of requests as a multiple of the one before; undefined if they cannot be compared. */
function gainOf(after: Rates, before: Rates): number | undefined {
  if (before.requests === undefined || after.requests === undefined) return undefined;
  if (after.cpu < FEWER_CALLERS * before.cpu) return undefined;
  return after.requests / before.requests;
}
