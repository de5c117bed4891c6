/** Which of the models that answered one message was the fastest, and which the cheapest. */

/**
 * The best columns of a turn. Nothing is said before all have ended, of fewer than two answers, of
 * equal ones, or if the cost of one is unknown.
 *
 * @param {{ isOpen: boolean, state: string, timing: { total: number | null },
 *   cost: number | null }[][]} columns the runs of each model
 * @returns {{ fastest: number, cheapest: number }} positions in the list; -1 for none
 */
export function bestOf(columns) {
  const none = { fastest: -1, cheapest: -1 };
  if (columns.some((runs) => runs.some(({ isOpen }) => isOpen))) return none;
  // A model that failed or was stopped has no whole answer to compare.
  const whole = columns.map((runs) => runs.length > 0 && runs.at(-1).state === "done");
  if (whole.filter(Boolean).length < 2) return none;
  const totalOf = (amount) =>
    columns.map((runs, index) => whole[index] ? sum(runs.map(amount)) : Infinity);
  return {
    fastest: positionOfLeast(totalOf(({ timing }) => timing.total)),
    cheapest: positionOfLeast(totalOf(({ cost }) => cost)),
  };
}

/**
 * What several answers of one model have in common, where all amounts of an answer are known.
 *
 * @param {any[][]} samples the answers, each as its steps
 * @returns {{ isOpen: boolean, count: number, done: number, failed: number, first: number | null,
 *   total: number | null, output: number | null, cost: number | null, spent: number,
 *   unknownCosts: number }} medians of the answers that are done; `spent` is the sum of all costs
 */
export function mediansOf(samples) {
  const done = samples.filter((steps) => steps.at(-1)?.state === "done");
  const of = (amount) => median(done.map((steps) => sum(steps.map(amount))));
  const sent = samples.flat().filter(({ state }) => state !== "written" && state !== "queued");
  const ended = sent.filter(({ isOpen }) => !isOpen);
  return {
    isOpen: samples.flat().some(({ isOpen }) => isOpen),
    count: samples.length,
    done: done.length,
    failed: samples.filter((steps) => steps.at(-1)?.state === "failed").length,
    first: median(done.map(([step]) => step.timing.first)),
    total: of(({ timing }) => timing.total),
    output: of(({ fold }) => fold.usage?.completion_tokens ?? null),
    cost: of(({ cost }) => cost),
    spent: ended.reduce((total, { cost }) => total + (cost ?? 0), 0),
    unknownCosts: ended.filter(({ cost }) => cost === null).length,
  };
}

/**
 * The two answers that are compared first: of different models, if there are.
 *
 * @template {{ column: number }} Answer
 * @param {Answer[]} answers at least two
 * @returns {[Answer, Answer]}
 */
export function firstPair([first, second, ...others]) {
  const other = [second, ...others].find(({ column }) => column !== first.column);
  return [first, other ?? second];
}

/** The answers of a model as one that took its medians, for {@linkcode bestOf}. */
export function asRuns(samples) {
  if (samples.length < 2) return samples[0] ?? [];
  const { isOpen, done, total, cost } = mediansOf(samples);
  return [{ isOpen, state: done > 0 ? "done" : "failed", timing: { total }, cost }];
}

/** Null if one amount is unknown, or if there is none. */
function median(amounts) {
  if (amounts.length === 0 || amounts.includes(null)) return null;
  const sorted = amounts.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** With tool calls, an answer has several requests. Null if one amount is unknown. */
function sum(amounts) {
  return amounts.includes(null) ? null : amounts.reduce((total, amount) => total + amount, 0);
}

function positionOfLeast(amounts) {
  if (amounts.includes(null)) return -1;
  const least = Math.min(...amounts);
  const at = amounts.indexOf(least);
  return at === amounts.lastIndexOf(least) ? at : -1;
}
