/** Our own JSON parser against the runtime's: the same values, the same refusals, wherever it is cut. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { isQuickToParse, isWithin, JsonError } from "../../src/core/json/limits.ts";
import { type JsonLimits, JsonScan } from "../../src/core/json/scan.ts";
import { JsonReader } from "../../src/core/json/reader.ts";
import { randomJson } from "../support/json_chance.ts";
import { cutAnywhere, spelled } from "../support/json_spelling.ts";
import { Random } from "../support/random.ts";

const UNLIMITED: JsonLimits = { elements: Infinity, members: Infinity, depth: Infinity };

const encoder = new TextEncoder();

function read(pieces: readonly string[], limits = UNLIMITED): unknown {
  const reader = new JsonReader(limits);
  for (const piece of pieces) reader.push(piece);
  return reader.end();
}

/** What the limits count, counted over the value. */
function countValue(value: unknown): JsonLimits {
  if (typeof value !== "object" || value === null) return { elements: 0, members: 0, depth: 0 };
  const inner = Object.values(value).map(countValue);
  return {
    elements: inner.reduce((sum, { elements }) => sum + elements, inner.length),
    members: Math.max(Array.isArray(value) ? 0 : inner.length, ...inner.map((one) => one.members)),
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
  };
}

/**
 * All that can be seen of a value, the order of its members and negative zeros included, but not
 * the text of its numbers.
 */
function seen(value: unknown): string {
  return JSON.stringify(
    structuredClone(value),
    (_, member) => Object.is(member, -0) ? "-0" : member,
  );
}

Deno.test("JsonReader returns the same as JSON.parse, wherever the text is split", () => {
  const random = new Random(1);
  for (let round = 0; round < 3000; round++) {
    const text = spelled(random, randomJson(random, 5));
    const value = JSON.parse(text);
    assertEquals(seen(read([text])), seen(value), text);
    assertEquals(seen(read(cutAnywhere(random, text))), seen(value), text);
    assertEquals(seen(read([...text].flatMap((one) => one.split("")))), seen(value), text);
  }
});

Deno.test("JsonScan counts the same as a count of the parsed value", () => {
  const random = new Random(2);
  for (let round = 0; round < 5000; round++) {
    const text = spelled(random, randomJson(random, 6));
    assertEquals(scanned(encoder.encode(text), UNLIMITED), countValue(JSON.parse(text)), text);
  }
});

Deno.test("JsonScan ends at the first level over the limit", () => {
  const limits = { ...UNLIMITED, depth: 2 };
  assertEquals(scanned(encoder.encode("[".repeat(9)), limits).depth, 3);
});

Deno.test("JSON is quick to parse if it is short, or has few elements, levels and backslashes", () => {
  const long = `"${"x".repeat(64 * 1024)}"`;
  const levels = (count: number) =>
    [["[", "]"], ['{"a":', "}"]].map(([start = "", end = ""]) =>
      isQuickToParse(`[${long},${start.repeat(count)}0${end.repeat(count)}]`)
    );
  assertEquals(isQuickToParse("[".repeat(64 * 1024)), true, "short");
  assertEquals(isQuickToParse(long), true);
  assertEquals([levels(511), levels(513)], [[true, true], [false, false]]);
  const entries = (count: number) => isQuickToParse(`[${long}${",0".repeat(count - 1)}]`);
  assertEquals([entries(50_000), entries(50_001)], [true, false]);
  const members = (count: number) => isQuickToParse(`{"a":${long}${',"b":0'.repeat(count - 1)}}`);
  assertEquals([members(10_000), members(10_001)], [true, false]);
  const escapes = (count: number) => isQuickToParse(`"${"\\".repeat(count)}"`);
  assertEquals([escapes(500_000), escapes(500_001)], [true, false]);
});

Deno.test("a document is within limits equal to its counts and over smaller ones, wherever it is split", () => {
  const random = new Random(3);
  for (let round = 0; round < 2000; round++) {
    const text = spelled(random, randomJson(random, 5));
    const counts = scanned(encoder.encode(text), UNLIMITED);
    assert(isWithin(encoder.encode(text), counts));
    read(cutAnywhere(random, text), counts);
    for (const limit of ["elements", "members", "depth"] as const) {
      if (counts[limit] === 0) continue;
      const less = { ...counts, [limit]: counts[limit] - 1 };
      assertEquals(isWithin(encoder.encode(text), less), false, text);
      const error = assertThrows(() => read(cutAnywhere(random, text), less), JsonError);
      assertEquals(error.limit, limit);
    }
  }
});

Deno.test("JsonReader rejects what JSON.parse rejects, with the same message wherever the text is split", () => {
  const random = new Random(4);
  let refused = 0;
  for (let round = 0; round < 20_000; round++) {
    const text = broken(random, spelled(random, randomJson(random, 3)));
    const expected = failureOf(() => JSON.parse(text)) !== undefined;
    const failure = failureOf(() => read([text]));
    assertEquals(failure !== undefined, expected, text);
    assertEquals(failureOf(() => read(cutAnywhere(random, text))), failure, text);
    if (expected) refused++;
    else assertEquals(seen(read([text])), seen(JSON.parse(text)));
  }
  assert(refused > 5000);
});

/** The limits that a text reaches. */
function scanned(bytes: Uint8Array, limits: JsonLimits): JsonLimits {
  const { elements, members, depth } = new JsonScan(bytes, limits);
  return { elements, members, depth };
}

function failureOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

const MARKS = [..."{}[]:,\"\\ \n\t0-.eE+tfnu/'", "\u0000", "\u00a0", "null", "01", "\\u12", "é"];

/** The text with a mark put in, taken out or exchanged. */
function broken(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const mark = random.pick(MARKS);
  return text.slice(0, at) + (random.chance(0.7) ? mark : "") + text.slice(at + random.below(2));
}

/** Texts that are not JSON, and their error messages. */
const FAULTS: readonly (readonly [text: string, message: string])[] = [
  ["", "unexpected end of the text at line 1, column 1; expected a value"],
  [" \n ", "unexpected end of the text at line 2, column 2; expected a value"],
  ['{"a":1,}', "unexpected '}' at line 1, column 8; expected a member name in double quotes"],
  [
    "{'a':1}",
    "unexpected ''' at line 1, column 2; expected a member name in double quotes or '}'",
  ],
  ["[1,]", "unexpected ']' at line 1, column 4; expected a value"],
  ["[1 2]", "unexpected '2' at line 1, column 4; expected ',' or ']'"],
  ['{"a" 1}', "unexpected '1' at line 1, column 6; expected ':'"],
  ['{"a":1 "b"}', "unexpected '\"' at line 1, column 8; expected ',' or '}'"],
  ['{\n  "a": True\n}', "unexpected 'T' at line 2, column 8; expected a value"],
  ['{\r\n"a": nul}', "unexpected 'n' at line 2, column 6; expected a value"],
  ["[01]", "unexpected '0' at line 1, column 2; expected a value"],
  ["{} {}", "unexpected '{' at line 1, column 4; expected the end"],
  ['{"a"', "unexpected end of the text at line 1, column 5; expected ':'"],
  ['["a', "unexpected end of the text at line 1, column 4; expected the end of a string"],
  [
    '["a\nb"]',
    "unexpected U+000A at line 1, column 4; expected a valid escape sequence or string character",
  ],
  [
    '["a\\x"]',
    "unexpected '\\' at line 1, column 4; expected a valid escape sequence or string character",
  ],
  ["[\u0085]", "unexpected U+0085 at line 1, column 2; expected a value"],
  ["[💥]", "unexpected '💥' at line 1, column 2; expected a value"],
];

for (const [text, message] of FAULTS) {
  Deno.test(`of ${JSON.stringify(text)} JsonReader reports the position of the error`, () => {
    assertEquals(failureOf(() => read([text])), message);
    // A character that cannot be seen whole cannot be shown.
    if (!text.includes("💥")) assertEquals(failureOf(() => read(text.split(""))), message);
  });
}

Deno.test("JsonReader names the first element over a limit", () => {
  const over = (text: string, limits: Partial<JsonLimits>) => {
    const error = assertThrows(() => read([text], { ...UNLIMITED, ...limits }), JsonError);
    return [error.limit, error.path];
  };
  const text = '{"a":[1,{"b":2,"c":3},[[4]]],"d":5}';
  assertEquals(over(text, { elements: 1 }), ["elements", ["a", 0]]);
  assertEquals(over(text, { elements: 3 }), ["elements", ["a", 1, "b"]]);
  assertEquals(over(text, { members: 1 }), ["members", ["a", 1, "c"]]);
  assertEquals(over(text, { depth: 3 }), ["depth", ["a", 2, 0]]);
  assertEquals(over("[]", { depth: 0 }), ["depth", []]);
  // Long lists of numbers are read all at once.
  const numbers = `[${Array(100).fill(7).join()}]`;
  assertEquals(over(numbers, { elements: 50 }), ["elements", [50]]);
  assertEquals(over(`{"a":${numbers}}`, { elements: 50 }), ["elements", ["a", 49]]);
  assertEquals(over(numbers, { elements: 99 }), ["elements", [99]]);
  assertEquals(over(`[${numbers}]`, { depth: 1 }), ["depth", [0]]);
  const within = { elements: 101, depth: 2, members: 0 };
  assertEquals(read([`[${numbers}]`], within), [Array(100).fill(7)]);
});

Deno.test("an error message quotes at most one character", () => {
  const secret = "sk-secret-0123456789";
  const texts = [
    `{"key": ${secret}}`,
    `{${secret}: 1}`,
    `["${secret}" "${secret}"]`,
    `["${secret}`,
  ];
  for (const text of texts) {
    const message = failureOf(() => read([text])) ?? "";
    assert(message.startsWith("unexpected "));
    assert(!message.includes(secret.slice(0, 4)), message);
  }
});

Deno.test("JsonReader takes linear time for long strings, numbers and white space", () => {
  // Cut into single characters, these would take minutes if any of them was read from its beginning.
  const length = 200_000;
  const texts = ["7".repeat(length), `"${"\\u0041".repeat(length / 6)}"`, `${" ".repeat(length)}1`];
  for (const text of texts) {
    const value = read(text.split(""));
    assertEquals(value, JSON.parse(text));
  }
});

Deno.test("a scan of any text ends, also of a string that does not", () => {
  const limits = { elements: 1000, members: 1000, depth: 100 };
  const starts = [
    "",
    `{"${"x".repeat(40)}`,
    `{"a":"${"y".repeat(70_000)}`,
    `["${"\\\\".repeat(20)}`,
  ];
  const characters = ['"', "\\", "{", "}", ":", ",", "a", "1"];
  const ends = characters.flatMap((one) =>
    characters.flatMap((two) => characters.map((three) => one + two + three))
  );
  for (const text of starts.flatMap((start) => ["", ...ends].map((end) => start + end))) {
    const { elements } = new JsonScan(new TextEncoder().encode(text), limits);
    assert(elements < 10, text.slice(-10));
  }
});
