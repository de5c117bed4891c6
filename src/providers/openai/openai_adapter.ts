/**
 * OpenAI: chat completions with the rules for its models and its message members, and the Responses
 * API.
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { Adapter } from "../../contract/adapter.ts";
import { apiOptions } from "../openai_compatible/native_responses.ts";
import { openAiCompatible } from "../openai_compatible/openai_compatible_adapter.ts";
import { type DialectEmbeddings, dialectEmbeddings } from "../openai_compatible/embeddings.ts";
import { dialectImages, OPENAI_IMAGES } from "../openai_compatible/images.ts";
import {
  dialectSpeech,
  dialectTranscriptions,
  OPENAI_SPEECH,
  OPENAI_TRANSCRIPTIONS,
} from "../openai_compatible/audio.ts";
import { OPENAI_MODERATIONS } from "../openai_compatible/moderations.ts";
import { ONE_LENGTH } from "../shared/embeddings.ts";
import { native } from "../../contract/support.ts";
import {
  OPENCODE_SESSION,
  openCodeHint,
  PROMPT_CACHE_KEY,
  SESSION_NOTE,
} from "../shared/session_hints.ts";
import { withStrictSchemas } from "../shared/strict_schema.ts";
import type { Dialect } from "../openai_compatible/dialect.ts";
import { openAiSupport, toAccepted } from "./models.ts";
import { addResponses, OPENAI_RESPONSES, type ResponsesApi } from "./responses.ts";
import { type MemberTest, withMembers } from "../shared/messages.ts";
import type { Call } from "../../contract/vendor_request.ts";

// The message members that OpenAI documents. It rejects at least some others
// (https://github.com/transitive-bullshit/agentic/issues/531, 2026-11-24).

/**
 * Members of messages and tool calls, for all roles and types
 * (https://github.com/openai/openai-node, ChatCompletionMessageParam, 7.57.0, 2026-11-24).
 */
const TURN = new Set([
  ...["role", "content", "name", "refusal", "audio", "tool_calls", "tool_call_id", "function_call"],
  // Answers contain them, and OpenAI accepts them in requests.
  "annotations",
]);
const CALL = new Set(["id", "type", "function", "custom"]);

/** Members of content parts by type. Parts of other types are not changed. */
const PARTS = new Map(
  ["text", "image_url", "input_audio", "file", "refusal"].map((type) => [
    type,
    new Set(["type", type, "prompt_cache_breakpoint"]),
  ]),
);

const isDocumented: MemberTest = (name, place, owner) => {
  if (place === "messages") return TURN.has(name);
  if (place === "messages.tool_calls") return CALL.has(name);
  return PARTS.get(String(owner.type))?.has(name) ?? true;
};

/** A body without other message members, such as those that clients add for their own use. */
function withDocumentedTurns(body: JsonObject, { changes }: Call): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages)) return body;
  const plain = withMembers(messages as readonly JsonObject[], isDocumented, changes);
  return plain === messages ? body : { ...body, messages: plain };
}

/** Embeddings of OpenAI's models. */
export const OPENAI_EMBEDDINGS: DialectEmbeddings = {
  // Only later models support several lengths: https://platform.openai.com/docs/guides/embeddings (2026-11).
  supportFor: ({ base }) => /ada-002/.test(base) ? { dimensions: ONE_LENGTH } : {},
};

/** The rules for OpenAI's models where OpenAI or Microsoft serves them. */
export const openAiModels = {
  dropFromTurns: ["reasoning_content", "reasoning_details", "reasoning", "extra_content"],
  options: apiOptions,
  hasDeveloperRole: true,
  convertsByPresence: true,
  supportFor: openAiSupport,
  takesEffort: () => false,
  request: (body: JsonObject, call: Call) => toModels(body, call, true),
} satisfies Partial<Dialect>;

/** OpenAI's service. */
export const openai = withResponses({
  ...openAiModels,
  kind: "openai",
  // https://platform.openai.com/docs/models (2026-11-28): the models in the older API.
  completions: /-instruct|^davinci-002|^babbage-002/,
  apis: {
    embeddings: dialectEmbeddings(OPENAI_EMBEDDINGS),
    moderations: OPENAI_MODERATIONS,
    images: dialectImages(OPENAI_IMAGES),
    speech: dialectSpeech(OPENAI_SPEECH),
    transcriptions: dialectTranscriptions(OPENAI_TRANSCRIPTIONS),
  },
  request: (body, call) => toModels(body, call, OPENAI_RESPONSES.isThere(call.provider)),
  mayBeLiteLlm: (provider) => !OPENAI_RESPONSES.isThere(provider),
  supportFor: (request, model, provider) => ({
    ...openAiSupport(request, model),
    // Other compatible servers may support it.
    ...(!OPENAI_RESPONSES.isThere(provider) && { top_k: native }),
  }),
  defaults: { baseUrl: "https://api.openai.com/v1", credentials: "required" },
  // https://platform.openai.com/docs/guides/prompt-caching (2026-11-24).
  sessionHint: (request, provider) =>
    OPENAI_RESPONSES.isThere(provider)
      ? { member: PROMPT_CACHE_KEY }
      : openCodeHint(request, provider),
  adds: { [PROMPT_CACHE_KEY]: SESSION_NOTE, [OPENCODE_SESSION]: SESSION_NOTE },
  // Limits apply per model: its page lists them for all of its dated snapshots
  // (https://developers.openai.com/api/docs/guides/rate-limits, 2026-11-25).
  quotaFamily: ({ upstream }) => upstream.replace(SNAPSHOT_DATE, ""),
}, OPENAI_RESPONSES);

const SNAPSHOT_DATE = /-20\d\d-\d\d-\d\d$/;

/**
 * A body that OpenAI's models accept.
 *
 * @param isOwn whether OpenAI or Microsoft serves them; other servers may document more members
 */
function toModels(body: JsonObject, call: Call, isOwn: boolean): JsonObject {
  const plain = withoutMarkers(body);
  const documented = isOwn ? withDocumentedTurns(plain, call) : plain;
  return toAccepted(withStrictSchemas(documented, call), call);
}

/** An adapter for a vendor that serves OpenAI's models through both APIs. */
export function withResponses(dialect: Dialect, api: ResponsesApi): Adapter {
  return addResponses(openAiCompatible(dialect), dialect, api);
}

/**
 * Removes Claude's cache markers from messages, parts and tools: OpenAI's models reject them
 * (https://github.com/BerriAI/litellm/pull/28431, 2026-05-21).
 */
function withoutMarkers(body: JsonObject): JsonObject {
  const { messages, tools } = body;
  const plain = { messages: unmarked(messages, "content"), tools: unmarked(tools, "function") };
  return plain.messages === messages && plain.tools === tools ? body : { ...body, ...plain };
}

/** The entries without markers on them and inside them. Entries without markers are not copied. */
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
