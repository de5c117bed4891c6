/** Writes answers and chunks as lines of JSON: https://docs.ollama.com/api/streaming (2026-08). */

import type {
  Choice,
  ChunkBody,
  ChunkChoice,
  CompletionBody,
  FinishReason,
  Usage,
} from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { AnswerSummary, Envelope, StreamWriter } from "../chat/caller_format.ts";
import { InnerJson } from "../../core/json/inner_json.ts";
import { isText, toCount, toList } from "../../core/json/values.ts";
import {
  argumentsOf,
  argumentsTextOf,
  canBeWritten,
  type CollectedCall,
  CollectedCalls,
  readCall,
  type WrittenCall,
} from "../calls.ts";

// The objects of answers: whole ones, and the lines of streams.
//
// Shapes: https://github.com/ollama/ollama/blob/main/docs/api.md and
// https://github.com/ollama/ollama/blob/main/api/types.go (2026-08).

/** `chat` has a `message`; `generate` has its text in `response`. */
export type AnswerShape = "chat" | "generate";

/** The options of an answer that come from the request. */
export interface WriteOptions {
  readonly shape: AnswerShape;
  readonly showsThinking: boolean;
  /** Milliseconds since the request arrived. */
  readonly elapsedMs: () => number;
}

/** The content of one line, or of a whole answer. Empty members are omitted, except the text. */
interface LineContent {
  readonly text: string;
  readonly thinking: string;
  readonly images: readonly string[];
  readonly calls: readonly JsonObject[];
  /** The entries of OpenAI's `logprobs.content`, whose members Ollama also uses. */
  readonly logprobs: readonly unknown[];
}

/** The first members of each line of an answer. */
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
 * The final members: finish reason, durations and usage. Durations that only a server that runs the
 * model can measure are omitted.
 */
function toEndMembers(
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

/** A non-streamed answer. */
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
function toCall({ id, name, text }: WrittenCall, index: number, json: InnerJson) {
  return { id, function: { index, name, arguments: argumentsOf(text, json) } };
}

/** The images of an answer, as base64; those without data are omitted. */
function toImages(images: unknown): readonly string[] {
  return toList(images).flatMap((image) => {
    const { url } = isObject(image) && isObject(image.image_url) ? image.image_url : {};
    const comma = typeof url === "string" ? url.indexOf(";base64,") : -1;
    return typeof url === "string" && comma !== -1 ? [url.slice(comma + ";base64,".length)] : [];
  });
}

/** The log probabilities of the text. */
function toLogprobs(logprobs: unknown): readonly unknown[] {
  return isObject(logprobs) ? toList(logprobs.content) : [];
}

const NO_CONTENT: LineContent = { text: "", thinking: "", images: [], calls: [], logprobs: [] };

/** Writes one stream. The format has one choice. */
export class LineWriter implements StreamWriter {
  started = false;
  usage: Usage | undefined;
  serviceTier: string | undefined;
  /** Only server-sent events are written from templates. */
  readonly isRepeatable = false;
  readonly #stamp: Envelope;
  readonly #options: WriteOptions;
  readonly #calls = new CollectedCalls();
  readonly #json = new InnerJson();
  #id: string | undefined;
  /** The start of each line; known once the first chunk has arrived. */
  #head: JsonObject | undefined;
  #finish: FinishReason | undefined;
  #writtenCalls = 0;

  constructor(stamp: Envelope, options: WriteOptions) {
    this.#stamp = stamp;
    this.#options = options;
  }

  get complete(): boolean {
    return this.#finish !== undefined;
  }

  get summary(): AnswerSummary {
    const { model } = this.#head ?? this.#stamp;
    return {
      id: this.#id ?? this.#stamp.id,
      model: isText(model) ? model : this.#stamp.model,
      finishReasons: this.#finish === undefined ? [] : [this.#finish],
    };
  }

  write(chunk: ChunkBody): string {
    if (chunk.usage) this.usage = chunk.usage;
    if (isText(chunk.service_tier)) this.serviceTier = chunk.service_tier;
    if (isText(chunk.id)) this.#id ??= chunk.id;
    this.#head ??= toHead({
      ...this.#stamp,
      model: isText(chunk.model) ? chunk.model : this.#stamp.model,
      created: chunk.created ?? this.#stamp.created,
    });
    let text = "";
    for (const choice of chunk.choices) if (choice.index === 0) text += this.#writeChoice(choice);
    return text;
  }

  end(): string {
    const calls = this.#calls.unwritten().map((call) => this.#toCall(call));
    const last = calls.length === 0 ? "" : this.#line({ ...NO_CONTENT, calls });
    return last +
      this.#line(NO_CONTENT, toEndMembers(this.#finish ?? "stop", this.usage, this.#options));
  }

  #writeChoice({ delta, finish_reason, logprobs }: ChunkChoice): string {
    const { content, refusal, reasoning_content: thinking, images } = delta;
    const calls: JsonObject[] = [];
    for (const piece of delta.tool_calls ?? []) {
      const call = this.#calls.add(piece);
      if (canBeWritten(call)) calls.push(this.#toCall(call));
    }
    if (finish_reason) this.#finish ??= finish_reason;
    const line: LineContent = {
      text: [content, refusal].filter(isText).join(""),
      thinking: this.#options.showsThinking && isText(thinking) ? thinking : "",
      images: toImages(images),
      calls,
      logprobs: toLogprobs(logprobs),
    };
    const isEmpty = line.text === "" && line.thinking === "" && line.images.length === 0 &&
      calls.length === 0;
    if (!isEmpty || isText(thinking) || this.#calls.size > 0 || this.complete) this.started = true;
    return isEmpty ? "" : this.#line(line);
  }

  #toCall(call: CollectedCall): JsonObject {
    call.isWritten = true;
    const text = argumentsTextOf(call);
    return toCall({ ...call, text }, this.#writtenCalls++, this.#json);
  }

  #line(content: LineContent, end: JsonObject = { done: false }): string {
    const members = toContentMembers(content, this.#options.shape);
    return `${JSON.stringify({ ...(this.#head ?? toHead(this.#stamp)), ...members, ...end })}\n`;
  }
}
