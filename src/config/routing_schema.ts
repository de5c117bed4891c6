/**
 * How requests to a model or an alias are routed. Each member is one entry here: the `routing`
 * section holds the defaults, and an alias that is an object may override each of them.
 */

import * as z from "zod";

/** How the targets of a group are ordered for a request. */
const BALANCES = ["in_order", "weighted", "p2c", "ttft", "throughput"] as const;
export type Balance = (typeof BALANCES)[number];

/** Every member is optional: what is absent is disabled, or has the default of its description. */
export const routingMembers = {
  balance: z.enum(BALANCES).optional().describe(
    "How a request chooses among equal targets: in their order (in_order, the default), by 'weight' (weighted), the less loaded of two drawn ones (p2c), or the fastest by the time to the first content (ttft) or for each output token (throughput)",
  ),
};

/** The schema of `routing`. */
export const routingSection = z.strictObject(routingMembers);

/** The members of `routing` that apply to one model or alias. */
export type RoutingPolicy = Readonly<z.infer<typeof routingSection>>;

/** The policy of an alias: its own members, and the defaults for those that it does not set. */
export function toRoutingPolicy(own: RoutingPolicy, defaults: RoutingPolicy): RoutingPolicy {
  const set = Object.entries(own).filter(([, value]) => value !== undefined);
  return set.length === 0 ? defaults : Object.freeze({ ...defaults, ...Object.fromEntries(set) });
}
