/** Bodies as bytes: wherever the network cuts them, the value or the refusal is the same. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { GatewayError } from "../../src/core/errors.ts";
import { JsonBody, type JsonBodySizes } from "../../src/http/json_body.ts";
import { randomJson } from "../support/json_chance.ts";
import { spelled } from "../support/json_spelling.ts";
import { Random } from "../support/random.ts";
import type { JsonLimits } from "../../src/core/json/scan.ts";

const LIMITS: JsonLimits = { elements: 50, members: 10, depth: 6 };
const encoder = new TextEncoder();

/** Everything at once; everything as it arrives; and at first at once, then as it arrives. */
const SIZES = [[1e9, 1, 1e9], [1e9, 1, 3], [0, 1, 1], [10, 4, 2]].map((
  [collected = 0, minBytesParsed = 0, pieceLength = 0],
): JsonBodySizes => ({
  maxBytesCollected: collected,
  maxBytesCollectedWithoutLength: collected,
  minBytesParsed,
  pieceLength,
}));

/** What becomes of a body: its value, or the refusal with its path. */
async function outcomeOf(
  packets: readonly Uint8Array[],
  length: number | undefined,
  sizes: JsonBodySizes,
) {
  const body = new JsonBody(LIMITS, length, sizes);
  for (const packet of packets) body.push(packet);
  try {
    return { value: await body.end() };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return { kind: thrown.kind, message: thrown.message, param: thrown.param };
  }
}

function cutBytes(random: Random, bytes: Uint8Array): Uint8Array[] {
  const packets: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + random.below(5);
    packets.push(bytes.slice(at, end));
    at = end;
  }
  return packets;
}

/** Bytes of JSON, some of them with a byte that does not belong there. */
function randomBytes(random: Random): Uint8Array {
  const bytes = encoder.encode(spelled(random, randomJson(random, 5)));
  if (random.chance(0.3)) bytes[random.below(bytes.length)] = random.below(256);
  return random.chance(0.1) ? Uint8Array.of(0xef, 0xbb, 0xbf, ...bytes) : bytes;
}

Deno.test("a body has the same value wherever it is split and however it is parsed", async () => {
  const random = new Random(5);
  const kinds = new Set<string>();
  for (let round = 0; round < 3000; round++) {
    const bytes = randomBytes(random);
    const [atOnce, ...others] = SIZES;
    if (atOnce === undefined) throw new TypeError("There are sizes");
    const expected = await outcomeOf([bytes], bytes.length, atOnce);
    kinds.add("value" in expected ? "value" : `${expected.kind} ${expected.param !== null}`);
    for (const sizes of [atOnce, ...others]) {
      for (const length of [bytes.length, undefined]) {
        assertEquals(await outcomeOf(cutBytes(random, bytes), length, sizes), expected);
      }
    }
  }
  assertEquals([...kinds].sort(), ["invalid_request false", "invalid_value true", "value"]);
});

Deno.test("a body has the value of JSON.parse", async () => {
  const random = new Random(6);
  for (let round = 0; round < 500; round++) {
    const bytes = encoder.encode(spelled(random, randomJson(random, 2)));
    const expected = JSON.parse(new TextDecoder().decode(bytes));
    for (const sizes of SIZES) {
      const { value } = await outcomeOf(cutBytes(random, bytes), undefined, sizes);
      assertEquals(plain(value), expected);
    }
  }
});

/** The value without the text of its numbers. */
const plain: (value: unknown) => unknown = structuredClone;

Deno.test("a byte order mark is removed at the start and kept elsewhere", async () => {
  const text = '\ufeff{"a":"\ufeff"}';
  const bytes = encoder.encode(text);
  for (const sizes of SIZES) {
    for (let at = 0; at <= bytes.length; at++) {
      const packets = [bytes.slice(0, at), bytes.slice(at)];
      assertEquals(await outcomeOf(packets, undefined, sizes), { value: { a: "\ufeff" } });
    }
  }
});

/** Bytes that are not UTF-8, and the number of the first that is not. */
const NOT_UTF8: readonly (readonly [bytes: readonly number[], byte: number])[] = [
  [[0x22, 0xff, 0x22], 2],
  [[0x22, 0xe2, 0x82, 0x22], 2],
  [[0x22, 0xe2, 0x82], 2],
  [[0x22, 0x61, 0xc0, 0x80, 0x22], 3],
  [[0x22, 0xed, 0xa0, 0x80, 0x22], 2],
  [[0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], 2],
  [[0x22, 0xc3, 0xa9, 0xe9, 0x22], 4],
  [[0x80], 1],
];

for (const [bytes, byte] of NOT_UTF8) {
  Deno.test(`the bytes ${bytes.join(" ")} are not UTF-8 from byte ${byte} on`, async () => {
    for (const sizes of SIZES) {
      for (const packets of [[bytes], bytes.map((one) => [one])]) {
        const { kind, message } = await outcomeOf(
          packets.map((one) => Uint8Array.from(one)),
          9,
          sizes,
        );
        assertEquals(kind, "invalid_request");
        assertEquals(
          message,
          `The request body is not valid JSON in UTF-8: byte ${byte} is not UTF-8`,
        );
      }
    }
  });
}

Deno.test("a refused body uses no memory for further packets", async () => {
  for (const text of ["[1,1,", "[" + "1,".repeat(60)]) {
    const body = new JsonBody(LIMITS, 1e6, { ...SIZES[2] as JsonBodySizes });
    body.push(encoder.encode(text === "[1,1," ? "[1,}" : text));
    assertEquals(body.bytesHeld, 0);
    for (let count = 0; count < 100; count++) body.push(new Uint8Array(1000));
    assertEquals(body.bytesHeld, 0);
    await assertRejects(() => body.end(), GatewayError);
  }
});

Deno.test("an error about a limit names the element, the limit and the setting", async () => {
  const [sizes] = SIZES;
  if (sizes === undefined) throw new TypeError("There are sizes");
  const tell = (text: string) => outcomeOf([encoder.encode(text)], text.length, sizes);
  assertEquals(await tell(`{"messages":[${"1,".repeat(60)}1]}`), {
    kind: "invalid_value",
    message: "The request has more than 50 list entries and object members;  " +
      "'messages[49]' is the first over server.max_elements in the gateway's configuration",
    param: "messages[49]",
  });
  assertEquals(await tell(`{"a":{${Array.from({ length: 12 }, (_, i) => `"k${i}":1`)}}}`), {
    kind: "invalid_value",
    message: "Invalid value for 'a.k10': an object may have at most 10 members",
    param: "a.k10",
  });
  assertEquals(await tell(`{"a":${"[".repeat(9)}${"]".repeat(9)}}`), {
    kind: "invalid_value",
    message: "Invalid value for 'a[0][0][0][0][0]': lists and objects may be nested at most 6 deep",
    param: "a[0][0][0][0][0]",
  });
  const name = "n".repeat(100_000);
  const { message = "", param } = await tell(`{"${name}":{"${name}":[[[[[]]]]]}}`);
  assertStringIncludes(message, "nested at most 6 deep");
  assert(message.length < 300 && (param ?? "").length < 150);
});
