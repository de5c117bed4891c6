/** Writes chunks as lines of JSON: https://docs.ollama.com/api/streaming (2026-08). */

import type { ChunkBody, ChunkChoice, FinishReason, JsonObject, Usage } from "../../chat/chat.ts";
import type { AnswerSummary, Envelope, StreamWriter } from "../../chat/caller_format.ts";
import { InnerJson } from "../../core/json/inner_json.ts";
import { isText } from "../../core/json/values.ts";
import {
  argumentsTextOf,
  canBeWritten,
  type CollectedCall,
  CollectedCalls,
} from "../collected_calls.ts";
import {
  type LineContent,
  toCall,
  toContentMembers,
  toEndMembers,
  toHead,
  toImages,
  toLogprobs,
  type WriteOptions,
} from "./answer_lines.ts";

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
  /** What each line begins with; known once the first chunk is there. */
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
