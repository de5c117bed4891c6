/** Native events that are skipped: what is read from the others, and from the last one, is the same. */

import { assertEquals, assertStrictEquals } from "@std/assert";
import { Bytes } from "../../../src/core/bytes.ts";
import { EventShape, nativeAnswers } from "../../../src/apis/gemini/native_answers.ts";
import { NativeFold } from "../../../src/streaming/native_fold.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import type { NativeStreamReader } from "../../../src/apis/native_answers.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface EventOptions {
  readonly index?: number;
  readonly finishReason?: string;
  readonly thought?: boolean;
}

/** An event as the vendor sends it. */
function candidate(
  text: string,
  tokens: number,
  { index = 0, ...rest }: EventOptions = {},
): string {
  const { thought, finishReason } = rest;
  return JSON.stringify({
    candidates: [{ content: { parts: [{ text, thought }], role: "model" }, finishReason, index }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: tokens },
    modelVersion: "gemini-3-flash",
    responseId: "r1",
  });
}

/** Reads a stream that is cut at a position; `isRead` reads each event. */
function read(text: string, cut: number, isRead = false) {
  let skipped = 0;
  const reader: NativeStreamReader = nativeAnswers.createReader();
  const { skip } = reader;
  Object.assign(reader, {
    skip: isRead ? undefined : (bytes: Uint8Array, start: number) => {
      const end = skip?.call(reader, bytes, start) ?? start;
      skipped += end - start;
      return end;
    },
  });
  const fold = new NativeFold({
    framing: "sse",
    reader,
    toError: (body) => new GatewayError("upstream_error", JSON.stringify(body)),
    toEndError: ({ kind, message = "" }) => new GatewayError(kind, message),
  });
  const bytes = encoder.encode(text);
  let output = "";
  for (const packet of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
    // The bytes are valid during the call only.
    const copy = packet.slice();
    const part = fold.push(copy);
    output += typeof part === "string" ? part : decoder.decode(part);
    copy.fill(0);
  }
  output += fold.end();
  const { complete, usage, summary, outputChars } = reader;
  const failure = fold.failure?.message;
  return { skipped, result: { output, complete, usage, summary, outputChars, failure } };
}

const STREAMS: Readonly<Record<string, readonly string[]>> = {
  "texts": [
    ...["a", "b", "a longer text", ""].map((text, index) => candidate(text, 9 + index * 95)),
    candidate("", 500, { finishReason: "STOP" }),
  ],
  "texts and thoughts": [
    ...[1, 2, 3].map((tokens) => candidate("t", tokens, { thought: true })),
    ...[10, 11, 12].map((tokens) => candidate("x", tokens)),
    candidate("", 13, { finishReason: "MAX_TOKENS" }),
  ],
  "two candidates": [
    ...[0, 1, 0, 1, 0, 0, 0].map((index) => candidate("t", 3, { index })),
    candidate("", 3, { finishReason: "STOP" }),
    candidate("", 4, { index: 1, finishReason: "STOP" }),
  ],
  "an end without counts": [
    ...["a", "b", "c", "d"].map((text, index) => candidate(text, index)),
    '{"candidates":[{"finishReason":"STOP","index":0}]}',
  ],
  "a text that looks like an end": [
    candidate("a", 1),
    candidate("b", 2),
    candidate('","finishReason":"STOP"', 3),
    candidate("data: {}", 4),
    candidate("c", 5, { finishReason: "SAFETY" }),
  ],
  "an error": [
    ...["a", "b", "c"].map((text, index) => candidate(text, index)),
    '{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}',
  ],
  "no end": ["a", "b", "c"].map((text, index) => candidate(text, index)),
};

for (const [name, events] of Object.entries(STREAMS)) {
  for (const [lines, end] of [["CRLF", "\r\n\r\n"], ["LF", "\n\n"]] as const) {
    Deno.test(`skipped events change nothing that is read: ${name}, ${lines}`, () => {
      const text = events.map((event) => `data: ${event}${end}`).join("");
      const { result: expected } = read(text, 0, true);
      let skipped = 0;
      for (let cut = 0; cut <= text.length; cut++) {
        const { result, skipped: bytes } = read(text, cut);
        // Escaped characters of skipped texts count as they are written.
        assertEquals({ ...result, outputChars: 0 }, { ...expected, outputChars: 0 });
        skipped = Math.max(skipped, bytes);
      }
      assertEquals(skipped > 0, true);
    });
  }
}

const EVENT = `data: ${candidate("text", 12)}\r\n\r\n`;

Deno.test("a shape matches other texts and counts", () => {
  const shape = EventShape.of(encoder.encode(EVENT));
  const others = ["", "é 💥", '\\"quoted\\" \\\\', "x".repeat(1000)];
  for (const text of others) {
    const other = encoder.encode(EVENT.replace('text"}', `${text}"}`).replace(":12}", ":1234}"));
    const before = encoder.encode("data: x\n\n");
    const bytes = new Uint8Array([...before, ...other, ...before]);
    assertEquals(shape?.match(new Bytes(bytes), before.length), before.length + other.length);
    assertEquals(shape?.textBytes, encoder.encode(text).length);
    assertEquals(shape?.lastData, candidate("", 1234));
    // An event that is not complete.
    for (let length = 0; length < other.length; length++) {
      assertStrictEquals(shape?.match(new Bytes(other.subarray(0, length)), 0), -1);
    }
  }
});

Deno.test("a shape matches no event with another meaning", () => {
  const shape = EventShape.of(encoder.encode(EVENT));
  const others = [
    EVENT.replace('"index":0', '"index":1'),
    EVENT.replace('"role":"model"', '"role":"user"'),
    EVENT.replace('"index":0', '"finishReason":"STOP","index":0'),
    EVENT.replace('"r1"', '"rx"'),
    EVENT.replace(":12}", ":-12}"),
    EVENT.replace("data:", "date:"),
    // The line ends within the text, so that the next one is another event.
    EVENT.replace('text"}', 'te\n\ndata: {"error":{}}\n\n"}'),
    EVENT.replace('text"}', 'te\r\n"}'),
    EVENT.replace("\r\n\r\n", "\r\ndata: x\r\n\r\n"),
    `id: 1\n${EVENT}`,
  ];
  for (const other of others) {
    assertStrictEquals(shape?.match(new Bytes(encoder.encode(other)), 0), -1, other);
  }
});

Deno.test("an event has no shape without one line, a text, and counts behind it", () => {
  const others = [
    `id: 1\r\n${EVENT}`,
    EVENT.replace("\r\n\r\n", "\r\ndata: \r\n\r\n"),
    'data: {"usageMetadata":{},"candidates":[{"content":{"parts":[{"text":"a"}]}}]}\n\n',
    'data: {"candidates":[{"content":{"parts":[{"text":1}]}}],"usageMetadata":{}}\n\n',
    'data: {"candidates":[]}\n\n',
    'data: {"text":"a","usageMetadata":{}}',
  ];
  for (const other of others) {
    assertStrictEquals(EventShape.of(encoder.encode(other)), undefined, other);
  }
});
