/** Requests that are written from the bytes of the document that they were converted from. */

import { assert, assertEquals } from "@std/assert";
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

/** The value of a document, and its source. */
function read(text: string): { value: JsonObject; source: JsonSource | undefined } {
  const bytes = encoder.encode(text);
  const value: JsonObject = JSON.parse(decoder.decode(bytes));
  return { value, source: JsonSource.of(bytes, new JsonScan(bytes, UNLIMITED), value) };
}

/** What is written of an object; undefined if it is not written from the source. */
function written(source: JsonSource | undefined, object: JsonObject): string | undefined {
  const bytes = source?.write(source.planFor(object));
  return bytes && decoder.decode(bytes);
}

/** A text that takes more bytes than a short value, with characters that are escaped or not. */
function longText(random: Random): string {
  const pieces = ["word ", '"', "\\", "\n", "é", "日本", "💥", "\ud800", "\udc00", "\u0000", "/"];
  const chosen = random.some(pieces);
  const length = 20 + random.below(200);
  return Array.from({ length }, () => random.pick(["a", ...chosen])).join("");
}

function withLongTexts(random: Random, value: unknown): unknown {
  if (typeof value === "string") return random.chance(0.3) ? longText(random) : value;
  if (Array.isArray(value)) return value.map((entry) => withLongTexts(random, entry));
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, member]): [string, unknown] => [
      random.chance(0.05) ? longText(random) : name,
      withLongTexts(random, member),
    ]),
  );
}

/** Another document with parts of a value: the same ones, copies, and new ones. */
function converted(random: Random, value: unknown): unknown {
  if (random.chance(0.3)) return value;
  if (Array.isArray(value)) {
    return value.map((entry) => converted(random, entry)).concat(random.some([value[0] ?? 1]));
  }
  if (!isObject(value)) return random.chance(0.1) ? { text: value, index: [value] } : value;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [
    random.chance(0.2) ? `new "${name}"` : name,
    converted(random, member),
  ]);
  return Object.fromEntries(entries);
}

Deno.test("a converted document has the value that JSON.parse reads, and long texts as bytes", async () => {
  let count = 0;
  await fuzz(4000, (random) => {
    const members = { a: randomJson(random, 4), b: longText(random), c: randomJson(random, 5) };
    const long = withLongTexts(random, members);
    const text = random.chance(0.5) ? JSON.stringify(long) : spelled(random, long);
    const { value, source } = read(text);
    const object = { ...converted(random, { model: "m", ...value }) as JsonObject, added: "x" };
    const output = written(source, object);
    if (output === undefined) return;
    count++;
    assertEquals(JSON.parse(output), JSON.parse(JSON.stringify(object)), text);
  });
  assert(count > 10, `${count} documents were written from their bytes`);
});

Deno.test("long texts keep their spelling, and lists and objects their white space", () => {
  const text = `{"a":[{"text":"${"\\u0041".repeat(80)}"}, {"b" :  [${" 1,".repeat(60)}2]}]}`;
  const { value, source } = read(text);
  const [{ text: long }, { b: list }] = value.a as [JsonObject, JsonObject];
  const output = written(source, { x: [{ y: long }, { list }] });
  const expected = `{"x":[{"y":"${"\\u0041".repeat(80)}"},{"list":[${" 1,".repeat(60)}2]}]}`;
  assertEquals(output, expected);
});

Deno.test("the end of a long text of ASCII is written as bytes, and no other part of it", () => {
  const data = "iVBORw0KGgo/+A==".repeat(2000);
  const object = { url: `data:image/png;base64,${data}`, other: `x\\n${data}` };
  const text = JSON.stringify(object);
  const { source } = read(text);
  for (const part of [data, data.slice(0, -4), data.slice(4), `${data}A`, `B${data}`]) {
    const output = written(source, { source: { data: part }, again: part });
    assertEquals(output, JSON.stringify({ source: { data: part }, again: part }));
  }
});

Deno.test("documents whose members have another order than their text are written anew", () => {
  const long = "x".repeat(300);
  const { value, source } = read(`{"b":{"z":"${long}","1":"${"y".repeat(300)}"}}`);
  assert(source !== undefined);
  assertEquals(written(source, { c: long, d: value.b }), undefined);
});
