/** The streams of several prompts as one: each begins when the client has read the one before. */

import { Buffer } from "node:buffer";
import type { Clock } from "../../core/clock.ts";
import { type GatewayError, toGatewayError } from "../../core/errors.ts";
import type { Deadline } from "../../routing/deadline.ts";
import type { AnswerFold, OpenStream } from "../../streaming/fold.ts";
import type { Packets } from "../../upstream/read_response.ts";
import type { PromptRequests } from "./prompt_requests.ts";

/** What the stream is made from. */
export interface PromptStreamParts {
  readonly requests: PromptRequests;
  readonly deadline: Deadline;
  readonly clock: Clock;
  /** The last events, after those of all prompts. */
  readonly writeEnd: (model: string) => string;
}

/** Reads one stream after the other. A failure of any ends all. */
export class PromptStream implements OpenStream, AnswerFold, Packets {
  readonly fold = this;
  readonly packets = this;
  readonly started = true;
  readonly first: Uint8Array<ArrayBuffer>;
  ended = false;
  failure: GatewayError | undefined;
  onWritten: AnswerFold["onWritten"];
  readonly #parts: PromptStreamParts;
  /** The streams that were opened; the last one is read. */
  readonly #streams: OpenStream[];
  #stream: OpenStream;
  /** Resolves when the next stream is open, or cannot be opened. */
  #opening: Promise<void> | undefined;
  /** The events that were read to open it. */
  #opened: Uint8Array<ArrayBuffer> | undefined;
  /** The ends of complete streams, which are read so that their connections can serve again. */
  readonly #finishing: Promise<void>[] = [];

  constructor(first: OpenStream, parts: PromptStreamParts) {
    this.#streams = [first];
    this.#stream = first;
    this.#parts = parts;
    this.first = first.first;
    this.#check();
  }

  get usage(): AnswerFold["usage"] {
    return this.#parts.requests.used.usage;
  }

  get serviceTier(): string | undefined {
    return this.#stream.fold.serviceTier;
  }

  get summary(): AnswerFold["summary"] {
    const finishReasons = this.#streams.flatMap(({ fold }) => fold.summary.finishReasons);
    return { ...this.#stream.fold.summary, finishReasons };
  }

  get outputChars(): number {
    return this.#streams.reduce((sum, { fold }) => sum + fold.outputChars, 0);
  }

  push(bytes: Uint8Array): string | Uint8Array {
    const isOpened = bytes === this.#opened;
    if (isOpened) this.#opened = undefined;
    return this.#written(isOpened ? bytes : this.#stream.fold.push(bytes));
  }

  end(): string {
    return this.#written(this.#stream.fold.end());
  }

  fail(error: GatewayError): void {
    this.#stream.fold.fail(error);
    this.#check();
  }

  async next(): Promise<Uint8Array | undefined> {
    for (let packet = this.take();; packet = this.take()) {
      if (packet !== undefined) return packet ?? undefined;
      await this.arrival();
    }
  }

  take(): Uint8Array | null | undefined {
    if (this.ended) return null;
    if (this.#opening === undefined && this.#opened === undefined && this.#stream.fold.ended) {
      this.#opening = this.#openNext();
    }
    return this.#opening === undefined ? this.#opened ?? this.#stream.packets.take() : undefined;
  }

  arrival(): Promise<void> {
    return this.#opening ?? this.#stream.packets.arrival();
  }

  close(): void {
    if (!this.ended) this.#parts.requests.settle();
    if (this.#opening !== undefined) this.#parts.deadline.leave();
    this.#stream.packets.close();
  }

  async finish(clock: Clock): Promise<void> {
    await Promise.all([...this.#finishing, this.#stream.packets.finish(clock)]);
  }

  /** Adds the end of the answer to the last events. */
  #written<Output extends string | Uint8Array>(events: Output): Output;
  #written(events: string | Uint8Array): string | Uint8Array {
    this.#check();
    let output = events;
    if (this.ended && this.failure === undefined) {
      const end = this.#parts.writeEnd(this.summary.model);
      output = typeof events === "string"
        ? events + end
        : Buffer.concat([events, Buffer.from(end)]);
    }
    this.onWritten?.(output);
    return output;
  }

  /** Ends the answer after the last stream, or after a failure. */
  #check(): void {
    const { ended, failure } = this.#stream.fold;
    if (!ended || this.#opened !== undefined) return;
    if (failure === undefined && !this.#parts.requests.isOver) return;
    this.#stop(failure);
  }

  #stop(failure: GatewayError | undefined): void {
    this.ended = true;
    this.failure = failure;
    this.#parts.requests.settle();
  }

  async #openNext(): Promise<void> {
    const { clock, deadline, requests } = this.#parts;
    this.#finishing.push(this.#stream.packets.finish(clock));
    deadline.beginsAgain();
    try {
      const result = await requests.send();
      if (result.type !== "stream") throw new TypeError("The answer to a prompt is no stream");
      this.#stream = result.stream;
      this.#streams.push(result.stream);
      this.#opened = result.stream.first;
    } catch (thrown) {
      this.#stop(toGatewayError(thrown));
    }
    this.#opening = undefined;
  }
}
