/** Records the events of a native stream, so that an interrupted stream can be continued. */

import type { AnswerSummary } from "./chat/caller_format.ts";
import type { Usage } from "../contract/chat.ts";
import type { Frame } from "../contract/stream_decoder.ts";
import type { NativeAnswers, NativeStreamReader } from "./native_answers.ts";
import { isObject, type JsonObject } from "../core/json/object.ts";
import { parsePassed } from "../core/json/reader.ts";

/** The state of a stream. A caller format provides it. */
export interface StreamRecord {
  /** The text so far; undefined if the stream cannot be continued at this point. */
  readonly text: string | undefined;
  /** Called with each event as it is written. */
  push(frame: Frame): void;
}

/** The same answers with recorded streams. Each event of a stream is read. */
export function recordedIn(record: StreamRecord, answers: NativeAnswers): NativeAnswers {
  return {
    readAnswer: (body) => answers.readAnswer(body),
    createReader: () => new RecordedReader(answers.createReader(), record),
  };
}

/** Reads every event: it has no `skip`. */
class RecordedReader implements NativeStreamReader {
  readonly #reader: NativeStreamReader;
  readonly #record: StreamRecord;

  constructor(reader: NativeStreamReader, record: StreamRecord) {
    this.#reader = reader;
    this.#record = record;
  }

  get started(): boolean {
    return this.#reader.started;
  }

  get complete(): boolean {
    return this.#reader.complete;
  }

  get endsWithStream(): boolean {
    return this.#reader.endsWithStream ?? false;
  }

  get usage(): Usage | undefined {
    return this.#reader.usage;
  }

  get serviceTier(): string | undefined {
    return this.#reader.serviceTier;
  }

  get summary(): AnswerSummary {
    return this.#reader.summary;
  }

  get outputChars(): number {
    return this.#reader.outputChars;
  }

  get rewrites(): boolean {
    return this.#reader.rewrites ?? false;
  }

  push(frame: Frame): ReturnType<NativeStreamReader["push"]> {
    const read = this.#reader.push(frame);
    if (read === undefined) this.#record.push(frame);
    else if ("data" in read) this.#record.push({ ...frame, data: read.data });
    return read;
  }
}

/** Parses the data of an event; returns an empty object for anything other than an object. */
export function parseEvent(data: string): JsonObject {
  return toEvent(() => JSON.parse(data));
}

/** The same, with the original notation of numbers. */
export function parsePassedEvent(data: string): JsonObject {
  return toEvent(() => parsePassed(data));
}

function toEvent(parse: () => unknown): JsonObject {
  try {
    const value = parse();
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const LF = 10;

/**
 * The position after the complete events at `start` that consist of this beginning and the rest of
 * one line.
 *
 * @param beginning the lines up to the rest, in ASCII
 * @param count is called with where the rest of each event is
 */
export function skipAlike(
  bytes: Uint8Array,
  start: number,
  beginning: Uint8Array,
  count?: (bytes: Uint8Array, start: number, end: number) => void,
): number {
  let at = start;
  while (startsWith(bytes, at, beginning)) {
    const data = at + beginning.length;
    const end = bytes.indexOf(LF, data);
    // An event with another line is read.
    if (end === -1 || bytes[end + 1] !== LF) break;
    count?.(bytes, data, end);
    at = end + 2;
  }
  return at;
}

function startsWith(bytes: Uint8Array, at: number, start: Uint8Array): boolean {
  for (let index = 0; index < start.length; index++) {
    if (bytes[at + index] !== start[index]) return false;
  }
  return true;
}

/** Longer answers, in UTF-16 units, are not continued. */
const MAX_LENGTH = 512 * 1024;

/** Collects the pieces of a text. */
export class RecordedText {
  readonly #pieces: string[] = [];
  #length = 0;
  #isPlain = true;

  /** False after content other than text, or too much text. */
  get isPlain(): boolean {
    return this.#isPlain;
  }

  /** The text so far; undefined if the answer is not plain text. */
  get text(): string | undefined {
    return this.#isPlain ? this.#pieces.join("") : undefined;
  }

  add(piece: string): void {
    if (!this.#isPlain) return;
    this.#length += piece.length;
    if (this.#length > MAX_LENGTH) this.drop();
    else if (piece !== "") this.#pieces.push(piece);
  }

  /** The answer has content other than text. */
  drop(): void {
    this.#isPlain = false;
    this.#pieces.length = 0;
  }
}
