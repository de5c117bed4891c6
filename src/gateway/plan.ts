/**
 * The plan for a model's requests: the data that they share while a configuration is active. It is
 * created on the first request, and stored with the configuration. Each request starts its
 * features.
 */

import type { Config, FallbackTarget, Provider, Route, Target } from "../config/config.ts";
import type { RoutingPolicy } from "../config/routing_schema.ts";
import { setNewest } from "../core/collections.ts";
import { GatewayError } from "../core/errors.ts";
import type { JsonObject } from "../core/json/object.ts";
import type { Principal } from "../identity/principal.ts";
import type {
  ApiKind,
  CallerRequest,
  Feature,
  FormatRequest,
  PlannedFeature,
  PlannedModel,
  RequestFeature,
  Wakes,
} from "./feature.ts";
import { NO_FEATURES, RequestFeatures } from "./request_features.ts";
import type { RouteOptions } from "./order/route_trace.ts";

/** The plans of each configuration. */
const MAX_PLANS = 4096;

/** The plans for names that are not configured: matches of a wildcard alias, or unlisted models. */
const MAX_UNLISTED_PLANS = 512;

/** The maximum length of an unconfigured name whose plan is stored, in UTF-16 units. */
const MAX_KEPT_NAME = 200;

/**
 * The plan for one name. Counters, breakers and lists are read from state and never stored here.
 */
export class ModelPlan implements PlannedModel {
  /** The name in requests. */
  readonly model: string;
  readonly config: Config;
  readonly route: Route;
  readonly policy: RoutingPolicy;
  /** The wildcard alias that the name matches; undefined for all other names. */
  readonly pattern: string | undefined;
  /** The alias that the name is or matches; undefined for all other names. */
  readonly alias: string | undefined;
  /** Whether only one target can answer, so that ordering makes no difference. */
  readonly hasOneTarget: boolean;
  /** The only target, if there is no choice. */
  readonly chain: readonly FallbackTarget[] | undefined;
  readonly routes: readonly Route[];
  readonly #features: readonly Feature[];
  readonly #others: readonly string[];
  readonly #planned = new Map<ApiKind, readonly PlannedFeature[]>();
  #targets: readonly Target[] | undefined;

  /** @param others fallback models */
  constructor(
    model: string,
    config: Config,
    route: Route,
    features: readonly Feature[],
    others: readonly string[] = [],
  ) {
    this.model = model;
    this.config = config;
    this.route = route;
    this.policy = route.policy;
    this.pattern = config.patternOf(model);
    this.alias = config.aliasOf(model);
    this.#features = features;
    this.#others = others;
    const { groups, policy, others: offers } = route;
    const [group] = groups;
    this.hasOneTarget = groups.length === 1 && group?.targets.length === 1 &&
      offers === undefined && others.length === 0;
    this.routes = [route, ...others.flatMap((name) => config.route(name) ?? [])];
    const isPlain = this.hasOneTarget && policy.max_price === undefined && !policy.affinity;
    this.chain = isPlain ? group?.targets : undefined;
  }

  /**
   * The alias or model as named in config.yaml; a wildcard alias stands for any number of names.
   */
  get configuredName(): string {
    return this.pattern ?? this.model;
  }

  /** Every target that a request may use, including those that a caller may choose. */
  get targets(): readonly Target[] {
    return this.#targets ??= [...targetsOf(this.route, this.#others, this.config)];
  }

  /**
   * The features that can act on requests of an API, in the order in which a request passes through
   * them.
   */
  features(api: ApiKind): readonly PlannedFeature[] {
    let planned = this.#planned.get(api);
    if (planned === undefined) {
      planned = this.#features.flatMap((feature) => feature.plan(this, api) ?? []);
      this.#planned.set(api, planned);
    }
    return planned;
  }

  /** The plan for requests with additional fallback models. It is not stored. */
  with(others: readonly string[]): ModelPlan {
    return new ModelPlan(this.model, this.config, this.route, this.#features, others);
  }
}

function* targetsOf(
  route: Route,
  others: readonly string[],
  config: Config,
): Iterable<Target> {
  const routes = [route, ...others.flatMap((model) => config.route(model) ?? [])];
  const found = new Set<Target>();
  for (const { groups, movable, others = [] } of routes) {
    for (const { targets } of groups) for (const { target } of targets) found.add(target);
    for (const { target } of others) found.add(target);
    for (const model of movable) {
      for (const provider of config.providers.keys()) {
        const target = config.targetAt(model, provider);
        if (target !== undefined) found.add(target);
      }
    }
  }
  yield* found;
}

/** The plans of one configuration. */
class ConfigPlans {
  readonly listed = new Map<string, ModelPlan>();
  readonly unlisted = new Map<string, ModelPlan>();
  /** The last used plan. */
  latest: ModelPlan | undefined;
}

/** Creates plans, and caches the most recently used ones. One for each thread. */
export class Plans {
  readonly #features: readonly Feature[];
  readonly #plans = new WeakMap<Config, ConfigPlans>();

  /** @param features in the order in which a request passes through them */
  constructor(features: readonly Feature[]) {
    this.#features = features;
  }

  /** The plan for a name; undefined for a name that no model has. */
  find(model: string, config: Config): ModelPlan | undefined {
    let plans = this.#plans.get(config);
    if (plans === undefined) this.#plans.set(config, plans = new ConfigPlans());
    if (plans.latest?.model === model) return plans.latest;
    const plan = this.#keptIn(plans, model, config);
    if (plan !== undefined) plans.latest = plan;
    return plan;
  }

  /**
   * Checks that requests may be forwarded to a provider without being parsed.
   *
   * @throws {GatewayError} `unseen_content` if a feature must read them.
   */
  checkPassed(provider: Provider, config: Config): void {
    for (const feature of this.#features) {
      if (feature.passed?.(provider, config) !== "refuse") continue;
      const { id } = provider.settings;
      const message =
        `The feature '${feature.name}' must see all content, so that the pass-through to ` +
        `provider '${id}' is closed; use an endpoint of the gateway`;
      throw new GatewayError("unseen_content", message);
    }
  }

  #keptIn(plans: ConfigPlans, model: string, config: Config): ModelPlan | undefined {
    const isListed = config.has(model);
    const kept = isListed ? plans.listed : plans.unlisted;
    const known = kept.get(model);
    const route = known?.route ?? config.route(model);
    if (route === undefined) return undefined;
    const plan = known ?? new ModelPlan(model, config, route, this.#features);
    if (isListed || model.length <= MAX_KEPT_NAME) {
      setNewest(kept, model, plan, isListed ? MAX_PLANS : MAX_UNLISTED_PLANS);
    }
    return plan;
  }
}

/** The request whose features start. */
interface StartContext {
  readonly principal: Principal;
  readonly options?: CallerRequest["options"] & Pick<CallerRequest, "sent">;
  readonly record: { readonly bodyBytes: number };
}

/** The parts of a request that are needed to start features. */
interface StartedRequest {
  readonly models: { readonly model: string };
  readonly caller: FormatRequest;
  readonly stream: boolean;
}

/**
 * Creates the hooks of a plan's features for a request. Explanations call it too.
 *
 * @param chosen the caller's choice of targets
 */
export function startRequest(
  started: StartedRequest,
  plan: Pick<ModelPlan, "features">,
  context: StartContext,
  chosen?: RouteOptions,
): RequestFeatures {
  const { api, body } = started.caller;
  let entries: RequestFeature[] | undefined;
  let request: CallerRequest | undefined;
  for (const feature of plan.features(api)) {
    const { wakes } = feature;
    if (wakes !== undefined && !isAwake(wakes, body, context, chosen)) continue;
    const entry = feature.start(request ??= toCallerRequest(started, context, chosen));
    if (entry === undefined) continue;
    (entries ??= []).push(entry);
    if (entry.session !== undefined) request = { ...request, session: entry.session };
  }
  return entries === undefined ? NO_FEATURES : new RequestFeatures(entries);
}

function toCallerRequest(
  { caller, models: { model }, stream }: StartedRequest,
  { principal: { id: owner, key }, options, record: { bodyBytes: bytes } }: StartContext,
  chosen: RouteOptions | undefined,
): CallerRequest {
  const sent = options?.sent;
  return { ...caller, chosen, model, stream, sent, key: key.name, owner, bytes, options };
}

function isAwake(
  wakes: Wakes,
  body: JsonObject,
  { options }: StartContext,
  chosen: RouteOptions | undefined,
): boolean {
  if (wakes.body?.(body)) return true;
  if (wakes.balance !== undefined && chosen?.balance === wakes.balance) return true;
  const sent = options?.sent;
  if (wakes.headers === undefined || sent === undefined) return false;
  for (const name of wakes.headers) if (sent.headers.get(name) !== null) return true;
  return false;
}
