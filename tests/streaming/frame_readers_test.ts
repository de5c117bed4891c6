import { assertEquals } from "@std/assert";
import { createFrameReader } from "../../src/streaming/frame_readers.ts";
import type { Frame } from "../../src/contract/stream_decoder.ts";
import { encodeMessage, encodeMessages, type EventMessage } from "../support/event_stream.ts";

/** Nine messages, read right by botocore too. */
const STREAM = Uint8Array.fromBase64(
  "AAAAgQAAAFJswXaTCzpldmVudC10eXBlBwAMbWVzc2FnZVN0YXJ0DTpjb250ZW50LXR5cGUHABBhcHBsaWNhdGlvbi9qc29uDTpt" +
    "ZXNzYWdlLXR5cGUHAAVldmVudHsicCI6ImFiY2QiLCJyb2xlIjoiYXNzaXN0YW50In31EqAFAAAApAAAAFcViiJoCzpldmVudC10" +
    "eXBlBwARY29udGVudEJsb2NrRGVsdGENOmNvbnRlbnQtdHlwZQcAEGFwcGxpY2F0aW9uL2pzb24NOm1lc3NhZ2UtdHlwZQcABWV2" +
    "ZW50eyJjb250ZW50QmxvY2tJbmRleCI6MCwiZGVsdGEiOnsidGV4dCI6IkNoZWNraW5nLiJ9LCJwIjoiYWIifZ2uKC4AAAB9AAAA" +
    "VuZoD9YLOmV2ZW50LXR5cGUHABBjb250ZW50QmxvY2tTdG9wDTpjb250ZW50LXR5cGUHABBhcHBsaWNhdGlvbi9qc29uDTptZXNz" +
    "YWdlLXR5cGUHAAVldmVudHsiY29udGVudEJsb2NrSW5kZXgiOjB9sy5NNAAAAL0AAABXeHrXmws6ZXZlbnQtdHlwZQcAEWNvbnRl" +
    "bnRCbG9ja1N0YXJ0DTpjb250ZW50LXR5cGUHABBhcHBsaWNhdGlvbi9qc29uDTptZXNzYWdlLXR5cGUHAAVldmVudHsiY29udGVu" +
    "dEJsb2NrSW5kZXgiOjEsInN0YXJ0Ijp7InRvb2xVc2UiOnsibmFtZSI6Imxvb2t1cCIsInRvb2xVc2VJZCI6InRvb2x1c2VfQTEi" +
    "fX19yrmltQAAAKYAAABXb0pxCAs6ZXZlbnQtdHlwZQcAEWNvbnRlbnRCbG9ja0RlbHRhDTpjb250ZW50LXR5cGUHABBhcHBsaWNh" +
    "dGlvbi9qc29uDTptZXNzYWdlLXR5cGUHAAVldmVudHsiY29udGVudEJsb2NrSW5kZXgiOjEsImRlbHRhIjp7InRvb2xVc2UiOnsi" +
    "aW5wdXQiOiJ7XCJpZFwiIn19fVHqu38AAACiAAAAV5rK18gLOmV2ZW50LXR5cGUHABFjb250ZW50QmxvY2tEZWx0YQ06Y29udGVu" +
    "dC10eXBlBwAQYXBwbGljYXRpb24vanNvbg06bWVzc2FnZS10eXBlBwAFZXZlbnR7ImNvbnRlbnRCbG9ja0luZGV4IjoxLCJkZWx0" +
    "YSI6eyJ0b29sVXNlIjp7ImlucHV0IjoiOjd9In19fWIMFp4AAAB9AAAAVuZoD9YLOmV2ZW50LXR5cGUHABBjb250ZW50QmxvY2tT" +
    "dG9wDTpjb250ZW50LXR5cGUHABBhcHBsaWNhdGlvbi9qc29uDTptZXNzYWdlLXR5cGUHAAVldmVudHsiY29udGVudEJsb2NrSW5k" +
    "ZXgiOjF9qjV8dQAAAHoAAABRyixGZQs6ZXZlbnQtdHlwZQcAC21lc3NhZ2VTdG9wDTpjb250ZW50LXR5cGUHABBhcHBsaWNhdGlv" +
    "bi9qc29uDTptZXNzYWdlLXR5cGUHAAVldmVudHsic3RvcFJlYXNvbiI6InRvb2xfdXNlIn2dyymBAAAA7gAAAE5jospACzpldmVu" +
    "dC10eXBlBwAIbWV0YWRhdGENOmNvbnRlbnQtdHlwZQcAEGFwcGxpY2F0aW9uL2pzb24NOm1lc3NhZ2UtdHlwZQcABWV2ZW50eyJt" +
    "ZXRyaWNzIjp7ImxhdGVuY3lNcyI6MzIxfSwidXNhZ2UiOnsiaW5wdXRUb2tlbnMiOjEwLCJjYWNoZVJlYWRJbnB1dFRva2VucyI6" +
    "OTAsImNhY2hlV3JpdGVJbnB1dFRva2VucyI6MCwib3V0cHV0VG9rZW5zIjoxMiwidG90YWxUb2tlbnMiOjExMn19B6zd7Q==",
);

const EVENTS: readonly EventMessage[] = [
  { event: "messageStart", data: { p: "abcd", role: "assistant" } },
  {
    event: "contentBlockDelta",
    data: { contentBlockIndex: 0, delta: { text: "Checking." }, p: "ab" },
  },
  { event: "contentBlockStop", data: { contentBlockIndex: 0 } },
  {
    event: "contentBlockStart",
    data: { contentBlockIndex: 1, start: { toolUse: { name: "lookup", toolUseId: "tooluse_A1" } } },
  },
  {
    event: "contentBlockDelta",
    data: { contentBlockIndex: 1, delta: { toolUse: { input: '{"id"' } } },
  },
  {
    event: "contentBlockDelta",
    data: { contentBlockIndex: 1, delta: { toolUse: { input: ":7}" } } },
  },
  { event: "contentBlockStop", data: { contentBlockIndex: 1 } },
  { event: "messageStop", data: { stopReason: "tool_use" } },
  {
    event: "metadata",
    data: {
      metrics: { latencyMs: 321 },
      usage: {
        inputTokens: 10,
        cacheReadInputTokens: 90,
        cacheWriteInputTokens: 0,
        outputTokens: 12,
        totalTokens: 112,
      },
    },
  },
];

const MESSAGE_STOP = Uint8Array.fromHex(
  "0000007a00000051ca2c4665" +
    "0b3a6576656e742d7479706507000b6d65737361676553746f70" +
    "0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e" +
    "0d3a6d6573736167652d747970650700056576656e74" +
    "7b2273746f70526561736f6e223a22656e645f7475726e227d" +
    "5fbf09fc",
);
/** Both from the public vectors of smithy's codec: no headers, or nothing at all. */
const PAYLOAD_ALONE = "0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936";
const EMPTY = "000000100000000005c248eb7d98c8ff";

const NO_TYPE = "The provider's event stream holds a message of no known type";
const WRONG_SUM = "The provider's event stream holds a message with a wrong checksum";
const WRONG_LENGTH = "The provider's event stream holds a message of an impossible length";
const WRONG_HEADER = "The provider's event stream holds a malformed header";
const CUT_OFF = "The provider's event stream ends inside a message";

function read(...pieces: readonly Uint8Array[]): Frame[] {
  const reader = createFrameReader("aws-event-stream");
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

/** What is wrong with some bytes, as the last frame says. */
function faultIn(bytes: Uint8Array): string | undefined {
  const last = read(bytes).at(-1);
  assertEquals([last?.failed, last?.event], [true, undefined]);
  return JSON.parse(last?.data ?? "").message;
}

function framesOf(messages: readonly EventMessage[]): Frame[] {
  return messages.flatMap((message) =>
    "event" in message ? [{ event: message.event, data: JSON.stringify(message.data) }] : []
  );
}

Deno.test("the encoder of the tests writes the known streams", () => {
  assertEquals(encodeMessages(EVENTS), STREAM);
  assertEquals(
    encodeMessages([{ event: "messageStop", data: { stopReason: "end_turn" } }]),
    MESSAGE_STOP,
  );
});

Deno.test("event streams are split into named frames, for packets of any size", () => {
  const frames = framesOf(EVENTS);
  assertEquals(read(STREAM), frames);
  for (const size of [1, 2, 7, 13, 129, 1000]) {
    const pieces = Array.from(
      { length: Math.ceil(STREAM.length / size) },
      (_, index) => STREAM.subarray(index * size, (index + 1) * size),
    );
    assertEquals(read(...pieces), frames, `pieces of ${size}`);
  }
});

Deno.test("event streams have the same frames wherever they are split", () => {
  const whole = JSON.stringify(read(STREAM));
  for (let cut = 0; cut <= STREAM.length; cut++) {
    const frames = read(STREAM.subarray(0, cut), STREAM.subarray(cut));
    assertEquals(JSON.stringify(frames) === whole, true, `cut at ${cut}`);
  }
});

Deno.test("an exception and an error are failed frames, by their names", () => {
  const exception = encodeMessages([
    { exception: "throttlingException", data: { message: "slow down" } },
  ]);
  assertEquals([exception.length, [...exception.slice(-4)]], [136, [0x83, 0x2e, 0xe0, 0x72]]);
  assertEquals(read(exception), [
    { event: "throttlingException", data: '{"message":"slow down"}', failed: true },
  ]);
  assertEquals(read(encodeMessages([{ error: "InternalFailure", message: "broken" }])), [
    { event: "InternalFailure", data: '{"message":"broken"}', failed: true },
  ]);
});

Deno.test("valid messages without a type end the stream", () => {
  for (const hex of [EMPTY, PAYLOAD_ALONE]) {
    assertEquals(faultIn(Uint8Array.fromHex(hex)), NO_TYPE);
  }
});

Deno.test("a wrong bit anywhere in a message is detected", () => {
  for (let at = 0; at < MESSAGE_STOP.length; at++) {
    const bytes = MESSAGE_STOP.slice();
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const expected = at < 8 ? [WRONG_SUM, WRONG_LENGTH] : [WRONG_SUM];
    assertEquals(expected.includes(faultIn(bytes) ?? ""), true, `bit of byte ${at}`);
  }
});

Deno.test("frames before a malformed message count, and later ones do not", () => {
  const spoilt = PAYLOAD_ALONE.replace("7b27", "5b27");
  const frames = read(MESSAGE_STOP, Uint8Array.fromHex(spoilt), MESSAGE_STOP);
  assertEquals(frames.map(({ event, failed }) => [event, failed]), [
    ["messageStop", undefined],
    [undefined, true],
  ]);
});

Deno.test("lengths over the limits are refused before the bytes arrive", () => {
  for (
    const lengths of [
      [15, 0],
      [0xffffffff, 0],
      [16 + 0x1800001, 0],
      [16 + 0x20001, 0x20001],
      [100, 85],
    ] as const
  ) {
    const prelude = new DataView(new ArrayBuffer(12));
    prelude.setUint32(0, lengths[0]);
    prelude.setUint32(4, lengths[1]);
    assertEquals(faultIn(new Uint8Array(prelude.buffer)), WRONG_LENGTH);
  }
});

Deno.test("a stream that ends inside a message is an error, wherever it ends", () => {
  for (let length = 1; length < MESSAGE_STOP.length; length++) {
    assertEquals(faultIn(MESSAGE_STOP.subarray(0, length)), CUT_OFF);
  }
});

Deno.test("headers of every type are skipped, in any order", () => {
  const bytes = encodeMessage([
    ["t", [0, new Uint8Array()]],
    ["f", [1, new Uint8Array()]],
    ["byte", [2, new Uint8Array(1)]],
    [":message-type", "event"],
    ["short", [3, new Uint8Array(2)]],
    ["int", [4, new Uint8Array(4)]],
    ["long", [5, new Uint8Array(8)]],
    ["bytes", [6, Uint8Array.of(0, 3, 1, 2, 3)]],
    [":event-type", "größer"],
    ["time", [8, new Uint8Array(8)]],
    ["uuid", [9, new Uint8Array(16)]],
  ], "{}");
  assertEquals(read(bytes), [{ event: "größer", data: "{}" }]);
});

Deno.test("malformed headers are detected", () => {
  const type = [":message-type", "event"] as const;
  for (
    const headers of [
      [type, type],
      [type, ["", "unnamed"]],
      [type, ["odd", [10, new Uint8Array(1)]]],
      [type, ["short", [6, Uint8Array.of(0, 9, 1)]]],
      [type, ["shorter", [5, new Uint8Array(7)]]],
      [type, ["shortest", [7, new Uint8Array(1)]]],
    ] as const
  ) {
    assertEquals(faultIn(encodeMessage(headers, "{}")), WRONG_HEADER);
  }
});
