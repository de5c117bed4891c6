/**
 * The OpenAI dialect: `openAiCompatible({...})` for every vendor that speaks
 * it, and OpenAI itself.
 */

import {
  type AnswerMessage,
  type AnswerToolCall,
  type Choice,
  type CompletionBody,
  isObject,
  type JsonObject,
  type Message,
} from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Adapter, Call } from "../contract/adapter.ts";
import { tellFunctionCall, withoutTwins } from "../shared/legacy_functions.ts";
import { moveReasoning, tellThoughts } from "../openai_compatible/answers.ts";
import { ThinkTags, toFinishReason } from "../openai_compatible/answers.ts";
import {
  asText,
  type Dialect,
  envelopeOf,
  GAVE_UP,
  isNamedCall,
  isText,
  isWithoutCalls,
  NO_ARGUMENTS,
  textOfParts,
} from "../openai_compatible/dialect.ts";
import { toError } from "../openai_compatible/dialect.ts";
import { openAiSupport, toAccepted } from "./models.ts";
import { OPENAI_RESPONSES, openAiOptions, withResponses } from "./responses.ts";
import { DialectDecoder } from "../openai_compatible/stream.ts";
import { BEYOND_OPENAI, CONTENT_KINDS, type ContentSupport, native } from "../contract/support.ts";
import { PARAMETERS, type Support } from "../contract/support.ts";
import { readUsage } from "../shared/usage.ts";

const INCLUDE_USAGE = "stream_options.include_usage";

/** Members of a dialect that change an answer which is whole in itself. */
const REWRITES: readonly (keyof Dialect)[] = [
  "choice",
  "counts",
  "failure",
  "finishReasons",
  "message",
  "thinkTags",
  "usage",
];

/** An adapter for a vendor that speaks OpenAI's dialect. */
export function openAiCompatible(dialect: Dialect): Adapter {
  const streamUsage = dialect.streamUsage ?? true;
  const adapter: Adapter = {
    kind: dialect.kind,
    ...(dialect.genAiName && { genAiName: dialect.genAiName }),
    defaults: dialect.defaults,
    supports: {
      parameters: { ...allNative(PARAMETERS), ...dialect.parameters },
      content: { ...allNative(CONTENT_KINDS), ...BEYOND_OPENAI, ...dialect.content },
      extensions: dialect.extensions ?? "all",
    },
    adds: {
      ...(streamUsage ? { [INCLUDE_USAGE]: "streams report their usage only when asked" } : {}),
      ...dialect.adds,
    },
    framing: "sse",
    transparent: REWRITES.every((hook) => dialect[hook] === undefined),
    imageSources: dialect.imageSources ?? { https: true, http: true },
    toRequest: (call) => ({
      url: dialect.url?.(call) ?? `${call.provider.baseUrl}/chat/completions`,
      headers: {},
      body: toBody(call, dialect, streamUsage),
      auth: dialect.auth ?? { type: "bearer" },
    }),
    toCompletion: (answer, call) => toCompletion(answer.body, call, dialect),
    decoder: (call) => new DialectDecoder(call, dialect),
    toError: (failure) => toError(failure, dialect),
  };
  const chat = {
    ...adapter,
    ...(dialect.options && { options: dialect.options }),
    ...(dialect.supportFor && { supportFor: dialect.supportFor }),
    ...(dialect.takesEffort && { takesEffort: dialect.takesEffort }),
    ...(dialect.rateLimitHeaders && { rateLimitHeaders: dialect.rateLimitHeaders }),
    ...(dialect.requestIdHeader && { requestIdHeader: dialect.requestIdHeader }),
  };
  return withResponses(chat, dialect);
}

/** What OpenAI's models want of the dialect, wherever they are served. */
export const openAiModels = {
  dropFromTurns: ["reasoning_content", "reasoning_details", "reasoning", "extra_content"],
  options: openAiOptions,
  supportFor: openAiSupport,
  takesEffort: () => false,
  request: (body: JsonObject, call: Call) => toAccepted(withoutMarkers(body), call),
} satisfies Partial<Dialect>;

/** OpenAI's own service. */
export const openai = openAiCompatible({
  ...openAiModels,
  kind: "openai",
  defaults: { baseUrl: "https://api.openai.com/v1", credentials: "required" },
  responses: OPENAI_RESPONSES,
});

/** Any server of the dialect, by its `base_url` alone. */
export const openaiCompatible = openAiCompatible({
  kind: "openai_compatible",
  content: { video_url: native, file_url: native, other_part: native, server_tool: native },
  defaults: { usualPath: "/v1", credentials: "optional" },
});

function allNative<Name extends string>(
  names: readonly Name[],
): Record<Name, Support & ContentSupport> {
  return Object.fromEntries(names.map((name) => [name, native])) as Record<
    Name,
    Support & ContentSupport
  >;
}

function toBody(call: Call, dialect: Dialect, streamUsage: boolean): JsonObject {
  const body: JsonObject = {
    model: dialect.model?.(call) ?? call.model.upstream,
    messages: withoutMembers(withoutTwins(call.request.messages), dialect.dropFromTurns),
    ...call.fields,
  };
  if (call.stream && streamUsage) {
    const asked = isObject(body.stream_options) ? body.stream_options : {};
    if (!asked.include_usage) call.receipt.add(INCLUDE_USAGE);
    body.stream_options = { ...asked, include_usage: true };
  }
  return dialect.request?.(body, call) ?? body;
}

/** Replayed answers carry members that were ours; a turn without them is not copied. */
function withoutMembers(
  messages: readonly Message[],
  names: readonly string[] | undefined,
): readonly Message[] {
  if (names === undefined) return messages;
  return messages.map((turn) => {
    if (turn.role !== "assistant") return turn;
    const calls = turn.tool_calls ?? [];
    if (!names.some((name) => name in turn || calls.some((call) => name in call))) return turn;
    const copy = { ...turn };
    for (const name of names) delete copy[name];
    copy.tool_calls = copy.tool_calls?.map((call) => {
      const kept = { ...call };
      for (const name of names) delete kept[name];
      return kept;
    });
    return copy;
  });
}

/**
 * Claude's cache markers on messages, parts and tools say nothing to OpenAI's models, and are
 * refused (https://github.com/BerriAI/litellm/pull/28431, 2026-05-21).
 */
function withoutMarkers(body: JsonObject): JsonObject {
  const { messages, tools } = body;
  const plain = { messages: unmarked(messages, "content"), tools: unmarked(tools, "function") };
  return plain.messages === messages && plain.tools === tools ? body : { ...body, ...plain };
}

/** Entries without markers on them and on what is inside; those without any are not copied. */
function unmarked(entries: unknown, inside: string): unknown {
  if (!Array.isArray(entries)) return entries;
  const marked = entries.some((entry) =>
    isMarked(entry) || isObject(entry) && [entry[inside]].flat().some(isMarked)
  );
  if (!marked) return entries;
  return entries.map((entry) => {
    const plain = bare(entry);
    if (!isObject(plain) || plain[inside] === undefined) return plain;
    return { ...plain, [inside]: bare(plain[inside]) };
  });
}

function isMarked(value: unknown): value is JsonObject {
  return isObject(value) && "cache_control" in value;
}

function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (!isMarked(value)) return value;
  const { cache_control: _, ...rest } = value;
  return rest;
}

function toCompletion(body: unknown, call: Call, dialect: Dialect): CompletionBody {
  const choices = isObject(body) && Array.isArray(body.choices)
    ? body.choices.filter(isObject)
    : [];
  if (!isObject(body) || choices.length === 0) {
    throw new GatewayError("upstream_error", "The provider's answer holds no choices");
  }
  const { id, created, model, object: _, ...rest } = body;
  const usage = readUsage(dialect.usage?.(body) ?? body.usage, dialect.counts);
  return {
    ...rest,
    ...envelopeOf({ id, created, model }),
    choices: choices.map((choice, index) => toChoice(choice, index, call, dialect)),
    usage,
  };
}

function toChoice(choice: JsonObject, position: number, call: Call, dialect: Dialect): Choice {
  dialect.choice?.(choice);
  const finish = toFinishReason(choice.finish_reason, dialect.finishReasons);
  if (finish === "broken") throw new GatewayError("upstream_error", GAVE_UP);
  const raw = isObject(choice.message) ? { ...choice.message } : {};
  dialect.message?.(raw);
  tellFunctionCall(raw, false);
  moveReasoning(raw);
  if (dialect.thinkTags) tellThoughts(raw, new ThinkTags(), true);
  const { tool_calls, ...rest } = raw;
  const calls = (Array.isArray(tool_calls) ? tool_calls.filter(isObject).filter(isNamedCall) : [])
    .map((entry) => toToolCall(entry, call));
  const message: AnswerMessage = {
    ...rest,
    role: "assistant",
    content: typeof raw.content === "string" ? raw.content : textOfParts(raw.content),
  };
  if (calls.length > 0) message.tool_calls = calls;
  const { delta: _, ...others } = choice;
  return {
    ...others,
    index: Number.isInteger(choice.index) ? choice.index as number : position,
    message,
    finish_reason: finish === undefined || isWithoutCalls(finish, calls.length) ? "stop" : finish,
  };
}

/** A call under one of the types that callers may send back. */
function toToolCall(entry: JsonObject, call: Call): AnswerToolCall {
  const id = isText(entry.id) ? entry.id : call.newId("call_");
  const { custom } = entry;
  if (isObject(custom)) {
    const said = { ...custom, name: asText(custom.name), input: asText(custom.input) };
    return { ...entry, id, type: "custom", custom: said };
  }
  const made = isObject(entry.function) ? entry.function : {};
  return {
    ...entry,
    id,
    type: "function",
    function: {
      ...made,
      name: String(made.name ?? ""),
      // Clients parse it: a call without arguments has an empty object of them.
      arguments: asText(made.arguments) || NO_ARGUMENTS,
    },
  };
}
