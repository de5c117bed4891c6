/** Cuts a stream of server-sent events apart, and finds the events that need no parser. */

import { FastLane } from "./fast_lane.ts";
import { createSseParser, type Frame, refuseOver } from "./framing.ts";

/** An event as it came, and the frames it holds: one, or none for a comment. */
export interface Event {
  readonly text: string;
  readonly frames: readonly Frame[];
}

const BLANK_LINE = "\n\n";

/**
 * Cuts server-sent events apart and sends each down the fast lane if it fits,
 * else the long way. A stream with carriage returns is left to the parser.
 */
export class EventReader {
  readonly #text = new TextDecoder();
  readonly #parser = createSseParser();
  readonly #lane = new FastLane();
  readonly #pushEvent: (event: Event, lane: FastLane) => string;
  /** The beginning of an event whose end has not come yet. */
  #tail = "";
  #whole = true;
  /** What the parser was given since its last event. */
  #loose = 0;

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
      refuseOver(this.#tail.length);
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
    const frames = this.#parser.feed(whole);
    this.#loose = frames.length > 0 ? 0 : this.#loose + whole.length;
    refuseOver(this.#loose);
    return this.#pushEvent({ text: "", frames }, this.#lane);
  }
}

/** How much of `text` belongs to events that are complete, or 0. */
function endOfEvents(tail: string, text: string): number {
  const end = text.lastIndexOf(BLANK_LINE);
  if (end !== -1) return end + BLANK_LINE.length;
  return text.startsWith("\n") && tail.endsWith("\n") ? 1 : 0;
}
