/** The frames of WebSockets (RFC 6455), cut at every byte. */

import { assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import {
  FrameError,
  FrameReader,
  MessageParts,
  OPCODES,
  writeClose,
  writeFrame,
} from "../../../src/process/listener/web_socket_frames.ts";

const encoder = new TextEncoder();
const MASK = [0x37, 0xfa, 0x21, 0x3d];

interface FrameOptions {
  readonly isLast?: boolean;
  readonly isMasked?: boolean;
  readonly reserved?: number;
}

/** A frame as a client sends it. */
function frame(
  opcode: number,
  content: string | Uint8Array = "",
  { isLast = true, isMasked = true, reserved = 0 }: FrameOptions = {},
): Uint8Array {
  const payload = typeof content === "string" ? encoder.encode(content) : content;
  const written = writeFrame(opcode, payload);
  const size = written.length - payload.length;
  const head = Uint8Array.from(written.subarray(0, size));
  head[0] = (isLast ? 0x80 : 0) | reserved | opcode;
  if (!isMasked) return Buffer.concat([head, payload]);
  head[1] = (head[1] as number) | 0x80;
  const masked = payload.map((byte, index) => byte ^ (MASK[index & 3] as number));
  return Buffer.concat([head, Uint8Array.from(MASK), masked]);
}

function read(
  bytes: Uint8Array,
  { step = bytes.length, limit = Infinity }: { step?: number; limit?: number } = {},
): readonly unknown[] {
  const seen: unknown[] = [];
  let grown = 0;
  const reader = new FrameReader({
    grow: (more) => (grown += more) <= limit,
    message: (data) => {
      grown = 0;
      seen.push(data instanceof Uint8Array ? [...data] : data);
    },
    ping: (payload) => seen.push(`ping ${new TextDecoder().decode(payload)}`),
    close: (code) => seen.push(`close ${code}`),
  });
  for (let at = 0; at < bytes.length; at += step) reader.push(bytes.subarray(at, at + step));
  assertEquals(reader.isWithin, false);
  return seen;
}

Deno.test("messages, fragments and control frames are read, cut at every byte", () => {
  const long = "é".repeat(200);
  const longer = "x".repeat(70_000);
  const bytes = Buffer.concat([
    frame(OPCODES.text, "Hello"),
    frame(OPCODES.text),
    frame(OPCODES.text, "one ", { isLast: false }),
    frame(OPCODES.ping, "still there?"),
    frame(OPCODES.continuation, "two ", { isLast: false }),
    frame(OPCODES.continuation, "three"),
    frame(OPCODES.text, long),
    frame(OPCODES.bytes, new Uint8Array([1, 2])),
    frame(OPCODES.pong, "yes"),
    frame(OPCODES.ping, "x".repeat(125)),
    frame(OPCODES.text, longer),
    frame(OPCODES.close, new Uint8Array([0x03, 0xe8])),
    frame(OPCODES.close),
  ]);
  const expected = [
    ...["Hello", "", "ping still there?", "one two three", long, [1, 2]],
    ...[`ping ${"x".repeat(125)}`, longer],
    ...["close 1000", "close undefined"],
  ];
  for (const step of [bytes.length, 1, 2, 3, 5, 7, 13, 1000]) {
    assertEquals(read(bytes, { step }), expected, `step ${step}`);
  }
});

Deno.test("a character that is cut between fragments is one character", () => {
  const [first, second] = encoder.encode("é");
  const bytes = Buffer.concat([
    frame(OPCODES.text, new Uint8Array([first as number]), { isLast: false }),
    frame(OPCODES.continuation, new Uint8Array([second as number])),
  ]);
  assertEquals(read(bytes), ["é"]);
});

Deno.test("the rest of a message that may not grow is dropped, and the next one is read", () => {
  const bytes = Buffer.concat([
    frame(OPCODES.text, "x".repeat(60), { isLast: false }),
    frame(OPCODES.continuation, "x".repeat(60), { isLast: false }),
    frame(OPCODES.continuation, "x"),
    frame(OPCODES.text, "x".repeat(101)),
    frame(OPCODES.text, "Hello"),
  ]);
  for (const step of [bytes.length, 1, 50]) {
    assertEquals(read(bytes, { step, limit: 100 }), [undefined, undefined, "Hello"]);
  }
});

Deno.test("a message that never ends holds no more than it may", () => {
  let dropped = 0;
  const reader = new FrameReader({
    grow: () => ++dropped < 3,
    message() {},
    ping() {},
    close() {},
  });
  reader.push(frame(OPCODES.text, "x", { isLast: false }));
  for (let count = 0; count < 1000; count++) {
    reader.push(frame(OPCODES.continuation, "x".repeat(1000), { isLast: false }));
  }
  assertEquals(dropped, 3, "what is dropped asks for no space");
  assertEquals(reader.isWithin, true);
});

for (
  const [name, bytes, code] of [
    ["without a mask", frame(OPCODES.text, "Hi", { isMasked: false }), 1002],
    ["without a mask, of a control frame", frame(OPCODES.ping, "", { isMasked: false }), 1002],
    ["with a reserved bit", frame(OPCODES.text, "Hi", { reserved: 0x40 }), 1002],
    ["of an unknown kind", frame(3, "Hi"), 1002],
    ["of an unknown control kind", frame(11), 1002],
    ["that continues nothing", frame(OPCODES.continuation, "Hi"), 1002],
    ["that is a long control frame", frame(OPCODES.ping, "x".repeat(126)), 1002],
    ["that is a fragment of a control frame", frame(OPCODES.ping, "", { isLast: false }), 1002],
    [
      "that begins a message within another",
      Buffer.concat([frame(OPCODES.text, "a", { isLast: false }), frame(OPCODES.text, "b")]),
      1002,
    ],
    ["with text that is not UTF-8", frame(OPCODES.text, new Uint8Array([0xff])), 1007],
    ["with half a status code", frame(OPCODES.close, new Uint8Array([3])), 1002],
    ["with a reserved status code", frame(OPCODES.close, new Uint8Array([0x03, 0xed])), 1002],
    [
      "with a length of 2^63",
      Uint8Array.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]),
      1002,
    ],
  ] as const
) {
  Deno.test(`a frame ${name} is refused`, () => {
    for (const step of [bytes.length, 1]) {
      const error = assertThrows(() => read(bytes, { step }), FrameError);
      assertEquals(error.code, code);
    }
  });
}

Deno.test("frames of the server are not masked, and have the shortest length", () => {
  assertEquals([...writeFrame(OPCODES.text, encoder.encode("Hi"))], [0x81, 2, 72, 105]);
  assertEquals([...writeFrame(OPCODES.bytes, new Uint8Array(126)).subarray(0, 4)], [
    0x82,
    126,
    0,
    126,
  ]);
  const long = writeFrame(OPCODES.text, new Uint8Array(65_536)).subarray(0, 10);
  assertEquals([...long], [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]);
  assertEquals([...writeClose(1001, "a")], [0x88, 3, 0x03, 0xe9, 97]);
  assertEquals([...writeClose(undefined)], [0x88, 0]);
});

Deno.test("fragments of a byte take no array each, in any mixture with long ones", () => {
  const sizes = [...Array(5000).fill(1), 3000, ...Array(300).fill(1), 1023, 1024, 0, 1, 2000, 7];
  const parts = sizes.map((size, index) => new Uint8Array(size).fill(97 + index % 26));
  const kept = new MessageParts();
  for (const part of parts) kept.add(part);
  // Each long one, and each 1,024 bytes of short ones.
  assertEquals(kept.arrays <= 16, true, `${kept.arrays} arrays`);
  assertEquals(Buffer.from(kept.take()), Buffer.concat(parts));
  assertEquals([kept.arrays, kept.take().length], [0, 0]);
  const frames = parts.map((part, index) =>
    frame(index === 0 ? OPCODES.text : OPCODES.continuation, part, {
      isLast: index === parts.length - 1,
    })
  );
  assertEquals(read(Buffer.concat(frames)), [Buffer.concat(parts).toString()]);
});

Deno.test("what has arrived of a message is let go when the rest of it is dropped", () => {
  let left = 3000;
  const parts = new MessageParts();
  const seen: unknown[] = [];
  const reader = new FrameReader({
    grow: (bytes) => (left -= bytes) >= 0,
    message: (data) => seen.push(data),
    ping() {},
    close() {},
  }, parts);
  const part = new Uint8Array(2000);
  reader.push(frame(OPCODES.bytes, part, { isLast: false }));
  assertEquals(parts.arrays, 1);
  reader.push(frame(OPCODES.continuation, part, { isLast: false }));
  assertEquals([parts.arrays, reader.isWithin], [0, true]);
  reader.push(frame(OPCODES.continuation, part));
  assertEquals([parts.arrays, seen], [0, [undefined]]);
});
