/**
 * OpenAI's Responses API: the other way to its models, and the only one for
 * some of them, or for tools while they reason.
 *
 * Shapes: `CreateResponse` and `Response` of https://github.com/openai/openai-openapi
 * (v2.3.0, 2026-08-21).
 */

import { z } from "zod";
import {
  type ChatRequest,
  type FunctionDefinition,
  isObject,
  isServerTool,
  type JsonObject,
  type ReasoningEffort,
  type Tool,
  type ToolChoice,
} from "../../chat/chat.ts";
import type {
  Adapter,
  Auth,
  Call,
  Failure,
  ProviderDefaults,
  ProviderSettings,
  TargetModel,
  VendorRequest,
  Verdict,
} from "../contract/adapter.ts";
import { apiFor, isEffort, isReasoningModel } from "./models.ts";
import { nearestEffort, samplingSupport } from "./models.ts";
import { toResponsesVerdict } from "./responses_errors.ts";
import { toInput } from "./responses_input.ts";
import { toCompletion } from "./responses_output.ts";
import { ResponseDecoder } from "./responses_stream.ts";
import {
  BEYOND_OPENAI,
  converted,
  ignored,
  native,
  nativeAs,
  refused,
  renamed,
} from "../contract/support.ts";
import type { Receipt, Support } from "../contract/support.ts";

/** A vendor that has the Responses API beside chat completions. */
export interface ResponsesVendor {
  readonly kind: string;
  readonly defaults: ProviderDefaults;
  readonly auth?: Auth;
  readonly requestIdHeader?: string;
  /** What the vendor is told, when it is not the model's `upstream`. */
  model?(call: Call): string;
  /** A verdict that the shared classifier would miss. */
  error?(failure: Failure): Verdict | undefined;
}

/** Where the API is. */
export interface ResponsesPlace {
  url(call: Call): string;
  /** Whether it is known to be there: servers of the dialect seldom have it. */
  isThere(provider: ProviderSettings): boolean;
}

/** `api` in config.yaml, of a provider or of one of its models. */
const api = z.enum(["auto", "chat", "responses"]);

/** Members of config.yaml for kinds that have both APIs. */
export const openAiOptions = z.strictObject({
  api: api.optional()
    .describe("Vendor API for all models: 'chat', 'responses', or 'auto' to choose per request"),
}).check(checkModelApis);

/** Where OpenAI's own is; regional hosts have it too, and other servers seldom do. */
export const OPENAI_RESPONSES: ResponsesPlace = {
  url: ({ provider }) => `${provider.baseUrl}/responses`,
  isThere: ({ baseUrl }) => /(?:^|\.)api\.openai\.com$/.test(new URL(baseUrl).hostname),
};

/** A vendor's chat completions, with its Responses API for the calls that want it. */
export function addResponses(
  chat: Adapter,
  vendor: ResponsesVendor,
  place: ResponsesPlace,
): Adapter {
  const responses: Adapter = {
    kind: vendor.kind,
    defaults: vendor.defaults,
    supports: SUPPORTS,
    adds: ADDS,
    framing: "sse",
    imageSources: { https: true, http: true },
    ...(vendor.requestIdHeader && { requestIdHeader: vendor.requestIdHeader }),
    supportFor,
    takesEffort: () => false,
    toRequest: (call) => toRequest(call, vendor, place),
    toCompletion: ({ body }, call) => toCompletion(body, call),
    decoder: (call) => new ResponseDecoder(call),
    toError: (failure) => vendor.error?.(failure) ?? toResponsesVerdict(failure),
  };
  return {
    ...chat,
    adds: { ...chat.adds, ...ADDS },
    route: (call) => goesToResponses(call, place) ? responses : chat,
  };
}

/** Whether a call goes this way: as config.yaml says, else as its model and its content want it. */
function goesToResponses(call: Call, place: ResponsesPlace): boolean {
  const wanted = call.model.api ?? call.provider.options.api ?? "auto";
  if (wanted !== "auto") return wanted === "responses";
  return apiFor(call.request, call.model.base) === "responses" && place.isThere(call.provider);
}

/** Checks the `api` of a provider's models, which the schema leaves to their kind. */
function checkModelApis(
  { value, issues }: { readonly value: unknown; readonly issues: unknown[] },
): void {
  const models = isObject(value) && Array.isArray(value.models) ? value.models : [];
  models.forEach((model: unknown, index) => {
    if (!isObject(model) || model.api === undefined) return;
    if (api.safeParse(model.api).success) return;
    const path = ["models", index, "api"];
    issues.push({ code: "invalid_value", values: api.options, path, input: model.api });
  });
}

const NO_FIELD = ignored("no such field");

const SUPPORTS: Adapter["supports"] = {
  parameters: {
    stream: native,
    stream_options: converted("usage always comes; include_obfuscation is passed on"),
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
    developer_message: nativeAs("for models that reason, which get system messages so too"),
    message_name: converted("left out, and reported"),
    image_url: native,
    image_data: native,
    input_audio: refused("no audio input"),
    file: nativeAs("also by file_url"),
    ...BEYOND_OPENAI,
    file_url: converted("input_file, by its address"),
    server_tool: native,
  },
  extensions: {
    reasoning: converted("summary and the like; effort where reasoning_effort says nothing"),
    web_search_options: converted("a web_search tool"),
    safety_identifier: native,
    prompt_cache_key: native,
    prompt_cache_retention: native,
    prompt_cache_options: native,
    moderation: nativeAs("its result does not come back"),
  },
};

/** Chat completions has none of them, but the two share one table. */
const ADDS: Adapter["adds"] = {
  store: "on the Responses API, false as on chat completions: answers are not to be kept",
  include: "on the Responses API, the sealed reasoning that the next turn brings back",
  "tools.strict": "on the Responses API, false as on chat completions: schemas stay as they are",
  "tools.parameters": "on the Responses API, no members for a function that has none",
  "text.format.strict": "on the Responses API, false as on chat completions",
  "text.format.schema": "on the Responses API, any object where the caller gives no schema",
  "input.phase": "on the Responses API, whether a past turn was the assistant's last word",
  input: "on the Responses API, an empty user turn where there are system messages alone",
};

function supportFor(
  request: ChatRequest,
  model: TargetModel,
): Readonly<Record<string, Support>> {
  const effort = effortOf(request);
  const asked = effort === undefined ? request : { ...request, reasoning_effort: effort };
  const verdicts = samplingSupport(asked, model);
  return {
    ...verdicts,
    ...(verdicts.reasoning_effort && { reasoning: verdicts.reasoning_effort }),
    ...(request.max_completion_tokens !== undefined && {
      max_tokens: ignored("max_completion_tokens is there"),
    }),
  };
}

function isIgnored(name: string, { request, model }: Call): boolean {
  return supportFor(request, model)[name]?.verdict === "ignored";
}

/** A wrong word in the caller's own `reasoning` is the vendor's to refuse. */
function effortOf({ reasoning_effort, reasoning }: ChatRequest): ReasoningEffort | undefined {
  if (reasoning_effort !== undefined || !isObject(reasoning)) return reasoning_effort;
  return isEffort(reasoning.effort) ? reasoning.effort : undefined;
}

function toRequest(call: Call, vendor: ResponsesVendor, place: ResponsesPlace): VendorRequest {
  const { text, store, max_output_tokens, ...fields } = call.fields;
  if (store === undefined) call.receipt.add("store");
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
    url: place.url(call),
    headers: {},
    body: present(body),
    auth: vendor.auth ?? { type: "bearer" },
  };
}

/** Fewer are refused (https://github.com/vectorize-io/hindsight/issues/58, 2026-11-20). */
const LEAST_OUTPUT = 16;

function toMaxOutput({ request, receipt }: Call, asked: unknown): unknown {
  if (typeof asked !== "number" || asked >= LEAST_OUTPUT) return asked;
  const name = request.max_completion_tokens === undefined ? "max_tokens" : "max_completion_tokens";
  receipt.convert(name, asked, LEAST_OUTPUT);
  return LEAST_OUTPUT;
}

function toReasoning(call: Call): JsonObject | undefined {
  const { request, receipt, model: { base } } = call;
  if (isIgnored("reasoning_effort", call)) return undefined;
  const own = isObject(request.reasoning) ? request.reasoning : {};
  if (request.reasoning !== undefined && request.reasoning !== own) receipt.ignore("reasoning");
  const asked = effortOf(request);
  if (asked === undefined) return Object.keys(own).length === 0 ? undefined : own;
  const effort = nearestEffort(asked, base, "responses");
  if (effort !== asked) receipt.convert("reasoning_effort", asked, effort);
  return { ...own, effort };
}

/** Left out, `strict` would be taken for true (https://github.com/simonw/llm, 2026-08). */
function toText(fields: unknown, { receipt }: Call): JsonObject | undefined {
  if (!isObject(fields)) return undefined;
  const { format } = fields;
  if (!isObject(format) || !isObject(format.json_schema)) return fields;
  const { name, description, schema, strict } = format.json_schema;
  if (strict == null) receipt.add("text.format.strict");
  if (schema == null) receipt.add("text.format.schema");
  const named = present({
    type: "json_schema",
    name,
    description: description ?? undefined,
    schema: schema ?? { type: "object" },
    strict: strict ?? false,
  });
  return { ...fields, format: named };
}

/**
 * Models that do not reason refuse to be asked for it
 * (https://github.com/pydantic/pydantic-ai/issues/2865, 2026-11-20).
 */
function toInclude(call: Call): readonly string[] | undefined {
  const include = isReasoningModel(call.model) ? ["reasoning.encrypted_content"] : [];
  if (include.length > 0) call.receipt.add("include");
  if (call.request.logprobs === true && !isIgnored("logprobs", call)) {
    call.receipt.rename("logprobs", "include");
    include.push("message.output_text.logprobs");
  }
  return include.length === 0 ? undefined : include;
}

function toStreamOptions({ request, stream }: Call): JsonObject | undefined {
  const include_obfuscation = request.stream_options?.include_obfuscation;
  return stream && include_obfuscation != null ? { include_obfuscation } : undefined;
}

function toTools({ request, receipt }: Call): JsonObject {
  const { functions, function_call, web_search_options: search } = request;
  if (functions) receipt.rename("functions", "tools");
  if (functions && function_call) receipt.rename("function_call", "tool_choice");
  if (isObject(search)) receipt.rename("web_search_options", "tools");
  else if (search !== undefined) receipt.ignore("web_search_options");
  const tools = [
    ...(request.tools ?? []).map((tool) => toTool(tool, receipt)),
    ...(functions ?? []).map((definition) => toFunction(definition, receipt)),
    ...(isObject(search) ? [toWebSearch(search)] : []),
  ];
  if (tools.length === 0) return {};
  return { tools, tool_choice: toChoice(request) };
}

function toTool(tool: Tool, receipt: Receipt): JsonObject {
  if (isServerTool(tool)) return tool;
  if (tool.type === "function") return toFunction(tool.function, receipt);
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
 * Left out, `strict` rewrites the schema
 * (https://github.com/open-webui/open-webui/pull/30046, 2026-11-20).
 */
function toFunction(
  { name, description, parameters, strict }: FunctionDefinition,
  receipt: Receipt,
): JsonObject {
  if (strict == null) receipt.add("tools.strict");
  if (parameters == null) receipt.add("tools.parameters");
  return present({
    type: "function",
    name,
    description: description ?? undefined,
    parameters: parameters ?? { type: "object", properties: {} },
    strict: strict ?? false,
  });
}

function toWebSearch({ search_context_size, user_location }: JsonObject): JsonObject {
  const place = isObject(user_location) && isObject(user_location.approximate)
    ? { type: "approximate", ...user_location.approximate }
    : undefined;
  return present({
    type: "web_search",
    search_context_size: search_context_size ?? undefined,
    user_location: place,
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

/** `{type: "function", function: {name}}` has its name one level up here. */
function flattenNamed(named: JsonObject & { type: string }): JsonObject {
  const inner = Object.hasOwn(named, named.type) ? named[named.type] : undefined;
  return isObject(inner) ? { type: named.type, name: inner.name } : named;
}

/** The members that are there. */
function present(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
