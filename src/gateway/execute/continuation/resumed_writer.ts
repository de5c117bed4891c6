/** Writes the second part of a stream with the writer of the first, without the overlap. */

import type { StreamWriter } from "../../../apis/chat/caller_format.ts";
import type { ChunkBody, ChunkChoice, Usage } from "../../../contract/chat.ts";
import { addUsage } from "../../../apis/chat/token_counts.ts";
import { isText } from "../../../core/json/values.ts";
import { GatewayError, unreadable } from "../../../core/errors.ts";

/** The first part of a stream. */
export interface FirstPart {
  readonly text: string;
  /** Whether the second part repeats the end of the text. */
  readonly repeats: boolean;
  /** Its billed usage. */
  readonly used: Usage | undefined;
}

/** The maximum reasoning that is held back before the first text, in UTF-16 units. */
const MAX_HELD_LENGTH = 1024 * 1024;
/** The size of a chunk without its reasoning. */
const CHUNK_LENGTH = 100;

/**
 * Writes nothing until the second part has passed the overlap, so that another target may be tried
 * until then.
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
  /** The chunks before the first text. */
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

  /** The caller already has the envelope of the first part, and gets the usage of both. */
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

/** The maximum length of an answer's end that its continuation must repeat, in UTF-16 units. */
const MAX_END_LENGTH = 48;

/**
 * The end of a text that a model is asked to repeat: its last words, without the space after them.
 */
export function endOf(text: string): string {
  const whole = text.trimEnd();
  if (whole.length <= MAX_END_LENGTH) return whole.trimStart();
  const end = whole.slice(-MAX_END_LENGTH);
  // The first word may be truncated, and a long word even within a character.
  return end.replace(/^\S*\s+/, "").replace(/^[\uDC00-\uDFFF]/, "");
}

/** Removes the overlap from the beginning of a continuation. Exported for tests. */
export class Overlap {
  readonly #end: string;
  readonly #space: string;
  #held = "";
  /** Whether the continuation has passed the overlap. */
  isPassed = false;

  /**
   * @param text the answer so far
   * @param repeats whether the continuation must repeat the end of it; the space after it may be
   * repeated in any case
   */
  constructor(text: string, repeats: boolean) {
    this.#end = repeats ? endOf(text) : "";
    this.#space = text.slice(text.trimEnd().length);
  }

  /**
   * Reads a piece of the continuation, and returns its new text.
   *
   * @throws {GatewayError} `upstream_error` if the continuation repeats something else.
   */
  take(piece: string): string {
    if (this.isPassed) return piece;
    this.#held += piece;
    const repeated = this.#end === "" ? this.#held : this.#held.trimStart();
    const known = this.#end + this.#space;
    if (repeated.length < known.length && known.startsWith(repeated)) return "";
    if (!repeated.startsWith(this.#end)) throw mismatch();
    this.isPassed = true;
    return withoutStart(repeated.slice(this.#end.length), this.#space);
  }

  /**
   * Called at the end of the continuation's text.
   *
   * @throws {GatewayError} `upstream_error` if the end was not repeated.
   */
  finish(): string {
    if (this.isPassed) return "";
    if (!this.#held.trimStart().startsWith(this.#end)) throw mismatch();
    this.isPassed = true;
    const rest = this.#end === "" ? this.#held : this.#held.trimStart().slice(this.#end.length);
    return withoutStart(rest, this.#space);
  }
}

/** Removes the longest common prefix with another text. */
function withoutStart(text: string, start: string): string {
  let length = 0;
  while (length < start.length && text[length] === start[length]) length++;
  return text.slice(length);
}

/** The same target would make the same mistake. */
function mismatch(): GatewayError {
  const message = "The continuation does not begin where the answer ended";
  return new GatewayError("upstream_error", message, { final: true });
}
