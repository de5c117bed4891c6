/**
 * OpenAI's Responses API. Some models, and tools with reasoning, are available only there.
 *
 * Shapes: `CreateResponse` and `Response` of https://github.com/openai/openai-openapi
 * (v2.3.0, 2026-08-21).
 */

import { hostTest } from "../shared/session_hints.ts";
import {
  type ChatRequest,
  type FunctionDefinition,
  isObject,
  isServerTool,
  type JsonObject,
  type ReasoningEffort,
  type Tool,
  type ToolChoice,
} from "../../contract/chat.ts";
import { INCLUDE_PAGES, toCompletion, toWebSearch } from "./responses_output.ts";
import { returnsSearches, showsReasoning } from "../../apis/chat/web_search.ts";
import type { Adapter, ProviderDefaults } from "../../contract/adapter.ts";
import { apiFor, isEffort, isReasoningModel, nearestEffort, samplingSupport } from "./models.ts";
import { toNativeError, toResponsesError } from "./responses_errors.ts";
import type { NativeApi, TokenCounter } from "../../contract/native.ts";
import {
  apiOf,
  nativeResponses,
  type NativeTarget,
} from "../openai_compatible/native_responses.ts";
import { toInput } from "./responses_input.ts";
import { ResponseDecoder } from "./responses_stream.ts";
import {
  converted,
  ignored,
  native,
  nativeAs,
  RARE_CONTENT,
  refused,
  renamed,
  type Support,
} from "../../contract/support.ts";
import { STRICT_FORMAT, STRICT_TOOLS, strictFor } from "../shared/strict_schema.ts";
import type { Refusals } from "../../contract/refusals.ts";
import { readCount } from "../../contract/model_facts.ts";
import { present } from "../../core/json/values.ts";
import type {
  Auth,
  Call,
  Failure,
  ProviderSettings,
  TargetModel,
  UpstreamError,
  VendorRequest,
} from "../../contract/vendor_request.ts";

/** A vendor that has the Responses API in addition to chat completions. */
export interface ResponsesVendor {
  readonly kind: string;
  readonly defaults: ProviderDefaults;
  readonly auth?: Auth;
  readonly requestIdHeader?: string;
  /** The model name in the request, if it is not the model's `upstream`. */
  model?(target: NativeTarget): string;
  /** Classifies a failure that the shared classifier would misinterpret. */
  error?(failure: Failure): UpstreamError | undefined;
}

/** The location of the API. */
export interface ResponsesApi {
  url(target: NativeTarget): string;
  /** Whether the provider is known to have the API; most compatible servers do not. */
  isThere(provider: ProviderSettings): boolean;
  /** Whether requests of this API are forwarded to servers that may have it; see `mayBeAbsent`. */
  readonly isTried?: boolean;
}

const isOwnHost = hostTest(/(?:^|\.)api\.openai\.com$/);

/** OpenAI's API. Its regional hosts also have it; most other servers do not. */
export const OPENAI_RESPONSES: ResponsesApi = {
  url: ({ provider }) => `${provider.baseUrl}/responses`,
  isThere: ({ baseUrl }) => isOwnHost(baseUrl),
  isTried: true,
};

/** Adds the Responses API to a vendor's chat completions, for the calls that need it. */
export function addResponses(
  chat: Adapter,
  vendor: ResponsesVendor,
  location: ResponsesApi,
): Adapter {
  const responses: Adapter = {
    kind: vendor.kind,
    defaults: vendor.defaults,
    supports: SUPPORTS,
    adds: ADDS,
    apis: {},
    framing: "sse",
    reasoningState: ["reasoning_details"],
    toolMedia: true,
    imageSources: { https: true, http: true },
    refuses: REFUSALS,
    ...(vendor.requestIdHeader && { requestIdHeader: vendor.requestIdHeader }),
    supportFor,
    takesEffort: () => false,
    toRequest: (call) => toRequest(call, vendor, location),
    toCompletion: ({ body }, call) => toCompletion(body, call),
    decoder: (call) => new ResponseDecoder(call),
    toError: (failure) => vendor.error?.(failure) ?? toResponsesError(failure),
  };
  return {
    ...chat,
    adds: { ...chat.adds, ...ADDS },
    route: (call) => goesToResponses(call, location) ? responses : chat,
    native: (format, model, provider) =>
      format === "responses" && isNative({ model, provider }, location)
        ? toNativeApi(vendor, location, { model, provider })
        : undefined,
    counter: (provider) =>
      location.isThere(provider) ? inputTokenCounter(vendor, location) : undefined,
  };
}

/** Names of functions (`FunctionToolParam` of the same description). */
const REFUSALS: Refusals = {
  toolNames: { refused: /[^a-zA-Z0-9_-]/g, maxLength: 128 },
  isChatRule: true,
};

/**
 * The members that the counter of input tokens accepts (`TokenCountsBody` of the same description).
 */
const COUNTED = [
  "model",
  "input",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "text",
  "reasoning",
  "truncation",
];

function inputTokenCounter(vendor: ResponsesVendor, location: ResponsesApi): TokenCounter<Call> {
  return {
    api: "responses",
    toRequest(call) {
      const { body, url, ...request } = toRequest(call, vendor, location);
      const counted = COUNTED.filter((name) => body[name] !== undefined);
      return {
        ...request,
        url: url.replace(/\/responses(?=$|\?)/, "/responses/input_tokens"),
        body: Object.fromEntries(counted.map((name) => [name, body[name]])),
      };
    },
    read: readCount("input_tokens"),
  };
}

/**
 * Whether requests in this API's format are forwarded unchanged. With `api: chat` they are
 * converted.
 */
function isNative(target: NativeTarget, location: ResponsesApi): boolean {
  const configured = apiOf(target);
  if (configured !== "auto") return configured === "responses";
  return location.isTried === true || location.isThere(target.provider);
}

function toNativeApi(
  vendor: ResponsesVendor,
  location: ResponsesApi,
  target: NativeTarget,
): NativeApi {
  const isKnown = apiOf(target) === "responses" || location.isThere(target.provider);
  return nativeResponses({
    mayBeAbsent: !isKnown,
    url: (target) => location.url(target),
    model: (target) => vendor.model?.(target) ?? target.model.upstream,
    auth: vendor.auth ?? { type: "bearer" },
    toError: (failure) => vendor.error?.(failure) ?? toNativeError(failure),
  });
}

/** Whether a call uses the Responses API: as configured, otherwise by its model and content. */
function goesToResponses(call: Call, location: ResponsesApi): boolean {
  const configured = apiOf(call);
  if (configured !== "auto") return configured === "responses";
  return apiFor(call.request, call.model.base) === "responses" && location.isThere(call.provider);
}

const NO_FIELD = ignored("no such field");

const SUPPORTS: Adapter["supports"] = {
  parameters: {
    stream: native,
    stream_options: converted("usage is always reported; include_obfuscation is passed on"),
    max_tokens: renamed("max_output_tokens", "at least 16"),
    max_completion_tokens: renamed("max_output_tokens", "at least 16"),
    temperature: native,
    top_p: native,
    n: ignored("one choice only"),
    stop: NO_FIELD,
    seed: NO_FIELD,
    frequency_penalty: NO_FIELD,
    presence_penalty: NO_FIELD,
    logit_bias: NO_FIELD,
    logprobs: converted("include"),
    top_logprobs: native,
    tools: native,
    tool_choice: native,
    parallel_tool_calls: native,
    functions: converted("tools"),
    function_call: converted("tool_choice"),
    response_format: renamed("text.format"),
    reasoning_effort: renamed("reasoning.effort"),
    verbosity: renamed("text.verbosity"),
    user: native,
    metadata: native,
    store: native,
    service_tier: native,
    prediction: NO_FIELD,
    modalities: ignored("text only"),
    audio: ignored("text only"),
  },
  content: {
    developer_message: nativeAs("for models that reason; system messages are sent this way too"),
    message_name: converted("omitted, and reported"),
    image_url: native,
    image_data: native,
    input_audio: refused("no audio input"),
    file: nativeAs("also by file_url"),
    ...RARE_CONTENT,
    file_url: converted("input_file, by URL"),
    server_tool: native,
  },
  extensions: {
    reasoning: converted("summary and other members; effort if reasoning_effort is absent"),
    web_search_options: converted("a web_search tool; max_tool_calls for max_uses"),
    safety_identifier: native,
    prompt_cache_key: native,
    prompt_cache_retention: native,
    prompt_cache_options: native,
    moderation: nativeAs("its result is not returned"),
  },
};

/** Additions of the Responses API. Chat completions has none, but both share one table. */
const ADDS: Adapter["adds"] = {
  store: "on the Responses API, false as on chat completions: answers are not stored",
  include:
    "on the Responses API, encrypted reasoning, which callers send back in the next request; " +
    "and the pages of a web search, if the caller's format has them",
  "reasoning.summary": "on the Responses API, if a request of the Messages API enables thinking",
  "tools.strict": "on the Responses API, false as on chat completions: schemas stay unchanged",
  "tools.parameters": "on the Responses API, an empty object for a function without parameters",
  "text.format.strict": "on the Responses API, false as on chat completions",
  "text.format.schema": "on the Responses API, any object if the caller sends no schema",
  "input.phase": "on the Responses API, whether a past assistant message was the final answer",
  input: "on the Responses API, an empty user message if there are only system messages",
};

function supportFor(
  request: ChatRequest,
  model: TargetModel,
): Readonly<Record<string, Support>> {
  const effort = effortOf(request);
  const requested = effort === undefined ? request : { ...request, reasoning_effort: effort };
  const levels = samplingSupport(requested, model);
  return {
    ...levels,
    ...(levels.reasoning_effort && { reasoning: levels.reasoning_effort }),
    ...(request.max_completion_tokens !== undefined && {
      max_tokens: ignored("max_completion_tokens is there"),
    }),
  };
}

function isIgnored(name: string, { request, model }: Call): boolean {
  return supportFor(request, model)[name]?.level === "ignored";
}

/** The requested effort. An invalid value in `reasoning` is left to the vendor to reject. */
function effortOf({ reasoning_effort, reasoning }: ChatRequest): ReasoningEffort | undefined {
  if (reasoning_effort !== undefined || !isObject(reasoning)) return reasoning_effort;
  return isEffort(reasoning.effort) ? reasoning.effort : undefined;
}

function toRequest(call: Call, vendor: ResponsesVendor, location: ResponsesApi): VendorRequest {
  const { text, store, max_output_tokens, ...fields } = call.fields;
  if (store === undefined) call.changes.add("store");
  const body: JsonObject = {
    model: vendor.model?.(call) ?? call.model.upstream,
    input: toInput(call),
    ...fields,
    store: store ?? false,
    max_output_tokens: toMaxOutput(call, max_output_tokens),
    reasoning: toReasoning(call),
    text: toText(text, call),
    include: toInclude(call),
    stream_options: toStreamOptions(call),
    ...toTools(call),
  };
  return {
    url: location.url(call),
    headers: {},
    body: present(body),
    auth: vendor.auth ?? { type: "bearer" },
  };
}

/**
 * Smaller values are rejected (https://github.com/vectorize-io/hindsight/issues/58, 2026-11-20).
 */
const MIN_OUTPUT_TOKENS = 16;

function toMaxOutput({ request, changes }: Call, requested: unknown): unknown {
  if (typeof requested !== "number" || requested >= MIN_OUTPUT_TOKENS) return requested;
  const name = request.max_completion_tokens === undefined ? "max_tokens" : "max_completion_tokens";
  changes.convert(name, requested, MIN_OUTPUT_TOKENS);
  return MIN_OUTPUT_TOKENS;
}

function toReasoning(call: Call): JsonObject | undefined {
  const { request, changes, model: { base } } = call;
  if (isIgnored("reasoning_effort", call)) return undefined;
  const options = isObject(request.reasoning) ? request.reasoning : {};
  if (request.reasoning !== undefined && request.reasoning !== options) changes.ignore("reasoning");
  const requested = effortOf(request);
  const isShown = showsReasoning(request) && isReasoningModel(call.model) &&
    options.summary === undefined;
  if (isShown) changes.add("reasoning.summary");
  const shown = isShown ? { ...options, summary: "auto" } : options;
  if (requested === undefined) return Object.keys(shown).length === 0 ? undefined : shown;
  const effort = nearestEffort(requested, base, "responses");
  if (effort !== requested) changes.convert("reasoning_effort", requested, effort);
  return { ...shown, effort };
}

/**
 * The `text` member. `strict` defaults to true if absent (https://github.com/simonw/llm, 2026-08).
 */
function toText(fields: unknown, call: Call): JsonObject | undefined {
  if (!isObject(fields)) return undefined;
  const { format } = fields;
  const { changes } = call;
  if (!isObject(format) || !isObject(format.json_schema)) return fields;
  const { name, description, schema, strict } = format.json_schema;
  if (strict == null) changes.add("text.format.strict");
  if (schema == null) changes.add("text.format.schema");
  const named = present({
    type: "json_schema",
    name,
    description: description ?? undefined,
    schema: schema ?? { type: "object" },
    strict: strictFor(strict ?? false, schema, STRICT_FORMAT, call),
  });
  return { ...fields, format: named };
}

/**
 * The `include` member. Models that do not reason reject a request for reasoning
 * (https://github.com/pydantic/pydantic-ai/issues/2865, 2026-11-20).
 */
function toInclude(call: Call): readonly string[] | undefined {
  const include = isReasoningModel(call.model) ? ["reasoning.encrypted_content"] : [];
  if (returnsSearches(call.request)) include.push(INCLUDE_PAGES);
  if (include.length > 0) call.changes.add("include");
  if (call.request.logprobs === true && !isIgnored("logprobs", call)) {
    call.changes.rename("logprobs", "include");
    include.push("message.output_text.logprobs");
  }
  return include.length === 0 ? undefined : include;
}

function toStreamOptions({ request, stream }: Call): JsonObject | undefined {
  const include_obfuscation = request.stream_options?.include_obfuscation;
  return stream && include_obfuscation != null ? { include_obfuscation } : undefined;
}

function toTools(call: Call): JsonObject {
  const { request, changes } = call;
  const { functions, function_call, web_search_options: search } = request;
  if (functions) changes.rename("functions", "tools");
  if (functions && function_call) changes.rename("function_call", "tool_choice");
  if (isObject(search)) changes.rename("web_search_options", "tools");
  else if (search !== undefined) changes.ignore("web_search_options");
  const tools = [
    ...(request.tools ?? []).map((tool) => toTool(tool, call)),
    ...(functions ?? []).map((definition) => toFunction(definition, call)),
    ...(isObject(search) ? [toWebSearch(search, call)] : []),
  ];
  if (tools.length === 0) return {};
  // The search is the only tool that the vendor runs, so only its uses are counted.
  const max_tool_calls = isObject(search) ? search.max_uses : undefined;
  return { tools, tool_choice: toChoice(request), max_tool_calls };
}

function toTool(tool: Tool, call: Call): JsonObject {
  if (isServerTool(tool)) return tool;
  if (tool.type === "function") return toFunction(tool.function, call);
  const { name, description, format } = tool.custom;
  const grammar = isObject(format) && isObject(format.grammar)
    ? { type: format.type, ...format.grammar }
    : format;
  return present({
    type: "custom",
    name,
    description: description ?? undefined,
    format: grammar ?? undefined,
  });
}

/**
 * Converts a function. Without `strict` the vendor rewrites the schema
 * (https://github.com/open-webui/open-webui/pull/30046, 2026-11-20).
 */
function toFunction(
  { name, description, parameters, strict }: FunctionDefinition,
  call: Call,
): JsonObject {
  const { changes } = call;
  if (strict == null) changes.add("tools.strict");
  if (parameters == null) changes.add("tools.parameters");
  return present({
    type: "function",
    name,
    description: description ?? undefined,
    parameters: parameters ?? { type: "object", properties: {} },
    strict: strictFor(strict ?? false, parameters, STRICT_TOOLS, call),
  });
}

function toChoice({ tools, tool_choice, functions, function_call }: ChatRequest): unknown {
  if (tools !== undefined && tool_choice !== undefined) return flatten(tool_choice);
  if (functions === undefined || !isObject(function_call)) return functions && function_call;
  return { type: "function", name: function_call.name };
}

function flatten(choice: ToolChoice): unknown {
  if (typeof choice === "string") return choice;
  if (choice.type !== "allowed_tools") return flattenNamed(choice);
  const { mode, tools } = choice.allowed_tools;
  return { type: "allowed_tools", mode, tools: tools.map(flattenNamed) };
}

/** Moves the name of `{type: "function", function: {name}}` one level up. */
function flattenNamed(named: JsonObject & { type: string }): JsonObject {
  const inner = Object.hasOwn(named, named.type) ? named[named.type] : undefined;
  return isObject(inner) ? { type: named.type, name: inner.name } : named;
}
