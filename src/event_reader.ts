/** Cuts a stream of server-sent events apart, and finds the events that need no parser. */

import { Bytes, FastLane, Output } from "./fast_lane.ts";
import { createSseParser, type Frame, refuseOver } from "./framing.ts";

/** An event as it came, and the frames it holds: one, or none for a comment. */
export interface Event {
  readonly text: string;
  readonly frames: readonly Frame[];
}

const LF = 10;
const CR = 13;
const NOTHING = new Uint8Array(0);

/** One serves every stream: what a packet became is taken before the next one comes. */
const output = new Output();

/**
 * Cuts server-sent events apart and sends each down the fast lane if it fits,
 * else the long way. A stream with carriage returns is left to the parser.
 */
export class EventReader {
  readonly #text = new TextDecoder();
  readonly #parser = createSseParser();
  readonly #lane = new FastLane();
  readonly #pushEvent: (event: Event, lane: FastLane) => string;
  /** The beginning of an event whose end has not come yet: the first `#held` bytes. */
  #tail = NOTHING;
  #held = 0;
  #whole = true;
  /** What the parser was given since its last event. */
  #loose = 0;

  constructor(pushEvent: (event: Event, lane: FastLane) => string) {
    this.#pushEvent = pushEvent;
  }

  /** What is written for these bytes. Bytes are good until the next call, of any reader. */
  push(packet: Uint8Array): string | Uint8Array {
    if (!this.#whole) return this.#pushLoose(packet);
    const known = this.#held;
    const bytes = this.#taken(packet);
    if (packet.includes(CR)) {
      this.#whole = false;
      this.#held = 0;
      return this.#pushLoose(bytes);
    }
    const end = endOfEvents(bytes, known);
    this.#keep(bytes, end);
    if (end > 0) return this.#pushEvents(bytes.subarray(0, end));
    refuseOver(this.#held);
    return "";
  }

  end(): readonly Frame[] {
    return this.#parser.end(this.#text.decode(this.#tail.subarray(0, this.#held)));
  }

  /** What was kept, and these bytes behind it. */
  #taken(fresh: Uint8Array): Uint8Array {
    if (this.#held === 0) return fresh;
    const length = this.#held + fresh.length;
    if (length > this.#tail.length) {
      // Twice as much as is needed, so that a long event is not copied for each packet.
      const grown = new Uint8Array(2 * length);
      grown.set(this.#tail.subarray(0, this.#held));
      this.#tail = grown;
    }
    this.#tail.set(fresh, this.#held);
    this.#held = length;
    return this.#tail.subarray(0, length);
  }

  /** Keeps what comes after `end`, in memory of our own: that of the packet is used again. */
  #keep(bytes: Uint8Array, end: number): void {
    if (end === 0 && this.#held > 0) return;
    this.#held = bytes.length - end;
    this.#tail = this.#held === 0 ? NOTHING : bytes.slice(end);
  }

  #pushEvents(events: Uint8Array): Uint8Array {
    const bytes = new Bytes(events);
    output.clear();
    let at = 0;
    // Events that go through as they came are taken in one piece.
    let run = 0;
    while (at < events.length) {
      const end = this.#lane.fits(bytes, at);
      if (end !== -1) {
        if (!this.#lane.transparent) {
          this.#lane.write(bytes, output);
          run = end;
        }
        at = end;
        continue;
      }
      output.addSlice(events, run, at);
      const next = endOfEvent(events, at);
      const text = utf8.decode(events.subarray(at, next));
      output.addText(this.#pushEvent({ text, frames: this.#parser.feed(text) }, this.#lane));
      at = run = next;
    }
    if (run === 0) return events;
    output.addSlice(events, run, events.length);
    return output.bytes;
  }

  #pushLoose(packet: Uint8Array): string {
    const text = this.#text.decode(packet, { stream: true });
    const frames = this.#parser.feed(text);
    this.#loose = frames.length > 0 ? 0 : this.#loose + text.length;
    refuseOver(this.#loose);
    return this.#pushEvent({ text: "", frames }, this.#lane);
  }
}

/**
 * How much of the bytes belongs to events that are complete, or 0.
 *
 * @param known in the first so many bytes no event ends
 */
function endOfEvents(bytes: Uint8Array, known: number): number {
  for (let at = bytes.lastIndexOf(LF); at >= known && at > 0; at = bytes.lastIndexOf(LF, at - 1)) {
    if (bytes[at - 1] === LF) return at + 1;
  }
  return 0;
}

/** Where the event that begins at `start` ends, its blank line included. */
function endOfEvent(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(LF, start); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
  }
  return bytes.length;
}

const utf8 = new TextDecoder();
