/** Finds the fastest and the cheapest of the models that answered a message. */

/**
 * The best columns of a turn. There is none before all have ended, with fewer than two answers,
 * with equal values, or if a cost is unknown.
 *
 * @param {{ isOpen: boolean, state: string, timing: { total: number | null }, cost: number | null
 * }[][]} columns the runs of each model
 * @returns {{ fastest: number, cheapest: number }} positions in the list; -1 for none
 */
export function bestOf(columns) {
  const none = { fastest: -1, cheapest: -1 };
  if (columns.some((runs) => runs.some(({ isOpen }) => isOpen))) return none;
  // A model that failed or was stopped has no complete answer to compare.
  const whole = columns.map((runs) => runs.at(-1)?.state === "done");
  if (whole.filter(Boolean).length < 2) return none;
  const totalOf = (amount) =>
    columns.map((runs, index) => whole[index] ? sum(runs.map(amount)) : Infinity);
  return {
    fastest: positionOfLeast(totalOf(({ timing }) => timing.total)),
    cheapest: positionOfLeast(totalOf(({ cost }) => cost)),
  };
}

/** The sum over all requests of an answer with tool calls. Null if one amount is unknown. */
function sum(amounts) {
  return amounts.includes(null) ? null : amounts.reduce((total, amount) => total + amount, 0);
}

function positionOfLeast(amounts) {
  if (amounts.includes(null)) return -1;
  const least = Math.min(...amounts);
  const at = amounts.indexOf(least);
  return at === amounts.lastIndexOf(least) ? at : -1;
}
