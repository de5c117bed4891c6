/** The routes for stored Responses API answers. */

import type { Usage } from "../../contract/chat.ts";
import {
  type Config,
  DEFAULT_ON_FAILURES,
  type FallbackTarget,
  type ServiceKey,
} from "../../config/config.ts";
import { GatewayError } from "../../core/errors.ts";
import { toText } from "../../core/json/values.ts";
import { withFeaturedAnswers } from "../../gateway/execute/create_operation.ts";
import {
  isPathSegment,
  notFound,
  storedFeatures,
  StoredResponseOperation,
  toKeptReply,
} from "../../gateway/execute/responses/stored_response.ts";
import { AnswerMemory } from "../../gateway/execute/responses/memory.ts";
import { KeyProviderIds } from "../../gateway/execute/responses/key_provider_ids.ts";
import { namesProvider } from "../../apis/responses/provider_ids.ts";
import { answer } from "../../gateway/answer.ts";
import { readOptions, respond } from "./model_routes.ts";
import type { ResponsesSockets } from "../responses_socket/sockets.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";

/** Retrieves or deletes an answer. */
export async function findResponse(
  request: Request,
  context: RouteContext,
): Promise<RouteResponse> {
  return await passStored(request, context, "");
}

/** Cancels a background response. */
export async function cancelResponse(
  request: Request,
  context: RouteContext,
): Promise<RouteResponse> {
  return await passStored(request, context, "/cancel");
}

/** Lists an answer's input. */
export async function listInputItems(
  request: Request,
  context: RouteContext,
): Promise<RouteResponse> {
  return await passStored(request, context, "/input_items");
}

async function passStored(
  request: Request,
  context: RouteContext,
  resource: string,
): Promise<RouteResponse> {
  const { config, deps, params, principal } = context;
  const { key } = principal;
  const requested = params.get("response_id") ?? "";
  const method = request.method === "POST" || request.method === "DELETE" ? request.method : "GET";
  const stored = { method, resource, query: new URL(request.url).search } as const;
  if (!namesProvider(requested)) {
    const memory = new AnswerMemory(deps.answers, principal.id);
    const kept = await memory.find(requested);
    if (kept === undefined) throw notFound(requested);
    const reply = toKeptReply({ ...stored, id: requested }, kept);
    if (method === "DELETE") memory.remove(requested);
    const features = storedFeatures(kept.model ?? toText(kept.response.model), context);
    return json(features.readsAnswers ? await features.answer(reply) : reply);
  }
  const ids = new KeyProviderIds(context);
  const { id, provider } = ids.read(requested) ?? {};
  if (id === undefined || provider === undefined || !isPathSegment(id)) throw notFound(requested);
  const chain = targetOf(provider, key, config);
  if (chain === undefined) throw notFound(requested);
  const settling = {
    address: { owner: principal.id, provider, id },
    store: deps.unsettled,
    learn: (model: string, usage: Usage) => {
      const target = config.targetAt(model, provider);
      if (target !== undefined) deps.limiter.usualOutput.learn(target, usage.completion_tokens);
    },
  };
  const operation = new StoredResponseOperation({ ...stored, id }, ids, settling);
  const { model } = chain[0].target;
  const features = storedFeatures(`${model.id}@${provider}`, context);
  const featured = withFeaturedAnswers(operation, features);
  context.options = readOptions(request.headers);
  const reply = answer(featured, chain, context);
  return await respond(reply, context);
}

/**
 * A target at a provider that supports the API; undefined if the key may not use any of its models.
 */
function targetOf(
  id: string,
  key: ServiceKey,
  config: Config,
): readonly [FallbackTarget] | undefined {
  const provider = config.providers.get(id);
  for (const model of provider?.models ?? []) {
    if (!config.isAllowedAt(key, model.id, id)) continue;
    const target = config.targetAt(model.id, id);
    if (target?.provider.adapter.native?.("responses", target.model, target.provider.settings)) {
      return [{ target, onFailures: DEFAULT_ON_FAILURES }];
    }
  }
  return undefined;
}

/**
 * Opens a WebSocket, whose messages are requests for responses. A connection that cannot be
 * upgraded gets a 426, after which clients such as Codex use POST immediately; after another
 * status, they retry for seconds.
 *
 * @throws {GatewayError} `method_not_allowed` for any other GET, `invalid_request` for a handshake
 * without a valid key, and the errors of {@linkcode ResponsesSockets.open}.
 */
export function openSocket(
  request: Request,
  { principal, record }: RouteContext,
  sockets: Pick<ResponsesSockets, "open">,
): RouteResponse {
  if (request.method !== "GET" || !request.headers.has("upgrade")) {
    throw new GatewayError("method_not_allowed", "The method GET is not allowed here; use POST", {
      headers: { allow: "POST" },
    });
  }
  const version = request.headers.get("sec-websocket-version");
  if (version !== VERSION) {
    const message = `The version of the WebSocket protocol must be ${VERSION}`;
    return upgradeRequired(message, { "sec-websocket-version": VERSION });
  }
  if (!HANDSHAKE_KEY.test(request.headers.get("sec-websocket-key") ?? "")) {
    throw new GatewayError("invalid_request", "'sec-websocket-key' must be 16 bytes in base64");
  }
  const upgraded = sockets.open(request, principal, () => record.end());
  if (upgraded !== undefined) {
    record.open = true;
    return { status: 101, headers: {}, body: null, upgraded };
  }
  return upgradeRequired("This connection cannot become a WebSocket; use POST /v1/responses");
}

/** The only version in RFC 6455, section 4.1. */
const VERSION = "13";

/** 16 bytes in base64. */
const HANDSHAKE_KEY = /^[A-Za-z0-9+/]{21}[AQgw]==$/;

function upgradeRequired(
  message: string,
  headers: Readonly<Record<string, string>> = {},
): RouteResponse {
  const error = { message, type: "invalid_request_error", param: null, code: null };
  return json({ error }, headers, 426);
}
