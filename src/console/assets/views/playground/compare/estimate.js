/** What a message would use and cost, as the gateway's explanations say. */

import { usd } from "../../../lib/format.js";

/**
 * The estimate of one model: of the first target that can answer.
 *
 * @param {any} explanation the answer to the request with `x-sluice-explain`
 * @returns {{ target: string, input: number, output: number, most: number, cost: number | null,
 *   maxCost: number | null } | { error: string }}
 */
export function estimateOf({ targets }) {
  const able = targets.find(({ error }) => error === undefined);
  if (able === undefined) return { error: targets[0]?.error.message ?? "No target can answer" };
  const { provider, model, estimate } = able;
  if (estimate === undefined) return { error: "The gateway has no estimate for it" };
  return {
    target: `${provider} / ${model}`,
    input: estimate.input_tokens,
    output: estimate.output_tokens,
    most: estimate.max_output_tokens,
    cost: estimate.cost_usd,
    maxCost: estimate.max_cost_usd,
  };
}

/**
 * The sums over all models and their answers. A cost is null if one of them is unknown.
 *
 * @param {any[]} estimates
 * @param {number} count the answers of each model
 */
export function sumOf(estimates, count) {
  const known = estimates.filter(({ error }) => error === undefined);
  const sum = (name) =>
    known.some((entry) => entry[name] === null)
      ? null
      : known.reduce((total, entry) => total + entry[name] * count, 0);
  return {
    ...{ requests: known.length * count, input: sum("input"), output: sum("output") },
    ...{ most: sum("most"), cost: sum("cost"), maxCost: sum("maxCost") },
  };
}

/**
 * What the budget of the key says about it. The answers of a model are written one after another,
 * those of several models at the same time: each of these reserves the most that it may cost.
 *
 * @param {any} budget of `GET /v1/usage`; null without one
 * @param {any[]} estimates
 * @param {number} count
 * @returns {{ tone: "good" | "warn" | "bad", text: string } | undefined}
 */
export function budgetVerdict(budget, estimates, count) {
  if (budget === null) return undefined;
  const { limit_usd: limit, remaining_usd: left, is_used_up: isUsedUp } = budget;
  if (isUsedUp) {
    return { tone: "bad", text: `The budget of ${usd(limit)} is used up: it would be refused` };
  }
  const rest = `${usd(left)} of ${usd(limit)} is left`;
  const { cost } = sumOf(estimates, count);
  if (cost !== null && cost > left) {
    return { tone: "bad", text: `It would use up the budget: ${rest}` };
  }
  const { requests, maxCost } = sumOf(estimates, 1);
  if (requests > 1 && maxCost !== null && maxCost > left) {
    return {
      tone: "warn",
      text: `Some may be refused: together they reserve ${usd(maxCost)} of the budget, and ${rest}`,
    };
  }
  return { tone: "good", text: `Budget: ${rest}` };
}
