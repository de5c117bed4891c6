/** Sums of attempts over the last minutes and the last day, in memory of a fixed size. */

/** Attempts and how many of them failed. */
export interface AttemptSums {
  readonly attempts: number;
  readonly failures: number;
}

/** The attempts of the latest cells of time. An older cell is reused for a newer one. */
export class AttemptCells {
  readonly #cellMs: number;
  readonly #attempts: Uint32Array;
  readonly #failures: Uint32Array;
  /** The number of the newest cell since the Unix epoch. */
  #newest = 0;

  constructor(cellMs: number, count: number) {
    this.#cellMs = cellMs;
    this.#attempts = new Uint32Array(count);
    this.#failures = new Uint32Array(count);
  }

  add(time: number, failed: boolean): void {
    const cell = Math.floor(time / this.#cellMs);
    if (cell > this.#newest) this.#advance(cell);
    const count = this.#attempts.length;
    if (cell <= this.#newest - count) return;
    const index = cell % count;
    this.#attempts[index] = (this.#attempts[index] ?? 0) + 1;
    if (failed) this.#failures[index] = (this.#failures[index] ?? 0) + 1;
  }

  /** The cells since a time that have attempts, the oldest first: its start, attempts, failures. */
  *since(time: number): Iterable<readonly [start: number, attempts: number, failures: number]> {
    const count = this.#attempts.length;
    const first = Math.max(Math.floor(time / this.#cellMs), this.#newest - count + 1);
    for (let cell = first; cell <= this.#newest; cell++) {
      const attempts = this.#attempts[cell % count] ?? 0;
      if (attempts > 0) yield [cell * this.#cellMs, attempts, this.#failures[cell % count] ?? 0];
    }
  }

  /** The sums of the cells since a time. */
  sums(time: number): AttemptSums {
    const count = this.#attempts.length;
    let cell = Math.max(Math.floor(time / this.#cellMs), this.#newest - count + 1);
    let [attempts, failures] = [0, 0];
    for (; cell <= this.#newest; cell++) {
      attempts += this.#attempts[cell % count] ?? 0;
      failures += this.#failures[cell % count] ?? 0;
    }
    return { attempts, failures };
  }

  #advance(cell: number): void {
    const count = this.#attempts.length;
    const from = Math.max(this.#newest + 1, cell - count + 1);
    for (let next = from; next <= cell; next++) {
      this.#attempts[next % count] = 0;
      this.#failures[next % count] = 0;
    }
    this.#newest = Math.max(this.#newest, cell);
  }
}

/** Each class of durations is this many times as long as the one before: medians are so exact. */
const CLASS_FACTOR = 1.15;
const LOG_FACTOR = Math.log(CLASS_FACTOR);
/** Classes from 1 ms to about 20 min. */
const CLASSES = 100;

/** Durations of the latest cells of time, for their median. */
export class DurationCells {
  readonly #cellMs: number;
  readonly #count: number;
  /** The counts by class of each cell; those of one cell are made when it gets a duration. */
  readonly #cells: ({ readonly cell: number; readonly counts: Uint32Array } | undefined)[];

  constructor(cellMs: number, count: number) {
    this.#cellMs = cellMs;
    this.#count = count;
    this.#cells = Array(count).fill(undefined);
  }

  add(time: number, ms: number): void {
    const cell = Math.floor(time / this.#cellMs);
    const index = cell % this.#count;
    let entry = this.#cells[index];
    if (entry === undefined || entry.cell < cell) {
      entry = this.#cells[index] = { cell, counts: new Uint32Array(CLASSES) };
    }
    if (entry.cell > cell) return;
    const one = Math.min(CLASSES - 1, Math.floor(Math.log(Math.max(1, ms)) / LOG_FACTOR));
    entry.counts[one] = (entry.counts[one] ?? 0) + 1;
  }

  /** How many durations there are since a time, and their median; undefined without any. */
  median(time: number): { readonly count: number; readonly ms: number } | undefined {
    const first = Math.floor(time / this.#cellMs);
    const sums = new Uint32Array(CLASSES);
    let count = 0;
    for (const entry of this.#cells) {
      if (entry === undefined || entry.cell < first) continue;
      for (const [index, number] of entry.counts.entries()) {
        sums[index] = (sums[index] ?? 0) + number;
        count += number;
      }
    }
    if (count === 0) return undefined;
    let below = 0;
    const index = sums.findIndex((number) => (below += number) * 2 >= count);
    // The middle of the class.
    return { count, ms: Math.round(CLASS_FACTOR ** (index + 0.5)) };
  }
}
