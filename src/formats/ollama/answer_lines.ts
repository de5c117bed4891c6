/**
 * The objects of answers: whole ones, and the lines of streams.
 *
 * Shapes: https://github.com/ollama/ollama/blob/main/docs/api.md and
 * https://github.com/ollama/ollama/blob/main/api/types.go (2026-08).
 */

import type { Choice, CompletionBody, FinishReason, JsonObject, Usage } from "../../chat/chat.ts";
import type { Envelope } from "../../chat/caller_format.ts";
import { InnerJson } from "../../core/json/inner_json.ts";
import { isObject } from "../../core/json/object.ts";
import { isText, toCount, toList } from "../../core/json/values.ts";
import { argumentsOf, readCall, type WrittenCall } from "../answer_calls.ts";

/** `chat` has a `message`; `generate` has its text in `response`. */
export type AnswerShape = "chat" | "generate";

/** The options of an answer that come from the request. */
export interface WriteOptions {
  readonly shape: AnswerShape;
  readonly showsThinking: boolean;
  /** Milliseconds since the request arrived. */
  readonly elapsedMs: () => number;
}

/** The content of one line, or of a whole answer. Empty members are left out, except the text. */
export interface LineContent {
  readonly text: string;
  readonly thinking: string;
  readonly images: readonly string[];
  readonly calls: readonly JsonObject[];
  /** The entries of OpenAI's `logprobs.content`, which Ollama's have the members of. */
  readonly logprobs: readonly unknown[];
}

/** What all lines of an answer begin with. */
export function toHead(envelope: Envelope): JsonObject {
  const { created, model } = envelope;
  return { model, created_at: new Date(created * 1000).toISOString().replace(".000Z", "Z") };
}

/** The members with the content. */
export function toContentMembers(content: LineContent, shape: AnswerShape): JsonObject {
  const { text, thinking, images, calls, logprobs } = content;
  const media = {
    ...(thinking !== "" && { thinking }),
    ...(images.length > 0 && { images }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    ...(shape === "generate"
      ? { response: text, ...media }
      : { message: { role: "assistant", content: text, ...media } }),
    ...(logprobs.length > 0 && { logprobs }),
  };
}

/**
 * The members of the end: why, how long it took, and the usage. Durations that only a server with
 * the model can measure are left out.
 */
export function toEndMembers(
  finish: FinishReason,
  usage: Usage | undefined,
  { elapsedMs }: WriteOptions,
): JsonObject {
  return {
    done: true,
    done_reason: finish === "tool_calls" ? "stop" : finish,
    total_duration: toNanoseconds(elapsedMs()),
    ...(usage !== undefined && {
      prompt_eval_count: toCount(usage.prompt_tokens),
      eval_count: toCount(usage.completion_tokens),
    }),
  };
}

/** A duration as Ollama writes it. */
export function toNanoseconds(ms: number): number {
  return Math.max(0, Math.round(ms * 1e6));
}

/** An answer that is not streamed. */
export function toAnswer(
  { choices: [choice], created, model, usage }: CompletionBody,
  stamp: Envelope,
  options: WriteOptions,
): JsonObject {
  const envelope = { ...stamp, model: model ?? stamp.model, created: created ?? stamp.created };
  return {
    ...toHead(envelope),
    ...toContentMembers(toContent(choice, options), options.shape),
    ...toEndMembers(choice?.finish_reason ?? "stop", usage, options),
  };
}

function toContent(choice: Choice | undefined, { showsThinking }: WriteOptions): LineContent {
  const message = choice?.message;
  const { content, refusal, reasoning_content: thinking, tool_calls = [] } = message ?? {};
  const json = new InnerJson();
  return {
    text: [content, refusal].filter(isText).join(""),
    thinking: showsThinking && isText(thinking) ? thinking : "",
    images: toImages(message?.images),
    calls: tool_calls.map((call, index) => toCall(readCall(call), index, json)),
    logprobs: toLogprobs(choice?.logprobs),
  };
}

/** A call. Its arguments are an object. */
export function toCall({ id, name, text }: WrittenCall, index: number, json: InnerJson) {
  return { id, function: { index, name, arguments: argumentsOf(text, json) } };
}

/** The images of an answer, as base64; those without data are left out. */
export function toImages(images: unknown): readonly string[] {
  return toList(images).flatMap((image) => {
    const { url } = isObject(image) && isObject(image.image_url) ? image.image_url : {};
    const comma = typeof url === "string" ? url.indexOf(";base64,") : -1;
    return typeof url === "string" && comma !== -1 ? [url.slice(comma + ";base64,".length)] : [];
  });
}

/** The log probabilities of the text. */
export function toLogprobs(logprobs: unknown): readonly unknown[] {
  return isObject(logprobs) ? toList(logprobs.content) : [];
}
