/** Creates adapters for vendors with an OpenAI-compatible API: `openAiCompatible({...})`. */

import {
  type AnswerMessage,
  type AnswerToolCall,
  type Choice,
  type CompletionBody,
  isObject,
  type JsonObject,
  type Message,
  PARAMETERS,
} from "../../contract/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Adapter } from "../../contract/adapter.ts";
import { allApiOptions, apiOptions, nativeResponsesOf } from "./native_responses.ts";
import type { NativeApi, TokenCounter } from "../../contract/native.ts";
import { readCount } from "../../contract/model_facts.ts";
import { dialectEmbeddings } from "./embeddings.ts";
import { dialectRerank } from "./rerank.ts";
import { dialectImages } from "./images.ts";
import { dialectSpeech, dialectTranscriptions } from "./audio.ts";
import { dialectModels } from "./model_list.ts";
import { completionsApi, messagesOptions, nativeMessagesOf } from "./messages_api.ts";
import { OPENAI_MODERATIONS } from "./moderations.ts";
import { addToolCalls, withoutDuplicateCalls } from "../shared/messages.ts";
import { moveReasoning, splitReasoning, ThinkTags, toFinishReason } from "./answers.ts";
import {
  ANSWER_ABORTED,
  asText,
  type Dialect,
  type DialectTokenizer,
  envelopeOf,
  isNamedCall,
  isWithoutCalls,
  NO_ARGUMENTS,
  textOfParts,
  toDialectError,
} from "./dialect.ts";
import { BETWEEN_ROLES, refusalsOf } from "./refusals.ts";
import { toOwnDetails } from "./messages.ts";
import { DialectDecoder } from "./stream.ts";
import {
  CONTENT_KINDS,
  type ContentSupport,
  converted,
  native,
  RARE_CONTENT,
  type Support,
} from "../../contract/support.ts";
import { OPENCODE_SESSION, openCodeHint, SESSION_NOTE } from "../shared/session_hints.ts";
import { readUsage } from "../../apis/usage.ts";
import { isText } from "../../core/json/values.ts";
import type { Call } from "../../contract/vendor_request.ts";

const INCLUDE_USAGE = "stream_options.include_usage";

/** Members of a dialect that change complete answers. */
const REWRITES: readonly (keyof Dialect)[] = [
  "choice",
  "failure",
  "finishReasons",
  "message",
  "thinkTags",
  "usage",
];

/** Members of dialects that may depend on parameter values or on the order of messages. */
const RULES: readonly (keyof Dialect)[] = [
  "model",
  "rendersTemplates",
  "request",
  "supportFor",
  "url",
];

/** Creates the adapter for a vendor with an OpenAI-compatible API. */
export function openAiCompatible(dialect: Dialect): Adapter {
  const { streamUsage = true, tokenizer, auth = { type: "bearer" } } = dialect;
  const { models = dialectModels({ auth }) } = dialect;
  const adapter: Adapter = {
    kind: dialect.kind,
    ...(dialect.genAiName && { genAiName: dialect.genAiName }),
    defaults: dialect.defaults,
    supports: {
      parameters: { ...allNative(PARAMETERS), ...dialect.parameters },
      content: { ...allNative(CONTENT_KINDS), ...RARE_CONTENT, ...dialect.content },
      extensions: dialect.extensions ?? "all",
    },
    adds: {
      ...(streamUsage ? { [INCLUDE_USAGE]: "streams report usage only on request" } : {}),
      ...(dialect.rendersTemplates ? { messages: BETWEEN_ROLES } : {}),
      ...dialect.adds,
    },
    apis: dialect.apis ?? {},
    framing: "sse",
    // Answers whose cached tokens exceed the prompt are converted anyway.
    transparent: REWRITES.every((hook) => dialect[hook] === undefined) &&
      dialect.counts?.inputMembers === undefined && dialect.counts?.restSide === undefined,
    imageSources: dialect.imageSources ?? { https: true, http: true },
    refuses: refusalsOf(dialect),
    convertsByPresence: dialect.convertsByPresence ?? RULES.every((rule) => !dialect[rule]),
    toRequest: (call) => ({
      url: dialect.url?.(call) ?? `${call.provider.baseUrl}/chat/completions`,
      headers: {},
      body: toBody(call, dialect, streamUsage),
      auth,
    }),
    toCompletion: (answer, call) => toCompletion(answer.body, call, dialect),
    decoder: (call) => new DialectDecoder(call, dialect),
    toError: (failure) => toDialectError(failure, dialect),
  };
  return {
    ...adapter,
    ...(dialect.chats === false && { chats: dialect.chats }),
    ...(models && { models }),
    ...(dialect.passthrough && { passthrough: dialect.passthrough }),
    ...(tokenizer && { counter: () => toCounter(adapter, tokenizer) }),
    ...toNative(dialect, adapter.toError),
    ...(dialect.completions && {
      completions: toCompletions(dialect.completions, completionsApi(auth, adapter.toError)),
    }),
    ...(dialect.options && { options: dialect.options }),
    ...(dialect.credentialSets && { credentialSets: dialect.credentialSets }),
    ...(dialect.supportFor && { supportFor: dialect.supportFor }),
    ...(dialect.takesEffort && { takesEffort: dialect.takesEffort }),
    ...(dialect.sessionHint && { sessionHint: dialect.sessionHint }),
    ...(dialect.promptMarks && { promptMarks: dialect.promptMarks }),
    ...(dialect.toolMedia && { toolMedia: dialect.toolMedia }),
    ...(dialect.mayBeLiteLlm && { mayBeLiteLlm: dialect.mayBeLiteLlm }),
    ...(dialect.takesProviderMember && { takesProviderMember: dialect.takesProviderMember }),
    ...(dialect.reasoningState && { reasoningState: dialect.reasoningState }),
    ...(dialect.rateLimitHeaders && { rateLimitHeaders: dialect.rateLimitHeaders }),
    ...(dialect.quotaFamily && { quotaFamily: dialect.quotaFamily }),
    ...(dialect.requestIdHeader && { requestIdHeader: dialect.requestIdHeader }),
  };
}

/** Any OpenAI-compatible server, configured by its `base_url`. */
export const openaiCompatible = openAiCompatible({
  kind: "openai_compatible",
  completions: true,
  apis: {
    embeddings: dialectEmbeddings({
      parameters: { input_type: native, title: native, truncate: native },
      inputs: { parts: native },
    }),
    moderations: OPENAI_MODERATIONS,
    images: dialectImages({}),
    speech: dialectSpeech(),
    transcriptions: dialectTranscriptions(),
    rerank: dialectRerank({ return_documents: native, rank_fields: native }),
  },
  content: {
    developer_message: converted("sent as a system message"),
    ...{ video_url: native, file_url: native, other_part: native, server_tool: native },
  },
  defaults: { usualPath: "/v1", credentials: "optional" },
  models: dialectModels({ hasDates: false }),
  mayBeLiteLlm: () => true,
  takesProviderMember: ({ baseUrl }) => URL.parse(baseUrl)?.hostname === "openrouter.ai",
  // Google's endpoint for the dialect rejects returned calls without it
  // (https://ai.google.dev/gemini-api/docs/thought-signatures, 2026-11-20).
  reasoningState: ["extra_content"],
  request: withoutOtherState,
  convertsByPresence: true,
  sessionHint: openCodeHint,
  adds: { [OPENCODE_SESSION]: SESSION_NOTE },
});

/** Removes the state of other vendors' reasoning, which must not reach any other server. */
function withoutOtherState(body: JsonObject, { changes }: Call): JsonObject {
  const messages = body.messages as readonly JsonObject[];
  if (!messages.some((turn) => turn.reasoning_details !== undefined)) return body;
  const plain = messages.map((turn) => {
    const { reasoning_details: details, ...rest } = turn;
    if (!Array.isArray(details)) return turn;
    const own = toOwnDetails(details);
    if (own.length < details.length) changes.ignore("messages.reasoning_details");
    return own.length === 0 ? rest : { ...rest, reasoning_details: own };
  });
  return { ...body, messages: plain };
}

function toCounter(
  { toRequest }: Pick<Adapter, "toRequest">,
  { path, members, count }: DialectTokenizer,
): TokenCounter<Call> {
  return {
    toRequest(call) {
      const { body, ...request } = toRequest(call);
      const taken = members.filter((name) => body[name] !== undefined);
      return {
        ...request,
        url: call.provider.baseUrl.replace(/\/v1$/, "") + path,
        body: Object.fromEntries(taken.map((name) => [name, body[name]])),
      };
    },
    read: readCount(count),
  };
}

/** The APIs of other formats that the vendor has, and the setting that chooses among them. */
function toCompletions(
  models: true | RegExp,
  api: NativeApi,
): NonNullable<Adapter["completions"]> {
  return ({ base }) => models === true || models.test(base) ? api : undefined;
}

function toNative(
  dialect: Dialect,
  toError: Adapter["toError"],
): Pick<Adapter, "messagesCounter" | "native" | "options"> {
  const { messagesApi, responses, defaults: { baseUrl = "" } } = dialect;
  const messages = messagesApi && nativeMessagesOf(messagesApi, baseUrl, toError);
  if (!responses) return messages ? { options: messagesOptions, ...messages } : {};
  const native = nativeResponsesOf(dialect.auth ?? { type: "bearer" }, baseUrl, toError);
  return {
    ...messages,
    options: messages ? allApiOptions : apiOptions,
    native: (format, model, provider) =>
      native(format, model, provider) ?? messages?.native(format, model, provider),
  };
}

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
    messages: withoutMembers(withoutDuplicateCalls(call.request.messages), dialect.dropFromTurns),
    ...call.fields,
  };
  if (isObject(body.stream_options)) {
    const { include_cost: _, ...options } = body.stream_options;
    body.stream_options = options;
  }
  if (call.stream && streamUsage) {
    const original = isObject(body.stream_options) ? body.stream_options : {};
    if (!original.include_usage) call.changes.add(INCLUDE_USAGE);
    body.stream_options = { ...original, include_usage: true };
  }
  return dialect.request?.(body, call) ?? body;
}

/**
 * Removes the gateway's members from past answers. A message without such members is not copied.
 */
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
    throw new GatewayError("upstream_error", "The provider's answer has no choices");
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
  if (finish === "broken") throw new GatewayError("upstream_error", ANSWER_ABORTED);
  const raw = isObject(choice.message) ? { ...choice.message } : {};
  dialect.message?.(raw);
  addToolCalls(raw, false);
  moveReasoning(raw);
  if (dialect.thinkTags) splitReasoning(raw, new ThinkTags(), true);
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

/** A tool call with a type that callers may send back. */
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
      // Clients parse the arguments, so a call without arguments receives an empty object.
      arguments: asText(made.arguments) || NO_ARGUMENTS,
    },
  };
}
