/**
 * Several answers of one model to the same message. `turn.runs` has the chosen answer of each column:
 * the later messages continue with it. `turn.samples` has all of them for a column that has several.
 */

/**
 * The answers of a column, each as its steps.
 *
 * @param {{ runs: Map<number, object[]>,
 *   samples?: Map<number, { list: object[][], at: number }> }} turn
 * @param {number} column its ID
 * @returns {{ list: object[][], at: number }} `at` is the place of the chosen one
 */
export function samplesOf({ runs, samples }, column) {
  const chosen = runs.get(column) ?? [];
  const all = samples?.get(column);
  if (all !== undefined) return { list: all.list.with(all.at, chosen), at: all.at };
  return { list: chosen.length === 0 ? [] : [chosen], at: 0 };
}

/** The turn with another answer of a column chosen. */
export function withChosen(turn, column, at) {
  const { list } = samplesOf(turn, column);
  return {
    ...turn,
    runs: new Map(turn.runs).set(column, list[at]),
    samples: new Map(turn.samples).set(column, { list, at }),
  };
}

/** The turn with other steps of the chosen answer. Without any, another answer is chosen. */
export function withSteps(turn, column, steps) {
  const runs = new Map(turn.runs).set(column, steps);
  const all = turn.samples?.get(column);
  if (steps.length > 0 || all === undefined) return { ...turn, runs };
  const list = all.list.toSpliced(all.at, 1);
  const samples = new Map(turn.samples);
  if (list.length > 1) samples.set(column, { list, at: 0 });
  else samples.delete(column);
  return { ...turn, runs: runs.set(column, list[0] ?? []), samples };
}

/** All runs of a turn. */
export function runsOfTurn(turn) {
  const columns = new Set([...turn.runs.keys(), ...turn.samples?.keys() ?? []]);
  return [...columns].flatMap((column) => samplesOf(turn, column).list.flat());
}
