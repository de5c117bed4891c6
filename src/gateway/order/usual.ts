/** The typical figure of a group: the median of the known figures of a target's peers. */

/** Finds the median of the others for each target of a group, in constant time after one sort. */
export class Usual {
  readonly #figures: readonly (number | undefined)[];
  readonly #sorted: readonly number[];

  /** @param figures one for each target, undefined if unknown */
  constructor(figures: readonly (number | undefined)[]) {
    this.#figures = figures;
    this.#sorted = figures.filter((figure) => figure !== undefined).sort((a, b) => a - b);
  }

  /** Whether no figure is known. */
  get isUnknown(): boolean {
    return this.#sorted.length === 0;
  }

  /** The lower median of the other targets; 0 if none of them is known. */
  ofOthers(index: number): number {
    const own = this.#figures[index];
    const sorted = this.#sorted;
    if (own === undefined) return sorted[(sorted.length - 1) >> 1] ?? 0;
    const middle = (sorted.length - 2) >> 1;
    return sorted[middle < sorted.indexOf(own) ? middle : middle + 1] ?? 0;
  }
}
