/** Summarizes the requests of a session. */

import { count, countOf, percent, usd } from "../../lib/format.js";
import { lengthText } from "../../lib/target_health.js";

/**
 * The requests of a session in their order, each with its number, and whether its provider differs
 * from that of the previous request.
 *
 * @param {readonly any[]} rows the newest first, as the gateway lists them
 */
export function turnsOf(rows) {
  let provider = null;
  return rows.toReversed().map((row, index) => {
    const hasMoved = provider !== null && row.provider !== null && row.provider !== provider;
    if (row.provider !== null) ({ provider } = row);
    return { ...row, number: index + 1, hasMoved };
  });
}

/**
 * The headline of a session, and one further sentence.
 *
 * @param {readonly any[]} turns of {@linkcode turnsOf}, at least one
 * @returns {{ title: string, text: string }}
 */
export function sessionTexts(turns) {
  const sum = (name) => turns.reduce((total, turn) => total + (turn[name] ?? 0), 0);
  const moves = turns.filter(({ hasMoved }) => hasMoved).length;
  const last = turns.at(-1);
  const length = Date.parse(last.time) - Date.parse(turns[0].time) + turns[0].ms;
  const moved = moves === 0 ? "never moved" : moves === 1 ? "moved once" : `moved ${moves} times`;
  const input = sum("input_tokens");
  return {
    title: `${countOf(turns.length, "request")} in ${lengthText(length)}; ${moved}, ${
      costText(turns)
    }`,
    text: input === 0
      ? "No input tokens are known."
      : `${percent(sum("cached_input_tokens"), input)} of ${count(input)} input tokens came from ` +
        "the prompt cache.",
  };
}

/** The cost; "at least" if some prices are unknown. */
function costText(turns) {
  const known = turns.filter((turn) => turn.cost_usd != null);
  if (known.length === 0) return "cost unknown";
  const total = known.reduce((sum, turn) => sum + turn.cost_usd, 0);
  const isPartial = turns.some((turn) => turn.cost_usd == null && turn.usage_source !== "none");
  return `${isPartial ? "≥ " : ""}${usd(total)}`;
}
