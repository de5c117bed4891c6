/** Orders the groups of a route for one request, each by the strategy that config.yaml names. */

import type { Balance, FallbackTarget, TargetGroup } from "../../config/config.ts";
import { throughput, ttft } from "./fastest.ts";
import { inOrder } from "./in_order.ts";
import { p2c } from "./p2c.ts";
import type { OrderContext, Strategy } from "./strategy.ts";
import { weighted } from "./weighted.ts";

/** All strategies by the name in config.yaml. */
const STRATEGIES = {
  in_order: inOrder,
  weighted,
  p2c,
  ttft,
  throughput,
} as const satisfies Record<Balance, Strategy>;

/** The targets in the order in which a request asks them, as long as all are available. */
export function orderGroups(
  groups: readonly TargetGroup[],
  context: OrderContext,
): readonly FallbackTarget[] {
  const [only, ...others] = groups;
  if (only !== undefined && others.length === 0) return orderGroup(only, context);
  return groups.flatMap((group) => orderGroup(group, context));
}

function orderGroup(
  { targets, balance }: TargetGroup,
  context: OrderContext,
): readonly FallbackTarget[] {
  return targets.length === 1 ? targets : STRATEGIES[balance](targets, context);
}
