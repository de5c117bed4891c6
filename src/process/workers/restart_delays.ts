/** How long workers that have exited wait before they restart. Times are in milliseconds. */

/** The delay doubles with each restart, from the first up to the maximum. */
const FIRST_RESTART_MS = 100;
const MAX_RESTART_MS = 5000;
/** A worker that ran for at least this long starts again with the first delay. */
const MIN_HEALTHY_MS = 10_000;

export class RestartDelays {
  /** The delay of the next restart, by the number of the worker. */
  readonly #delays = new Map<number, number>();

  /** Whether this worker has ever exited. */
  has(number: number): boolean {
    return this.#delays.has(number);
  }

  /** The worker has ended, and its number may be used again. */
  forget(number: number): void {
    this.#delays.delete(number);
  }

  /** The delay before a worker that ran for `uptime` restarts. */
  next(number: number, uptime: number): number {
    const known = uptime >= MIN_HEALTHY_MS ? undefined : this.#delays.get(number);
    const delay = known ?? FIRST_RESTART_MS;
    this.#delays.set(number, Math.min(2 * delay, MAX_RESTART_MS));
    return delay;
  }
}
