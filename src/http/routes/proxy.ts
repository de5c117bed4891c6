/** `ANY /v1/providers/{provider_id}/proxy/{path}`: the vendor's own API behind a service key. */

import { shortened } from "../../core/text.ts";
import type { Config, Provider } from "../../config/config.ts";
import { PASSTHROUGH_METHODS } from "../../config/passthrough.ts";
import { GatewayError } from "../../core/errors.ts";
import { unknownModel } from "../../gateway/fallback_chain.ts";
import { modelsNamed, namedLabels, namedModels } from "../../gateway/passed_models.ts";
import { passThrough } from "../../gateway/passthrough.ts";
import {
  checkPassedPath,
  reachesStoredAnswers,
  toPassedHeaders,
  toPassedQuery,
} from "../../upstream/passed_requests.ts";
import { presentedTokens } from "../../identity/keys.ts";
import { readLabels } from "../caller_labels.ts";
import { createBodyReader } from "../body_reader.ts";
import { UploadBody, WholeBody } from "../upload_body.ts";
import { checkEncoding, toOwnedRequest } from "./owned_objects.ts";
import type { RouteContext, RouteResponse } from "./route.ts";
import type { TargetModel } from "../../contract/vendor_request.ts";

/** The maximum length of an unknown provider ID in an error, in UTF-16 units. */
const MAX_ID_CHARS = 200;

/**
 * Forwards a request to a provider, and its response to the caller.
 *
 * @throws {GatewayError} `route_not_found` when the pass-through does not allow the request.
 */
export async function proxy(request: Request, context: RouteContext): Promise<RouteResponse> {
  const { config, principal: { key }, params, record, deps } = context;
  const { method } = request;
  if (key.budget !== undefined || key.endUsers?.budget !== undefined) {
    const owner = key.budget === undefined ? "whose end users have a budget" : "with a budget";
    throw notAllowed(`The pass-through is closed to service keys ${owner}: its cost is unknown`);
  }
  const provider = providerOf(params.get("provider_id") ?? "", config);
  // The parameter is decoded, but the vendor needs the path as the caller encoded it.
  const path = record.path.slice(record.path.indexOf(PROXY) + PROXY.length);
  const decodedPath = checkPassedPath(path);
  const isKnown = PASSTHROUGH_METHODS.some((known) => known === method);
  if (!isKnown || provider.passthrough?.allows(method, path, decodedPath) !== true) {
    throw notAllowed(`The pass-through of provider '${provider.settings.id}' does not allow this`);
  }
  deps.plans.checkPassed(provider, config);
  if (!config.hasOneOwner && reachesStoredAnswers(method, path)) {
    throw notAllowed(
      "The pass-through does not give access to stored answers, which belong to the service key " +
        "that received them: use /v1/responses, or give all service keys the same 'group'",
    );
  }
  const tokens = presentedTokens(request);
  const url = request.url;
  const at = url.indexOf("?");
  const { server } = config;
  const body = request.body === null || method === "GET" || method === "HEAD"
    ? undefined
    : new UploadBody(
      createBodyReader(request.body, request.headers),
      server.body_timeout,
      provider.timeouts.idle,
      deps.clock,
    );
  try {
    const model = await readModel(request, body, decodedPath, provider, context);
    const query = at === -1 ? "" : toPassedQuery(url.slice(at + 1), tokens);
    const upload = body && { body, peek: (max: number) => peekWithin(body, max, context) };
    const owned = await toOwnedRequest(request, decodedPath, query, upload, provider, context);
    const passed = {
      method,
      model,
      path: owned?.path ?? path,
      query: owned?.query ?? query,
      headers: toPassedHeaders(request.headers, tokens),
      body: owned?.json === undefined ? owned?.form ?? body : new WholeBody(owned.json),
      contentLength: owned?.json?.length ?? lengthOf(request.headers),
      changeAnswer: owned?.changeAnswer,
    };
    const limits = { maxBody: server.max_body, writeTimeout: server.write_timeout };
    return await passThrough(passed, provider, limits, config.limits, record, deps);
  } catch (thrown) {
    body?.cancel();
    throw thrown;
  }
}

const PROXY = "/proxy/";

/** The number of body bytes to search for the model. */
const MAX_SEARCHED_BYTES = 64 * 1024;
/** The same, if a limit depends on the model. */
const MAX_READ_BYTES = 4 * 1024 * 1024;
/** The model name for requests whose model is not configured. */
const OTHER_MODEL = "(other)";

/**
 * Reads the model and the labels that the request names, and admits the request.
 *
 * @throws {GatewayError} when the key may not use the model, or is limited and the request names no
 * model; when the end user has limits and cannot be found.
 */
async function readModel(
  request: Request,
  body: UploadBody | undefined,
  path: string,
  provider: Provider,
  context: RouteContext,
): Promise<TargetModel | undefined> {
  const { config, principal: { key }, record } = context;
  const isLimited = key.models !== undefined;
  const hasModelLimits = config.limits.models.size > 0;
  const isWhole = isLimited || hasModelLimits || key.endUsers !== undefined;
  if (isWhole && body !== undefined) checkEncoding(request.headers);
  const text = body === undefined ? "" : await readStart(body, isWhole, context);
  const names = namedModels(text, path);
  const isUnclear = isLimited || hasModelLimits && text !== "" && names.length === 0;
  if (isUnclear && body?.isComplete === false) {
    throw new GatewayError("too_large", "The request body is too long to find its model");
  }
  readLabels(request.headers, namedLabels(text), config.server.end_users, record);
  const isAnonymous = key.endUsers !== undefined && record.columns.endUser === undefined;
  if (isAnonymous && text !== "" && body?.isComplete === false) {
    throw new GatewayError("too_large", "The request body is too long to find its end user");
  }
  const { id: providerId } = provider.settings;
  const found = names.map((name) => modelsNamed(name, provider));
  const foreign = names.find((name, index) =>
    found[index]?.length === 0 &&
    (config.readPinned(name)?.provider ?? providerId) !== providerId
  );
  if (foreign !== undefined) throw unknownModel(foreign, "model", key, config);
  if (isLimited) {
    if (names.length === 0) {
      throw notAllowed(
        "A key that is limited to certain models can only forward requests that name a model",
      );
    }
    const at = found.findIndex((models) =>
      !models.some(({ id }) => config.isAllowedAt(key, id, providerId))
    );
    if (at !== -1) throw unknownModel(names[at] ?? "", "model", key, config);
  }
  // In reports, all unknown names count as one model.
  record.model = found.flat()[0]?.id ?? (names.length === 0 ? undefined : OTHER_MODEL);
  if (record.model !== undefined) record.bodyBytes = body?.bytes ?? 0;
  context.open.admit(record, config.server.max_in_flight);
  return found.flat()[0];
}

/** The beginning of a JSON body, or all of it; empty for other bodies. */
async function readStart(
  body: UploadBody,
  isWhole: boolean,
  context: RouteContext,
): Promise<string> {
  const { max_body: maxBody } = context.config.server;
  let bytes = await peekWithin(body, MAX_SEARCHED_BYTES, context);
  if (!/^\s*\{/.test(decoder.decode(bytes.subarray(0, 256)))) return "";
  if (isWhole) bytes = await peekWithin(body, Math.min(maxBody, MAX_READ_BYTES) + 1, context);
  return decoder.decode(bytes);
}

/** Reads the beginning of a body within the limits of all incoming bodies. */
async function peekWithin(
  body: UploadBody,
  maxBytes: number,
  { config: { server }, incoming }: RouteContext,
): Promise<Uint8Array> {
  const refused = Promise.withResolvers<never>();
  const limits = server.bodies.incoming;
  const entry = incoming.begin({ bytesHeld: 0, refuse: refused.reject }, limits);
  const onGrowth = (bytes: number) => incoming.hold(entry, bytes, limits);
  try {
    return await Promise.race([body.peek(maxBytes, onGrowth), refused.promise]);
  } finally {
    incoming.end(entry);
  }
}

const decoder = new TextDecoder();

function providerOf(id: string, config: Config): Provider {
  const provider = config.providers.get(id);
  const shown = shortened(id, MAX_ID_CHARS);
  if (provider === undefined) throw notAllowed(`Unknown provider '${shown}'`);
  if (provider.passthrough === undefined) {
    throw notAllowed(
      `The pass-through of provider '${id}' is disabled: set its 'passthrough' in config.yaml`,
    );
  }
  return provider;
}

function lengthOf(headers: Headers): number | undefined {
  const text = headers.get("content-length");
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function notAllowed(message: string): GatewayError {
  return new GatewayError("route_not_found", message);
}
