/** A request about an answer that a provider stores: it goes to the provider that the ID names. */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import type { Target } from "../../config/config.ts";
import { GatewayError } from "../../core/errors.ts";
import { toList, toText } from "../../core/json/values.ts";
import type { VendorRequest } from "../../providers/contract/adapter.ts";
import type {
  Operation,
  PrepareContext,
  PreparedAttempt,
  TokenEstimate,
} from "../../routing/operation.ts";
import { type NativeAnswer, prepareNative } from "../../routing/operations/native.ts";
import type { KeptAnswer } from "./memory.ts";
import { createNativeResponses } from "./native_answers.ts";
import { IdMarker } from "./provider_ids.ts";

/** A request about a stored answer. */
export interface StoredRequest {
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
  readonly asksNoModel = true;
  readonly #request: StoredRequest;

  constructor(request: StoredRequest) {
    this.#request = request;
  }

  /** A stored answer has been counted: only the request counts. */
  estimate(): TokenEstimate {
    return { input: 0, maxOutput: 0 };
  }

  prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const { provider, model } = target;
    const api = provider.adapter.native?.("responses", model, provider.settings);
    if (api === undefined) return Promise.reject(notFound(this.#request.id));
    const { id } = provider.settings;
    const { answers, format } = createNativeResponses(id);
    context.record.format = format;
    const stream = new URLSearchParams(this.#request.query).get("stream") === "true";
    const adjust = (request: VendorRequest) => toLookup(request, this.#request);
    const readAnswer = (body: JsonObject) => toStored(body, new IdMarker(id));
    const request = { body: {}, headers: new Map(), stream, adjust };
    // The defaults of the model are for new answers.
    const { params: _, ...bare } = target;
    const owner = { ...bare, params: undefined };
    return Promise.resolve(prepareNative(api, request, { ...answers, readAnswer }, owner, context));
  }
}

function toLookup(created: VendorRequest, { method, id, resource, query }: StoredRequest) {
  const url = new URL(created.url);
  url.pathname += `/${encodeURIComponent(id)}${resource}`;
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.append(name, value);
  const { body: _, ...request } = created;
  return { ...request, url: url.href, body: {}, ...(method !== "POST" && { method }) };
}

/** A stored answer, or a list of its items. Its tokens were counted when it was made. */
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
  return { usage: undefined, summary, text: JSON.stringify(marked) };
}

/** The reply to a request about an answer that the gateway itself stores. */
export function toKeptReply(
  { method, id, resource }: StoredRequest,
  { response, input }: KeptAnswer,
): JsonObject {
  if (method === "DELETE") return { id, object: "response", deleted: true };
  if (resource === "/cancel") {
    throw new GatewayError("invalid_request", "Only responses in the background can be cancelled");
  }
  if (resource === "") return response;
  const ids = toList(input).map((item) => isObject(item) && item.id || null);
  const [first = null] = ids;
  const last = ids.at(-1) ?? null;
  return { object: "list", data: input, first_id: first, last_id: last, has_more: false };
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
