/** The OpenAI dialect: `openAiCompatible({...})` makes an adapter for a vendor that speaks it. */

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
import { moveReasoning, tellThoughts } from "./answers.ts";
import { ThinkTags, toFinishReason } from "./answers.ts";
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
} from "./dialect.ts";
import { toError } from "./dialect.ts";
import { DialectDecoder } from "./stream.ts";
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
  return {
    ...adapter,
    ...(dialect.options && { options: dialect.options }),
    ...(dialect.supportFor && { supportFor: dialect.supportFor }),
    ...(dialect.takesEffort && { takesEffort: dialect.takesEffort }),
    ...(dialect.rateLimitHeaders && { rateLimitHeaders: dialect.rateLimitHeaders }),
    ...(dialect.requestIdHeader && { requestIdHeader: dialect.requestIdHeader }),
  };
}

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
