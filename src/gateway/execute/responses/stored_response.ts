/**
 * Requests about stored answers: sent to the provider in the ID, or answered from the gateway's
 * store; and the features that process them.
 */

import { writeJson } from "../../../core/json/number_texts.ts";
import { execute } from "../../send_repaired.ts";
import type { JsonObject } from "../../../core/json/object.ts";
import type { Config, Target } from "../../../config/config.ts";
import type { Principal } from "../../../identity/principal.ts";
import { GatewayError } from "../../../core/errors.ts";
import { toText } from "../../../core/json/values.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";
import type { Operation, PrepareContext, PreparedAttempt, TokenEstimate } from "../../operation.ts";
import { prepareNative } from "../native.ts";
import type { NativeAnswer } from "../../../apis/native_answers.ts";
import { NO_FEATURES, type RequestFeatures } from "../../request_features.ts";
import { type KeptAnswer, toInputItemList } from "./memory.ts";
import { createNativeResponses } from "../../../apis/responses/native_answers.ts";
import { itemNotFound } from "../../../apis/responses/native_body.ts";
import type { IdMarker, ProviderIds } from "../../../apis/responses/provider_ids.ts";
import { SettledAnswer, type SettlingAttempt, type SettlingContext } from "./unsettled.ts";
import { responses } from "../../../apis/responses/format.ts";
import type { ApiKind } from "../../feature.ts";
import { type Plans, startRequest } from "../../plan.ts";
import type { VendorRequest } from "../../../contract/vendor_request.ts";

/** A request about a stored answer. */
interface StoredRequest {
  readonly method: "DELETE" | "GET" | "POST";
  /** The provider's own ID. */
  readonly id: string;
  /** The rest of the path after the ID, such as `/cancel`. */
  readonly resource: string;
  /** Unchanged, with its `?`. */
  readonly query: string;
}

/** Passes a request to the provider that stores the answer. */
export class StoredResponseOperation implements Operation {
  readonly name = "chat";
  readonly callsNoModel = true;
  readonly #request: StoredRequest;
  readonly #ids: ProviderIds;
  readonly #answer: SettledAnswer;

  /** @param ids the IDs of providers that the caller may use */
  constructor(request: StoredRequest, ids: ProviderIds, settling: SettlingContext) {
    this.#request = request;
    this.#ids = ids;
    this.#answer = new SettledAnswer(settling);
  }

  /**
   * A stored answer was already billed or is settled separately, so only the request is counted.
   */
  estimate(): TokenEstimate {
    return { input: 0, maxOutput: 0 };
  }

  async prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const { provider, model } = target;
    const api = provider.adapter.native?.("responses", model, provider.settings);
    if (api === undefined) throw notFound(this.#request.id);
    const marker = this.#ids.marker(provider.settings.id);
    const { attempt } = context;
    const onResponse = (response: JsonObject) => this.#answer.seen(response, context);
    const { answers, format } = createNativeResponses(marker, onResponse);
    attempt.format = format;
    attempt.isAboutAnswer = true;
    const stream = new URLSearchParams(this.#request.query).get("stream") === "true";
    const query = toVendorQuery(this.#request, provider.settings.id, this.#ids, context.changes);
    const adjust = (request: VendorRequest) => toLookup(request, this.#request, query);
    const readAnswer = (body: JsonObject) => {
      onResponse(body);
      return toStored(body, marker);
    };
    const features = NO_FEATURES;
    const request = { body: {}, headers: new Map(), stream, adjust, features };
    // The defaults of the model apply to new answers only.
    const { params: _, ...bare } = target;
    const owner = { ...bare, params: undefined };
    const own = { ...answers, readAnswer };
    const prepared = await prepareNative(api, request, own, owner, context);
    return this.#settling(prepared, context);
  }

  #settling(prepared: PreparedAttempt, context: SettlingAttempt): PreparedAttempt {
    const { adapter, stream } = prepared;
    return {
      adapter,
      stream,
      execute: async (session) => {
        if (prepared.stream) await this.#answer.hold(context);
        const result = await execute(prepared, session);
        if (!prepared.stream) await this.#answer.settle(context);
        return result;
      },
    };
  }
}

/** Whether an ID can be one segment of a path, even after repeated decoding. */
export function isPathSegment(id: string): boolean {
  return /^[\w.:~=+-]{1,512}$/.test(id) && !/^\.{1,2}$/.test(id);
}

/** The query parameters of each resource. All others are omitted. */
const PARAMETERS = new Map<string, ReadonlySet<string>>([
  ["GET ", new Set(["include", "include[]", "stream", "starting_after", "include_obfuscation"])],
  ["GET /input_items", new Set(["after", "before", "include", "include[]", "limit", "order"])],
]);

/** Parameters that contain the ID of an item. */
const ID_PARAMETERS = new Set(["after", "before"]);

/** @throws {GatewayError} `response_not_found` for an item that does not belong to the caller. */
function toVendorQuery(
  { method, resource, query }: StoredRequest,
  provider: string,
  ids: ProviderIds,
  changes: RequestChanges,
): URLSearchParams {
  const known = PARAMETERS.get(`${method} ${resource}`);
  const own = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(query)) {
    if (known?.has(name) !== true) changes.ignore("query");
    else if (!ID_PARAMETERS.has(name)) own.append(name, value);
    else {
      const owned = ids.read(value);
      if (owned === undefined || (owned.provider ?? provider) !== provider) {
        throw itemNotFound(value, name);
      }
      own.append(name, owned.id);
    }
  }
  return own;
}

function toLookup(
  created: VendorRequest,
  { method, id, resource }: StoredRequest,
  query: URLSearchParams,
) {
  const url = new URL(created.url);
  url.pathname += `/${encodeURIComponent(id)}${resource}`;
  for (const [name, value] of query) url.searchParams.append(name, value);
  const { body: _, ...request } = created;
  return { ...request, url: url.href, body: {}, ...(method !== "POST" && { method }) };
}

/** A stored answer, or a list of its items. */
function toStored(body: JsonObject, marker: IdMarker): NativeAnswer {
  const { data, first_id, last_id } = body;
  const mark = (id: unknown) => typeof id === "string" ? marker.id(id) : id;
  const marked = Array.isArray(data)
    ? {
      ...body,
      data: data.map((item: unknown) => marker.item(item)),
      first_id: mark(first_id),
      last_id: mark(last_id),
    }
    : marker.response(body);
  const summary = { id: toText(body.id), model: toText(body.model), finishReasons: [] };
  return { usage: undefined, summary, text: writeJson(marked) };
}

/** The reply to a request about an answer that the gateway stores. */
export function toKeptReply(
  { method, id, resource, query }: StoredRequest,
  kept: KeptAnswer,
): JsonObject {
  if (method === "DELETE") return { id, object: "response", deleted: true };
  if (resource === "/cancel") {
    throw new GatewayError("invalid_request", "Only responses in the background can be cancelled");
  }
  return resource === "" ? kept.response : toInputItemList(kept, query);
}

/** The maximum length of an ID in a message, in characters. */
const MAX_ID = 100;

/** OpenAI's error for an answer that is not stored. */
export function notFound(id: string): GatewayError {
  return new GatewayError(
    "response_not_found",
    `Response with id '${id.slice(0, MAX_ID)}' not found`,
  );
}

const STORED: ApiKind = {
  format: responses.name,
  idPrefix: responses.idPrefix,
  operation: "chat",
  callsNoModel: true,
};

/** The request for its features: the original body is no longer available. */
const STORED_REQUEST = { models: { model: "" }, caller: { api: STORED, body: {} }, stream: false };

/** The caller, and the plans of models. */
interface StoredContext {
  readonly principal: Principal;
  readonly config: Config;
  readonly deps: { readonly plans: Plans };
}

/**
 * The features that process an answer of a model.
 *
 * @param model a name of the model that answered
 */
export function storedFeatures(
  model: string,
  { principal, config, deps: { plans } }: StoredContext,
): RequestFeatures {
  const plan = plans.find(model, config);
  if (plan === undefined) return NO_FEATURES;
  return startRequest(STORED_REQUEST, plan, { principal, record: { bodyBytes: 0 } });
}
