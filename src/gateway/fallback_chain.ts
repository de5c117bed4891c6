/** The targets that one request may use, in order, and which failures lead to the next one. */

import { shortened } from "../core/text.ts";
import {
  type Config,
  DEFAULT_ON_FAILURES,
  type FallbackTarget,
  type Route,
  type ServiceKey,
} from "../config/config.ts";
import { GatewayError } from "../core/errors.ts";
import type { ModelPlan, Plans } from "./plan.ts";
import { orderRoute } from "./order/order_route.ts";
import { lowerCap } from "./order/prices.ts";
import { noTargetLeft } from "./order/refused_targets.ts";
import type { OrderContext } from "./order/strategy.ts";

/** The models that a request names. */
export interface RequestedModels {
  readonly model: string;
  /** Models to fall back to, in order. */
  readonly models?: readonly string[] | undefined;
}

/** Optional facts about a request. */
export interface ChainOptions {
  readonly plan?: ModelPlan | undefined;
  readonly providerOf?: (() => string | undefined) | undefined;
}

/**
 * A request's fallback chain: the chain for its model, then the chains for the models in its
 * `models` list. The groups of each are ordered as configured, or as the caller requests.
 *
 * @param options the plan of its model, and a function, called for known models, that returns the
 * only provider that may receive the request, if there is one
 * @throws {GatewayError} `model_not_found`, with `model` or `models[i]`; `over_max_price`.
 */
export function toChain(
  request: RequestedModels,
  key: ServiceKey,
  config: Config,
  order: OrderContext,
  { plan, providerOf }: ChainOptions = {},
): readonly FallbackTarget[] {
  const route = routeOf(request.model, "model", key, config, order, plan?.route);
  const own = orderRoute(route, order);
  let { movable } = route;
  const provider = providerOf?.();
  if (own.length === 1 && request.models === undefined && provider === undefined) return own;
  const chain = [...own];
  (request.models ?? []).forEach((model, index) => {
    const next = routeOf(model, `models[${index}]`, key, config, order);
    const [first, ...others] = orderRoute(next, order);
    movable = [...movable, ...next.movable];
    // The first target of an alias has no failure conditions.
    if (first !== undefined) chain.push({ ...first, onFailures: DEFAULT_ON_FAILURES }, ...others);
  });
  if (chain.length === 0) throw refusalOf(route, key, config, order);
  const seen = new Set<FallbackTarget["target"]>();
  const targets = chain.filter(({ target }) => !seen.has(target) && seen.add(target));
  return provider === undefined ? targets : atProvider(provider, targets, movable, key, config);
}

function refusalOf(
  { policy }: Route,
  key: ServiceKey,
  config: Config,
  { notes, options }: OrderContext,
): GatewayError {
  const own = options?.maxPrice;
  const cap = lowerCap(policy.max_price, own);
  const param = own === undefined ? null : "provider.max_price";
  return noTargetLeft({ skipped: notes.skipped, cap, param }, key, config);
}

/**
 * Returns the same chain unless only another provider of its models can answer the request. A model
 * that is pinned as `model@provider` stays with that provider.
 */
function atProvider(
  provider: string,
  chain: readonly FallbackTarget[],
  movable: readonly string[],
  key: ServiceKey,
  config: Config,
): readonly FallbackTarget[] {
  if (chain.some(({ target }) => target.provider.settings.id === provider)) return chain;
  const others = [...new Set(movable)].flatMap((model) => {
    const target = config.targetAt(model, provider);
    return target !== undefined && config.isAllowedAt(key, model, provider)
      ? [{ target, onFailures: DEFAULT_ON_FAILURES }]
      : [];
  });
  return others.length > 0 ? others : chain;
}

/**
 * The plan for a request: for its model and its fallback models, if any.
 *
 * @throws {GatewayError} `model_not_found`.
 */
export function planOf(
  { model, models }: RequestedModels,
  key: ServiceKey,
  config: Config,
  plans: Plans,
): ModelPlan {
  const plan = plans.find(model, config);
  if (plan === undefined) throw unknownModel(model, "model", key, config);
  return models === undefined ? plan : plan.with(models);
}

/** The maximum length of a model name in a message, in UTF-16 units. */
const MAX_NAME = 200;

function routeOf(
  model: string,
  param: string,
  key: ServiceKey,
  config: Config,
  { options }: OrderContext,
  known?: Route,
): Route {
  const route = config.isAllowed(key, model) ? known ?? config.route(model) : undefined;
  if (route === undefined) throw unknownModel(model, param, key, config);
  const [group] = route.groups;
  if (options === undefined || route.others === undefined || group === undefined) return route;
  // The caller may choose among all providers of a plain model ID that its key may use.
  const others = route.others.filter(({ target: { model, provider } }) =>
    config.isAllowedAt(key, model.id, provider.settings.id)
  );
  return { ...route, groups: [{ ...group, targets: [...group.targets, ...others] }] };
}

/** The error for an unknown model. It is the same for a model that the key may not use. */
export function unknownModel(
  model: string,
  param: string,
  key: ServiceKey,
  config: Config,
): GatewayError {
  return new GatewayError("model_not_found", explainUnknown(model, key, config), { param });
}

/** Explains why the name is unknown, suggests a similar one, and points to the list of names. */
function explainUnknown(model: string, key: ServiceKey, config: Config): string {
  const disabled = config.isAllowed(key, model) ? config.explainDisabled(model) : undefined;
  const near = config.suggest(model, key);
  const hint = near === undefined ? "" : `; did you mean '${near}'?`;
  if (disabled !== undefined) return `${disabled}${hint}`;
  const name = shortened(model, MAX_NAME);
  // For a limited key, a hidden model and an unknown model must look the same.
  const unknown = key.models === undefined
    ? `The model '${name}' does not exist${hint}`
    : `The model \`${name}\` does not exist or you do not have access to it${hint}`;
  if (near === undefined) return `${unknown}; see GET /v1/models`;
  return `${unknown} ${config.explainDisabled(near) ?? "See GET /v1/models"}`;
}
