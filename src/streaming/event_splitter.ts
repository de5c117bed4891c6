/** Cuts a stream of server-sent events apart, and finds the events that need no parser. */

import { Bytes, FastLane, Output } from "./sse_template_cache.ts";
import { createSseParser, refuseOver } from "./frame_readers.ts";
import type { Frame } from "../providers/contract/frames.ts";

/** An event as it came, and the frames it holds: one, or none for a comment. */
export interface Event {
  readonly text: string;
  readonly frames: readonly Frame[];
}

const LF = 10;
const CR = 13;

/** One serves every stream: what a packet became is taken before the next one comes. */
const output = new Output();

/**
 * Cuts server-sent events apart and sends each down the fast lane if it fits,
 * else the long way. A stream whose lines end in carriage returns is left to the parser.
 */
export class EventReader {
  readonly #text = new TextDecoder();
  readonly #parser = createSseParser();
  readonly #lane = new FastLane();
  readonly #pushEvent: (event: Event, lane: FastLane) => string;
  /** The beginning of an event whose end has not come yet. */
  readonly #tail = new Tail();
  /** True when everything is left to the parser. */
  #loosened = false;
  /** What the parser was given since its last event. */
  #loose = 0;

  constructor(pushEvent: (event: Event, lane: FastLane) => string) {
    this.#pushEvent = pushEvent;
  }

  /** What is written for these bytes. Bytes are good until the next call, of any reader. */
  push(packet: Uint8Array): string | Uint8Array {
    if (this.#loosened) return this.#pushLoose(packet);
    output.clear();
    let rest = packet;
    if (this.#tail.length > 0) {
      const end = this.#tail.endsLine && packet[0] === LF ? 1 : endOfEvent(packet, 0);
      if (end === 0) return this.#keep(packet);
      this.#tail.add(packet.subarray(0, end));
      const event = this.#tail.take();
      if (this.#pushEvents(event)) output.add(event);
      rest = packet.subarray(end);
    }
    const end = endOfEvents(rest);
    const events = rest.subarray(0, end);
    const through = this.#pushEvents(events);
    const text = end < rest.length ? this.#keep(rest.subarray(end)) : "";
    if (through && output.length === 0 && text === "") return events;
    if (through) output.add(events);
    output.addText(text);
    return output.bytes;
  }

  end(): readonly Frame[] {
    return this.#parser.end(this.#text.decode(this.#tail.take()));
  }

  /**
   * Keeps bytes in which no event ends, and gives what is written for them:
   * nothing, unless carriage returns hide the ends.
   */
  #keep(bytes: Uint8Array): string {
    this.#tail.add(bytes);
    refuseOver(this.#tail.length);
    if (!bytes.includes(CR)) return "";
    this.#loosened = true;
    return this.#pushLoose(this.#tail.take());
  }

  /** True when all of them go through as they came, and were not written. */
  #pushEvents(events: Uint8Array): boolean {
    const bytes = new Bytes(events);
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
      // Behind one blank line too many there is no end of an event.
      const next = endOfEvent(events, at) || events.length;
      const text = utf8.decode(events.subarray(at, next));
      output.addText(this.#pushEvent({ text, frames: this.#parser.feed(text) }, this.#lane));
      at = run = next;
    }
    if (run === 0) return true;
    output.addSlice(events, run, events.length);
    return false;
  }

  #pushLoose(packet: Uint8Array): string {
    const text = this.#text.decode(packet, { stream: true });
    const frames = this.#parser.feed(text);
    this.#loose = frames.length > 0 ? 0 : this.#loose + text.length;
    refuseOver(this.#loose);
    return this.#pushEvent({ text: "", frames }, this.#lane);
  }
}

/** Bytes that are kept from one packet to the next, in memory of their own. */
class Tail {
  length = 0;
  #bytes = new Uint8Array(0);

  get endsLine(): boolean {
    return this.#bytes[this.length - 1] === LF;
  }

  add(part: Uint8Array): void {
    const length = this.length + part.length;
    if (length > this.#bytes.length) {
      // Twice as much as is needed, so that a long event is not copied for each packet.
      const grown = new Uint8Array(2 * length);
      grown.set(this.#bytes.subarray(0, this.length));
      this.#bytes = grown;
    }
    this.#bytes.set(part, this.length);
    this.length = length;
  }

  /** All of it, until something is added again. */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.length);
    this.length = 0;
    return bytes;
  }
}

/** How much of the bytes belongs to events that are complete, or 0. */
function endOfEvents(bytes: Uint8Array): number {
  for (let at = bytes.lastIndexOf(LF); at > 0; at = bytes.lastIndexOf(LF, at - 1)) {
    if (bytes[at - 1] === LF) return at + 1;
  }
  return 0;
}

/** Where the event that begins at `start` ends, its blank line included, or 0. */
function endOfEvent(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(LF, start); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
  }
  return 0;
}

const utf8 = new TextDecoder();
