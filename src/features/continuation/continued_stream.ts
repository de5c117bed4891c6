/**
 * The continuation feature, and its stream in two parts: when the first part breaks, it waits for
 * the second one.
 */

import type { Clock } from "../../core/clock.ts";
import { ERROR_KINDS, type FailureClass, type GatewayError } from "../../core/errors.ts";
import type { AnswerFold, OpenStream } from "../../streaming/fold.ts";
import type { Packets } from "../../upstream/read_response.ts";
import type { Feature, RequestFeature } from "../../gateway/feature.ts";
import type { CutStream } from "../../gateway/feature_attempts.ts";
import type { FallbackTarget } from "../../config/config.ts";

/** Opens the second part after a failure; undefined if there is none. */
export type OpenNext = (failure: GatewayError) => Promise<OpenStream> | undefined;

/**
 * Reads both parts as one stream. If the second one cannot be opened, the first part's failure is
 * reported.
 */
class ContinuedStream implements OpenStream, AnswerFold, Packets {
  readonly fold = this;
  readonly packets = this;
  readonly started = true;
  readonly first: Uint8Array<ArrayBuffer>;
  ended = false;
  failure: GatewayError | undefined;
  readonly #openNext: OpenNext;
  #part: OpenStream;
  #hasContinued = false;
  /** Resolves when the second part is open, or cannot be opened. */
  #opening: Promise<void> | undefined;
  /** The events read while opening the second part. */
  #opened: Uint8Array<ArrayBuffer> | undefined;
  #isClosed = false;

  constructor(first: OpenStream, openNext: OpenNext) {
    this.#part = first;
    this.first = first.first;
    this.#openNext = openNext;
    this.#check();
  }

  get usage() {
    return this.#part.fold.usage;
  }

  get serviceTier() {
    return this.#part.fold.serviceTier;
  }

  get summary() {
    return this.#part.fold.summary;
  }

  get outputChars() {
    return this.#part.fold.outputChars;
  }

  get onWritten() {
    return this.#part.fold.onWritten;
  }

  set onWritten(run) {
    this.#part.fold.onWritten = run;
  }

  push(bytes: Uint8Array): string | Uint8Array {
    if (bytes === this.#opened) {
      this.#opened = undefined;
      this.#check();
      return bytes;
    }
    const output = this.#part.fold.push(bytes);
    this.#check();
    return output;
  }

  end(): string {
    const output = this.#part.fold.end();
    this.#check();
    return output;
  }

  fail(error: GatewayError): void {
    this.#part.fold.fail(error);
    this.#check();
  }

  next(): Promise<Uint8Array | undefined> {
    return this.#part.packets.next();
  }

  take(): Uint8Array | null | undefined {
    if (this.#opening !== undefined) return undefined;
    return this.#opened ?? this.#part.packets.take();
  }

  arrival(): Promise<void> {
    return this.#opening ?? this.#part.packets.arrival();
  }

  close(): void {
    this.#isClosed = true;
    this.#part.packets.close();
  }

  finish(clock: Clock): Promise<void> {
    return this.#part.packets.finish(clock);
  }

  /** Begins the second part if the first one has failed. */
  #check(): void {
    const { fold, packets } = this.#part;
    if (!fold.ended || this.#opened !== undefined) return;
    const { failure } = fold;
    if (failure !== undefined && !this.#hasContinued) {
      this.#hasContinued = true;
      const opening = this.#openNext(failure);
      if (opening !== undefined) {
        packets.close();
        this.#opening = this.#open(opening, failure);
        return;
      }
    }
    this.ended = true;
    this.failure = failure;
  }

  async #open(opening: Promise<OpenStream>, failure: GatewayError): Promise<void> {
    try {
      this.#part = await opening;
      this.#opened = this.#part.first;
      if (this.#isClosed) this.#part.packets.close();
    } catch {
      // The failure of the second part is logged, as for every attempt.
      this.ended = true;
      this.failure = failure;
    }
    this.#opening = undefined;
  }
}

/** Continues streams, if their model's policy enables it. */
export const continuation: Feature = {
  name: "continuation",
  plan({ policy }) {
    if (policy.on_stream_failure !== "continue") return undefined;
    return { start: ({ stream }) => stream ? CONTINUING : undefined };
  },
};

const CONTINUING: RequestFeature = {
  continueStream: (cut) => new ContinuedStream(cut.stream, (failure) => openNext(failure, cut)),
  explain: () => ({ on_stream_failure: "continue" }),
};

/** The failures after which another target continues; a rejected request is not continued. */
const CONTINUED: ReadonlySet<FailureClass | null> = new Set<FailureClass | null>([
  "rate_limited",
  "quota",
  "unavailable",
  "timeout",
]);

/** A comment that marks the position in the stream; clients ignore it. */
const MARK = new TextEncoder().encode(": continued by another target\n\n");

function openNext(failure: GatewayError, cut: CutStream): Promise<OpenStream> | undefined {
  const others = cut.untried().filter((entry) => isAfter(failure, entry));
  if (others.length === 0 || !cut.isPossible) return undefined;
  return cut.ask(failure, others).then(({ fold, packets, first }) => {
    cut.notes.add("continued");
    const marked = new Uint8Array(MARK.length + first.length);
    marked.set(MARK);
    marked.set(first, MARK.length);
    return { fold, packets, first: marked };
  });
}

function isAfter({ kind }: GatewayError, { onFailures }: FallbackTarget): boolean {
  const { failureClass } = ERROR_KINDS[kind];
  return failureClass !== null && CONTINUED.has(failureClass) && onFailures.has(failureClass);
}
