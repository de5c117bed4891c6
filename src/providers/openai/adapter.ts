/** OpenAI itself: the dialect with the quirks of its models, and the Responses API beside it. */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import type { Adapter, Call } from "../contract/adapter.ts";
import { openAiCompatible } from "../openai_compatible/adapter.ts";
import type { Dialect } from "../openai_compatible/dialect.ts";
import { openAiSupport, toAccepted } from "./models.ts";
import { addResponses, OPENAI_RESPONSES, openAiOptions, type ResponsesPlace } from "./responses.ts";

/** What OpenAI's models want of the dialect, wherever they are served. */
export const openAiModels = {
  dropFromTurns: ["reasoning_content", "reasoning_details", "reasoning", "extra_content"],
  options: openAiOptions,
  supportFor: openAiSupport,
  takesEffort: () => false,
  request: (body: JsonObject, call: Call) => toAccepted(withoutMarkers(body), call),
} satisfies Partial<Dialect>;

/** OpenAI's own service. */
export const openai = withResponses({
  ...openAiModels,
  kind: "openai",
  defaults: { baseUrl: "https://api.openai.com/v1", credentials: "required" },
}, OPENAI_RESPONSES);

/** An adapter for a vendor that serves OpenAI's models through both APIs. */
export function withResponses(dialect: Dialect, place: ResponsesPlace): Adapter {
  return addResponses(openAiCompatible(dialect), dialect, place);
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
