/**
 * The stream of one answer: packets of bytes are framed, decoded and written
 * in one synchronous fold, so that each network read becomes one write.
 */

import type { GatewayError } from "./errors.ts";
import type { ChunkWriter } from "./envelope.ts";
import type { FrameReader } from "./framing.ts";
import type { Step, StreamDecoder } from "./providers/adapter.ts";
import type { Packets } from "./upstream.ts";

/** What the fold needs; `toError` turns a vendor's verdict into what the caller may see. */
export interface FoldParts {
  readonly frames: FrameReader;
  readonly decoder: StreamDecoder;
  readonly writer: ChunkWriter;
  readonly toError: (verdict: NonNullable<Step["failure"]>) => GatewayError;
}

/** Bytes in, events out. Once it has ended it takes nothing more. */
export class StreamFold {
  /** True once the answer is complete or has failed. */
  ended = false;
  /** Why the answer ended early. */
  failure: GatewayError | undefined;
  readonly #parts: FoldParts;

  constructor(parts: FoldParts) {
    this.#parts = parts;
  }

  /** True once there is more to show than a role. */
  get started(): boolean {
    return this.#parts.writer.started;
  }

  get usage(): ChunkWriter["usage"] {
    return this.#parts.writer.usage;
  }

  /** The events that these bytes complete, as text. */
  push(bytes: Uint8Array): string {
    let text = "";
    for (const frame of this.#parts.frames.push(bytes)) {
      if (this.ended) break;
      text += this.#apply(this.#parts.decoder.push(frame));
    }
    return text;
  }

  /** The vendor closed the connection: the last events, or a failure if the answer was cut. */
  end(): string {
    let text = "";
    for (const frame of this.#parts.frames.end()) {
      if (!this.ended) text += this.#apply(this.#parts.decoder.push(frame));
    }
    if (!this.ended) text += this.#apply(this.#parts.decoder.end());
    if (!this.ended) text += this.#finish();
    return text;
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

  /** Ends the answer for a reason of ours. */
  fail(error: GatewayError): void {
    this.ended = true;
    this.failure = error;
  }
}

/** An answer that has begun: what is to be written first, and where the rest comes from. */
export interface OpenStream {
  readonly fold: StreamFold;
  readonly packets: Packets;
  /** Events of the packets that were read to see the first one. */
  readonly first: string;
}

/** What the loop tells whoever keeps the books. */
export interface StreamObserver {
  /** A packet has come from the vendor. */
  onPacket(): void;
  /** A packet could not be read: what the caller is to be told. */
  onReadError(thrown: unknown): GatewayError;
  /** The stream is over, however it ended. Called once. */
  onEnd(fold: StreamFold, cancelled: boolean): void;
}

const encoder = new TextEncoder();

/** The body of a streamed answer. The caller's pace is the vendor's pace. */
export function toBody(
  { fold, packets, first }: OpenStream,
  observer: StreamObserver,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let over = false;
  const finish = (cancelled: boolean) => {
    if (over) return;
    over = true;
    packets.close();
    observer.onEnd(fold, cancelled);
  };
  return new ReadableStream({
    start(controller) {
      if (first !== "") controller.enqueue(encoder.encode(first));
    },
    async pull(controller) {
      let text = "";
      while (text === "" && !fold.ended) text = await readOnce(fold, packets, observer);
      if (fold.failure !== undefined) text += toErrorEvent(fold.failure);
      if (text !== "" && !over) controller.enqueue(encoder.encode(text));
      if (fold.ended && !over) {
        finish(false);
        controller.close();
      }
    },
    cancel() {
      finish(true);
    },
  });
}

async function readOnce(
  fold: StreamFold,
  packets: Packets,
  observer: StreamObserver,
): Promise<string> {
  try {
    const packet = await packets.next();
    if (packet === undefined) return fold.end();
    observer.onPacket();
    return fold.push(packet);
  } catch (thrown) {
    fold.fail(observer.onReadError(thrown));
    return "";
  }
}

function toErrorEvent(error: GatewayError): string {
  return `data: ${JSON.stringify(error.toBody())}\n\n`;
}
