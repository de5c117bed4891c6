/**
 * Orders a route's targets for one request: skips those that the request must not use, and orders
 * each group by the strategy that config.yaml or the caller selects.
 */

import type { Balance, FallbackTarget, Route } from "../../config/config.ts";
import type { MaxPrice } from "../../config/routing_schema.ts";
import { STRATEGIES } from "./strategies.ts";
import { isWithin, lowerCap } from "./prices.ts";
import type { OrderContext, Strategies } from "./strategy.ts";
import { readOnly } from "./rank.ts";
import type { RouteOptions } from "./route_trace.ts";

/**
 * The targets in the order in which a request tries them if all are available. Decisions are
 * recorded in the context.
 */
export function orderRoute(
  { groups, policy }: Pick<Route, "groups" | "policy">,
  context: OrderContext,
): readonly FallbackTarget[] {
  const { options } = context;
  const cap = lowerCap(policy.max_price, options?.maxPrice);
  const [only] = groups;
  const isPlain = !options && !cap && !policy.affinity;
  if (groups.length === 1 && only?.targets.length === 1 && isPlain) return only.targets;
  const { order } = context;
  const chain = groups.flatMap(({ targets, balance }) => {
    const allowed = allowedOf(targets, cap, context);
    if (allowed.length < 2) return allowed;
    const byFeature = order?.group?.(allowed, { balance, policy }, context);
    if (byFeature !== undefined) return byFeature;
    const own = allowed === targets ? context : { ...context, group: targets };
    const ordered = withNamedFirst(orderGroup(allowed, balance, own), context);
    return withRoomFirst(ordered, context);
  });
  return order?.route?.(chain, policy, context) ?? chain;
}

function orderGroup(
  targets: readonly FallbackTarget[],
  configured: Balance,
  context: OrderContext,
): readonly FallbackTarget[] {
  const requested = context.options?.balance;
  const balance = requested ?? configured;
  if (balance === "in_order") return targets;
  context.notes.add(requested === undefined ? balance : `sort=${balance}`);
  if (balance === "price") (context.notes.priceOrders ??= []).push(targets);
  // A caller's choice must not change the order for other callers.
  const own = requested === undefined ? context : { ...context, state: readOnly(context.state) };
  const builtIn: Strategies = STRATEGIES;
  const strategy = builtIn[balance] ?? context.order?.strategies?.[balance];
  return strategy?.(targets, own) ?? targets;
}

/** Removes the targets that the caller or a price cap excludes. */
function allowedOf(
  targets: readonly FallbackTarget[],
  cap: MaxPrice | undefined,
  { notes, options }: OrderContext,
): readonly FallbackTarget[] {
  const only = options?.only;
  if (cap === undefined && only === undefined) return targets;
  return targets.filter(({ target }) => {
    const isNamed = only === undefined || takesProvider(target) || isOneOf(target, only);
    if (!isNamed) notes.skip(target, "only");
    else if (cap === undefined || isWithin(target, cap)) return true;
    else notes.skip(target, "max-price");
    return false;
  });
}

/** Moves targets whose rate limits the request would exceed to the end of their group. */
function withRoomFirst(
  targets: readonly FallbackTarget[],
  { clock, notes, state, tokens }: OrderContext,
): readonly FallbackTarget[] {
  const now = clock.now();
  const full = targets.filter(({ target }) => !state.hasRoom(target, tokens, now));
  if (full.length === 0 || full.length === targets.length) return targets;
  for (const _ of full) notes.postpone("headroom");
  return [...targets.filter((entry) => !full.includes(entry)), ...full];
}

/** Moves the providers that the caller prefers to the front, in the caller's order. */
function withNamedFirst(
  targets: readonly FallbackTarget[],
  { notes, options }: OrderContext,
): readonly FallbackTarget[] {
  const order = options?.order;
  if (order === undefined) return targets;
  const placeOf = ({ target }: FallbackTarget) => {
    const place = order.findIndex((name) => isOneOf(target, [name]));
    return place === -1 ? order.length : place;
  };
  const places = new Map(targets.map((entry) => [entry, placeOf(entry)]));
  if ([...places.values()].every((place) => place === order.length)) return targets;
  notes.add("order");
  return targets.toSorted((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
}

function isOneOf(
  { provider: { adapter, settings } }: FallbackTarget["target"],
  names: NonNullable<RouteOptions["only"]>,
): boolean {
  return names.includes(settings.id.toLowerCase()) || names.includes(adapter.kind);
}

/** Whether the vendor itself chooses among providers, based on the request. */
function takesProvider({ provider: { adapter, settings } }: FallbackTarget["target"]): boolean {
  return adapter.takesProviderMember?.(settings) ?? false;
}
