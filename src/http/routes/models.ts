/** `GET /v1/models` and `/v1/models/{model_id}`, and `/v1/routes`: the targets of each name. */

import { gemini, toGeminiModel, toGeminiPage } from "../../apis/gemini/format.ts";
import { messages, toModelInfo, toModelPage } from "../../apis/messages/format.ts";
import { unknownModel } from "../../gateway/fallback_chain.ts";
import type { Config, ModelEntry, Route, Target } from "../../config/config.ts";
import type { ModelPrices } from "../../contract/model_facts.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";
import { toName } from "../../governance/ledger/summary.ts";
import type { UsageSummary } from "../../governance/ledger/usage_store.ts";
import { targetName } from "../../console/recent_attempts.ts";
import type { UsageReader } from "../usage_reader.ts";

/**
 * Lists the models that the key may use, in the caller's format.
 *
 * @throws {GatewayError} `invalid_value` for a page that does not exist.
 */
export function listModels(
  { url }: Request,
  { config, principal: { key }, record }: RouteContext,
): RouteResponse {
  const allowed = config.models.filter((entry) => config.isAllowed(key, entry.id));
  const query = () => new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?")) : "");
  switch (record.format) {
    case messages:
      return json(toModelPage(allowed, query()));
    case gemini:
      return json(toGeminiPage(allowed, query()));
    default: {
      const list = { object: "list", data: allowed.map(toModel) };
      return json(query().has("client_version") ? { ...list, ...FOR_CODEX } : list);
    }
  }
}

/**
 * The list for Codex, which sends its version as a parameter. An entry would have to contain the
 * agent's instructions, and would replace the built-in ones; with an empty list, Codex keeps those.
 *
 * https://github.com/openai/codex, codex-rs/protocol/src/openai_models.rs (2026-11-25).
 */
const FOR_CODEX = { models: [] };

/**
 * Returns one model.
 *
 * @throws {GatewayError} `model_not_found` if the model does not exist or the key may not use it.
 */
export function retrieveModel(
  _: Request,
  { config, principal: { key }, params, record }: RouteContext,
): RouteResponse {
  const id = params.get("model_id") ?? "";
  const entry = config.isAllowed(key, id) ? config.find(id) : undefined;
  if (entry === undefined) throw unknownModel(id, "model", key, config);
  switch (record.format) {
    case messages:
      return json(toModelInfo(entry));
    case gemini:
      return json(toGeminiModel(entry));
    default:
      return json(toModel(entry));
  }
}

function toPrices({ tiers, ...prices }: ModelPrices) {
  return { ...prices, ...(tiers !== undefined && { tiers: Object.fromEntries(tiers) }) };
}

/**
 * One model. `context_length` (OpenRouter, Cursor) and `max_model_len` (vLLM) repeat the context
 * window for clients that read these members; without them, agents compact conversations too early.
 */
function toModel({ id, root, created, target, label }: ModelEntry) {
  const { context_window, max_output_tokens, dimensions, capabilities, prices } =
    target.model.facts;
  return {
    id,
    object: "model",
    created,
    owned_by: target.provider.adapter.kind,
    permission: [],
    root,
    parent: null,
    ...label,
    context_window,
    context_length: context_window,
    max_model_len: context_window,
    max_output_tokens,
    dimensions,
    capabilities,
    prices: prices && toPrices(prices),
    source: toSource(target),
  };
}

/** A model's source; undefined for one that config.yaml names. */
function toSource({ origin, provider: { list } }: Target) {
  if (origin === "config") return undefined;
  if (origin === "caller") return { from: origin };
  const { failure, readAt } = list ?? {};
  return {
    from: origin,
    ...(readAt !== undefined && { read_at: Math.floor(readAt / 1000) }),
    stale: failure !== undefined,
  };
}

// `GET /v1/routes` for the names that a service key may use, and `GET /v1/admin/routes` for all:
// the targets of each name, with their state.

/** The period that attempts are counted in, in milliseconds. */
const PERIOD_MS = 86_400_000;

/** The names that the caller's key may use, with this key's attempts. */
export function ownRoutes(
  _: Request,
  context: RouteContext,
  usage: UsageReader,
): Promise<RouteResponse> {
  const { config, principal: { key } } = context;
  return report(context, usage, (name) => config.isAllowed(key, name), key.name);
}

/** All names, with all keys' attempts. */
export function allRoutes(
  _: Request,
  context: RouteContext,
  usage: UsageReader,
): Promise<RouteResponse> {
  return report(context, usage, () => true, undefined);
}

async function report(
  { config, deps: { clock } }: RouteContext,
  usage: UsageReader,
  isAllowed: (name: string) => boolean,
  key: string | undefined,
): Promise<RouteResponse> {
  const now = clock.wallTime();
  const since = now - PERIOD_MS;
  const sums = await readAttempts(usage, since, now, key);
  const targets = new Map<string, Target>();
  const data = [...namesOf(config)].filter(({ id }) => isAllowed(id)).map(({ entry, id, form }) => {
    const route = config.route(id);
    for (const { target } of route?.groups.flatMap((group) => group.targets) ?? []) {
      // The ledger stores names in a different form.
      targets.set(targetName(target.provider.settings.id, toName(target.model.upstream)), target);
    }
    return { ...entry && toModel(entry), id, form, ...route && toSteps(route) };
  });
  return json({
    object: "list",
    since: new Date(since).toISOString(),
    data,
    targets: [...targets].map(([name, target]) => ({
      ...toTarget(target),
      ...toAttempts(sums && (sums.get(name) ?? "none")),
    })),
  });
}

/** The rows of `GET /v1/models`, and the wildcard aliases. */
function* namesOf(config: Config): Iterable<{
  readonly id: string;
  readonly entry?: ModelEntry;
  readonly form: "alias" | "model" | "pattern" | "pinned";
}> {
  for (const entry of config.models) {
    const { id, root } = entry;
    const form = config.aliasOf(id) === id ? "alias" : id === root ? "model" : "pinned";
    yield { id, entry, form };
  }
  for (const id of config.aliasPatterns) yield { id, form: "pattern" };
}

function toSteps({ groups, others = [] }: Route) {
  return {
    steps: groups.map(({ balance, targets }) => ({
      balance,
      targets: targets.map(({ onFailures, target, weight }) => ({
        provider: target.provider.settings.id,
        upstream: target.model.upstream,
        ...(weight !== undefined && { weight }),
        when: [...onFailures],
      })),
    })),
    ...(others.length > 0 && {
      other_providers: others.map(({ target }) => target.provider.settings.id),
    }),
  };
}

function toTarget({ model: { id, upstream }, provider: { adapter, settings } }: Target) {
  return { provider: settings.id, kind: adapter.kind, id, upstream };
}

/** The attempts by target; undefined while the store fails. */
async function readAttempts(
  usage: UsageReader,
  from: number,
  to: number,
  key: string | undefined,
): Promise<ReadonlyMap<string, UsageSummary> | undefined> {
  try {
    const groups = await usage.summarize({
      ...{ from, to: to + 1, of: "attempts", key },
      groupBy: ["provider", "model"],
    });
    return new Map(groups.map((sums) => {
      const [provider, upstream] = sums.group;
      return [targetName(provider ?? "", upstream ?? ""), sums];
    }));
  } catch {
    // The failure has been logged.
    return undefined;
  }
}

/** Unknown values are null. */
function toAttempts(sums: UsageSummary | "none" | undefined) {
  if (sums === undefined) {
    return { attempts: null, failed_attempts: null, uptime: null, p50_ms: null, p95_ms: null };
  }
  if (sums === "none") {
    return { attempts: 0, failed_attempts: 0, uptime: null, p50_ms: null, p95_ms: null };
  }
  const { errors, p50Ms, p95Ms, requests } = sums;
  const uptime = requests === 0 ? null : 1 - errors / requests;
  return { attempts: requests, failed_attempts: errors, uptime, p50_ms: p50Ms, p95_ms: p95Ms };
}
