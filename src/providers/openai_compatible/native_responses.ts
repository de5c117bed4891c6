/**
 * OpenAI's Responses API at vendors that have it: a request in that format is forwarded unchanged.
 *
 * Shapes: `CreateResponse` of https://github.com/openai/openai-openapi (v2.3.0, 2026-08-21).
 */

import * as z from "zod";
import { isObject, type JsonObject } from "../../contract/chat.ts";
import type { Adapter } from "../../contract/adapter.ts";
import type { NativeApi, NativeCall, TokenCounter } from "../../contract/native.ts";
import type { RequestChanges } from "../../contract/request_changes.ts";
import { readCount } from "../../contract/model_facts.ts";
import type {
  Auth,
  Failure,
  ProviderSettings,
  TargetModel,
  UpstreamError,
} from "../../contract/vendor_request.ts";

/** The model and the provider of a request. */
export interface NativeTarget {
  readonly model: TargetModel;
  readonly provider: ProviderSettings;
}

/** The location of a vendor's API, and its differences. */
export interface ResponsesLocation {
  url(target: NativeTarget): string;
  /** The model name in the request. */
  model(target: NativeTarget): string;
  readonly auth: Auth;
  toError(failure: Failure): UpstreamError;
  /** The same as in {@linkcode NativeApi}. */
  readonly mayBeAbsent?: boolean;
  /** Whether the vendor accepts the tools that only OpenAI's clients use. Default: yes. */
  readonly takesAllTools?: boolean;
}

const APIS = ["auto", "chat", "responses"] as const;

/** Settings for kinds that have both APIs. */
export const apiOptions = createOptions(
  APIS,
  "Vendor API for all models: 'chat', 'responses', or 'auto' to choose per request",
);

/** Settings for kinds that also have the Messages API. */
export const allApiOptions = createOptions(
  [...APIS, "messages"],
  "Vendor API for callers of the Messages API and of the Responses API: 'messages' and " +
    "'responses' pass requests of their format unchanged, 'chat' converts them, 'auto' uses what " +
    "the vendor documents for its own host",
);

function createOptions<const Name extends string>(names: readonly Name[], description: string) {
  const api = z.enum(names);
  return z.strictObject({ api: api.optional().describe(description) })
    // The schema leaves the members of models to their kind.
    .superRefine((value: unknown, { addIssue }) => {
      const models = isObject(value) && Array.isArray(value.models) ? value.models : [];
      models.forEach((model: unknown, index) => {
        if (!isObject(model) || model.api === undefined || api.safeParse(model.api).success) return;
        const path = ["models", index, "api"];
        addIssue({ code: "invalid_value", values: [...names], path, input: model.api });
      });
    }, { when: () => true });
}

/** The API to use for a model, from config.yaml. */
export function apiOf({ model, provider }: NativeTarget): string {
  return String(model.api ?? provider.options.api ?? "auto");
}

/**
 * The member `native` of a vendor of the dialect. It is used at the vendor's own host, unless the
 * configuration says otherwise.
 */
export function nativeResponsesOf(
  auth: Auth,
  vendorUrl: string,
  toError: Adapter["toError"],
): NonNullable<Adapter["native"]> {
  const native = nativeResponses({
    url: ({ provider }) => `${provider.baseUrl}/responses`,
    model: ({ model }) => model.upstream,
    auth,
    toError,
    // Only OpenAI has the tools of OpenAI's clients.
    takesAllTools: false,
  });
  return (format, model, provider) => {
    const configured = apiOf({ model, provider });
    const isOwnHost = configured === "auto" && provider.baseUrl === vendorUrl;
    return format === "responses" && (configured === "responses" || isOwnHost) ? native : undefined;
  };
}

/**
 * Members that OpenAI's clients add on their own, or that change how a request is answered but not
 * its content: `CreateResponse` of the same description, and https://github.com/openai/codex
 * (2026-11).
 */
const OPTIONAL: ReadonlySet<string> = new Set([
  "client_metadata",
  "context_management",
  "include",
  "max_output_tokens",
  "max_tool_calls",
  "metadata",
  "parallel_tool_calls",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "reasoning",
  "safety_identifier",
  "service_tier",
  "store",
  "stream_options",
  "temperature",
  "text",
  "top_logprobs",
  "top_p",
  "truncation",
  "user",
]);

/** Creates the API for a vendor. */
export function nativeResponses(location: ResponsesLocation): NativeApi {
  return {
    framing: "sse",
    ...(location.mayBeAbsent && { mayBeAbsent: true }),
    ...(location.takesAllTools === false && { accepts: hasPlainTools }),
    toRequest: (call) => ({
      url: location.url(call),
      headers: {},
      body: {
        ...toDefaults(call.params, call.body, call.changes),
        ...call.body,
        model: location.model(call),
      },
      auth: location.auth,
    }),
    toError: (failure) => location.toError(failure),
    optional: OPTIONAL,
    // Other vendors do not document a counter.
    ...(location.takesAllTools !== false && { counter: counterOf(location) }),
  };
}

/**
 * `POST /v1/responses/input_tokens` (`TokenCountsBody` of the same description).
 *
 * @param location the location of the vendor's API
 */
function counterOf(location: ResponsesLocation): TokenCounter<NativeCall> {
  return {
    toRequest({ body, model, provider }) {
      const target = { model, provider };
      const url = location.url(target).replace(/\/responses(?=$|\?)/, "/responses/input_tokens");
      const { auth } = location;
      return { url, headers: {}, body: { ...body, model: location.model(target) }, auth };
    },
    read: readCount("input_tokens"),
    ...(location.mayBeAbsent && { mayRefuse: true }),
  };
}

/** Tools of OpenAI's clients, which other vendors reject. */
const OPENAI_TOOLS = new Set<unknown>([
  "apply_patch",
  "custom",
  "local_shell",
  "namespace",
  "shell",
  "tool_search",
]);

/** Input items that belong to such tools. */
const OPENAI_ITEMS = new Set<unknown>([
  "additional_tools",
  "custom_tool_call",
  "custom_tool_call_output",
]);

function hasPlainTools({ tools, input }: JsonObject): boolean {
  const isPlain = (entries: unknown, others: ReadonlySet<unknown>) =>
    !Array.isArray(entries) || !entries.some((entry) => isObject(entry) && others.has(entry.type));
  return isPlain(tools, OPENAI_TOOLS) && isPlain(input, OPENAI_ITEMS);
}

/** The paths of configured defaults in this API, where they differ. */
const PLACES = new Map<string, readonly [member: string, inner?: string]>([
  ["max_tokens", ["max_output_tokens"]],
  ["max_completion_tokens", ["max_output_tokens"]],
  ["reasoning_effort", ["reasoning", "effort"]],
  ["verbosity", ["text", "verbosity"]],
]);

/** Defaults of chat completions that this API does not have. */
const CHAT_ONLY = new Set([
  "audio",
  "frequency_penalty",
  "function_call",
  "functions",
  "logit_bias",
  "logprobs",
  "modalities",
  "n",
  "prediction",
  "presence_penalty",
  "response_format",
  "seed",
  "stop",
]);

/** The defaults that the caller did not set, under the names of this API. */
function toDefaults(params: JsonObject, body: JsonObject, changes: RequestChanges): JsonObject {
  const defaults: JsonObject = {};
  for (const [name, value] of Object.entries(params)) {
    if (CHAT_ONLY.has(name)) {
      changes.ignore(name);
      continue;
    }
    const [member, inner] = PLACES.get(name) ?? [name];
    if (inner === undefined) defaults[member] = value;
    else if (body[member] == null) defaults[member] = { [inner]: value };
  }
  return defaults;
}
