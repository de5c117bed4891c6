/** Splits a stream of server-sent events, and finds the events that match the learned template. */

import { Bytes, Output } from "../core/bytes.ts";
import { SseTemplateCache } from "./sse_template_cache.ts";
import { createSseParser, refuseOver } from "./frame_readers.ts";
import { PartialFrame } from "./partial_frame.ts";
import type { Frame } from "../contract/stream_decoder.ts";

/** The text of an event and its frames: one, or none for a comment. */
export interface SseEvent {
  readonly text: string;
  readonly frames: readonly Frame[];
}

const LF = 10;
const CR = 13;

/**
 * All streams share one buffer: the output of a packet is copied before the next packet is read.
 */
const output = new Output();

/**
 * Splits server-sent events. An event that matches the template is written from it; any other is
 * parsed. A stream with carriage returns is parsed as a whole, without the template cache.
 */
export class EventReader {
  readonly #text = new TextDecoder();
  readonly #parser = createSseParser();
  readonly #templates = new SseTemplateCache();
  readonly #pushEvent: (event: SseEvent, templates: SseTemplateCache) => string;
  /** The start of an incomplete event. */
  readonly #partial = new PartialFrame();
  /** True when the whole stream is parsed, without the template cache. */
  #parserOnly = false;
  /** The number of UTF-16 units passed to the parser since its last event. */
  #charsSinceEvent = 0;

  /** The text length in bytes of all events that matched a template. */
  get matchedBytes(): number {
    return this.#templates.matchedBytes;
  }

  constructor(pushEvent: (event: SseEvent, templates: SseTemplateCache) => string) {
    this.#pushEvent = pushEvent;
  }

  /** Returns the output for these bytes, which is valid until the next call on any reader. */
  push(packet: Uint8Array): string | Uint8Array {
    if (this.#parserOnly) return this.#pushToParser(packet);
    output.clear();
    let rest = packet;
    if (this.#partial.length > 0) {
      const end = this.#partial.endsWith(LF) && packet[0] === LF ? 1 : endOfEvent(packet, 0);
      if (end === 0) return this.#keep(packet);
      this.#partial.add(packet.subarray(0, end));
      const event = this.#partial.take();
      if (this.#pushEvents(event)) output.add(event);
      rest = packet.subarray(end);
    }
    const end = endOfEvents(rest);
    const events = rest.subarray(0, end);
    const passThrough = this.#pushEvents(events);
    const text = end < rest.length ? this.#keep(rest.subarray(end)) : "";
    if (passThrough && output.length === 0 && text === "") return events;
    if (passThrough) output.add(events);
    if (text !== "") output.addText(text);
    return output.bytes;
  }

  end(): readonly Frame[] {
    return this.#parser.end(this.#text.decode(this.#partial.take()));
  }

  /**
   * Stores bytes that do not complete an event, and returns the output for them. The output is
   * empty unless the bytes contain carriage returns, which require the parser.
   */
  #keep(bytes: Uint8Array): string {
    this.#partial.add(bytes);
    refuseOver(this.#partial.length);
    if (!bytes.includes(CR)) return "";
    this.#parserOnly = true;
    return this.#pushToParser(this.#partial.take());
  }

  /**
   * Returns true if all events can be forwarded unchanged; nothing is then written to the output.
   */
  #pushEvents(events: Uint8Array): boolean {
    const bytes = new Bytes(events);
    let at = 0;
    // The start of a run of events that are forwarded unchanged and copied together.
    let run = 0;
    const templates = this.#templates;
    while (at < events.length) {
      const end = templates.fits(bytes, at);
      if (end !== -1) {
        if (!templates.transparent) {
          templates.write(bytes, output);
          run = end;
        }
        at = end;
        continue;
      }
      templates.endChunk(output);
      output.addSlice(events, run, at);
      // An extra blank line at the end does not end an event.
      const next = endOfEvent(events, at) || events.length;
      const text = utf8.decode(events.subarray(at, next));
      output.addText(this.#pushEvent({ text, frames: this.#parser.feed(text) }, templates));
      at = run = next;
    }
    if (run === 0) return true;
    templates.endChunk(output);
    output.addSlice(events, run, events.length);
    return false;
  }

  #pushToParser(packet: Uint8Array): string {
    const text = this.#text.decode(packet, { stream: true });
    const frames = this.#parser.feed(text);
    this.#charsSinceEvent = frames.length > 0 ? 0 : this.#charsSinceEvent + text.length;
    refuseOver(this.#charsSinceEvent);
    return this.#pushEvent({ text: "", frames }, this.#templates);
  }
}

/** The length of the complete events at the start of the bytes; 0 for none. */
function endOfEvents(bytes: Uint8Array): number {
  for (let at = bytes.lastIndexOf(LF); at > 0; at = bytes.lastIndexOf(LF, at - 1)) {
    if (bytes[at - 1] === LF) return at + 1;
  }
  return 0;
}

/** The end of the event that begins at `start`, including its blank line; 0 if it is incomplete. */
export function endOfEvent(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(LF, start); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    const next = bytes[at + 1];
    if (next === LF) return at + 2;
    if (next === CR && bytes[at + 2] === LF) return at + 3;
  }
  return 0;
}

const utf8 = new TextDecoder();
