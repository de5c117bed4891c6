/**
 * The routes about the gateway itself: health, the API description, metrics, client settings,
 * providers.
 */

import type { StaleConfig } from "../../config/snapshot.ts";
import { isServed, json, type Route, type RouteContext, type RouteResponse } from "./route.ts";
import type { ListenerRules } from "../../config/listeners.ts";
import { hasNoModels } from "../../config/warnings.ts";
import { GatewayError, invalidValue } from "../../core/errors.ts";
import { OPERATIONS } from "../../gateway/execute/list.ts";
import { toMatrix } from "../../providers/support_matrix.ts";

// `GET /healthz` and `GET /readyz` for load balancers, and `/api/hello` for Claude Code, which uses
// it to check whether the API is reachable. They need no key and do not name providers.

/** The state of the process or worker. */
export interface ServerStatus {
  /** Whether the process is about to end, so that clients should use another one. */
  readonly draining: boolean;
  /** The reason why the current configuration is older than the file, if it is. */
  readonly stale: StaleConfig | undefined;
}

/** Reports that the process is running. */
export function healthz(): RouteResponse {
  return json({ status: "ok" });
}

/**
 * Reports whether the process should receive requests: 200, or 503 after the first termination
 * signal.
 */
export function readyz({ draining, stale }: ServerStatus): RouteResponse {
  if (draining) return json({ status: "draining" }, {}, 503);
  return json({ status: "ready", ...(stale && { config: "stale", reason: stale.reason }) });
}

/** Responds like Anthropic's API, so that Claude Code finds the gateway reachable. */
export function hello(): RouteResponse {
  return json({ message: "hello" });
}

/** The descriptions by listener, each generated on its first request. */
const WRITTEN = new WeakMap<ListenerRules, string>();

/** Describes the routes that a listener serves. */
export async function describe(
  routes: readonly Route[],
  listener: ListenerRules,
): Promise<RouteResponse> {
  let body = WRITTEN.get(listener);
  if (body === undefined) {
    // Loaded on demand: few clients request it.
    const { describeRoutes } = await import("../openapi/document.ts");
    body = JSON.stringify(describeRoutes(routes.filter((route) => isServed(route, listener))));
    WRITTEN.set(listener, body);
  }
  return { status: 200, headers: { "content-type": "application/json" }, body };
}

/** Writes all workers' metrics. */
export type PrintMetrics = () => Promise<{ readonly contentType: string; readonly text: string }>;

/** Answers with the metrics. */
export async function getMetrics(
  { config, principal: { key } }: RouteContext,
  print: PrintMetrics,
): Promise<RouteResponse> {
  // The metrics name every model and provider, and count all keys' requests. A key that may use no
  // models is suitable for reading them.
  if (key.models !== undefined && !hasNoModels(key, config)) {
    throw new GatewayError(
      "route_not_found",
      "The metrics need a key that is not limited to certain models, or one with 'models: [none]'",
    );
  }
  const { contentType, text } = await print();
  return { status: 200, headers: { "content-type": contentType }, body: text };
}

/** The maximum length of an address, in UTF-16 units. */
const MAX_ORIGIN_CHARS = 300;

/**
 * Lists the settings for the models that the key may use. Parameters: `origin`, the address that
 * clients reach; `os`; `model` and `small_model`.
 *
 * @throws {GatewayError} `invalid_value` for an invalid parameter.
 */
export async function listClients(
  request: Request,
  { config, principal: { key } }: RouteContext,
): Promise<RouteResponse> {
  // Most gateways never receive this request.
  const { modelsOfConfig, targetOf } = await import("../../clients/target.ts");
  const { CLIENTS, isOperatingSystem, printClients, usualPlaces } = await import(
    "../../clients/printed.ts"
  );
  const url = new URL(request.url);
  const os = url.searchParams.get("os") ?? "linux";
  if (!isOperatingSystem(os)) throw invalidValue("os", "must be linux, darwin or windows");
  const { find, models: listed } = modelsOfConfig(config, (id) => config.isAllowed(key, id));
  const choose = (name: string) => {
    const id = url.searchParams.get(name);
    if (id === null) return undefined;
    const model = find(id);
    if (model === undefined) throw invalidValue(name, "must be a model of GET /v1/models");
    return model;
  };
  const chosen = { listed, model: choose("model"), smallModel: choose("small_model") };
  const target = targetOf(originOf(url), chosen);
  const data = target === undefined ? [] : printClients(CLIENTS.values(), target, usualPlaces(os));
  return json({ object: "list", data });
}

/** @throws {GatewayError} `invalid_value` for an invalid address. */
function originOf({ origin, searchParams }: URL): string {
  const requested = searchParams.get("origin");
  if (requested === null) return origin;
  const url = requested.length > MAX_ORIGIN_CHARS ? null : URL.parse(requested);
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== requested) {
    throw invalidValue("origin", "must be an address such as https://llm.example.com");
  }
  return requested;
}

/** Lists the providers with the models that the key may use, and the support matrix. */
export async function listProviders(
  _: Request,
  { config, principal: { key }, deps }: RouteContext,
): Promise<RouteResponse> {
  const { adapters } = await import("../../providers/registry.ts");
  const now = deps.clock.now();
  const enabled = [...config.providers.values()].flatMap((provider) => {
    const { settings, adapter, keys } = provider;
    const models = provider.models.filter(({ id }) => config.isAllowedAt(key, id, settings.id));
    if (key.models !== undefined && models.length === 0) return [];
    return {
      id: settings.id,
      kind: adapter.kind,
      state: "on",
      models: models.map(({ id }) => id),
      breakers: models.map((model) => ({
        model: model.id,
        ...deps.state.breakerOf({ provider, model }).report(now),
      })),
      learned_rejections: models.flatMap((model) =>
        (deps.state.rejectionsOf({ provider, model })?.report(now) ?? [])
          .map((rejection) => ({ model: model.id, ...rejection }))
      ),
      // Only the number of keys is shown.
      keys: {
        configured: keys.length,
        suspended: deps.state.poolOf(provider).countSuspended(keys, now),
      },
    };
  });
  const disabled = (key.models === undefined ? config.disabled : []).map((
    { id, kind, publicReason },
  ) => ({
    id,
    kind,
    state: "off",
    reason: publicReason,
  }));
  return json({
    object: "list",
    data: [...enabled, ...disabled],
    kinds: toMatrix([...adapters.values()], OPERATIONS.map(({ support }) => support)),
  });
}
