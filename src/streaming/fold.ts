/**
 * The stream of one answer: packets of bytes are framed, decoded and written
 * in one synchronous fold, so that each network read becomes one write.
 */

import type { StreamWriter } from "../chat/caller_format.ts";
import type { GatewayError } from "../core/errors.ts";
import { type Event, EventReader } from "./event_splitter.ts";
import type { FastLane } from "./sse_template_cache.ts";
import { createFrameReader, type FrameReader } from "./frame_readers.ts";
import type { Frame, Framing } from "../providers/contract/frames.ts";
import type { Step, StreamDecoder } from "../providers/contract/adapter.ts";
import type { Packets } from "../upstream/transport.ts";

/** What the fold needs; `toError` turns a vendor's verdict into what the caller may see. */
export interface FoldParts {
  readonly framing: Framing;
  readonly decoder: StreamDecoder;
  readonly writer: StreamWriter;
  readonly toError: (verdict: NonNullable<Step["failure"]>) => GatewayError;
  /**
   * After how many events that it would fit the short cut is learned: to learn costs
   * more than a few are worth. Infinity for never, which the short cut is compared with.
   */
  readonly learnsAfter?: number;
}

const FEW = 4;

/** Bytes in, events out. Once it has ended it takes nothing more. */
export class StreamFold {
  /** True once the answer is complete or has failed. */
  ended = false;
  /** Why the answer ended early. */
  failure: GatewayError | undefined;
  /** Told of all that is written, where somebody wants to know. */
  onWritten: ((output: string | Uint8Array) => void) | undefined;
  readonly #parts: FoldParts;
  readonly #reader: FrameReader | EventReader;
  readonly #learnsAfter: number;
  /** How many events took the long way that would fit. */
  #plain = 0;

  constructor(parts: FoldParts) {
    this.#parts = parts;
    this.#learnsAfter = parts.learnsAfter ?? FEW;
    this.#reader = parts.framing === "sse" && this.#learnsAfter !== Infinity
      ? new EventReader((event, lane) => this.#pushEvent(event, lane))
      : createFrameReader(parts.framing);
  }

  /** True once there is more to show than a role. */
  get started(): boolean {
    return this.#parts.writer.started;
  }

  get usage(): StreamWriter["usage"] {
    return this.#parts.writer.usage;
  }

  get summary(): StreamWriter["summary"] {
    return this.#parts.writer.summary;
  }

  /** The events that these bytes complete: as text, or as bytes that are good until the next push of any fold. */
  push(bytes: Uint8Array): string | Uint8Array {
    const output = this.#reader instanceof EventReader
      ? this.#reader.push(bytes)
      : this.#pushFrames(this.#reader.push(bytes));
    this.onWritten?.(output);
    return output;
  }

  /** The vendor closed the connection: the last events, or a failure if the answer was cut. */
  end(): string {
    let text = this.#pushFrames(this.#reader.end().filter(isWhole));
    if (!this.ended) text += this.#apply(this.#parts.decoder.end());
    if (!this.ended) text += this.#finish();
    this.onWritten?.(text);
    return text;
  }

  /** Ends the answer for a reason of ours. */
  fail(error: GatewayError): void {
    this.ended = true;
    this.failure = error;
  }

  #pushFrames(frames: readonly Frame[]): string {
    let text = "";
    for (const frame of frames) {
      if (this.ended) break;
      text += this.#apply(this.#parts.decoder.push(frame));
    }
    return text;
  }

  /** One event of the long way, from which the lane may learn the short one. */
  #pushEvent(event: Event, lane: FastLane): string {
    const [frame, ...others] = event.frames;
    if (frame === undefined || this.ended) return "";
    const step = this.#parts.decoder.push(frame);
    const text = this.#apply(step);
    lane.forget();
    if (step.plain !== undefined && others.length === 0 && this.#plain++ >= this.#learnsAfter) {
      lane.learn(event.text, text, step.plain);
    }
    return text + this.#pushFrames(others);
  }

  #apply(step: Step): string {
    let text = "";
    for (const chunk of step.chunks) text += this.#parts.writer.write(chunk);
    if (step.failure !== undefined) this.fail(this.#parts.toError(step.failure));
    else if (step.done) text += this.#finish();
    return text;
  }

  #finish(): string {
    const { writer, toError } = this.#parts;
    this.ended = true;
    if (writer.complete) return writer.end();
    this.failure = toError({
      kind: "upstream_error",
      message: writer.started
        ? "The provider's stream ended before the answer was complete"
        : "The provider's stream held no answer",
    });
    return "";
  }
}

/** An event that breaks off is not malformed: the rest of it has not come. */
function isWhole({ data }: Frame): boolean {
  try {
    return data === "[DONE]" || JSON.parse(data) !== undefined;
  } catch {
    return false;
  }
}

/** An answer that has begun: what is to be written first, and where the rest comes from. */
export interface OpenStream {
  readonly fold: StreamFold;
  readonly packets: Packets;
  /** Events of the packets that were read to see the first one. */
  readonly first: Uint8Array<ArrayBuffer>;
}
