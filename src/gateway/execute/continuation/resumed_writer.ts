/** Writes the second part of a stream with the writer of the first. */

import type { StreamWriter } from "../../../apis/chat/caller_format.ts";
import type { ChunkBody, ChunkChoice, Usage } from "../../../contract/chat.ts";
import { addUsage } from "../../../apis/chat/token_counts.ts";
import { isText } from "../../../core/json/values.ts";
import { unreadable } from "../../../core/errors.ts";
import { Overlap } from "./overlap.ts";

/** The first part of a stream. */
export interface FirstPart {
  readonly text: string;
  /** Whether the second part repeats the end of the text. */
  readonly repeats: boolean;
  /** What is billed for it. */
  readonly used: Usage | undefined;
}

/** The maximum reasoning that is held back before the first text, in UTF-16 units. */
const MAX_HELD_LENGTH = 1024 * 1024;
/** What a chunk counts besides its reasoning. */
const CHUNK_LENGTH = 100;

/**
 * Writes nothing until the second part has passed the overlap, so that another target may still be
 * asked until then.
 */
export class ResumedWriter implements StreamWriter {
  started = false;
  readonly isRepeatable = false;
  /** The usage of the second part. */
  usage: Usage | undefined;
  serviceTier: string | undefined;
  readonly #writer: StreamWriter;
  readonly #first: FirstPart;
  readonly #overlap: Overlap;
  /** What precedes the first text. */
  readonly #held: ChunkBody[] = [];
  #heldLength = 0;

  constructor(writer: StreamWriter, first: FirstPart) {
    this.#writer = writer;
    this.#first = first;
    this.#overlap = new Overlap(first.text, first.repeats);
  }

  get complete(): boolean {
    return this.#writer.complete;
  }

  get summary() {
    return this.#writer.summary;
  }

  get details() {
    return this.#writer.details;
  }

  get maxLength(): number | undefined {
    const { maxLength } = this.#writer;
    return maxLength === undefined ? undefined : maxLength - this.#first.text.length;
  }

  /** @throws {GatewayError} `upstream_error` if the second part begins elsewhere. */
  write(chunk: ChunkBody): string {
    const own = this.#toOwn(chunk);
    if (this.#overlap.isPassed) return this.#writer.write(own);
    const choices = own.choices.map((choice) => this.#trim(choice));
    this.#held.push({ ...own, choices });
    if (!this.#overlap.isPassed) {
      this.#heldLength += CHUNK_LENGTH;
      for (const { delta } of choices) this.#heldLength += delta.reasoning_content?.length ?? 0;
      if (this.#heldLength > MAX_HELD_LENGTH) throw unreadable("The continuation has no text");
      return "";
    }
    this.started = true;
    return this.#held.splice(0).map((held) => this.#writer.write(held)).join("");
  }

  end(): string {
    return this.#writer.end();
  }

  /** The caller has the envelope of the first part, and gets the usage of both. */
  #toOwn({ id: _, created: __, model: ___, usage, ...rest }: ChunkBody): ChunkBody {
    if (!usage) return { ...rest, usage };
    this.usage = usage;
    if (isText(rest.service_tier)) this.serviceTier = rest.service_tier;
    return { ...rest, usage: addUsage(this.#first.used, usage) };
  }

  #trim(choice: ChunkChoice): ChunkChoice {
    const { delta, finish_reason } = choice;
    let content = delta.content ? this.#overlap.take(delta.content) : "";
    if (finish_reason || delta.tool_calls?.length || delta.refusal) {
      content += this.#overlap.finish();
    }
    return { ...choice, delta: { ...delta, content } };
  }
}
