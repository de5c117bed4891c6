/** The contract of a strategy: it orders equal targets for one request. */

import type { FallbackTarget } from "../../config/config.ts";

/** What an order may depend on besides the targets. */
export interface OrderContext {
  /** A number from 0 to 1, 1 excluded. */
  readonly random: () => number;
}

/**
 * Orders the targets of one group: the first is asked first. It returns each target once, and
 * changes nothing.
 */
export type Strategy = (
  targets: readonly FallbackTarget[],
  context: OrderContext,
) => readonly FallbackTarget[];

/** The same targets with one of them in front; the others keep their order. */
export function withFirst(
  first: FallbackTarget | undefined,
  targets: readonly FallbackTarget[],
): readonly FallbackTarget[] {
  if (first === undefined || first === targets[0]) return targets;
  return [first, ...targets.filter((target) => target !== first)];
}
