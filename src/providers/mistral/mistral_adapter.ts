/**
 * Mistral's chat API. It is OpenAI-compatible but rejects unknown members, so messages and tools
 * are rebuilt.
 *
 * Shapes: https://docs.mistral.ai/api/ and
 * https://github.com/mistralai/client-python (2026-06).
 */

import { hash } from "node:crypto";
import { type ChatRequest, type ContentPart, type Message, textOf } from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isVendorPart } from "../../contract/content.ts";
import type { ModelFacts } from "../../contract/model_facts.ts";
import { asObjectSchema } from "../shared/json_schema.ts";
import { contentPath, noteLegacyTools, withoutLegacy } from "../shared/messages.ts";
import { openAiCompatible } from "../openai_compatible/openai_compatible_adapter.ts";
import { dialectEmbeddings } from "../openai_compatible/embeddings.ts";
import { NO_FIELD } from "../shared/transcripts.ts";
import { dialectTranscriptions } from "../openai_compatible/audio.ts";
import { dialectModerations } from "../openai_compatible/moderations.ts";
import { toUpstreamError } from "../openai_compatible/errors.ts";
import {
  converted,
  ignored,
  native,
  nativeAs,
  nativeOnly,
  refused,
  renamed,
  type Support,
} from "../../contract/support.ts";
import { type PairedCall, pairTools } from "../../apis/tool_pairing.ts";
import { planTools } from "../shared/tool_plan.ts";
import { readMedia } from "../../apis/media.ts";
import { present, toObject } from "../../core/json/values.ts";
import { mistralSpeech, transcriptEvents } from "./speech.ts";
import { hintAt, PROMPT_CACHE_KEY, SESSION_NOTE } from "../shared/session_hints.ts";
import { unsupportedContent } from "../shared/errors.ts";
import { dialectModels } from "../openai_compatible/model_list.ts";
import { toFacts } from "../shared/model_list.ts";
import type { Call, Failure, TargetModel, UpstreamError } from "../../contract/vendor_request.ts";

// Mistral's model list. Aliases such as `-latest` also have entries
// (https://docs.mistral.ai/api/endpoint/models, 2026-11-25).

/** Capabilities of models that do not chat, by the words in their IDs. */
const OTHERS = [
  [/embed/, "embeddings"],
  [/moderation/, "moderation"],
] as const;

/** Models for chat and for other operations. */
const MISTRAL_MODELS = dialectModels({
  // The current time.
  hasDates: false,
  isUsable: ({ archived, capabilities, id }) =>
    archived !== true &&
    (toObject(capabilities).completion_chat !== false ||
      OTHERS.some(([words]) => words.test(String(id)))),
  facts: toListedFacts,
});

function toListedFacts({ capabilities, id }: JsonObject): ModelFacts {
  const { function_calling: tools, vision, reasoning } = toObject(capabilities);
  const other = OTHERS.find(([words]) => words.test(String(id)))?.[1];
  return toFacts({
    capabilities: other === undefined
      ? { tools: toFlag(tools), vision: toFlag(vision), reasoning: toFlag(reasoning) }
      : { [other]: true },
  });
}

function toFlag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** Mistral's chat API. */
export const mistral = openAiCompatible({
  kind: "mistral",
  models: MISTRAL_MODELS,
  genAiName: "mistral_ai",
  defaults: { baseUrl: "https://api.mistral.ai/v1", credentials: "required" },
  parameters: {
    stream_options: converted("usage is always reported; the caller gets it only on request"),
    max_completion_tokens: renamed("max_tokens"),
    temperature: nativeAs("capped at 1.5"),
    seed: renamed("random_seed", "not below 0"),
    logit_bias: ignored("no such field"),
    logprobs: ignored("no such field"),
    top_logprobs: ignored("no such field"),
    top_p: nativeAs("1 with a temperature of 0"),
    tools: nativeAs("functions"),
    tool_choice: nativeAs("'any' for 'required'"),
    functions: converted("tools"),
    function_call: converted("tool_choice"),
    reasoning_effort: nativeAs("high or none"),
    verbosity: ignored("no such field"),
    user: ignored("no such field"),
    store: ignored("no such field"),
    service_tier: ignored("no such field"),
    modalities: ignored("text only"),
    audio: ignored("text only"),
  },
  apis: {
    embeddings: dialectEmbeddings({
      // Features that clients use together (https://github.com/vercel/ai/tree/main/packages/mistral,
      // 2026-08-22).
      limits: { inputs: 32 },
      parameters: {
        dimensions: renamed("output_dimension", "codestral-embed"),
        user: ignored("no such field"),
      },
      inputs: { tokens: refused("text only") },
      extensions: { output_dtype: native, metadata: native },
    }),
    speech: mistralSpeech,
    // https://docs.mistral.ai/capabilities/audio_transcription (2026-11).
    transcriptions: dialectTranscriptions({
      translates: false,
      listMark: "",
      parameters: {
        prompt: NO_FIELD,
        response_format: ignored("always JSON"),
        include: NO_FIELD,
        chunking_strategy: NO_FIELD,
        stream: nativeAs("events get OpenAI's names"),
      },
      extensions: { diarize: native, context_bias: native },
      convertEvents: transcriptEvents,
    }),
    // https://docs.mistral.ai/studio/safety-moderation (2026-11).
    moderations: dialectModerations(false, { metadata: native }),
  },
  content: {
    developer_message: converted("sent as a system message"),
    message_name: converted("omitted except on tool messages, and reported"),
    input_audio: nativeAs("voxtral models"),
    file: converted("document_url, or a file of the vendor by ID"),
    file_url: converted("document_url"),
    other_part: nativeOnly(/^document_url$/, "document_url"),
  },
  extensions: {
    safe_prompt: native,
    // https://github.com/mistralai/client-ts, ChatCompletionRequest (2.7.0, 2026-11).
    prompt_cache_key: native,
  },
  streamUsage: false,
  // Audio tokens are only part of the total, and not always reported separately
  // (https://github.com/mistralai/client-python, UsageInfo, 2026-06; observed 2026-08).
  counts: { restSide: "prompt" },
  // https://docs.mistral.ai/studio-api/conversations/advanced/prompt-caching (2026-11-24).
  sessionHint: hintAt(/^(?:.+\.)?mistral\.ai$/, { member: PROMPT_CACHE_KEY }),
  adds: {
    [PROMPT_CACHE_KEY]: SESSION_NOTE,
    "messages.prefix": "lets the answer continue a final assistant message, " +
      "which the vendor rejects otherwise",
    "tools.function.parameters": "the vendor requires them",
  },
  supportFor,
  takesEffort: () => false,
  request: toBody,
  reasoningState: ["reasoning_content"],
  message: flatten,
  failure: (body) => body.object === "error" ? body : undefined,
  error: toMistralError,
});

function supportFor(
  request: ChatRequest,
  { facts }: TargetModel,
): Readonly<Record<string, Support>> {
  const { seed, max_tokens, max_completion_tokens } = request;
  return {
    ...(facts.capabilities?.reasoning === false && {
      reasoning_effort: ignored("the model does not think"),
    }),
    ...(Number(seed) < 0 && { seed: ignored("not below 0") }),
    ...(max_tokens !== undefined && max_completion_tokens !== undefined && {
      max_tokens: ignored("max_completion_tokens is there"),
    }),
  };
}

const MAX_TEMPERATURE = 1.5;

function toBody(body: JsonObject, call: Call): JsonObject {
  const { changes, request: { temperature, top_p, reasoning_effort: effort } } = call;
  noteLegacyTools(call);
  const sent = {
    ...body,
    messages: toMessages(call),
    ...toTools(call),
    response_format: toFormat(call),
  };
  if (temperature !== undefined && temperature > MAX_TEMPERATURE) {
    changes.convert("temperature", temperature, MAX_TEMPERATURE);
    Object.assign(sent, { temperature: MAX_TEMPERATURE });
  }
  // With temperature 0, any other top_p is rejected, and would have no effect: error 3054
  // (https://github.com/devoxx/DevoxxGenieIDEAPlugin/issues/338, 2024-11-19).
  if (temperature === 0 && top_p !== undefined && top_p !== 1) {
    changes.convert("top_p", top_p, 1);
    Object.assign(sent, { top_p: 1 });
  }
  if (effort !== undefined && "reasoning_effort" in body && effort !== "none") {
    if (effort !== "high") changes.convert("reasoning_effort", effort, "high");
    Object.assign(sent, { reasoning_effort: "high" });
  }
  return present(sent);
}

function toMessages(call: Call): readonly JsonObject[] {
  const messages = withoutLegacy(call.request.messages);
  const pairing = pairTools(messages, nineCharacters());
  const sent: JsonObject[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const answered = pairing.results.get(index);
      if (answered) sent.push(toResult(message, index, answered));
      continue;
    }
    if (message.name) call.changes.ignore("messages.name");
    if (message.role !== "assistant") {
      const role = message.role === "developer" ? "system" : message.role;
      sent.push({ role, content: toContent(message, index) });
    } else {
      const turn = toAssistant(message, index, pairing.calls.get(index) ?? [], call);
      const last = index === messages.length - 1;
      const open = last && turn !== undefined && turn.tool_calls === undefined;
      if (open) call.changes.add("messages.prefix");
      if (turn) sent.push(open ? { ...turn, prefix: true } : turn);
    }
  }
  return sent;
}

/** An assistant message, or undefined for an empty one, which the vendor rejects. */
function toAssistant(
  message: Message,
  index: number,
  calls: readonly PairedCall[],
  { model: { base, facts } }: Call,
): JsonObject | undefined {
  const spoken = toContent(message, index);
  const refusal = message.role === "assistant" && message.refusal ? message.refusal : undefined;
  const content = spoken === undefined || spoken === "" || spoken.length === 0 ? refusal : spoken;
  if (content === undefined && calls.length === 0) return undefined;
  const { reasoning_content: reasoningText } = message;
  const thinking = typeof reasoningText === "string" && reasoningText !== "" && thinks(base, facts)
    ? [{ type: "thinking", thinking: [{ type: "text", text: reasoningText }] }]
    : [];
  const text = typeof content === "string" ? [{ type: "text", text: content }] : content ?? [];
  return present({
    role: "assistant",
    content: thinking.length > 0 ? [...thinking, ...text] : content,
    tool_calls: calls.length === 0 ? undefined : calls.map(({ id, name, input }, at) => ({
      id,
      type: "function",
      function: { name, arguments: writtenArguments(message, at) ?? JSON.stringify(input) },
    })),
  });
}

/** The original text of the arguments, since parsing may lose digits. */
function writtenArguments(message: Message, at: number): string | undefined {
  const toolCall = message.role === "assistant" ? message.tool_calls?.[at] : undefined;
  return toolCall?.type === "function" && toolCall.function.arguments !== ""
    ? toolCall.function.arguments
    : undefined;
}

/**
 * Whether a model accepts past thinking (https://docs.mistral.ai/capabilities/reasoning, 2026-06).
 */
function thinks(base: string, { capabilities }: ModelFacts): boolean {
  return capabilities?.reasoning ?? base.startsWith("magistral");
}

function toResult(message: Message, index: number, { id }: PairedCall): JsonObject {
  // Rejects all content except text.
  toContent(message, index);
  const name = message.name || undefined;
  return present({ role: "tool", tool_call_id: id, name, content: textOf(message.content) });
}

function toContent(
  { role, content }: Message,
  index: number,
): string | readonly JsonObject[] | undefined {
  if (!Array.isArray(content)) return content ?? undefined;
  return content.map((part, at) => {
    if (part.type === "text") return { type: "text", text: part.text };
    if (part.type === "refusal") return { type: "text", text: part.refusal };
    if (role === "user") return toMediaPart(part, contentPath(index, at));
    throw unsupportedContent(
      contentPath(index, at),
      `messages of role '${role}' may contain only text`,
    );
  });
}

function toMediaPart(part: ContentPart, path: string): JsonObject {
  if (part.type === "image_url") {
    const { url, detail } = part.image_url;
    return { type: "image_url", image_url: present({ url, detail: detail ?? undefined }) };
  }
  if (part.type === "file" && part.file.file_id) {
    return { type: "file", file_id: part.file.file_id };
  }
  // OpenAI's form, which the vendor also accepts (observed 2026-08).
  if (part.type === "input_audio") return { type: part.type, input_audio: part.input_audio };
  if (isVendorPart(part)) return part;
  const media = readMedia(part, path);
  if ("url" in media) return { type: "document_url", document_url: media.url };
  const type = DOCUMENT_TYPES.get(extensionOf(media.filename)) ?? media.mediaType;
  if (!/^(?:application|text)\//.test(type)) {
    throw unsupportedContent(path, "only documents are taken");
  }
  return present({
    type: "document_url",
    document_url: `data:${type};base64,${media.data}`,
    document_name: media.filename,
  });
}

/**
 * File types that are not detectable from the bytes
 * (https://docs.mistral.ai/capabilities/document_ai, 2026-06).
 */
const DOCUMENT_TYPES = new Map([
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["epub", "application/epub+zip"],
  ["rtf", "application/rtf"],
]);

function extensionOf(filename = ""): string {
  return /\.(\w+)$/.exec(filename)?.[1]?.toLowerCase() ?? "";
}

/**
 * Converts call IDs to the vendor's form of nine letters and digits. The result is stable for a
 * conversation, so that prompts can be cached. Repeated IDs are converted to different IDs.
 */
function nineCharacters(): (id: string) => string {
  const taken = new Set<string>();
  /** The number of uses of each ID. */
  const counts = new Map<string, number>();
  return (id) => {
    const first = /^[A-Za-z0-9]{9}$/.test(id) ? id : hashOf(id);
    let count = counts.get(first) ?? 1;
    let sent = first;
    while (taken.has(sent)) sent = hashOf(`${id}#${++count}`);
    counts.set(first, count);
    taken.add(sent);
    return sent;
  };
}

/** Nine letters and digits from the SHA-256 digest of a text. */
function hashOf(text: string): string {
  const digest = hash("sha256", text, "hex").slice(0, 2 * HASH_BYTES);
  return Number.parseInt(digest, 16).toString(36).padStart(9, "0").slice(-9);
}

/** The maximum number of digest bytes that a number holds exactly; nine characters need fewer. */
const HASH_BYTES = 6;

function toTools(call: Call): JsonObject {
  const { request, changes } = call;
  const { tools, mode, name } = planTools(call);
  if (tools.length === 0) return {};
  if (tools.some(({ definition }) => definition.parameters == null)) {
    changes.add("tools.function.parameters");
  }
  if (mode === "required" && name === undefined) {
    changes.convert(request.tools ? "tool_choice" : "function_call", "required", "any");
  }
  return {
    tools: tools.map(({ definition: { name, description, parameters, strict } }) => ({
      type: "function",
      function: present({
        name,
        description: description ?? undefined,
        parameters: parameters ?? asObjectSchema(undefined),
        strict: strict ?? undefined,
      }),
    })),
    // All deployments accept the vendor's value; only new ones accept OpenAI's.
    tool_choice: name !== undefined
      ? { type: "function", function: { name } }
      : mode === "required"
      ? "any"
      : mode,
  };
}

/** The response format without nulls and unknown members. */
function toFormat({ fields: { response_format: format } }: Call): JsonObject | undefined {
  if (!isObject(format)) return undefined;
  if (format.type !== "json_schema" || !isObject(format.json_schema)) return { type: format.type };
  const { name, description, schema, strict } = format.json_schema;
  // Without a schema any object is valid.
  if (!isObject(schema)) return { type: "json_object" };
  const known = {
    name,
    description: description ?? undefined,
    schema,
    strict: strict ?? undefined,
  };
  return { type: "json_schema", json_schema: present(known) };
}

/** Flattens content, which may be a list with thinking parts, or an empty text next to calls. */
function flatten(message: JsonObject): void {
  const { content } = message;
  if (content === "") message.content = null;
  if (!Array.isArray(content)) return;
  const parts = content.filter(isObject);
  const thinkingParts = parts.flatMap(({ thinking }) =>
    Array.isArray(thinking) ? thinking : [thinking]
  );
  const reasoning = thinkingParts.map((thinking) => isObject(thinking) ? thinking.text : thinking);
  const reasoningText = joined(reasoning);
  const text = joined(parts.map((part) => part.text));
  message.content = text === "" ? null : text;
  if (reasoningText !== "") message.reasoning_content = reasoningText;
}

function joined(texts: readonly unknown[]): string {
  return texts.filter((text) => typeof text === "string").join("");
}

/** Classifies a failure. Validation errors list members: `{detail: [{type, loc, msg}]}`. */
function toMistralError(failure: Failure): UpstreamError {
  const { body } = failure;
  const error = isObject(body) && isObject(body.error) ? body.error : body;
  if (!isObject(error)) return toUpstreamError(failure);
  const details = faultsOf(error);
  const message = typeof error.message === "string" ? error.message : toSentence(details, error);
  const upstreamError = toUpstreamError({ ...failure, body: { error: { ...error, message } } });
  if (upstreamError.kind !== "invalid_request") return upstreamError;
  const words = /^\W*reasoning[ _](?:effort|prompt mode)/i.exec(message ?? "")?.[0];
  if (words !== undefined) {
    return { ...upstreamError, repair: { without: "reasoning_effort", words } };
  }
  const without = details.map(unknownMember).find(isMendable);
  return without === undefined ? upstreamError : { ...upstreamError, repair: { without } };
}

/** The unknown member of the request that an error reports. */
function unknownMember({ type, loc }: JsonObject): unknown {
  return type === "extra_forbidden" && Array.isArray(loc) && loc.length === 2 ? loc[1] : undefined;
}

function isMendable(member: unknown): member is string {
  return typeof member === "string" && !NEEDED.has(member);
}

/** Members that must not be omitted. */
const NEEDED = new Set(["model", "messages", "stream", "tools"]);

function faultsOf({ detail, message }: JsonObject): readonly JsonObject[] {
  const list = Array.isArray(detail) ? detail : isObject(message) ? message.detail : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function toSentence(faults: readonly JsonObject[], { detail }: JsonObject): string | undefined {
  const messages = faults.map(({ loc, msg }) =>
    [Array.isArray(loc) ? loc.slice(1).join(".") : "", msg].filter(Boolean).join(": ")
  );
  if (messages.length > 0) return messages.join("; ");
  return typeof detail === "string" ? detail : undefined;
}
