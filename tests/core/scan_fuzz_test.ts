/** What the scans of bytes say of random documents, against what JSON.parse reads. */

import { assert, assertEquals } from "@std/assert";
import { ListScan } from "../../src/core/json/list_scan.ts";
import { isObject, type JsonObject } from "../../src/core/json/object.ts";
import { JsonScan } from "../../src/core/json/scan.ts";
import { JsonSource } from "../../src/core/json/source.ts";
import { fuzz } from "../support/fuzz.ts";
import { randomJson } from "../support/json_chance.ts";
import { spelled } from "../support/json_spelling.ts";
import type { Random } from "../support/random.ts";

const UNLIMITED = { elements: Infinity, members: Infinity, depth: Infinity };
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The text of an object, with a member twice at some places. */
function withDoubles(random: Random, value: unknown): { text: string; isDoubled: boolean } {
  if (Array.isArray(value)) {
    const entries = value.map((entry) => withDoubles(random, entry));
    const text = `[${entries.map((entry) => entry.text).join()}]`;
    return { text, isDoubled: entries.some(({ isDoubled }) => isDoubled) };
  }
  if (!isObject(value)) return { text: spelled(random, value), isDoubled: false };
  let isDoubled = false;
  const members: string[] = [];
  for (const name of Object.keys(value)) {
    for (let times = random.chance(0.05) ? 2 : 1; times > 0; times--) {
      const member = withDoubles(random, value[name]);
      members.push(`${JSON.stringify(name)}:${member.text}`);
      isDoubled ||= member.isDoubled || times === 2;
    }
  }
  return { text: `{${members.join()}}`, isDoubled };
}

Deno.test("a document with a member twice at any depth is not passed as bytes, and any other is", async () => {
  let doubled = 0;
  await fuzz(3000, (random) => {
    const members = { a: randomJson(random, 4), "é 💥": randomJson(random, 3), c: [1] };
    const { text, isDoubled } = withDoubles(random, members);
    const bytes = encoder.encode(text);
    const value: JsonObject = JSON.parse(decoder.decode(bytes));
    const source = JsonSource.of(bytes, new JsonScan(bytes, UNLIMITED), value);
    if (isDoubled) doubled++;
    // Names with escape sequences could be other spellings of one name.
    if (isDoubled || /\\[^"]*"\s*:/.test(text) && source === undefined) {
      return assertEquals(source, undefined, text);
    }
    const { kept = [], changes } = source?.planFor({ ...value }) ?? {};
    assertEquals(changes, undefined);
    const read = kept.map(([name, part]): [string, unknown] => [
      name,
      JSON.parse(decoder.decode(part)),
    ]);
    assertEquals(Object.fromEntries(read), value, text);
  }, 1);
  assert(doubled > 2, `${doubled} documents with doubled members`);
});

Deno.test("JsonScan ends for bytes that are cut or changed anywhere", async () => {
  await fuzz(2000, (random) => {
    const bytes = encoder.encode(spelled(random, randomJson(random, 5)));
    const cut = bytes.slice(0, random.below(bytes.length + 1));
    if (cut.length > 0) cut[random.below(cut.length)] = random.below(256);
    const scan = new JsonScan(cut, UNLIMITED);
    assert(scan.ordinals <= cut.length && scan.parts.length % 3 === 0);
  }, 2);
});

/** A document with a list of vectors, as numbers or as base64. */
function randomVectors(random: Random): JsonObject {
  const isBase64 = random.chance(0.3);
  const members = (depth: number): JsonObject => {
    const value = randomJson(random, depth);
    return isObject(value) && !Object.hasOwn(value, "data") ? value : { note: value };
  };
  const vector = () =>
    isBase64
      ? "AbC+/".repeat(random.below(30))
      : Array.from({ length: random.below(20) }, () => random.next() - 0.5);
  const data = Array.from({ length: random.below(6) }, (_, index) => ({
    object: "embedding",
    ...(random.chance(0.9) && { index: random.chance(0.9) ? index : 7 }),
    embedding: vector(),
    ...(random.chance(0.1) && { more: randomJson(random, 2) }),
  }));
  return { ...members(2), data, ...members(2), usage: { prompt_tokens: random.below(9) } };
}

Deno.test("ListScan finds in packets of any size what JSON.parse reads, or says that it does not", async () => {
  let found = 0;
  await fuzz(4000, (random) => {
    const value = randomVectors(random);
    const text = random.chance(0.8) ? JSON.stringify(value) : spelled(random, value);
    const bytes = encoder.encode(text);
    const scan = new ListScan({ list: "data", long: "embedding" });
    const passed: number[] = [];
    for (let at = 0; at < bytes.length;) {
      const packet = bytes.subarray(at, at + 1 + random.below(random.pick([3, 40, 4000])));
      passed.push(...packet.subarray(0, scan.push(packet)));
      at += packet.length;
    }
    const tail = scan.end();
    if (tail === undefined) return;
    found++;
    const read: JsonObject = JSON.parse(decoder.decode(bytes));
    const list = read.data as JsonObject[];
    assertEquals({ ...scan.head, data: list, ...tail }, read, text);
    assertEquals(scan.count, list.length, text);
    assertEquals(scan.isReordered, list.some(({ index }, at) => (index ?? at) !== at), text);
    assertEquals(JSON.parse(`${decoder.decode(new Uint8Array(passed))}}`).data, list, text);
  }, 3);
  assert(found > 10, `${found} documents were read`);
});
