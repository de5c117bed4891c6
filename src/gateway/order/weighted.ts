/** `balance: weighted`: the first target is drawn by weight, and the others keep their order. */

import { type Strategy, withFirst } from "./strategy.ts";

/** Targets without a weight are never drawn, unless none has a weight; then all have the same. */
export const weighted: Strategy = (targets, { random }) => {
  const isEqual = targets.every(({ weight }) => weight === undefined);
  const weights = targets.map(({ weight }) => isEqual ? 1 : weight ?? 0);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return targets;
  let rest = random() * total;
  return withFirst(targets.find((_, index) => (rest -= weights[index] ?? 0) < 0), targets);
};
