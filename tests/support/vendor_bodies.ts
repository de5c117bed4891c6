/** The parsed output of a vendor in a case: an answer, or the events of a stream. */

import type { Framing } from "../../src/contract/stream_decoder.ts";
import { createFrameReader } from "../../src/streaming/frame_readers.ts";
import type { Fixture } from "./fixtures.ts";

const FRAMINGS = new Map<string, Framing>([
  ["text/event-stream", "sse"],
  ["application/x-ndjson", "ndjson"],
  ["application/vnd.amazon.eventstream", "aws-event-stream"],
]);

/** The JSON of a case; other content is omitted. */
export function decodeFrames({ upstream }: Fixture): unknown[] {
  if (upstream.type === "answer") return [upstream.body];
  const reader = createFrameReader(FRAMINGS.get(upstream.contentType) ?? "sse");
  try {
    return [...reader.push(upstream.bytes), ...reader.end()].flatMap(({ data }) => {
      try {
        return [JSON.parse(data)];
      } catch {
        return [];
      }
    });
  } catch {
    // A stream with deliberately invalid framing.
    return [];
  }
}
