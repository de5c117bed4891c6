/**
 * Anthropic's Messages API.
 *
 * Shapes: https://platform.claude.com/docs/en/api/versioning,
 * https://platform.claude.com/docs/en/build-with-claude/streaming and
 * https://platform.claude.com/docs/en/api/errors (2026-11-20).
 */

import { z } from "zod";
import type {
  AnswerMessage,
  AnswerToolCall,
  ChatRequest,
  CompletionBody,
  ContentPart,
  Delta,
  FinishReason,
  JsonObject,
  Message,
  Usage,
} from "../chat.ts";
import { isObject } from "../chat.ts";
import { type ErrorKind, GatewayError, kindOfStatus } from "../errors.ts";
import type { Frame } from "../framing.ts";
import { type Adapter, type Call, type Failure, NOTHING, type Step } from "./adapter.ts";
import type { StreamDecoder, TargetModel, VendorRequest, Verdict } from "./adapter.ts";
import { CLAUDE_SCHEMA, CLAUDE_SCHEMA_LIMITS, type ClaudeModel } from "./claude_models.ts";
import { claudeModel, isThinking, toMaxTokens, toThinking } from "./claude_models.ts";
import { asObjectSchema, FenceFilter, type JsonRoute, routeJson } from "./json_schema.ts";
import { SchemaBudget, sieveSchema, wantedJson } from "./json_schema.ts";
import { converted, ignored, isDefault, native, nativeAs, refused, renamed } from "./support.ts";
import type { Support } from "./support.ts";
import { contentPath, decodeText, mergeTurns, pairTools, planTools, readMedia } from "./turns.ts";
import { type PairedCall, type ToolPlan, type Turn, uniquely, withoutLegacy } from "./turns.ts";

/** Anthropic's Messages API. */
export const anthropic = {
  kind: "anthropic",
  defaults: { baseUrl: "https://api.anthropic.com/v1", credentials: "required" },
  options: z.strictObject({
    version: z.string().regex(/^\d{4}-\d\d-\d\d$/).optional(),
    beta: z.array(z.string().regex(/^[\w.-]+$/)).optional(),
  }),
  supports: {
    parameters: {
      stream: native,
      stream_options: converted("usage always comes; the gateway passes it on or not"),
      max_tokens: nativeAs("at most the model's maximum"),
      max_completion_tokens: renamed("max_tokens"),
      temperature: nativeAs("capped at 1; left out while the model thinks"),
      top_p: nativeAs("left out beside temperature, and while the model thinks"),
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

type Block = JsonObject;
type MessageTurn = Turn<"user" | "assistant", Block>;

/** What both directions of one call have to agree on. */
interface Plan {
  readonly model: ClaudeModel;
  readonly tools: ToolPlan;
  /** The vendor's names of the caller's tools: those it accepts. */
  readonly names: ReadonlyMap<string, string>;
  readonly json: JsonRoute;
  /** The name of the tool that takes a JSON answer, where the route is one. */
  readonly jsonTool: string | undefined;
}

function supportFor(
  _request: ChatRequest,
  { base, facts }: TargetModel,
): Readonly<Record<string, Support>> {
  const model = claudeModel(base, facts);
  const unsampled = ignored("the model takes no sampling parameters");
  const unforced = converted("auto, with an instruction: the model refuses a forced choice");
  return {
    ...(!model.sampling && { temperature: unsampled, top_p: unsampled, top_k: unsampled }),
    ...(!model.forcedChoice && { tool_choice: unforced }),
    ...(model.thinking === "none" && { reasoning_effort: ignored("the model does not think") }),
  };
}

function toRequest(call: Call): VendorRequest {
  const { baseUrl, options } = call.provider;
  const version = typeof options.version === "string" ? options.version : "2023-06-01";
  const beta = Array.isArray(options.beta) ? options.beta.join(",") : "";
  const plan = toPlan(call);
  const { system, turns } = toConversation(call, plan);
  const past = pastTools(turns);
  const choice = toChoice(call, plan, past);
  const hints = [choice?.hint, plan.json.by === "instruction" ? plan.json.text : undefined];
  const max_tokens = toMaxTokens(call, plan.model);
  const noBudget = forbidsBudget(turns, choice);
  const { thinking, effort } = toThinking(call, plan.model, max_tokens, noBudget);
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
      ),
    }),
  };
}

/** https://platform.claude.com/docs/en/api/migration-2026-10-21 (2026-11-20). */
const NO_SAMPLING_SINCE = "2026-10-21";

function toPlan(call: Call): Plan {
  const { base, facts } = call.model;
  const model = claudeModel(base, facts);
  const tools = planTools(call.request);
  const rename = uniquely(toName, MAX_NAME);
  const names = new Map<string, string>();
  for (const { definition: { name } } of tools.tools) {
    if (!names.has(name)) names.set(name, rename(name));
  }
  const rules = model.schemas ? CLAUDE_SCHEMA : undefined;
  const { forcedChoice } = model;
  const means = { rules, limits: CLAUDE_SCHEMA_LIMITS, forcedChoice };
  const route = routeJson(wantedJson(call.request), means);
  // An answer that must be a call of the caller's own tool is no text that could be JSON.
  const called = tools.mode === "required" && route.by !== "schema";
  const json: JsonRoute = called ? { by: "nothing" } : route;
  return { model, tools, names, json, jsonTool: json.by === "tool" ? rename("json") : undefined };
}

function noteFormat({ request, receipt }: Call, { json }: Plan): void {
  const type = request.response_format?.type;
  if (json.by !== "nothing") receipt.rename("response_format", JSON_BY.get(json.by) ?? json.by);
  else if (type !== undefined && type !== "text") receipt.ignore("response_format");
}

const JSON_BY = new Map([
  ["schema", "output_config.format"],
  ["tool", "tools"],
  ["instruction", "system"],
]);

/** The messages in the vendor's order: instructions apart, turns alternating, user first. */
function toConversation(call: Call, { model, names }: Plan) {
  const messages = withoutLegacy(call.request.messages);
  const pairing = pairTools(messages, (id) => toName(id, "call"));
  const system: Block[] = [];
  const said: MessageTurn[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.name && message.role !== "tool") call.receipt.ignore("messages.name");
    if (message.role === "system" || message.role === "developer") {
      for (const block of mark(toBlocks(message, index, call), message)) system.push(block);
    } else if (message.role === "tool") {
      const answered = pairing.results.get(index);
      if (answered) said.push({ role: "user", blocks: [toResult(message, index, answered, call)] });
    } else if (message.role === "assistant") {
      const spoken = toBlocks(message, index, call);
      const calls = (pairing.calls.get(index) ?? []).map(({ id, name, input }): Block => ({
        type: "tool_use",
        id,
        name: names.get(name) ?? toName(name),
        input,
      }));
      const blocks = [...spoken, ...calls];
      // A turn of thinking alone is refused, and says nothing.
      const thought = blocks.length > 0 && model.thinking !== "none" ? toThoughts(message) : [];
      said.push({ role: "assistant", blocks: mark([...thought, ...blocks], message) });
    } else {
      said.push({ role: "user", blocks: mark(toBlocks(message, index, call), message) });
    }
  }
  const turns = mergeTurns(said).map(thoughtsFirst);
  if (turns.length > 0) return { system, turns: withUserEnds(turns, call, model) };
  if (system.length === 0) throw invalid("messages", "at least one message must hold text");
  return { system: [], turns: [{ role: "user" as const, blocks: system }] };
}

/** Puts in the user turns without which the vendor refuses the conversation. */
function withUserEnds(turns: MessageTurn[], call: Call, model: ClaudeModel): MessageTurn[] {
  const all = [...turns];
  if (all[0]?.role === "assistant") {
    all.unshift({ role: "user", blocks: [{ type: "text", text: "Continue." }] });
    call.receipt.convert("messages");
  }
  const last = all.at(-1);
  if (last?.role !== "assistant") return all;
  if (!model.prefill) {
    const text = "Continue from where you stopped.";
    all.push({ role: "user", blocks: [{ type: "text", text }] });
    call.receipt.convert("messages");
    return all;
  }
  // What the answer continues must not end in white space, nor hold thinking:
  // https://github.com/tailcallhq/forgecode/issues/1853 (2025-11-07).
  const blocks = last.blocks.filter((block) => !isThought(block)).map((block, index, kept) =>
    index === kept.length - 1 && typeof block.text === "string"
      ? { ...block, text: block.text.trimEnd() }
      : block
  );
  return [...all.slice(0, -1), { ...last, blocks }];
}

/** A message's content without what is blank, which the vendor refuses. */
function toBlocks(message: Message, index: number, call: Call): Block[] {
  const blocks: Block[] = [];
  const add = (block: Block, source: JsonObject) => {
    const marker = markerOf(source);
    const last = blocks.at(-1);
    const blank = typeof block.text === "string" && block.text.trim() === "";
    if (!blank) blocks.push(marker ? { ...block, cache_control: marker } : block);
    else if (marker && last) last.cache_control ??= marker;
  };
  const { role, content } = message;
  if (typeof content === "string") add({ type: "text", text: content }, {});
  for (const [at, part] of Array.isArray(content) ? content.entries() : []) {
    if (part.type === "text") add({ type: "text", text: part.text }, part);
    else if (part.type === "refusal") add({ type: "text", text: part.refusal }, part);
    else if (role === "user" || role === "tool") {
      add(toMediaBlock(part, contentPath(index, at), call), part);
    } else throw unsupported(contentPath(index, at), `messages of role '${role}' hold text only`);
  }
  if (role === "assistant" && message.refusal) add({ type: "text", text: message.refusal }, {});
  return blocks;
}

function toMediaBlock(part: ContentPart, path: string, { receipt }: Call): Block {
  const detail = part.type === "image_url" ? part.image_url.detail : undefined;
  if (detail && detail !== "auto") receipt.ignore("image_url.detail");
  const media = readMedia(part, path);
  if ("url" in media) {
    if (!/^https:/i.test(media.url)) throw unsupported(path, "image URLs must be https or data");
    return { type: "image", source: { type: "url", url: media.url } };
  }
  const media_type = media.mediaType === "image/jpg" ? "image/jpeg" : media.mediaType;
  const source = { type: "base64", media_type, data: media.data };
  if (IMAGE_TYPES.has(media_type)) return { type: "image", source };
  const title = media.filename;
  if (media_type === "application/pdf") return present({ type: "document", source, title });
  const readable = /^text\/|^application\/json$/.test(media_type);
  const data = readable ? decodeText(media.data) : undefined;
  if (!data?.trim()) throw unsupported(path, "only jpeg, png, gif, webp, PDF and text are taken");
  const text = { type: "text", media_type: "text/plain", data };
  return present({ type: "document", source: text, title });
}

/** https://platform.claude.com/docs/en/build-with-claude/vision (2026-11-20). */
const IMAGE_TYPES = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function toResult(message: Message, index: number, answered: PairedCall, call: Call): Block {
  const { content } = message;
  const blank = typeof content !== "string" || content.trim() === "";
  const blocks = typeof content === "string" ? [] : toBlocks(message, index, call);
  return present({
    type: "tool_result",
    tool_use_id: answered.id,
    content: blocks.length > 0 ? blocks : blank ? undefined : content,
    cache_control: markerOf(message),
  });
}

/**
 * The thinking that an assistant message brings back, byte for byte. All blocks
 * or none: a part of them is refused, as is one without its signature
 * (https://platform.claude.com/docs/en/build-with-claude/preserved-thinking, 2026-11-20).
 */
function toThoughts({ reasoning_details }: Message): Block[] {
  if (!Array.isArray(reasoning_details)) return [];
  const thoughts: Block[] = [];
  for (const entry of reasoning_details) {
    if (!isObject(entry) || entry.format !== REASONING_FORMAT) continue;
    const { type, thinking, signature, data } = entry;
    if (type === "thinking" && typeof thinking === "string" && isText(signature)) {
      thoughts.push({ type, thinking, signature });
    } else if (type === "redacted_thinking" && isText(data)) thoughts.push({ type, data });
    else return [];
  }
  return thoughts;
}

const REASONING_FORMAT = "anthropic";

function isThought(block: Block | undefined): boolean {
  return block?.type === "thinking" || block?.type === "redacted_thinking";
}

/** Merged turns may hold thinking in their middle, where it is refused. */
function thoughtsFirst({ role, blocks }: MessageTurn): MessageTurn {
  const thoughts = blocks.filter(isThought);
  if (thoughts.length === 0) return { role, blocks };
  return { role, blocks: [...thoughts, ...blocks.filter((block) => !isThought(block))] };
}

/** A message's own cache marker goes to its last block. */
function mark(blocks: Block[], message: Message): Block[] {
  const marker = markerOf(message);
  const last = blocks.at(-1);
  return marker && last ? [...blocks.slice(0, -1), { cache_control: marker, ...last }] : blocks;
}

function markerOf({ cache_control }: JsonObject): JsonObject | undefined {
  return isObject(cache_control) ? cache_control : undefined;
}

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
      const schema = asObjectSchema(parameters);
      if (!schema) throw invalid(`${path}.parameters`, "the type must be 'object'");
      const sieved = strict && model.schemas ? sieveSchema(schema, CLAUDE_SCHEMA) : undefined;
      const exact = sieved && limits.take(sieved) ? sieved.schema : undefined;
      if (strict && !exact) receipt.ignore("tools.strict");
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
    sent.push(present({ name: jsonTool, description, input_schema: json.schema }));
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

function toSampling(call: Call, accepted: boolean): JsonObject {
  const { request, receipt, fields: { temperature, top_p, top_k } } = call;
  const sent: JsonObject = {};
  const drop = (name: string, value: unknown) => {
    if (value !== undefined && !isDefault(name, value, request)) receipt.ignore(name);
  };
  if (accepted && typeof temperature === "number") {
    sent.temperature = Math.min(temperature, 1);
    if (temperature > 1) receipt.convert("temperature", temperature, 1);
  } else drop("temperature", temperature);
  // Claude 4 and later refuse the two together.
  if (accepted && temperature === undefined && top_p !== undefined) sent.top_p = top_p;
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

/** At most 256 characters: https://platform.claude.com/docs/en/api/messages (2026-11-20). */
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

function toCompletion(body: unknown, call: Call): CompletionBody {
  if (!isObject(body) || !Array.isArray(body.content)) throw broken("is not a message");
  const plan = toPlan(call);
  const original = callerNames(plan);
  const details: JsonObject[] = [];
  const tool_calls: AnswerToolCall[] = [];
  let text = "";
  for (const block of body.content.filter(isObject)) {
    if (block.type === "text") text += textOf(block.text);
    else if (isThought(block)) details.push(toDetail(block));
    else if (block.type !== "tool_use") continue;
    else if (block.name === plan.jsonTool) text += JSON.stringify(block.input ?? {});
    else {
      if (!isText(block.name)) throw broken("calls a tool without a name");
      const name = original.get(block.name) ?? block.name;
      const id = isText(block.id) ? block.id : call.newId("toolu_");
      const called = { name, arguments: JSON.stringify(block.input ?? {}) };
      tool_calls.push({ id, type: "function", function: called });
    }
  }
  if (plan.json.by === "instruction") {
    const fence = new FenceFilter();
    text = fence.push(text) + fence.end();
  }
  const reasoning = details.map(({ thinking }) => textOf(thinking)).join("");
  const refusal = toRefusal(body);
  const message: AnswerMessage = {
    role: "assistant",
    content: text === "" && (tool_calls.length > 0 || refusal !== null) ? null : text,
    refusal,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(tool_calls.length > 0 && { tool_calls }),
  };
  const finish_reason = toFinishReason(body.stop_reason, tool_calls.length > 0);
  return { ...toEnvelope(body), choices: [{ index: 0, message, finish_reason }] };
}

/** What an answer and the last chunk of a stream say of themselves. */
function toEnvelope({ id, model, usage }: JsonObject) {
  const tier = isObject(usage) ? ANSWERED_TIERS.get(usage.service_tier) : undefined;
  return {
    id: isText(id) ? id : undefined,
    model: isText(model) ? model : undefined,
    usage: isObject(usage) ? toUsage(usage) : undefined,
    ...(tier && { service_tier: tier }),
  };
}

const ANSWERED_TIERS = new Map<unknown, string>([
  ["standard", "default"],
  ["priority", "priority"],
  ["batch", "flex"],
]);

/** The vendor counts cached tokens beside `input_tokens`, OpenAI among them. */
function toUsage(usage: JsonObject): Usage {
  const cached = countOf(usage.cache_read_input_tokens);
  const written = countOf(usage.cache_creation_input_tokens);
  const prompt = countOf(usage.input_tokens) + written + cached;
  const completion = countOf(usage.output_tokens);
  const { thinking_tokens } = isObject(usage.output_tokens_details)
    ? usage.output_tokens_details
    : { thinking_tokens: 0 };
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    completion_tokens_details: { reasoning_tokens: countOf(thinking_tokens) },
  };
}

function countOf(value: unknown): number {
  return typeof value === "number" && value > 0 ? Math.trunc(value) : 0;
}

const FINISH_REASONS = new Map<unknown, FinishReason>([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["pause_turn", "stop"],
  ["compaction", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "content_filter"],
]);

/** A call of the tool that takes a JSON answer is no call to the caller. */
function toFinishReason(reason: unknown, called: boolean): FinishReason {
  return FINISH_REASONS.get(reason) ?? (called ? "tool_calls" : "stop");
}

function toRefusal({ stop_reason, stop_details }: JsonObject): string | null {
  const explained = stop_reason === "refusal" && isObject(stop_details);
  return explained && isText(stop_details.explanation) ? stop_details.explanation : null;
}

function toDetail({ type, thinking, signature, data }: Block): JsonObject {
  if (type === "redacted_thinking") return { format: REASONING_FORMAT, type, data };
  return { format: REASONING_FORMAT, type, thinking: textOf(thinking), signature };
}

function callerNames({ names }: Plan): ReadonlyMap<string, string> {
  return new Map([...names].map(([name, sent]) => [sent, name]));
}

/** A content block that has begun; `empty` until a fragment of its arguments has come. */
type OpenBlock =
  | { readonly type: "tool"; readonly index: number; readonly input: unknown; empty: boolean }
  | { readonly type: "json"; readonly input: unknown; empty: boolean }
  | { readonly type: "thinking"; thinking: string; signature: string }
  | { readonly type: "redacted_thinking"; readonly data: unknown };

/** Reads https://platform.claude.com/docs/en/build-with-claude/streaming (2026-11-20). */
class MessageDecoder implements StreamDecoder {
  readonly #call: Call;
  readonly #original: ReadonlyMap<string, string>;
  readonly #json: string | undefined;
  readonly #fence: FenceFilter | undefined;
  /** Blocks by the vendor's index. Text, and what has no place in an answer, is not among them. */
  readonly #open = new Map<unknown, OpenBlock>();
  #id: string | undefined;
  #model: string | undefined;
  #usage: JsonObject = {};
  #end: JsonObject = {};
  #tools = 0;

  constructor(call: Call) {
    const plan = toPlan(call);
    this.#call = call;
    this.#original = callerNames(plan);
    this.#json = plan.jsonTool;
    this.#fence = plan.json.by === "instruction" ? new FenceFilter() : undefined;
  }

  push(frame: Frame): Step {
    if (frame.data === "") return NOTHING;
    let data: unknown;
    try {
      data = JSON.parse(frame.data);
    } catch {
      return failed("sent an event that is not JSON");
    }
    if (!isObject(data)) return failed("sent an event that is not an object");
    switch (data.type ?? frame.event) {
      case "content_block_delta":
        return isObject(data.delta) ? this.#onDelta(data.index, data.delta) : malformed(data.type);
      case "content_block_start":
        return isObject(data.content_block)
          ? this.#onStart(data.index, data.content_block)
          : malformed(data.type);
      case "content_block_stop":
        return this.#onStop(data.index);
      case "message_start":
        return isObject(data.message) ? this.#onMessage(data.message) : malformed(data.type);
      case "message_delta":
        if (!isObject(data.delta)) return malformed(data.type);
        this.#end = { ...this.#end, ...data.delta };
        this.#count(data.usage);
        return NOTHING;
      case "message_stop":
        return this.#finish();
      case "error":
        return { chunks: [], failure: toError({ where: "stream", body: data }) };
      default:
        return NOTHING;
    }
  }

  end(): Step {
    return failed("ended its stream before it was complete");
  }

  #onMessage({ id, model, usage, content }: JsonObject): Step {
    if (this.#id !== undefined) {
      return id === this.#id ? NOTHING : failed("began a second answer inside its stream");
    }
    this.#id = isText(id) ? id : undefined;
    this.#model = isText(model) ? model : undefined;
    this.#count(usage);
    const blocks = Array.isArray(content) ? content.filter(isObject) : [];
    const steps = blocks.flatMap((block) => [this.#onStart(block, block), this.#onStop(block)]);
    const failure = steps.find((step) => step.failure);
    return failure ?? { chunks: steps.flatMap((step) => step.chunks) };
  }

  #onStart(index: unknown, block: Block): Step {
    switch (block.type) {
      case "text":
        return this.#say(textOf(block.text));
      case "thinking": {
        const thinking = textOf(block.thinking);
        this.#open.set(index, { type: "thinking", thinking, signature: textOf(block.signature) });
        return thinking === "" ? NOTHING : this.#step({ reasoning_content: thinking });
      }
      case "redacted_thinking":
        this.#open.set(index, { type: block.type, data: block.data });
        return NOTHING;
      case "tool_use": {
        if (!isText(block.name)) return malformed("content_block_start");
        if (block.name === this.#json) {
          this.#open.set(index, { type: "json", input: block.input, empty: true });
          return NOTHING;
        }
        const tool = this.#tools++;
        this.#open.set(index, { type: "tool", index: tool, input: block.input, empty: true });
        const name = this.#original.get(block.name) ?? block.name;
        const id = isText(block.id) ? block.id : this.#call.newId("toolu_");
        const called = { name, arguments: "" };
        return this.#step({
          tool_calls: [{ index: tool, id, type: "function", function: called }],
        });
      }
      default:
        return NOTHING;
    }
  }

  #onDelta(index: unknown, delta: JsonObject): Step {
    switch (delta.type) {
      case "text_delta":
        return typeof delta.text === "string" ? this.#say(delta.text) : malformed(delta.type);
      case "input_json_delta":
        return typeof delta.partial_json === "string"
          ? this.#onFragment(this.#open.get(index), delta.partial_json)
          : malformed(delta.type);
      case "thinking_delta": {
        if (typeof delta.thinking !== "string") return malformed(delta.type);
        const block = this.#open.get(index);
        if (block?.type === "thinking") block.thinking += delta.thinking;
        return delta.thinking === "" ? NOTHING : this.#step({ reasoning_content: delta.thinking });
      }
      case "signature_delta": {
        const block = this.#open.get(index);
        if (block?.type === "thinking") block.signature += textOf(delta.signature);
        return NOTHING;
      }
      default:
        return NOTHING;
    }
  }

  #onFragment(block: OpenBlock | undefined, fragment: string): Step {
    if (fragment === "" || (block?.type !== "tool" && block?.type !== "json")) return NOTHING;
    block.empty = false;
    if (block.type === "json") return this.#step({ content: fragment });
    return this.#step({ tool_calls: [{ index: block.index, function: { arguments: fragment } }] });
  }

  #onStop(index: unknown): Step {
    const block = this.#open.get(index);
    if (block === undefined) return NOTHING;
    this.#open.delete(index);
    if (block.type === "thinking" || block.type === "redacted_thinking") {
      return this.#step({ reasoning_details: [toDetail(block)] });
    }
    // A call without arguments has no fragment at all, and `{}` is what callers can parse.
    return block.empty ? this.#onFragment(block, JSON.stringify(block.input ?? {})) : NOTHING;
  }

  #finish(): Step {
    const rest = this.#fence?.end() ?? "";
    const refusal = toRefusal(this.#end);
    const delta: Delta = {
      ...(rest !== "" && { content: rest }),
      ...(refusal !== null && { refusal }),
    };
    const finish_reason = toFinishReason(this.#end.stop_reason, this.#tools > 0);
    const envelope = toEnvelope({ id: this.#id, model: this.#model, usage: this.#usage });
    return { chunks: [{ ...envelope, choices: [{ index: 0, delta, finish_reason }] }], done: true };
  }

  /** Counts are totals: later ones replace earlier ones. */
  #count(usage: unknown): void {
    if (!isObject(usage)) return;
    for (const [name, value] of Object.entries(usage)) {
      if (value !== null) this.#usage[name] = value;
    }
  }

  #say(text: string): Step {
    const content = this.#fence === undefined ? text : this.#fence.push(text);
    return content === "" ? NOTHING : this.#step({ content });
  }

  #step(delta: Delta): Step {
    return { chunks: [{ id: this.#id, model: this.#model, choices: [{ index: 0, delta }] }] };
  }
}

/** The statuses that the types of errors come with, for events, which have none. */
const STATUS_OF_ERROR = new Map<unknown, number>([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["billing_error", 402],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["conflict_error", 409],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["api_error", 500],
  ["timeout_error", 504],
  ["overloaded_error", 529],
]);

/** Codes of errors that say more than their status. */
const KIND_OF_CODE = new Map<unknown, ErrorKind>([
  ["organization_on_hold", "upstream_auth"],
  ["enforced_spend_limit_reached", "quota"],
  ["contract_spend_limit_reached", "quota"],
]);

function toError(failure: Failure): Verdict {
  const { body } = failure;
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const typed = STATUS_OF_ERROR.get(error.type);
  let kind = kindOfStatus(failure.where === "answer" ? failure.status : typed ?? 500);
  // A status that stands for many things says less than the type beside it.
  if ((kind === "invalid_request" || kind === "upstream_error") && typed) {
    kind = kindOfStatus(typed);
  }
  const code = isObject(error.details) ? error.details.error_code : undefined;
  kind = KIND_OF_CODE.get(code) ?? kind;
  const message = isText(error.message) ? error.message : undefined;
  if (kind !== "invalid_request" || message === undefined) return { kind, message };
  if (/prompt is too long|exceed context limit/i.test(message)) kind = "context_length";
  if (/credit balance is too low/i.test(message)) kind = "quota";
  // https://github.com/danielmiessler/Fabric/issues/2109 (2026-05-01).
  const refusedField = /^`?(temperature|top_p|top_k)`? is deprecated/.exec(message)?.[1];
  const repair = refusedField === undefined ? undefined : { without: refusedField };
  return { kind, message, repair, ...(isText(code) && { code }) };
}

const MAX_NAME = 128;

/** Tool names and call ids: https://github.com/home-assistant/core/issues/147760 (2025-06). */
function toName(name: string, fallback = "tool"): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_NAME) || fallback;
}

/** The members that are there. */
function present(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function invalid(param: string, message: string): GatewayError {
  return new GatewayError("invalid_value", `Invalid value for '${param}': ${message}`, { param });
}

function unsupported(param: string, message: string): GatewayError {
  const text = `Unsupported content in '${param}': ${message}`;
  return new GatewayError("unsupported_content", text, { param });
}

function broken(what: string): GatewayError {
  return new GatewayError("upstream_error", `The provider's answer ${what}`);
}

function failed(what: string): Step {
  return { chunks: [], failure: { kind: "upstream_error", message: `The provider ${what}` } };
}

function malformed(what: unknown): Step {
  return failed(`sent a malformed '${what}' event`);
}
