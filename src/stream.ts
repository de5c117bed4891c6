/**
 * The stream of one answer: packets of bytes are framed, decoded and written
 * in one synchronous fold, so that each network read becomes one write.
 */

import type { Clock } from "./clock.ts";
import type { ChunkWriter } from "./envelope.ts";
import type { GatewayError } from "./errors.ts";
import { FastLane } from "./fast_lane.ts";
import {
  createFrameReader,
  createSseParser,
  type Frame,
  type FrameReader,
  type Framing,
} from "./framing.ts";
import type { Step, StreamDecoder } from "./providers/adapter.ts";
import type { Packets } from "./upstream.ts";

/** What the fold needs; `toError` turns a vendor's verdict into what the caller may see. */
export interface FoldParts {
  readonly framing: Framing;
  readonly decoder: StreamDecoder;
  readonly writer: ChunkWriter;
  readonly toError: (verdict: NonNullable<Step["failure"]>) => GatewayError;
  /** False to take the long way for every event: what the short cut is compared with. */
  readonly fast?: boolean;
}

/** Bytes in, events out. Once it has ended it takes nothing more. */
export class StreamFold {
  /** True once the answer is complete or has failed. */
  ended = false;
  /** Why the answer ended early. */
  failure: GatewayError | undefined;
  readonly #parts: FoldParts;
  readonly #reader: FrameReader | EventReader;

  constructor(parts: FoldParts) {
    this.#parts = parts;
    this.#reader = parts.framing === "sse" && (parts.fast ?? true)
      ? new EventReader((event, lane) => this.#pushEvent(event, lane))
      : createFrameReader(parts.framing);
  }

  /** True once there is more to show than a role. */
  get started(): boolean {
    return this.#parts.writer.started;
  }

  get usage(): ChunkWriter["usage"] {
    return this.#parts.writer.usage;
  }

  /** The events that these bytes complete: as text, or as they came where nothing changes. */
  push(bytes: Uint8Array): string | Uint8Array {
    if (this.#reader instanceof EventReader) return this.#reader.push(bytes);
    return this.#pushFrames(this.#reader.push(bytes));
  }

  /** The vendor closed the connection: the last events, or a failure if the answer was cut. */
  end(): string {
    let text = this.#pushFrames(this.#reader.end().filter(isWhole));
    if (!this.ended) text += this.#apply(this.#parts.decoder.end());
    if (!this.ended) text += this.#finish();
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
    if (step.plain !== undefined && others.length === 0) lane.learn(event.text, text, step.plain);
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

/** An event as it came, and the frames it holds: one, or none for a comment. */
interface Event {
  readonly text: string;
  readonly frames: readonly Frame[];
}

const BLANK_LINE = "\n\n";

/**
 * Cuts server-sent events apart and sends each down the fast lane if it fits,
 * else the long way. A stream with carriage returns is left to the parser.
 */
class EventReader {
  readonly #text = new TextDecoder();
  readonly #parser = createSseParser();
  readonly #lane = new FastLane();
  readonly #pushEvent: (event: Event, lane: FastLane) => string;
  /** The beginning of an event whose end has not come yet. */
  #tail = "";
  #whole = true;

  constructor(pushEvent: (event: Event, lane: FastLane) => string) {
    this.#pushEvent = pushEvent;
  }

  push(bytes: Uint8Array): string | Uint8Array {
    const text = this.#text.decode(bytes, { stream: true });
    if (this.#whole && text.includes("\r")) this.#whole = false;
    if (!this.#whole) return this.#pushLoose(text);
    const end = endOfEvents(this.#tail, text);
    if (end === 0) {
      this.#tail += text;
      return "";
    }
    const fresh = this.#tail === "";
    const events = this.#tail + text.slice(0, end);
    this.#tail = text.slice(end);
    const written = this.#pushEvents(events);
    return fresh && written === text ? bytes : written;
  }

  end(): readonly Frame[] {
    return this.#parser.end(this.#tail + this.#text.decode());
  }

  #pushEvents(events: string): string {
    let written = "";
    let at = 0;
    // Events that go through as they came are taken in one piece.
    let run = 0;
    while (at < events.length) {
      const end = this.#lane.fits(events, at);
      if (end !== -1) {
        if (!this.#lane.transparent) {
          written += this.#lane.write(events, at, end);
          run = end;
        }
        at = end;
        continue;
      }
      written += events.slice(run, at);
      const next = events.indexOf(BLANK_LINE, at) + BLANK_LINE.length;
      const text = events.slice(at, next);
      written += this.#pushEvent({ text, frames: this.#parser.feed(text) }, this.#lane);
      at = run = next;
    }
    return run === 0 ? events : written + events.slice(run);
  }

  #pushLoose(text: string): string {
    const whole = this.#tail + text;
    this.#tail = "";
    return this.#pushEvent({ text: "", frames: this.#parser.feed(whole) }, this.#lane);
  }
}

/** How much of `text` belongs to events that are complete, or 0. */
function endOfEvents(tail: string, text: string): number {
  const end = text.lastIndexOf(BLANK_LINE);
  if (end !== -1) return end + BLANK_LINE.length;
  return text.startsWith("\n") && tail.endsWith("\n") ? 1 : 0;
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
  readonly clock: Clock;
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
  stream: OpenStream,
  observer: StreamObserver,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pump = new Pump(stream, observer);
  return new ReadableStream({
    // One loop that waits only when the queue is full costs less per event
    // than a promise made for each pull.
    start: (controller) => void pump.run(controller),
    pull: () => pump.resume(),
    cancel: () => pump.stop(),
  });
}

/** Moves packets from the vendor to the caller until either has had enough. */
class Pump {
  readonly #stream: OpenStream;
  readonly #observer: StreamObserver;
  #over = false;
  #resume: (() => void) | undefined;

  constructor(stream: OpenStream, observer: StreamObserver) {
    this.#stream = stream;
    this.#observer = observer;
  }

  async run(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    const { fold, first } = this.#stream;
    if (first !== "") controller.enqueue(encoder.encode(first));
    while (!fold.ended && !this.#over) {
      if ((controller.desiredSize ?? 0) <= 0) await this.#room();
      else {
        const output = await this.#read();
        if (output.length > 0 && !this.#over) controller.enqueue(toBytes(output));
      }
    }
    if (this.#over) return;
    const { failure } = fold;
    if (failure !== undefined) controller.enqueue(encoder.encode(toErrorEvent(failure)));
    controller.close();
    this.#over = true;
    this.#observer.onEnd(fold, false);
    if (failure === undefined) await this.#stream.packets.finish(this.#observer.clock);
    else this.#stream.packets.close();
  }

  /** The caller has taken what was written. */
  resume(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  /** The caller has left. */
  stop(): void {
    if (this.#over) return;
    this.#over = true;
    this.#stream.packets.close();
    this.#observer.onEnd(this.#stream.fold, true);
    this.resume();
  }

  #room(): Promise<void> {
    return new Promise((resolve) => this.#resume = resolve);
  }

  async #read(): Promise<string | Uint8Array> {
    const { fold, packets } = this.#stream;
    try {
      const packet = await packets.next();
      if (packet === undefined) return fold.end();
      this.#observer.onPacket();
      return fold.push(packet);
    } catch (thrown) {
      fold.fail(this.#observer.onReadError(thrown));
      return "";
    }
  }
}

function toBytes(output: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof output === "string" ? encoder.encode(output) : output as Uint8Array<ArrayBuffer>;
}

function toErrorEvent(error: GatewayError): string {
  return `data: ${JSON.stringify(error.toBody())}\n\n`;
}
