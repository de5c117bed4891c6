/**
 * Anthropic's Messages API.
 *
 * Shapes: https://platform.claude.com/docs/en/api/versioning,
 * https://platform.claude.com/docs/en/build-with-claude/streaming and
 * https://platform.claude.com/docs/en/api/errors (2026-11-20).
 */

import * as z from "zod";
import type { ChatRequest } from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { Adapter, ListedModel, ModelListApi } from "../../contract/adapter.ts";
import { MessageDecoder, toCompletion } from "./answers.ts";
import { toAnthropicError } from "./errors.ts";
import { toSearchTool } from "./web_search.ts";
import {
  cacheMarkerOf,
  CLAUDE_REFUSALS,
  messageBlocks,
  type MessagesPlan,
  toPlan,
} from "./messages.ts";
import {
  type Block,
  forbidsThinkingBudget,
  pastTools,
  toConversation,
} from "../shared/claude/conversation.ts";
import {
  chooseTool,
  noteJsonFormat,
  PAST_TOOL_SCHEMA,
  toJsonTool,
  toTools,
} from "../shared/claude/tools.ts";
import { claudeModel, claudeQuotaFamily } from "../shared/claude/models.ts";
import {
  isThinking,
  limitTokens,
  noteTokenLimit,
  toSampling,
  toStopSequences,
  toThinking,
} from "../shared/claude/thinking.ts";
import { wantedJson } from "../shared/json_schema.ts";
import { toHeader } from "../shared/claude/betas.ts";
import { nativeMessages } from "../shared/native_messages.ts";
import { CACHE_CONTROL_NOTE, claudeMarks } from "../shared/prompt_marks/cache_control.ts";
import { noteLegacyTools } from "../shared/messages.ts";
import { OPENCODE_SESSION, openCodeHint, SESSION_NOTE } from "../shared/session_hints.ts";
import { toServiceTier } from "../../apis/usage.ts";
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
import { isText, present, toObject } from "../../core/json/values.ts";
import { entriesOf, listRequest, toFacts, toSeconds } from "../shared/model_list.ts";
import type {
  Call,
  ProviderSettings,
  TargetModel,
  VendorRequest,
} from "../../contract/vendor_request.ts";

// Anthropic's model list (https://platform.claude.com/docs/en/api/models/list, 2026-11-25).

/** The maximum number of entries per page. */
const PAGE_SIZE = 1000;

/** The list, without retired models. */
function anthropicModels(
  versionOf: (provider: ProviderSettings) => string,
): ModelListApi {
  const toRequest = (provider: ProviderSettings, after?: string): VendorRequest => ({
    ...listRequest(
      `${provider.baseUrl}/models?limit=${PAGE_SIZE}` +
        (after === undefined ? "" : `&after_id=${encodeURIComponent(after)}`),
      { type: "header", name: "x-api-key" },
    ),
    headers: { "anthropic-version": versionOf(provider) },
  });
  return {
    toRequests: (provider) => [toRequest(provider)],
    read(body, _, provider) {
      const { data, has_more: hasMore, last_id: last } = toObject(body);
      const entries = entriesOf(data);
      return {
        models: entries.filter(({ lifecycle }) => lifecycle !== "retired").flatMap(toModel),
        ...(hasMore === true && isText(last) && { next: [toRequest(provider, last)] }),
      };
    },
  };
}

function toModel(entry: JsonObject): ListedModel[] {
  const { id, capabilities, created_at: created, display_name: name } = entry;
  if (!isText(id)) return [];
  const { image_input: image, structured_outputs: schema, thinking } = toObject(capabilities);
  return [{
    id,
    facts: toFacts({
      ...{ name, created: toSeconds(created) },
      context: entry.max_input_tokens,
      output: entry.max_tokens,
      capabilities: {
        vision: isSupported(image),
        json_schema: isSupported(schema),
        reasoning: isSupported(thinking),
      },
    }),
  }];
}

/** Whether a capability is supported; undefined if the list does not say. */
function isSupported(capability: unknown): boolean | undefined {
  const value = isObject(capability) ? capability.supported : capability;
  return typeof value === "boolean" ? value : undefined;
}

/** Anthropic's Messages API. */
export const anthropic = {
  kind: "anthropic",
  defaults: { baseUrl: "https://api.anthropic.com/v1", credentials: "required" },
  options: z.strictObject({
    version: z.string().regex(/^\d{4}-\d\d-\d\d$/).optional()
      .describe("API version, sent as the anthropic-version header; defaults to '2023-06-01'"),
    beta: z.array(z.string().regex(/^[\w.-]+$/)).optional()
      .describe("Beta features, sent as the anthropic-beta header"),
  }),
  supports: {
    parameters: {
      stream: native,
      stream_options: converted("usage is always reported; the caller gets it only on request"),
      max_tokens: nativeAs("at most the model's maximum"),
      max_completion_tokens: renamed("max_tokens"),
      temperature: nativeAs("capped at 1; omitted while the model thinks"),
      top_p: nativeAs("omitted while the model thinks, and if temperature is set from Opus 4.1 on"),
      n: ignored("one choice only"),
      stop: renamed("stop_sequences"),
      seed: ignored("no such field"),
      frequency_penalty: ignored("no such field"),
      presence_penalty: ignored("no such field"),
      logit_bias: ignored("no such field"),
      logprobs: ignored("no such field"),
      top_logprobs: ignored("no such field"),
      tools: nativeAs("functions; strict where the model has it"),
      tool_choice: native,
      parallel_tool_calls: converted("tool_choice.disable_parallel_tool_use"),
      functions: converted("tools"),
      function_call: converted("tool_choice"),
      response_format: converted("output_config.format, else a tool, else an instruction"),
      reasoning_effort: converted("output_config.effort, else a thinking budget"),
      verbosity: ignored("no such field"),
      user: renamed("metadata.user_id"),
      metadata: ignored("metadata contains only user_id"),
      store: ignored("no such field"),
      service_tier: nativeAs("auto or standard_only"),
      prediction: ignored("no such field"),
      modalities: ignored("text only"),
      audio: ignored("text only"),
    },
    content: {
      developer_message: converted("moved into system"),
      message_name: converted("omitted, and reported"),
      image_url: nativeAs("https; jpeg, png, gif, webp"),
      image_data: nativeAs("jpeg, png, gif, webp"),
      input_audio: refused("no audio input"),
      file: nativeAs("PDF or text, as a data URL"),
      ...RARE_CONTENT,
      file_url: converted("a document by its address: PDF"),
    },
    extensions: {
      top_k: native,
      thinking: nativeAs("wins over reasoning_effort"),
      cache_control: nativeAs("also on messages, parts and tools"),
      safety_identifier: renamed("metadata.user_id"),
      web_search_options: converted("a web_search tool"),
    },
  },
  adds: {
    max_tokens: "the vendor requires it: the model's maximum",
    messages: "a short user turn where the vendor refuses the assistant's as the first or last",
    system: "an instruction, for JSON or a tool choice that the model has no other means for",
    tools:
      "a tool that receives the answer, for schemas that output_config.format does not support; " +
      "and the names of past calls, which the vendor requires to be defined",
    tool_choice: "forces the tool that receives the answer, and forbids those of past calls",
    cache_control: CACHE_CONTROL_NOTE,
    [OPENCODE_SESSION]: SESSION_NOTE,
  },
  passthrough: (provider) => ({
    baseUrl: provider.baseUrl,
    auth: { type: "header", name: "x-api-key" },
    headers: { "anthropic-version": versionOf(provider) },
  }),
  models: anthropicModels(versionOf),
  apis: {},
  framing: "sse",
  reasoningState: ["reasoning_details"],
  rateLimitHeaders: new Map(
    ["requests", "tokens"].flatMap((what) =>
      ["limit", "remaining"].map((how): [string, string] => [
        `anthropic-ratelimit-${what}-${how}`,
        `x-ratelimit-${how}-${what}`,
      ])
    ),
  ),
  quotaFamily: ({ upstream }) => claudeQuotaFamily(upstream),
  requestIdHeader: "request-id",
  toolMedia: true,
  refuses: CLAUDE_REFUSALS,
  imageSources: { https: true, http: false },
  supportFor,
  promptMarks: claudeMarks,
  sessionHint: openCodeHint,
  toRequest,
  toCompletion: ({ body }, call) => toCompletion(body, call),
  decoder: (call) => new MessageDecoder(call),
  toError: toAnthropicError,
  native: (format) => format === "messages" ? MESSAGES : undefined,
  prefills: ({ base, facts }) => claudeModel(base, facts).prefill,
} satisfies Adapter;

/**
 * The API itself, for callers of the Messages API. Their version header defines the meaning of
 * their body.
 */
const MESSAGES = nativeMessages({
  framing: "sse",
  threads: true,
  request: (call, betas) => ({
    url: `${call.provider.baseUrl}/messages`,
    headers: {
      "anthropic-version": call.headers.get("anthropic-version") ?? versionOf(call.provider),
      ...toHeader(betas),
    },
    auth: { type: "header", name: "x-api-key" },
  }),
  countUrl: ({ provider }) => `${provider.baseUrl}/messages/count_tokens`,
  toError: toAnthropicError,
});

function supportFor(
  _request: ChatRequest,
  { base, facts }: TargetModel,
  provider: ProviderSettings,
): Readonly<Record<string, Support>> {
  const model = claudeModel(base, facts);
  const version = versionOf(provider);
  const hasSampling = version < NO_SAMPLING_SINCE;
  const unsampled = ignored(
    hasSampling
      ? "the model accepts no sampling parameters"
      : `API version ${version} has no such field`,
  );
  const unforced = converted("auto, with an instruction: the model refuses a forced choice");
  return {
    ...(!(model.sampling && hasSampling) &&
      { temperature: unsampled, top_p: unsampled, top_k: unsampled }),
    ...(!model.forcedChoice && { tool_choice: unforced }),
    ...(model.thinking === "none" && { reasoning_effort: ignored("the model does not think") }),
  };
}

function toRequest(call: Call): VendorRequest {
  const { baseUrl, options } = call.provider;
  const version = versionOf(call.provider);
  const beta = Array.isArray(options.beta) ? options.beta.join(",") : "";
  const plan = toPlan(call);
  const { model } = plan;
  const format = messageBlocks(call);
  const takesReasoning = model.thinking !== "none";
  const { system, turns } = toConversation(call, { ...model, takesReasoning }, format);
  const past = pastTools(turns, format);
  const choice = toToolChoice(call, plan, past);
  const hints = [choice?.hint, plan.json.by === "instruction" ? plan.json.text : undefined];
  const max_tokens = limitTokens(call, model.maxTokens) ?? model.maxTokens;
  noteTokenLimit(call, max_tokens);
  noteAdditions(call, plan, past, hints);
  const isForced = choice?.value.type === "any" || choice?.value.type === "tool";
  const ruledOut = isForced || forbidsThinkingBudget(turns, format) ? ["enabled"] : [];
  const { thinking, effort } = toThinking(call, model, max_tokens, ruledOut);
  const outputFormat = toOutputFormat(call, plan);
  noteJsonFormat(call, plan, JSON_FIELDS);
  return {
    url: `${baseUrl}/messages`,
    headers: { "anthropic-version": version, ...(beta !== "" && { "anthropic-beta": beta }) },
    auth: { type: "header", name: "x-api-key" },
    body: present({
      model: call.model.upstream,
      max_tokens,
      stream: call.stream || undefined,
      system: toSystem(system, hints),
      messages: turns.map(({ role, blocks }) => ({ role, content: blocks })),
      tools: toToolDefinitions(call, plan, past),
      tool_choice: choice?.value,
      thinking,
      output_config: effort || outputFormat ? present({ effort, format: outputFormat }) : undefined,
      stop_sequences: toStopSequences(call),
      metadata: toMetadata(call),
      service_tier: toServiceTier(call, SERVICE_TIERS),
      cache_control: cacheMarkerOf(call.fields),
      ...toSampling(
        call,
        model.sampling && version < NO_SAMPLING_SINCE && !isThinking(thinking),
        model.samplesTogether,
      ),
    }),
  };
}

/** The API version that is sent unless config.yaml names one: the newest that accepts sampling. */
const DEFAULT_VERSION = "2023-06-01";

/**
 * Later versions reject `temperature`, `top_p` and `top_k` for every model, even at their defaults.
 * They also reject documents in assistant messages and citations in user messages, which no
 * conversion produces (https://platform.claude.com/docs/en/api/migration-2026-10-21, 2026-11-20).
 */
const NO_SAMPLING_SINCE = "2026-10-21";

function versionOf({ options: { version } }: ProviderSettings): string {
  return typeof version === "string" ? version : DEFAULT_VERSION;
}

function noteAdditions(
  { request, changes }: Call,
  { json, tools }: MessagesPlan,
  past: readonly string[],
  hints: readonly (string | undefined)[],
): void {
  if ((request.max_completion_tokens ?? request.max_tokens) === undefined) {
    changes.add("max_tokens");
  }
  if (hints.some(isText)) changes.add("system");
  const undefinedCalls = tools.tools.length === 0 && past.length > 0;
  if (json.by === "tool" || undefinedCalls) {
    changes.add("tools");
    changes.add("tool_choice");
  }
}

/** The field that requests a JSON answer. */
const JSON_FIELDS = { schema: "output_config.format", tool: "tools", instruction: "system" };

function toOutputFormat({ request }: Call, { json }: MessagesPlan): JsonObject | undefined {
  if (json.by !== "schema") return undefined;
  const description = wantedJson(request)?.description;
  return { type: "json_schema", schema: present({ description, ...json.schema }) };
}

function toSystem(blocks: readonly Block[], hints: readonly (string | undefined)[]): unknown {
  const all = [...blocks, ...hints.filter(isText).map((text): Block => ({ type: "text", text }))];
  if (all.length === 0) return undefined;
  return all.some(cacheMarkerOf) ? all : all.map((block) => block.text).join("\n\n");
}

interface SentChoice {
  readonly value: JsonObject;
  /** An instruction, for a choice that the model cannot be forced to make. */
  readonly hint?: string | undefined;
}

/** @param past the names of previously called tools */
function toToolChoice(
  call: Call,
  plan: MessagesPlan,
  past: readonly string[],
): SentChoice | undefined {
  const { request, changes } = call;
  const { allowsCalls, jsonTool, model, tools: { tools, mode } } = plan;
  noteLegacyTools(call);
  const single = allowsCalls && request.parallel_tool_calls === false;
  if (single) changes.rename("parallel_tool_calls", "tool_choice.disable_parallel_tool_use");
  if (jsonTool === undefined && !allowsCalls) {
    return tools.length > 0 || past.length > 0 ? { value: { type: "none" } } : undefined;
  }
  if (jsonTool === undefined && mode === undefined && !single) return undefined;
  const { type, name, hint } = chooseTool(call, plan, model.forcedChoice ? "name" : "nothing");
  const disable_parallel_tool_use = single || (jsonTool !== undefined && !allowsCalls) || undefined;
  return { value: present({ type, name, disable_parallel_tool_use }), hint };
}

function toToolDefinitions(
  call: Call,
  plan: MessagesPlan,
  past: readonly string[],
): Block[] | undefined {
  const { model } = plan;
  const tools = toTools(call, plan, model.forcedChoice ? "name" : "nothing", model.schemas);
  const jsonTool = toJsonTool(call, plan);
  const search = toSearchTool(call, (name) => tools.some((tool) => tool.name === name));
  const sent: Block[] = (jsonTool ? [...tools, jsonTool] : tools).map((tool) =>
    present({
      name: tool.name,
      description: tool.description || undefined,
      input_schema: tool.schema,
      strict: tool.strict || undefined,
      cache_control: cacheMarkerOf({ cache_control: tool.cacheControl }),
    })
  );
  if (search !== undefined) sent.push(search);
  if (sent.length > 0) return sent;
  // The vendor requires a definition for each past call, even if no tool can be called.
  if (past.length === 0) return undefined;
  return past.map((name) => ({ name, input_schema: PAST_TOOL_SCHEMA }));
}

/** At most 256 characters: https://www.npmjs.com/package/@anthropic-ai/sdk (1.11.0, 2026-11-19). */
function toMetadata({ request, changes }: Call): JsonObject | undefined {
  const { safety_identifier, user } = request;
  const user_id = [safety_identifier, user].find(isText);
  if (user_id !== undefined && user_id.length > 256) {
    changes.convert(user_id === user ? "user" : "safety_identifier");
  }
  return user_id === undefined ? undefined : { user_id: user_id.slice(0, 256) };
}

const SERVICE_TIERS: ReadonlyMap<string, string> = new Map([
  ["auto", "auto"],
  ["priority", "auto"],
  ["fast", "auto"],
  ["default", "standard_only"],
  ["standard_only", "standard_only"],
]);
