/**
 * Anthropic's Messages API.
 *
 * Shapes: https://platform.claude.com/docs/en/api/versioning,
 * https://platform.claude.com/docs/en/build-with-claude/streaming and
 * https://platform.claude.com/docs/en/api/errors (2026-11-20).
 */

import { z } from "zod";
import type { ChatRequest, JsonObject } from "../../chat/chat.ts";
import type {
  Adapter,
  Call,
  ProviderSettings,
  TargetModel,
  VendorRequest,
} from "../contract/adapter.ts";
import { MessageDecoder, toCompletion, toError } from "./answers.ts";
import {
  type Block,
  invalid,
  isText,
  isThought,
  markerOf,
  type MessageTurn,
  type Plan,
  present,
  toConversation,
  toPlan,
} from "./messages.ts";
import {
  CLAUDE_SCHEMA,
  CLAUDE_SCHEMA_LIMITS,
  claudeModel,
  isThinking,
  toMaxTokens,
  toThinking,
} from "../shared/claude_models.ts";
import { asObjectSchema, SchemaBudget, sieveSchema, wantedJson } from "../shared/json_schema.ts";
import { withoutRootBranches } from "../shared/schema_branches.ts";
import {
  BEYOND_OPENAI,
  converted,
  ignored,
  isDefault,
  native,
  nativeAs,
  refused,
  renamed,
  type Support,
} from "../contract/support.ts";

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
      stream_options: converted("usage always comes; the gateway passes it on or not"),
      max_tokens: nativeAs("at most the model's maximum"),
      max_completion_tokens: renamed("max_tokens"),
      temperature: nativeAs("capped at 1; left out while the model thinks"),
      top_p: nativeAs("left out while the model thinks, and beside temperature from Opus 4.1 on"),
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
      metadata: ignored("metadata holds user_id alone"),
      store: ignored("no such field"),
      service_tier: nativeAs("auto or standard_only"),
      prediction: ignored("no such field"),
      modalities: ignored("text only"),
      audio: ignored("text only"),
    },
    content: {
      developer_message: converted("moved into system"),
      message_name: converted("left out, and reported"),
      image_url: nativeAs("https; jpeg, png, gif, webp"),
      image_data: nativeAs("jpeg, png, gif, webp"),
      input_audio: refused("no audio input"),
      file: nativeAs("PDF or text, as a data URL"),
      ...BEYOND_OPENAI,
      file_url: converted("a document by its address: PDF"),
    },
    extensions: {
      top_k: native,
      thinking: nativeAs("wins over reasoning_effort"),
      cache_control: nativeAs("also on messages, parts and tools"),
      safety_identifier: renamed("metadata.user_id"),
    },
  },
  adds: {
    max_tokens: "the vendor requires it: the model's maximum",
    messages: "a short user turn where the vendor refuses the assistant's as the first or last",
    system: "an instruction, for JSON or a tool choice that the model has no other means for",
    tools: "a tool that takes the answer, for schemas that output_config.format cannot say; " +
      "and the names of past calls, which the vendor wants to be defined",
    tool_choice: "forces the tool that takes the answer, and forbids those of past calls",
  },
  framing: "sse",
  rateLimitHeaders: new Map(
    ["requests", "tokens"].flatMap((what) =>
      ["limit", "remaining"].map((how): [string, string] => [
        `anthropic-ratelimit-${what}-${how}`,
        `x-ratelimit-${how}-${what}`,
      ])
    ),
  ),
  requestIdHeader: "request-id",
  imageSources: { https: true, http: false },
  supportFor,
  toRequest,
  toCompletion: ({ body }, call) => toCompletion(body, call),
  decoder: (call) => new MessageDecoder(call),
  toError,
} satisfies Adapter;

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
      ? "the model takes no sampling parameters"
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
  const { system, turns } = toConversation(call, plan);
  const past = pastTools(turns);
  const choice = toChoice(call, plan, past);
  const hints = [choice?.hint, plan.json.by === "instruction" ? plan.json.text : undefined];
  const max_tokens = toMaxTokens(call, plan.model);
  noteAdditions(call, plan, past, hints);
  const ruledOut = forbidsBudget(turns, choice) ? ["enabled"] : [];
  const { thinking, effort } = toThinking(call, plan.model, max_tokens, ruledOut);
  const description = wantedJson(call.request)?.description;
  const format = plan.json.by === "schema"
    ? { type: "json_schema", schema: present({ description, ...plan.json.schema }) }
    : undefined;
  noteFormat(call, plan);
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
      tools: toTools(call, plan, past),
      tool_choice: choice?.value,
      thinking,
      output_config: effort || format ? present({ effort, format }) : undefined,
      stop_sequences: toStops(call),
      metadata: toMetadata(call),
      service_tier: toServiceTier(call),
      cache_control: markerOf(call.fields),
      ...toSampling(
        call,
        plan.model.sampling && version < NO_SAMPLING_SINCE && !isThinking(thinking),
        plan.model.samplesTogether,
      ),
    }),
  };
}

/** The API version that is sent unless config.yaml names one: the newest that takes sampling. */
const DEFAULT_VERSION = "2023-06-01";

/**
 * Later versions refuse `temperature`, `top_p` and `top_k` for every model, even at their defaults.
 * They also refuse documents in the assistant's messages and citations in the user's, which no
 * conversion makes (https://platform.claude.com/docs/en/api/migration-2026-10-21, 2026-11-20).
 */
const NO_SAMPLING_SINCE = "2026-10-21";

function versionOf({ options: { version } }: ProviderSettings): string {
  return typeof version === "string" ? version : DEFAULT_VERSION;
}

function noteAdditions(
  { request, receipt }: Call,
  { json, tools }: Plan,
  past: readonly string[],
  hints: readonly (string | undefined)[],
): void {
  if ((request.max_completion_tokens ?? request.max_tokens) === undefined) {
    receipt.add("max_tokens");
  }
  if (hints.some(isText)) receipt.add("system");
  const undefinedCalls = tools.tools.length === 0 && past.length > 0;
  if (json.by === "tool" || undefinedCalls) {
    receipt.add("tools");
    receipt.add("tool_choice");
  }
}

function noteFormat({ request, receipt }: Call, { json }: Plan): void {
  const type = request.response_format?.type;
  if (json.by === "schema" && json.changed) receipt.convert("response_format.json_schema");
  if (json.by !== "nothing") receipt.rename("response_format", JSON_BY.get(json.by) ?? json.by);
  else if (type !== undefined && type !== "text") receipt.ignore("response_format");
}

const JSON_BY = new Map([
  ["schema", "output_config.format"],
  ["tool", "tools"],
  ["instruction", "system"],
]);

function toSystem(blocks: readonly Block[], hints: readonly (string | undefined)[]): unknown {
  const all = [...blocks, ...hints.filter(isText).map((text): Block => ({ type: "text", text }))];
  if (all.length === 0) return undefined;
  return all.some(markerOf) ? all : all.map((block) => block.text).join("\n\n");
}

interface Choice {
  readonly value: JsonObject;
  readonly hint?: string;
}

function toChoice(call: Call, plan: Plan, past: readonly string[]): Choice | undefined {
  const { request, receipt } = call;
  const { jsonTool, model, names, tools: { tools, mode, name } } = plan;
  if (request.functions) receipt.rename("functions", "tools");
  if (request.functions && request.function_call) receipt.rename("function_call", "tool_choice");
  const single = tools.length > 0 && mode !== "none" && request.parallel_tool_calls === false;
  if (single) receipt.rename("parallel_tool_calls", "tool_choice.disable_parallel_tool_use");
  const disable = single ? { disable_parallel_tool_use: true } : {};
  if (jsonTool !== undefined) {
    return tools.length > 0 && mode !== "none"
      ? { value: { type: "any", ...disable } }
      : { value: { type: "tool", name: jsonTool, disable_parallel_tool_use: true } };
  }
  if (tools.length === 0) return past.length > 0 ? { value: { type: "none" } } : undefined;
  if (mode === undefined && !single) return undefined;
  if (mode === "none") return { value: { type: "none" } };
  if (mode !== "required") return { value: { type: "auto", ...disable } };
  const sent = name === undefined ? undefined : names.get(name);
  if (model.forcedChoice) {
    return { value: { ...(sent ? { type: "tool", name: sent } : { type: "any" }), ...disable } };
  }
  const parameter = request.tools ? "tool_choice" : "function_call";
  receipt.convert(parameter, name === undefined ? "required" : "function", "auto");
  const hint = sent ? `Answer by calling the tool '${sent}'.` : "Answer by calling a tool.";
  return { value: { type: "auto", ...disable }, hint };
}

function toTools(
  { request, receipt }: Call,
  { model, tools, names, json, jsonTool }: Plan,
  past: readonly string[],
): Block[] | undefined {
  const only = model.forcedChoice ? undefined : tools.name;
  const limits = new SchemaBudget(CLAUDE_SCHEMA_LIMITS);
  const sent = tools.tools
    .filter(({ definition }) => only === undefined || definition.name === only)
    .map(({ path, definition, cacheControl }) => {
      const { name, description, parameters, strict } = definition;
      const given = asObjectSchema(parameters);
      if (!given) throw invalid(`${path}.parameters`, "the type must be 'object'");
      const schema = withoutRootBranches(given);
      if (schema !== given) receipt.convert("tools.parameters");
      const sieved = strict && model.schemas ? sieveSchema(schema, CLAUDE_SCHEMA) : undefined;
      const exact = sieved && limits.take(sieved) ? sieved.schema : undefined;
      if (strict && !exact) receipt.ignore("tools.strict");
      if (exact && sieved?.changed) receipt.convert("tools.parameters");
      return present({
        name: names.get(name),
        description: description || undefined,
        input_schema: exact ?? schema,
        strict: exact && true,
        cache_control: markerOf({ cache_control: cacheControl }),
      });
    });
  if (json.by === "tool") {
    const description = wantedJson(request)?.description;
    const input_schema = withoutRootBranches(json.schema);
    if (input_schema !== json.schema) receipt.convert("response_format.json_schema");
    sent.push(present({ name: jsonTool, description, input_schema }));
  }
  // Past calls want definitions even where nothing is to be called any more.
  if (sent.length > 0 || past.length === 0) return sent.length > 0 ? sent : undefined;
  return past.map((name) => ({ name, input_schema: { type: "object", properties: {} } }));
}

function pastTools(turns: readonly MessageTurn[]): readonly string[] {
  const calls = turns.flatMap(({ blocks }) => blocks.filter(({ type }) => type === "tool_use"));
  return [...new Set(calls.map(({ name }) => name).filter(isText))];
}

/**
 * Whether a thinking budget would be refused: beside a forced choice, before a
 * prefilled answer, and in a tool loop whose thinking did not come back
 * (https://platform.claude.com/docs/en/build-with-claude/thinking-tool-workflows, 2026-11-20).
 */
function forbidsBudget(turns: readonly MessageTurn[], choice: Choice | undefined): boolean {
  const type = choice?.value.type;
  const last = turns.at(-1);
  if (type === "any" || type === "tool" || last?.role === "assistant") return true;
  return last?.blocks[0]?.type === "tool_result" && !isThought(turns.at(-2)?.blocks[0]);
}

/** @param together whether temperature and top_p are accepted beside each other */
function toSampling(call: Call, accepted: boolean, together: boolean): JsonObject {
  const { request, receipt, fields: { temperature, top_p, top_k } } = call;
  const sent: JsonObject = {};
  const drop = (name: string, value: unknown) => {
    if (value !== undefined && !isDefault(name, value, request)) receipt.ignore(name);
  };
  if (accepted && typeof temperature === "number") {
    sent.temperature = Math.min(temperature, 1);
    if (temperature > 1) receipt.convert("temperature", temperature, 1);
  } else drop("temperature", temperature);
  const alone = temperature === undefined || together;
  if (accepted && alone && top_p !== undefined) sent.top_p = top_p;
  else drop("top_p", top_p);
  if (accepted && Number.isInteger(top_k)) sent.top_k = top_k;
  else drop("top_k", top_k);
  return sent;
}

/** Sequences of white space alone are refused. */
function toStops({ request: { stop }, receipt }: Call): readonly string[] | undefined {
  const given = typeof stop === "string" ? [stop] : stop ?? [];
  const sent = given.filter((text) => text.trim() !== "");
  if (sent.length < given.length) receipt.ignore("stop");
  return sent.length > 0 ? sent : undefined;
}

/** At most 256 characters: https://www.npmjs.com/package/@anthropic-ai/sdk (1.11.0, 2026-11-19). */
function toMetadata({ request, receipt }: Call): JsonObject | undefined {
  const { safety_identifier, user } = request;
  const user_id = [safety_identifier, user].find(isText);
  if (user_id !== undefined && user_id.length > 256) {
    receipt.convert(user_id === user ? "user" : "safety_identifier");
  }
  return user_id === undefined ? undefined : { user_id: user_id.slice(0, 256) };
}

const SERVICE_TIERS = new Map([
  ["auto", "auto"],
  ["priority", "auto"],
  ["fast", "auto"],
  ["default", "standard_only"],
  ["standard_only", "standard_only"],
]);

function toServiceTier({ request: { service_tier: tier }, receipt }: Call): string | undefined {
  if (tier === undefined) return undefined;
  const sent = SERVICE_TIERS.get(tier);
  if (sent === undefined) receipt.ignore("service_tier");
  else if (sent !== tier) receipt.convert("service_tier", tier, sent);
  return sent;
}
