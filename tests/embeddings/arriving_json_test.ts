/** Answers that are parsed while they arrive, cut at any byte. */

import { assertEquals, assertRejects } from "@std/assert";
import { GatewayError } from "../../src/core/errors.ts";
import { JsonReader, readNumberList } from "../../src/core/json/reader.ts";
import { readArrivingJson } from "../../src/upstream/arriving_json.ts";

const encoder = new TextEncoder();
const LIMITS = { elements: 1000, members: 100, depth: 8 };

async function read(...packets: readonly Uint8Array[]): Promise<unknown> {
  const rest = packets.values();
  return await readArrivingJson({
    next: () => Promise.resolve(rest.next().value),
    close: () => {},
  }, { wait: (vendor) => vendor });
}

/** An answer of more than one piece, with text of several bytes a character. */
function largeAnswer() {
  const embedding = Array.from(
    { length: 900 },
    (_, index) => Math.cos(index) * 10 ** (index % 9 - 4),
  );
  const data = Array.from(
    { length: 40 },
    (_, index) => ({ index, embedding, note: "é ] [1,2] 𝄞" }),
  );
  return { object: "list", data, base64: "AAAA".repeat(20_000), usage: { prompt_tokens: 3 } };
}

Deno.test("a large answer is the same wherever its packets are cut", async () => {
  const value = largeAnswer();
  for (const space of [0, 2]) {
    const bytes = encoder.encode(JSON.stringify(value, null, space));
    assertEquals(await read(bytes), value);
    for (const size of [1021, 4096, 65_537, 262_143, 262_144, 262_145]) {
      const packets = [];
      for (let at = 0; at < bytes.length; at += size) packets.push(bytes.slice(at, at + size));
      assertEquals(await read(...packets), value, `packets of ${size} bytes`);
    }
  }
});

Deno.test("a small answer is the same cut at every byte", async () => {
  const value = { data: [{ index: 0, embedding: [1.5, -2e-7] }], model: "é" };
  const bytes = encoder.encode(JSON.stringify(value));
  for (let cut = 0; cut <= bytes.length; cut++) {
    assertEquals(await read(bytes.slice(0, cut), bytes.slice(cut)), value);
  }
});

Deno.test("an answer that is not JSON, or is cut short, is the vendor's failure", async () => {
  const whole = JSON.stringify(largeAnswer());
  for (const text of ["", "no", "{", whole.slice(0, -1), whole.slice(0, 300_000), `${whole}]`]) {
    const error = await assertRejects(() => read(encoder.encode(text)), GatewayError);
    assertEquals(error.kind, "upstream_error");
  }
});

const LISTS = [
  `[${Array.from({ length: 40 }, (_, index) => index / 7).join()}]`,
  `[ ${Array.from({ length: 40 }, (_, index) => -index * 1e-9).join(" ,\n ")} ]`,
];

Deno.test("readNumberList() reads a long list of numbers as JSON.parse does, and its lines", () => {
  for (const list of LISTS) {
    const text = `{"a":${list},"b":[1]}`;
    const found = readNumberList(text, 5);
    assertEquals(found?.list, JSON.parse(list));
    assertEquals(found?.end, 5 + list.length);
    assertEquals(found?.lines, list.split("\n").length - 1);
  }
});

Deno.test("readNumberList() leaves other lists to the reader", () => {
  const long = Array.from({ length: 40 }, () => "1.25").join();
  for (const text of ["[]", "[1,2]", `[${long},"a"]`, `[${long}`, `[${long},]`, `[${long}[1]]`]) {
    assertEquals(readNumberList(text, 0), undefined, text);
  }
});

Deno.test("a fault behind a list of numbers is found at its line and column", () => {
  const text = `{"a":${LISTS[1]},\n "b" 1}`;
  const lines = text.split("\n").length;
  const message = `unexpected '1' at line ${lines}, column 6; expected ':'`;
  let found = "";
  try {
    new JsonReader(LIMITS).push(text);
  } catch (thrown) {
    found = (thrown as Error).message;
  }
  assertEquals(found, message);
});

Deno.test("the entries of a list of numbers count for the limit of elements", () => {
  const list = `[${Array.from({ length: 1001 }, () => 1).join()}]`;
  let limit: unknown;
  try {
    new JsonReader(LIMITS).push(list);
  } catch (thrown) {
    limit = (thrown as { limit?: unknown }).limit;
  }
  assertEquals(limit, "elements");
  const reader = new JsonReader(LIMITS);
  reader.push(`[${Array.from({ length: 999 }, () => 1).join()}]`);
  assertEquals((reader.end() as unknown[]).length, 999);
});
