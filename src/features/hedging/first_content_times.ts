/** The times that a target took to its first content, by the size of the request. */

/** The number of answers that are kept for each size. */
const KEPT = 128;
/** With fewer answers, nothing is known of the slowest tenth. */
const MIN_ANSWERS = 20;
/** Milliseconds after which the last answer says nothing about the next one. */
const MAX_AGE_MS = 3_600_000;
/** Requests of at most these bytes, and longer ones, are measured separately. */
const SIZES = [4096, 16_384, 65_536, 262_144];

/** The last times of one size. */
class Times {
  readonly #ms = new Float64Array(KEPT);
  #count = 0;
  #at = 0;
  #p90: number | undefined;

  add(ms: number, now: number): void {
    this.#ms[this.#count++ % KEPT] = ms;
    this.#at = now;
    this.#p90 = undefined;
  }

  p90(now: number): number | undefined {
    if (this.#count < MIN_ANSWERS || now > this.#at + MAX_AGE_MS) return undefined;
    if (this.#p90 === undefined) {
      const sorted = this.#ms.slice(0, this.#count).sort();
      this.#p90 = sorted[Math.ceil(0.9 * sorted.length) - 1];
    }
    return this.#p90;
  }
}

/** The times of one target. Streams and whole answers are never mixed. */
export class FirstContentTimes {
  readonly #times = new Map<number, Times>();

  /**
   * Adds an answer, or the time for which one was waited in vain.
   *
   * @param bytes the size of the request
   */
  add(stream: boolean, bytes: number, ms: number, now: number): void {
    const index = indexOf(stream, bytes);
    let times = this.#times.get(index);
    if (times === undefined) this.#times.set(index, times = new Times());
    times.add(ms, now);
  }

  /** The milliseconds in which nine of ten answers begin; undefined with too few of them. */
  p90(stream: boolean, bytes: number, now: number): number | undefined {
    return this.#times.get(indexOf(stream, bytes))?.p90(now);
  }
}

function indexOf(stream: boolean, bytes: number): number {
  const size = SIZES.findIndex((most) => bytes <= most);
  return 2 * (size === -1 ? SIZES.length : size) + (stream ? 1 : 0);
}
