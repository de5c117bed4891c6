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
  const whole = columns.map((runs) => runs.at(-1)?.state === "done");
  if (whole.filter(Boolean).length < 2) return none;
  const totalOf = (amount) =>
    columns.map((runs, index) => whole[index] ? sum(runs.map(amount)) : Infinity);
  return {
    fastest: positionOfLeast(totalOf(({ timing }) => timing.total)),
    cheapest: positionOfLeast(totalOf(({ cost }) => cost)),
  };
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
