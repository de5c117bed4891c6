/** Bytes to frames, whatever way the network cut them. */

import { createParser } from "eventsource-parser";
import { GatewayError } from "./errors.ts";

/** How a vendor frames its stream. */
export type Framing = "sse" | "ndjson";

/** The longest message, in UTF-16 units: a vendor that never ends one must not fill the memory. */
const LONGEST = 16 * 1024 * 1024;

/** @throws {GatewayError} `upstream_error` for a message that is too long. */
export function refuseOver(length: number): void {
  if (length <= LONGEST) return;
  throw new GatewayError("upstream_error", "The provider sent an event over 16 MiB");
}

/** One message of a stream. */
export interface Frame {
  /** The event's name, where the framing has one. */
  readonly event?: string | undefined;
  /** The text of the message, usually JSON. */
  readonly data: string;
}

/** Collects bytes and gives back each frame as soon as its last byte is there. */
export interface FrameReader {
  push(bytes: Uint8Array): readonly Frame[];
  /** The stream ended: gives the last frame if its terminator was missing. */
  end(): readonly Frame[];
}

export function createFrameReader(framing: Framing): FrameReader {
  switch (framing) {
    case "sse":
      return createSseReader();
    case "ndjson":
      return createLineReader();
  }
}

function createSseReader(): FrameReader {
  const text = new TextDecoder();
  const parser = createSseParser();
  return {
    push: (bytes) => parser.feed(text.decode(bytes, { stream: true })),
    end: () => parser.end(text.decode()),
  };
}

/** Server-sent events as text; `end` takes the last of it. */
export interface SseParser {
  feed(text: string): readonly Frame[];
  end(text: string): readonly Frame[];
}

/**
 * Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 * The parser drops a last event that has no blank line behind it; vendors that
 * close early send just that, so `end` supplies one. JSON that stands bare at
 * the end of the stream, which the parser skips, becomes the last frame: that
 * is how Google breaks off (https://github.com/vercel/ai/issues/5217, 2025).
 */
export function createSseParser(): SseParser {
  let frames: Frame[] = [];
  let tail = "";
  const parser = createParser({
    onEvent: (event) => frames.push({ event: event.event, data: event.data }),
  });
  const feed = (text: string): readonly Frame[] => {
    tail = (tail + text).slice(-MAX_BARE);
    parser.feed(text);
    const taken = frames;
    frames = [];
    return taken;
  };
  return { feed, end: (text) => [...feed(text + "\n\n"), ...readBare(tail)] };
}

/** Enough for an error, in UTF-16 units. */
const MAX_BARE = 8192;

/** The JSON behind the last line of an event, if there is any. */
function readBare(tail: string): Frame[] {
  const rest = tail.slice(tail.lastIndexOf("\ndata:") + 1);
  const start = rest.search(/^[[{]/m);
  if (start < 0) return [];
  const data = rest.slice(start).trim();
  try {
    JSON.parse(data);
    return [{ data }];
  } catch {
    return [];
  }
}

/** One JSON value a line. */
function createLineReader(): FrameReader {
  const text = new TextDecoder();
  let rest = "";
  const take = (input: string): readonly Frame[] => {
    const lines = (rest + input).split("\n");
    rest = lines.pop() ?? "";
    refuseOver(rest.length);
    return lines.filter((line) => line.trim() !== "").map((data) => ({ data }));
  };
  return {
    push: (bytes) => take(text.decode(bytes, { stream: true })),
    end: () => take(text.decode() + "\n"),
  };
}
