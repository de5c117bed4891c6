/** Streams that another target can continue, converted or native. The written text is stored. */

import type { CallerFormat, StreamWriter, ToCost } from "../../../apis/chat/caller_format.ts";
import type { ChatRequest, ChunkBody, Usage } from "../../../contract/chat.ts";
import { RecordedText, type StreamRecord } from "../../../apis/stream_record.ts";
import type { ResumableStream } from "./chat_continuation.ts";
import { ResumedWriter } from "./resumed_writer.ts";
import type { StreamContinuation } from "../../operation.ts";

/** The dependencies of a native attempt whose stream can be continued. */
export interface NativeContinuation {
  /** Receives the events of the stream. */
  readonly record: StreamRecord;
  readonly continuation: StreamContinuation;
}

/** Writes the second part. */
export interface NativeStreamParts {
  readonly record: StreamRecord;
  /** Whether the request asks for plain text. Called after the stream was interrupted. */
  readonly isPlain: () => boolean;
  readonly format: CallerFormat;
  /** Creates the writer of the events that follow the recorded ones. */
  readonly createWriter: () => StreamWriter;
}

/** Whether the answer to a request can be plain text that another target can continue. */
export function isPlain(
  { n, response_format: format, logprobs, modalities }: ChatRequest,
): boolean {
  return (n ?? 1) === 1 && (format === undefined || format.type === "text") && !logprobs &&
    modalities?.includes("audio") !== true;
}

/** The answers to one attempt, in a format that stores their text. */
export class ContinuableStream implements ResumableStream {
  /** The format of the attempt. */
  readonly format: CallerFormat;
  readonly #format: CallerFormat;
  readonly #isPlain: boolean;
  #writer: RecordingWriter | undefined;
  #toCost: ToCost = () => undefined;
  /** The cost of both parts, once there are two. */
  #bothCost: (() => number | undefined) | undefined;

  constructor(request: ChatRequest, format: CallerFormat) {
    this.#format = format;
    this.#isPlain = isPlain(request);
    this.format = {
      ...format,
      createStreamWriter: (envelope, asked, toCost) => {
        this.#toCost = toCost;
        const cost: ToCost = (usage, tier) =>
          this.#bothCost === undefined ? toCost(usage, tier) : this.#bothCost();
        return this.#writer = new RecordingWriter(format.createStreamWriter(envelope, asked, cost));
      },
    };
  }

  /** The text so far; undefined if the answer is not plain text, has ended, or is too long. */
  get text(): string | undefined {
    const text = this.#isPlain ? this.#writer?.text : undefined;
    return text === undefined || text.trim() === "" ? undefined : text;
  }

  /**
   * The format of the second part, whose events follow those of the first.
   *
   * @param used the billed usage of the first part
   * @param repeats whether the second part repeats the end of the first
   */
  resume(used: Usage | undefined, repeats: boolean): CallerFormat {
    const { text = "" } = this;
    const tier = this.#writer?.serviceTier;
    return {
      ...this.#format,
      createStreamWriter: (envelope, asked, toCost) => {
        const inner = this.#writer ?? this.#format.createStreamWriter(envelope, asked, toCost);
        const resumed = new ResumedWriter(inner, { text, repeats, used });
        this.#bothCost = () => {
          const first = used === undefined ? 0 : this.#toCost(used, tier);
          const second = resumed.usage && toCost(resumed.usage, resumed.serviceTier);
          return first === undefined || second === undefined ? undefined : first + second;
        };
        return resumed;
      },
    };
  }
}

/** Stores the text of a stream. */
class RecordingWriter implements StreamWriter {
  readonly isRepeatable = false;
  readonly #writer: StreamWriter;
  readonly #text = new RecordedText();

  constructor(writer: StreamWriter) {
    this.#writer = writer;
  }

  get started() {
    return this.#writer.started;
  }

  get complete() {
    return this.#writer.complete;
  }

  get usage() {
    return this.#writer.usage;
  }

  get serviceTier() {
    return this.#writer.serviceTier;
  }

  get summary() {
    return this.#writer.summary;
  }

  get details() {
    return this.#writer.details;
  }

  get maxLength() {
    return this.#writer.maxLength;
  }

  /** Undefined once there is content other than text. */
  get text(): string | undefined {
    return this.#text.text;
  }

  write(chunk: ChunkBody): string {
    if (this.#text.isPlain) this.#record(chunk);
    return this.#writer.write(chunk);
  }

  end(): string {
    return this.#writer.end();
  }

  #record({ choices }: ChunkBody): void {
    for (const { index, delta, finish_reason } of choices) {
      const { role: _, content, refusal, reasoning_content: __, ...others } = delta;
      const isText = index === 0 && !finish_reason && !refusal &&
        Object.values(others).every(isEmpty);
      if (!isText) return this.#text.drop();
      this.#text.add(content ?? "");
    }
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === "" ||
    Array.isArray(value) && value.length === 0;
}

/** The events of one attempt, and those that may follow. */
export class NativeStream implements ResumableStream {
  readonly #parts: NativeStreamParts;

  constructor(parts: NativeStreamParts) {
    this.#parts = parts;
  }

  get text(): string | undefined {
    const { record: { text }, isPlain } = this.#parts;
    return text === undefined || text.trim() === "" || !isPlain() ? undefined : text;
  }

  resume(used: Usage | undefined, repeats: boolean): CallerFormat {
    const { createWriter, format, record: { text = "" } } = this.#parts;
    return {
      ...format,
      createStreamWriter: () => new ResumedWriter(createWriter(), { text, repeats, used }),
    };
  }
}
