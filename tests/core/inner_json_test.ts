/** The JSON in the strings of a request has one budget. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { JsonError } from "../../src/core/json/limits.ts";
import { InnerJson, type InnerLimits } from "../../src/core/json/inner_json.ts";
import { JsonScan } from "../../src/core/json/scan.ts";

const LIMITS: InnerLimits = {
  ...{ length: 2_000_000, backslashes: 2000, elements: 1000, members: 100, depth: 20 },
};
/** Longer than what is not counted. */
const FILL = " ".repeat(70_000);

function refusal(...texts: string[]): string {
  const json = new InnerJson(LIMITS);
  for (const text of texts.slice(0, -1)) json.parse(text);
  return assertThrows(() => json.parse(texts.at(-1) ?? ""), JsonError).message;
}

Deno.test("InnerJson parses what JSON.parse does, and refuses what is not JSON in the same way", () => {
  const json = new InnerJson(LIMITS);
  for (const text of ['{"a":[1,{"b":null}]}', " [] ", '"x"', `[1,2]${FILL}`]) {
    assertEquals(json.parse(text), JSON.parse(text));
  }
  for (const text of ["", "[", `{"a":${FILL}`]) {
    assertThrows(() => new InnerJson(LIMITS).parse(text), SyntaxError);
  }
});

Deno.test("InnerJson refuses each limit, before the text is parsed", () => {
  assertEquals(refusal("x".repeat(2_000_001)), "at most 2000000 characters of JSON");
  assertEquals(refusal(`"${"\\n".repeat(2001)}"${FILL}`), "at most 2000 escape sequences");
  const elements = "at most 1000 list entries and object members";
  assertEquals(refusal(`[${"1,".repeat(1000)}1]${FILL}`), elements);
  assertEquals(refusal(`[${"{},".repeat(1000)}1]${FILL}`), elements);
  const members = Array.from({ length: 101 }, (_, at) => `"${at}":0`);
  assertEquals(refusal(`{${members}}${FILL}`), "at most 100 members in one object");
  const deep = "[".repeat(21);
  assertEquals(
    refusal(`${deep}${"]".repeat(21)}${FILL}`),
    "at most 20 levels of lists and objects",
  );
  assertEquals(refusal(deep + FILL), "at most 20 levels of lists and objects");
});

Deno.test("the limits of InnerJson count all texts together", () => {
  const list = `[${"1,".repeat(600)}1]${FILL}`;
  assertEquals(refusal(list, list), "at most 1000 list entries and object members");
  assertEquals(
    refusal(`"${"x".repeat(1_500_000)}"`, `"${"x".repeat(500_000)}"`),
    "at most 2000000 characters of JSON",
  );
  const escapes = `"${"\\n".repeat(1500)}"${FILL}`;
  assertEquals(refusal(escapes, escapes), "at most 2000 escape sequences");
});

Deno.test("InnerJson reads base64url, and refuses long texts before they are decoded", () => {
  const toBase64 = (text: string) =>
    new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
  const json = new InnerJson(LIMITS);
  assertEquals(json.parseBase64(toBase64('{"a":"ü??>"}')), { a: "ü??>" });
  assertThrows(() => json.parseBase64("*"), SyntaxError);
  assertThrows(() => json.parseBase64("*".repeat(8_000_001)), JsonError);
});

Deno.test("lists that are not closed count: they are parsed until the end is missing", () => {
  const unlimited = { elements: Infinity, members: Infinity, depth: Infinity };
  const bytes = new TextEncoder().encode("[1,2,[3,{},[4,5");
  const { elements } = new JsonScan(bytes, unlimited);
  assert(elements >= 7, `${elements}`);
});
