/** `ANY /v1/providers/{provider_id}/proxy/{path}`: the vendor's own API behind a service key. */

import type { Config, Provider } from "../../config/config.ts";
import { PASSTHROUGH_METHODS } from "../../config/passthrough.ts";
import { GatewayError } from "../../core/errors.ts";
import { passThrough } from "../../routing/passthrough.ts";
import {
  checkPassedPath,
  reachesStoredAnswers,
  toPassedHeaders,
  toPassedQuery,
} from "../../upstream/passed_requests.ts";
import { presentedTokens } from "../authentication.ts";
import { UploadBody } from "../upload_body.ts";
import type { RouteContext, RouteResponse } from "./route.ts";

/** The longest part of an unknown provider ID that an error shows, in UTF-16 units. */
const MAX_ID_CHARS = 200;

/**
 * Passes a request to a provider, and its response back.
 *
 * @throws {GatewayError} `route_not_found` when the pass-through does not allow the request.
 */
export async function proxy(request: Request, context: RouteContext): Promise<RouteResponse> {
  const { config, key, params, record, deps } = context;
  const { method } = request;
  if (key.models !== undefined) {
    throw notAllowed("The pass-through is closed to service keys that are limited to models");
  }
  if (key.budget !== undefined) {
    throw notAllowed(
      "The pass-through is closed to service keys with a budget: its cost is unknown",
    );
  }
  const provider = providerOf(params.get("provider_id") ?? "", config);
  // The parameter is decoded, but the vendor needs the path as the caller encoded it.
  const path = record.path.slice(record.path.indexOf(PROXY) + PROXY.length);
  const decodedPath = checkPassedPath(path);
  const isKnown = PASSTHROUGH_METHODS.some((known) => known === method);
  if (!isKnown || provider.passthrough?.allows(method, path, decodedPath) !== true) {
    throw notAllowed(`The pass-through of provider '${provider.settings.id}' does not allow this`);
  }
  if (!config.hasOneOwner && reachesStoredAnswers(method, path)) {
    throw notAllowed(
      "The pass-through does not reach stored answers, which belong to the service key that got " +
        "them: use /v1/responses, or give all service keys the same 'group'",
    );
  }
  const tokens = presentedTokens(request);
  const url = request.url;
  const at = url.indexOf("?");
  const { server } = config;
  const body = request.body === null || method === "GET" || method === "HEAD"
    ? undefined
    : new UploadBody(request.body, server.bodyTimeout, provider.timeouts.idle, deps.clock);
  const passed = {
    method,
    path,
    query: at === -1 ? "" : toPassedQuery(url.slice(at + 1), tokens),
    headers: toPassedHeaders(request.headers, tokens),
    body,
    contentLength: lengthOf(request.headers),
  };
  const { maxBody, writeTimeout } = server;
  return await passThrough(
    passed,
    provider,
    { maxBody, writeTimeout },
    config.limits,
    record,
    deps,
  );
}

const PROXY = "/proxy/";

function providerOf(id: string, config: Config): Provider {
  const provider = config.providers.get(id);
  const shown = id.length > MAX_ID_CHARS ? `${id.slice(0, MAX_ID_CHARS)}…` : id;
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
