/** The stream of a native API: every cut of the bytes gives the same events, and errors never pass. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { GatewayError } from "../../src/core/errors.ts";
import type { Frame, Framing } from "../../src/contract/stream_decoder.ts";
import { skipAlike } from "../../src/apis/stream_record.ts";
import type { NativeStreamReader } from "../../src/apis/native_answers.ts";
import { NativeFold } from "../../src/streaming/native_fold.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Reads events named `delta`, `error` and `stop`. */
class TestReader implements NativeStreamReader {
  started = false;
  complete = false;
  usage = undefined;
  outputChars = 0;
  summary = { id: "", model: "", finishReasons: [] };
  readonly events: string[] = [];

  push({ event = "", data }: Frame): { readonly error: unknown } | undefined {
    this.events.push(`${event} ${data}`);
    if (event === "delta") this.started = true;
    if (event === "stop") this.complete = true;
    return event === "error" ? { error: JSON.parse(data) } : undefined;
  }
}

function createFold(framing: Framing = "sse", skippedStart?: Uint8Array) {
  const reader = new TestReader();
  if (skippedStart !== undefined) {
    const skip = (bytes: Uint8Array, start: number) => skipAlike(bytes, start, skippedStart);
    Object.assign(reader, { skip });
  }
  const fold = new NativeFold({
    framing,
    reader,
    toError: (body) => new GatewayError("upstream_error", JSON.stringify(body)),
    toEndError: ({ kind, message = "" }) => new GatewayError(kind, message),
  });
  return { fold, reader };
}

function textOf(output: string | Uint8Array): string {
  return typeof output === "string" ? output : decoder.decode(output);
}

const START = 'event: start\ndata: {"a":1}\n\n';
const DELTA = ': a comment\nevent: delta\ndata: {"é":"日本"}\n\n';
const STOP = "event: stop\ndata: {}\n\n";
const WHOLE = START + DELTA + DELTA + STOP;

Deno.test("events pass unchanged, wherever the bytes are cut", () => {
  const bytes = encoder.encode(WHOLE);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const { fold, reader } = createFold();
    // A copy of each output: it is valid until the next push.
    const output = textOf(fold.push(bytes.subarray(0, cut))) +
      textOf(fold.push(bytes.subarray(cut)));
    assertEquals(output, WHOLE);
    assertEquals([fold.ended, fold.failure, fold.started], [true, undefined, true]);
    assertEquals(reader.events.length, 4);
  }
});

Deno.test("events pass byte by byte, each as soon as it is complete", () => {
  const { fold } = createFold();
  const outputs: string[] = [];
  for (const byte of encoder.encode(WHOLE)) {
    const output = textOf(fold.push(Uint8Array.of(byte)));
    if (output !== "") outputs.push(output);
  }
  assertEquals(outputs, [START, DELTA, DELTA, STOP]);
});

Deno.test("lines that end in carriage returns alone are written with line feeds", () => {
  // The second one begins like a stream whose lines end in both.
  for (const whole of [WHOLE, START.replaceAll("\n", "\r\n") + DELTA + DELTA + STOP]) {
    const bytes = encoder.encode(whole.replaceAll(/\r?\n/g, (end) => end === "\n" ? "\r" : end));
    for (let cut = 0; cut <= bytes.length; cut++) {
      const { fold, reader } = createFold();
      const output = textOf(fold.push(bytes.subarray(0, cut))) +
        textOf(fold.push(bytes.subarray(cut))) + fold.end();
      assertEquals(output.replaceAll("\r\n", "\n"), WHOLE.replaceAll(": a comment\n", ""));
      assertEquals(reader.events.length, 4);
    }
  }
});

Deno.test("lines that end in a carriage return and a line feed pass unchanged", () => {
  const whole = WHOLE.replaceAll("\n", "\r\n");
  const mixed = START.replaceAll("\n", "\r\n") + DELTA + DELTA.replace("\n\n", "\r\n\n") +
    STOP.replace("\n\n", "\n\r\n");
  for (const text of [whole, mixed]) {
    const bytes = encoder.encode(text);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const { fold, reader } = createFold();
      const output = textOf(fold.push(bytes.subarray(0, cut))) +
        textOf(fold.push(bytes.subarray(cut)));
      assertEquals(output, text);
      assertEquals([fold.ended, fold.failure, reader.events.length], [true, undefined, 4]);
    }
  }
  const { fold } = createFold();
  const outputs = [...encoder.encode(whole)].map((byte) => textOf(fold.push(Uint8Array.of(byte))));
  assertEquals(
    outputs.filter((output) => output !== ""),
    [START, DELTA, DELTA, STOP].map((event) => event.replaceAll("\n", "\r\n")),
  );
});

Deno.test("an error event does not pass, and nothing after it", () => {
  const { fold } = createFold();
  const error = 'event: error\ndata: {"message":"overloaded"}\n\n';
  assertEquals(textOf(fold.push(encoder.encode(START + DELTA + error + DELTA))), START + DELTA);
  assertStringIncludes(fold.failure?.message ?? "", "overloaded");
  assertEquals(textOf(fold.push(encoder.encode(DELTA))), "");
  assertEquals(fold.end(), "");
});

Deno.test("a stream that ends before its last event has failed", () => {
  const { fold } = createFold();
  assertEquals(textOf(fold.push(encoder.encode(START + DELTA + "event: del"))), START + DELTA);
  assertEquals(fold.end(), "");
  assertStringIncludes(fold.failure?.message ?? "", "ended before the answer was complete");
});

Deno.test("a last event without a blank line passes", () => {
  const { fold } = createFold();
  fold.push(encoder.encode(START + DELTA + STOP.trimEnd()));
  assertEquals(fold.end(), STOP);
  assertEquals([fold.ended, fold.failure], [true, undefined]);
});

Deno.test("nothing after the last event passes", () => {
  const { fold } = createFold();
  assertEquals(textOf(fold.push(encoder.encode(WHOLE + DELTA))), WHOLE);
});

Deno.test("a long event in many packets is copied in linear time", () => {
  const { fold } = createFold();
  const packet = encoder.encode("x".repeat(1000));
  fold.push(encoder.encode('event: delta\ndata: "'));
  let written = 0;
  for (let index = 0; index < 8000; index++) written += fold.push(packet).length;
  assertEquals(written, 0);
  assertEquals(fold.push(encoder.encode('"\n\n')).length, 8_000_000 + 23);
});

Deno.test("events that need not be read pass unchanged, wherever the bytes are cut", () => {
  const skipped = 'event: delta\ndata: {"é":"日本"}\n\n';
  // More lines than the data alone: such an event is read.
  const read = [
    'event: delta\ndata: {"a":1}\nevent: error\n\n',
    'event: delta\ndata: {"a":1}\ndata: \n\n',
  ];
  for (const [index, other] of read.entries()) {
    const whole = START + skipped + skipped + other + skipped + STOP;
    const bytes = encoder.encode(whole);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const { fold, reader } = createFold("sse", encoder.encode("event: delta\ndata: "));
      const output = textOf(fold.push(bytes.subarray(0, cut))) +
        textOf(fold.push(bytes.subarray(cut)));
      if (index === 0) {
        assertEquals(output, START + skipped + skipped);
        assertEquals(fold.failure?.message, '{"a":1}');
        continue;
      }
      assertEquals(output, whole);
      assertEquals(
        reader.events,
        ['start {"a":1}', 'delta {"é":"日本"}', 'delta {"a":1}\n', "stop {}"],
      );
      assertEquals([fold.ended, fold.failure], [true, undefined]);
    }
  }
});
