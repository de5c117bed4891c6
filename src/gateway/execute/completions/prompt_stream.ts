/** Joins the streams of several prompts: each begins when the client has read the previous one. */

import { Buffer } from "node:buffer";
import type { Clock } from "../../../core/clock.ts";
import { type GatewayError, toGatewayError } from "../../../core/errors.ts";
import type { Deadline } from "../../deadline.ts";
import type { AnswerFold, OpenStream } from "../../../streaming/fold.ts";
import type { Packets } from "../../../upstream/read_response.ts";
import { AttemptState, type Used } from "../../attempt_state.ts";
import { addUsed, NOT_USED, usedBy } from "../../attempt_usage.ts";
import type { AttemptResult, PreparedAttempt } from "../../operation.ts";
import type { RequestRecord } from "../../request_record.ts";
import { execute } from "../../send_repaired.ts";
import type { VendorSession } from "../../vendor_session.ts";

/** The inputs of the stream. */
interface PromptStreamParts {
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
  /** The opened streams; the last one is being read. */
  readonly #streams: OpenStream[];
  #stream: OpenStream;
  /** Resolves when the next stream is open, or cannot be opened. */
  #opening: Promise<void> | undefined;
  /** The events read while opening it. */
  #opened: Uint8Array<ArrayBuffer> | undefined;
  /** The remainders of complete streams, which are read so that their connections can be reused. */
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

/** The request for one prompt. */
export interface PromptRequest {
  readonly prepared: PreparedAttempt;
  /** The tokens of the prompt, for an estimate. */
  readonly input: () => number;
}

/** A sent request. Each has separate state, so that each is billed. */
interface SentRequest {
  readonly state: AttemptState;
  readonly input: () => number;
  isWaiting: boolean;
  /** For streams only. */
  fold: AnswerFold | undefined;
}

/** Sends the requests, and adds up what they use. */
export class PromptRequests {
  readonly #requests: readonly PromptRequest[];
  readonly #session: VendorSession;
  readonly #record: RequestRecord;
  readonly #sent: SentRequest[] = [];

  constructor(
    requests: readonly PromptRequest[],
    session: VendorSession,
    record: RequestRecord,
  ) {
    this.#requests = requests;
    this.#session = session;
    this.#record = record;
  }

  /** Whether all requests were sent. */
  get isOver(): boolean {
    return this.#sent.length === this.#requests.length;
  }

  /**
   * Sends the next request and reads its answer; of a stream, up to its first event.
   *
   * @throws {GatewayError} the vendor's error, or the reason why there is no answer.
   */
  async send(): Promise<AttemptResult> {
    const { attempt, deadline, deps: { clock }, target } = this.#session;
    const request = this.#requests[this.#sent.length];
    if (request === undefined) throw new TypeError("All prompts have been sent");
    const { prepared, input } = request;
    const state = new AttemptState(target, attempt.format, clock, attempt.changes);
    const sent: SentRequest = { state, input, isWaiting: true, fold: undefined };
    this.#sent.push(sent);
    try {
      const session = this.#session.forRequest(prepared.adapter, state);
      const result = await execute(prepared, session);
      state.hasAnswered = true;
      if (result.type === "stream") sent.fold = result.stream.fold;
      else state.report(result.usage);
      return result;
    } catch (thrown) {
      state.cut(thrown, deadline.signal.aborted, clock.now());
      throw thrown;
    } finally {
      sent.isWaiting = false;
      this.#report(state);
    }
  }

  /** The usage so far, with estimates for what the vendor does not report. */
  get used(): Used {
    return this.#sent.map((sent) => this.#usedBy(sent)).reduce(addUsed, NOT_USED);
  }

  /** Called when reading stops: the attempt is billed for the usage so far. */
  settle(): void {
    const { usage, source } = this.used;
    const { attempt } = this.#session;
    attempt.report(usage);
    attempt.isPartial = source === "estimated";
  }

  /** Adds the data of all requests to the attempt, for the log and the caller. */
  #report(state: AttemptState): void {
    const { attempt } = this.#session;
    const isFirst = this.#sent.length === 1;
    // The first request of the attempt is counted when it begins.
    attempt.requests += isFirst ? state.requests : state.requests + 1;
    attempt.headers = state.headers;
    attempt.upstreamRequestId = state.upstreamRequestId;
    attempt.isAccepted ||= state.isAccepted;
    if (isFirst) attempt.sentAt = state.sentAt;
    if (state.corrections) (attempt.corrections ??= []).push(...state.corrections);
    if (state.resent) (attempt.resent ??= []).push(...state.resent);
  }

  #usedBy({ state, input, isWaiting, fold }: SentRequest): Used {
    if (isWaiting) state.cut(undefined, true, this.#session.deps.clock.now());
    if (fold !== undefined) {
      state.report(fold.usage);
      state.outputChars = fold.outputChars;
      const isCut = !fold.ended || fold.failure !== undefined;
      // A vendor reports the final usage with the finish reason.
      state.isPartial = isCut && fold.summary.finishReasons.length === 0;
    }
    const { bodyBytes, forecast } = this.#record;
    const output: NonNullable<typeof forecast>["output"] = (target) =>
      Math.ceil((forecast?.output(target) ?? 0) / this.#requests.length);
    return usedBy(state, { bodyBytes, forecast: { input, output } });
  }
}
