/**
 * Streams that another target can continue, converted or native, and the request that continues
 * them. The written text is stored.
 */

import type { CallerFormat, StreamWriter, ToCost } from "../../../apis/chat/caller_format.ts";
import type { ChatRequest, ChunkBody, Message, Usage } from "../../../contract/chat.ts";
import { RecordedText, type StreamRecord } from "../../../apis/stream_record.ts";
import { endOf, ResumedWriter } from "./resumed_writer.ts";
import type {
  Operation,
  PrepareContext,
  PreparedAttempt,
  StreamContinuation,
} from "../../operation.ts";
import { tokensOfChars } from "../../../apis/chat/token_estimate.ts";
import type { Target } from "../../../config/config.ts";
import type { FeaturedChat } from "../../request_features.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";

/** The first part of a stream. */
export interface ResumableStream {
  /** The text so far; undefined if it cannot be continued. */
  readonly text: string | undefined;
  /**
   * The format of the second part, whose events follow those of the first.
   *
   * @param used the billed usage of the first part
   * @param repeats whether the second part repeats the end of the first
   */
  resume(used: Usage | undefined, repeats: boolean): CallerFormat;
}

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
      createStreamWriter: (envelope, original, toCost) => {
        this.#toCost = toCost;
        const cost: ToCost = (usage, tier) =>
          this.#bothCost === undefined ? toCost(usage, tier) : this.#bothCost();
        return this.#writer = new RecordingWriter(
          format.createStreamWriter(envelope, original, cost),
        );
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
      createStreamWriter: (envelope, original, toCost) => {
        const inner = this.#writer ?? this.#format.createStreamWriter(envelope, original, toCost);
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

/** The request of a stream as a chat. */
export interface ContinuedRequest {
  /**
   * The chat for a target.
   *
   * @throws {GatewayError} for a request that cannot be converted.
   */
  chat(target: Target, changes: RequestChanges): FeaturedChat | Promise<FeaturedChat>;
  /** Creates the chat operation of a parsed request. */
  create(chat: FeaturedChat, format: CallerFormat): Operation;
}

/** Continues the stream of one attempt. */
export class ChatContinuation implements StreamContinuation {
  readonly #request: ContinuedRequest;
  readonly #stream: ResumableStream;

  constructor(request: ContinuedRequest, stream: ResumableStream) {
    this.#request = request;
    this.#stream = stream;
  }

  get isPossible(): boolean {
    return this.#stream.text !== undefined;
  }

  createOperation(used: Usage | undefined): Operation {
    const { text = "" } = this.#stream;
    return {
      name: "chat",
      // The times and the length of a continuation are not representative of the target.
      isUntimed: true,
      prepare: (target, context) => this.#prepare(target, context, text, used),
    };
  }

  async #prepare(
    target: Target,
    context: PrepareContext,
    text: string,
    used: Usage | undefined,
  ): Promise<PreparedAttempt> {
    const { provider: { adapter }, model } = target;
    const prefills = adapter.prefills?.(model) === true;
    const own = await this.#request.chat(target, context.changes);
    const chat = await own.changed((request) =>
      withLimit(withText(request, text, prefills), text, context.changes)
    );
    const format = this.#stream.resume(used, !prefills);
    return await this.#request.create(chat, format).prepare(target, context);
  }
}

/** The request with the answer so far, and an instruction to continue it. */
function withText(request: ChatRequest, text: string, prefills: boolean): ChatRequest {
  const added: readonly Message[] = prefills
    // Vendors refuse space at the end of a prefilled answer.
    ? [{ role: "assistant", content: text.trimEnd() }]
    : [{ role: "assistant", content: text }, { role: "user", content: toInstruction(text) }];
  return { ...request, messages: [...request.messages, ...added] };
}

function toInstruction(text: string): string {
  return "Your last message was cut off. Write the rest of it. Begin by repeating exactly the " +
    "text between the tags <end> and </end>, which is the end of that message, and go on from " +
    `there. Write no tags and no other words before it.\n<end>${endOf(text)}</end>`;
}

/** The caller's output limit minus the output so far. */
function withLimit(request: ChatRequest, text: string, changes: RequestChanges): ChatRequest {
  const written = tokensOfChars(text.length);
  const limits: { max_tokens?: number; max_completion_tokens?: number } = {};
  for (const name of ["max_tokens", "max_completion_tokens"] as const) {
    const limit = request[name];
    if (typeof limit !== "number") continue;
    limits[name] = Math.max(1, limit - written);
    changes.convert(name, limit, limits[name]);
  }
  return { ...request, ...limits };
}
