/** The error for a request that may not use any of its targets. */

import type { Config, ServiceKey, Target } from "../../config/config.ts";
import type { MaxPrice } from "../../config/routing_schema.ts";
import { GatewayError } from "../../core/errors.ts";
import { isWithin } from "./prices.ts";
import type { SkippedTarget } from "./route_trace.ts";

/** The maximum number of targets that a message names. */
const MAX_NAMED = 5;

/** Why a request was rejected. */
export interface Refusal {
  readonly skipped: readonly SkippedTarget[];
  readonly cap: MaxPrice | undefined;
  /** The member or header with the caller's cap, if any. */
  readonly param: string | null;
}

/**
 * The error for a request whose targets are all excluded by the caller's `provider.only` or by a
 * price cap.
 */
export function noTargetLeft(
  { skipped, cap, param }: Refusal,
  key: ServiceKey,
  config: Config,
): GatewayError {
  const dear = skipped.filter(({ reason }) => reason === "max-price");
  if (cap === undefined || dear.length === 0) {
    const message = "No provider in 'provider.only' has this model";
    return new GatewayError("model_not_found", message, { param: "provider.only" });
  }
  const named = dear.slice(0, MAX_NAMED).map(({ target }) => {
    const name = `'${target.model.id}' of '${target.provider.settings.id}'`;
    const { prices } = target.model.facts;
    return prices === undefined
      ? `the price of ${name} is unknown`
      : `${name} costs ${prices.input} and ${prices.output}`;
  });
  const more = dear.length > MAX_NAMED ? [`and ${dear.length - MAX_NAMED} more`] : [];
  // A simulated model is not an alternative.
  const fits = (target: Target) => !target.provider.adapter.simulated && isWithin(target, cap);
  const fitting = cheapestOf(fits, dear[0]?.target, key, config);
  const hint = fitting === undefined ? "no model is within it" : `'${fitting}' is within it`;
  const message = `No target is within the price cap of ${describe(cap)}: ${
    [...named, ...more].join(", ")
  }; ${hint}`;
  return new GatewayError("over_max_price", message, { param });
}

function describe({ input, output }: MaxPrice): string {
  const parts = [
    ...input === undefined ? [] : [`${input} USD for input`],
    ...output === undefined ? [] : [`${output} USD for output`],
  ];
  return `${parts.join(" and ")} per million tokens`;
}

/**
 * The cheapest suitable model that the key may use.
 *
 * @param like a model of the same kind, such as an embedding model
 */
export function cheapestOf(
  fits: (target: Target) => boolean,
  like: Target | undefined,
  key: ServiceKey,
  config: Config,
): string | undefined {
  const embeds = (target: Target | undefined) =>
    target?.model.facts.capabilities?.embeddings === true;
  let cheapest: { readonly id: string; readonly cost: number } | undefined;
  for (const { id, target } of config.models) {
    const { prices } = target.model.facts;
    if (prices === undefined || embeds(target) !== embeds(like)) continue;
    const cost = 3 * prices.input + prices.output;
    if (cost >= (cheapest?.cost ?? Infinity) || !config.isAllowed(key, id)) continue;
    if (fits(target)) cheapest = { id, cost };
  }
  return cheapest?.id;
}
