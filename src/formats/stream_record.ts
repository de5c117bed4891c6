/** Records the events of a native stream as the client gets them, for when it is cut. */

import type { AnswerSummary } from "../chat/caller_format.ts";
import type { Usage } from "../chat/chat.ts";
import type { Frame } from "../providers/contract/frames.ts";
import type { NativeAnswers, NativeStreamReader } from "./native_answers.ts";

/** The state of a stream. A caller format provides it. */
export interface StreamRecord {
  /** The text so far; undefined if nothing can follow the last event but the vendor's next one. */
  readonly text: string | undefined;
  /** Takes one event as it is written. */
  push(frame: Frame): void;
}

/** The same answers, of which a stream is recorded. Each event of it is read. */
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
