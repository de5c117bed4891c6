/** `GET /v1/models` and `GET /v1/models/{model_id}`. */

import { gemini, toGeminiModel, toGeminiPage } from "../../formats/gemini/format.ts";
import { messages, toModelInfo, toModelPage } from "../../formats/messages/format.ts";
import { unknownModel } from "../../routing/fallback_chain.ts";
import type { ModelEntry, Target } from "../../config/config.ts";
import type { ModelPrices } from "../../providers/contract/model_facts.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";

/**
 * Lists the models that the key may use, in the format of the caller.
 *
 * @throws {GatewayError} `invalid_value` for a page that does not exist.
 */
export function listModels(
  { url }: Request,
  { config, key, record }: RouteContext,
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
 * The list that Codex reads, which it sends its version for. An entry would have to hold the
 * instructions for its agent, and would replace its own; of an empty list it keeps its own entries.
 *
 * https://github.com/openai/codex, codex-rs/protocol/src/openai_models.rs (2026-11-25).
 */
const FOR_CODEX = { models: [] };

/**
 * Returns one model.
 *
 * @throws {GatewayError} `model_not_found`, also for a model that the key may not use.
 */
export function retrieveModel(
  _: Request,
  { config, key, params, record }: RouteContext,
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
 * window for clients that read it there; without it, agents compact too early.
 */
export function toModel({ id, root, created, target, label }: ModelEntry) {
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

/** Where a model comes from; undefined for one that config.yaml names. */
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
