/**
 * Reads answers of `generateContent` that are forwarded unchanged, mostly without parsing.
 */

import { BACKSLASH, QUOTE } from "../../core/json/characters.ts";
import type { AnswerSummary } from "../chat/caller_format.ts";
import type { FinishReason, Usage } from "../../contract/chat.ts";
import { Bytes } from "../../core/bytes.ts";
import { unreadable } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { Frame } from "../../contract/stream_decoder.ts";
import { partsOf, readFinish, readUsage, toTier } from "./usage.ts";
import { parseEvent } from "../stream_record.ts";
import { stringLengthAfter } from "../read_fields.ts";
import type { NativeAnswers, NativeStreamReader } from "../native_answers.ts";

// Recognizes events of a stream that differ from an earlier one only in their text and the counts
// after it. Most events of a stream do, and need not be decoded or parsed.

const LF = 10;
const CR = 13;

const ZERO = 48;
/** Integers of up to this many digits are exact. */
const MAX_DIGITS = 15;

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const DATA = encoder.encode("data:");
const TEXT_MEMBER = encoder.encode('"text"');
const COUNTS = encoder.encode('"usageMetadata"');
const SPACE_AND_COLON: ReadonlySet<number | undefined> = new Set([32, 58]);

/** The bytes of an event around its text. Exported for tests. */
export class EventShape {
  readonly #beforeText: Bytes;
  /** The segments after the text. There is one number between each two of them. */
  readonly #afterText: readonly Bytes[];
  /** The numbers in the last matching event, and in the one being compared. */
  #numbers: number[] = [];
  #next: number[] = [];
  /** The size of the last matching event's text in bytes, as written. */
  textBytes = 0;

  private constructor(beforeText: Uint8Array, afterText: readonly Uint8Array[]) {
    this.#beforeText = new Bytes(beforeText.slice());
    this.#afterText = afterText.map((part) => new Bytes(part.slice()));
  }

  /**
   * The shape of a one-line event with a text and counts after it; undefined for any other event.
   *
   * @param event all its bytes with the blank line
   */
  static of(event: Uint8Array): EventShape | undefined {
    const name = find(event, TEXT_MEMBER, 0);
    if (name === -1) return undefined;
    let open = name + TEXT_MEMBER.length;
    while (SPACE_AND_COLON.has(event[open])) open++;
    if (event[open] !== QUOTE || !isOneLine(event)) return undefined;
    const close = endOfString(event, open + 1);
    const counts = close === -1 ? -1 : find(event, COUNTS, close);
    if (counts === -1) return undefined;
    return new EventShape(event.subarray(0, open + 1), withoutNumbers(event, close, counts));
  }

  /** The data of the last matching event, without its text. */
  get lastData(): string {
    const parts = this.#afterText.map(({ array }) => decoder.decode(array));
    const rest = parts.reduce((text, part, index) => text + this.#numbers[index - 1] + part);
    return (decoder.decode(this.#beforeText.array) + rest).slice(DATA.length).trim();
  }

  /**
   * Compares the event at `start`, and returns the position after it; -1 if it has another shape or
   * is not complete.
   */
  match(bytes: Bytes, start: number): number {
    if (!bytes.has(this.#beforeText, start)) return -1;
    const text = start + this.#beforeText.length;
    const close = endOfString(bytes.array, text);
    if (close === -1) return -1;
    const end = this.#matchRest(bytes, close);
    if (end !== -1) this.textBytes = close - text;
    return end;
  }

  /** Compares the rest after the text, and stores its numbers if everything else is equal. */
  #matchRest(bytes: Bytes, start: number): number {
    const { array } = bytes;
    const parts = this.#afterText;
    let at = start;
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index] as Bytes;
      if (index > 0) {
        const from = at;
        let number = 0;
        for (; isDigit(array[at]); at++) number = number * 10 + (array[at] as number) - ZERO;
        // An event with a number in a different notation must be parsed.
        if (at === from || array[from] === ZERO && at - from > 1 || at - from > MAX_DIGITS) {
          return -1;
        }
        this.#next[index - 1] = number;
      }
      if (!bytes.has(part, at)) return -1;
      at += part.length;
    }
    [this.#numbers, this.#next] = [this.#next, this.#numbers];
    return at;
  }
}

/** The parts of an event from `start` on, without the numbers from `counts` on. */
function withoutNumbers(event: Uint8Array, start: number, counts: number): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let from = start;
  for (let at = counts; at < event.length; at++) {
    if (!isDigit(event[at])) continue;
    parts.push(event.subarray(from, at));
    while (isDigit(event[at + 1])) at++;
    from = at + 1;
  }
  return [...parts, event.subarray(from)];
}

/** Whether an event consists of one `data` line and the blank line. */
function isOneLine(event: Uint8Array): boolean {
  const isData = DATA.every((byte, index) => event[index] === byte);
  return isData && event.length - event.indexOf(LF) <= "\n\r\n".length;
}

/** The quote that ends the string at `start`; -1 if the line or the bytes end first. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === LF || byte === CR) return -1;
    if (byte === BACKSLASH) at++;
  }
  return -1;
}

/** The position of some bytes; -1 if not found. */
function find(bytes: Uint8Array, part: Uint8Array, from: number): number {
  const [first = 0] = part;
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (part.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
}

/** Reads native answers. */
export const nativeAnswers: NativeAnswers = {
  createReader: () => new GenerateReader(),
  readAnswer(body) {
    if (body.error) return { error: body };
    const isBlocked = isObject(body.promptFeedback);
    if (!Array.isArray(body.candidates) && !isBlocked) {
      throw unreadable("The provider's answer has no candidates");
    }
    const reader = new GenerateReader();
    reader.read(body);
    const { serviceTier, summary, usage } = reader;
    return { usage, serviceTier, summary };
  },
};

/** Reads the events of one stream. */
class GenerateReader implements NativeStreamReader {
  /** Usage may follow the finish reason, and early models send one in every event. */
  readonly endsWithStream = true;
  started = false;
  outputChars = 0;
  #id = "";
  #model = "";
  #usage: JsonObject | undefined;
  /** The finish reasons by the index of the candidate; undefined for one that has not ended. */
  readonly #finishes = new Map<number, FinishReason | undefined>();
  #isBlocked = false;
  /** The last event, if only its length was counted: its usage is read when it is needed. */
  #unread: string | undefined;
  /** The shape of that event. */
  #shape: EventShape | undefined;
  /** Whether another event of the shape was skipped since then. */
  #isSkipped = false;

  get complete(): boolean {
    if (this.#isBlocked) return true;
    if (this.#finishes.size === 0) return false;
    for (const finish of this.#finishes.values()) if (finish === undefined) return false;
    return true;
  }

  get usage(): Usage | undefined {
    this.#readLast();
    return readUsage(this.#usage);
  }

  get serviceTier(): string | undefined {
    this.#readLast();
    return toTier(this.#usage);
  }

  get summary(): AnswerSummary {
    const finishReasons = [...this.#finishes.values()].flatMap((finish) => finish ?? []);
    return { id: this.#id, model: this.#model, finishReasons };
  }

  skip(bytes: Uint8Array, start: number): number {
    const shape = this.#shape;
    if (shape === undefined) return start;
    const compared = new Bytes(bytes);
    let at = start;
    for (let end = shape.match(compared, at); end !== -1; end = shape.match(compared, at)) {
      this.outputChars += shape.textBytes;
      this.#isSkipped = true;
      at = end;
    }
    return at;
  }

  push({ data }: Frame, bytes?: Uint8Array): { readonly error: unknown } | undefined {
    if (this.started && isPlainText(data)) {
      this.outputChars += stringLengthAfter(data, TEXT) ?? 0;
      this.#unread = data;
      this.#isSkipped = false;
      this.#shape = bytes && EventShape.of(bytes);
      return undefined;
    }
    this.#readLast();
    const body = parseEvent(data);
    if (body.error) return { error: body };
    this.read(body);
    return undefined;
  }

  /** Reads the usage in the last event that was only counted. */
  #readLast(): void {
    const data = this.#isSkipped ? this.#shape?.lastData : this.#unread;
    this.#unread = undefined;
    this.#isSkipped = false;
    if (data !== undefined) this.#readUsage(parseEvent(data));
  }

  #readUsage({ usageMetadata }: JsonObject): void {
    // Vertex sends events whose usage has no counts.
    if (isObject(usageMetadata) && (this.#usage === undefined || hasCounts(usageMetadata))) {
      this.#usage = usageMetadata;
    }
  }

  /** Reads a whole answer, or a part of one. */
  read(body: JsonObject): void {
    const { candidates, modelVersion, promptFeedback, responseId } = body;
    if (isText(responseId)) this.#id = responseId;
    if (isText(modelVersion)) this.#model = modelVersion;
    this.#readUsage(body);
    if (isObject(promptFeedback) && isText(promptFeedback.blockReason)) {
      this.#isBlocked = true;
      this.started = true;
    }
    for (const candidate of Array.isArray(candidates) ? candidates : []) {
      if (isObject(candidate)) this.#readCandidate(candidate);
    }
  }

  #readCandidate(candidate: JsonObject): void {
    const index = typeof candidate.index === "number" ? candidate.index : 0;
    for (const part of partsOf(candidate)) {
      this.started = true;
      this.outputChars += lengthOf(part);
    }
    const finish = isText(candidate.finishReason) ? toFinish(candidate) : undefined;
    if (finish !== undefined) this.started = true;
    this.#finishes.set(index, finish ?? this.#finishes.get(index));
  }
}

const TEXT = '"text"';

/**
 * Whether an event after the first one has only one text and counts. Such an event is not parsed,
 * since parsing would take most of the time of a stream. Quotes within strings are escaped, so they
 * look different.
 */
function isPlainText(data: string): boolean {
  const text = data.indexOf(TEXT);
  return text !== -1 && data.indexOf(TEXT, text + TEXT.length) === -1 && !SPECIAL.test(data) &&
    data.includes('"promptTokenCount"');
}

const SPECIAL = /"(?:finishReason|error|promptFeedback|functionCall)"|"index"\s*:\s*[1-9]/;

function hasCounts({ promptTokenCount }: JsonObject): boolean {
  return promptTokenCount !== undefined;
}

/** A failure of the vendor is passed to the caller: it is a finish reason of the format. */
function toFinish(candidate: JsonObject): FinishReason {
  const finish = readFinish(candidate, true);
  return typeof finish === "string" ? finish : "stop";
}

/** The length of the output in a part, in UTF-16 units; approximate for calls. */
function lengthOf({ text, functionCall }: JsonObject): number {
  if (typeof text === "string") return text.length;
  return isObject(functionCall) ? JSON.stringify(functionCall.args ?? {}).length : 0;
}
