/** What a caller sends is checked up to its first fault, and no further. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { z } from "zod";
import { readChatRequest } from "../../../src/apis/chat/read_request.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { listOf, mapOf } from "../../../src/contract/first_fault.ts";

/** A schema for numbers that counts what it looks at. */
function counting() {
  const looked: unknown[] = [];
  const schema = z.number().refine((value) => looked.push(value) > 0);
  return { looked, schema };
}

Deno.test("listOf() stops at the first error and reports its index", () => {
  const { looked, schema } = counting();
  const result = listOf(schema.min(0)).safeParse([1, 2, "three", 4, -5]);
  assertEquals(result.error?.issues.map(({ path }) => path), [[2]]);
  assertEquals(looked, [1, 2]);
});

Deno.test("listOf() returns the parsed entries and does not change the list", () => {
  const list = [" a", "b "];
  assertEquals(listOf(z.string().trim()).parse(list), ["a", "b"]);
  assertEquals(list, [" a", "b "]);
});

Deno.test("listOf() checks the length before any entry", () => {
  const { looked, schema } = counting();
  const codeOf = (list: unknown) =>
    listOf(schema, { min: 1, max: 2 }).safeParse(list).error?.issues.map(({ code }) => code);
  assertEquals([codeOf([]), codeOf([1, 2, 3]), codeOf("12")], [["too_small"], ["too_big"], [
    "invalid_type",
  ]]);
  assertEquals(looked, []);
  assertEquals(codeOf([1, 2]), undefined);
});

Deno.test("mapOf() stops at the first error, reports its name, and accepts only objects", () => {
  const { looked, schema } = counting();
  const pathsOf = (value: unknown) =>
    mapOf(schema).safeParse(value).error?.issues.map(({ path }) => path);
  assertEquals(pathsOf({ a: 1, b: "two", c: "three" }), [["b"]]);
  assertEquals(looked, [1]);
  assertEquals([pathsOf([]), pathsOf(null), pathsOf("x")], [[[]], [[]], [[]]]);
  const proto = JSON.parse('{"__proto__":"x"}');
  assertEquals(pathsOf(proto), [["__proto__"]]);
  assertEquals(mapOf(z.number()).parse({ a: 1 }), { a: 1 });
});

const USER = { role: "user", content: "Hi" };
const CALL = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };

/** Every list of a request: a good entry, a faulty one, and the request around them. */
const LISTS: readonly (readonly [
  path: string,
  good: unknown,
  faulty: unknown,
  around: (list: unknown[]) => Record<string, unknown>,
])[] = [
  ["messages", USER, 1, (messages) => ({ messages })],
  ["messages", USER, { role: "user" }, (messages) => ({ messages })],
  ["messages", USER, { role: "assistant" }, (messages) => ({ messages })],
  ["messages[0].content", { type: "text", text: "" }, 1, (content) => ({
    messages: [{ role: "user", content }],
  })],
  [
    "messages[0].content",
    { type: "text", text: "" },
    { type: "image_url", image_url: { url: "" } },
    (content) => ({ messages: [{ role: "user", content }] }),
  ],
  ["messages[0].tool_calls", CALL, {}, (tool_calls) => ({
    messages: [{ role: "assistant", tool_calls }],
  })],
  ["tools", { type: "function", function: { name: "f" } }, { type: "function" }, (tools) => ({
    tools,
  })],
  ["functions", { name: "f" }, { name: "" }, (functions) => ({ functions })],
  ["stop", "a", 1, (stop) => ({ stop })],
  ["modalities", "text", 1, (modalities) => ({ modalities })],
  ["tool_choice.allowed_tools.tools", { type: "function" }, {}, (tools) => ({
    tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools } },
  })],
];

/** The same value over and over, counted each time that it is looked at. */
function observed(list: readonly unknown[]): { list: unknown[]; looks: Set<number> } {
  const looks = new Set<number>();
  const seen = list.map((entry, index) =>
    typeof entry !== "object" || entry === null ? entry : new Proxy(entry, {
      get(target, name) {
        looks.add(index);
        return Reflect.get(target, name);
      },
      ownKeys(target) {
        looks.add(index);
        return Reflect.ownKeys(target);
      },
    })
  );
  return { list: seen, looks };
}

for (const [path, good, faulty, around] of LISTS) {
  Deno.test(`${path} is checked up to ${JSON.stringify(faulty)}, and no later entry`, () => {
    const { list, looks } = observed([good, good, ...Array.from({ length: 50 }, () => faulty)]);
    const body = { model: "m", messages: [USER], ...around(list) };
    const error = assertThrows(() => readChatRequest(body), GatewayError);
    assertEquals(error.kind, "invalid_value");
    assert(error.param?.startsWith(`${path}[2]`), `${error.param}`);
    assertEquals([...looks].filter((index) => index > 2), []);
    assert(error.message.length < 300);
  });

  Deno.test(`a million errors in ${path} result in one error, not in a stack overflow`, () => {
    const list = Array.from({ length: 1_000_000 }, () => faulty);
    const body = { model: "m", messages: [USER], ...around(list) };
    const error = assertThrows(() => readChatRequest(body), GatewayError);
    assert(error.param?.startsWith(`${path}[0]`), `${error.param}`);
  });
}

for (const member of ["logit_bias", "metadata"]) {
  Deno.test(`${member} is checked up to its first error`, () => {
    const members = Array.from({ length: 100_000 }, (_, index) => [`k${index}`, null]);
    const body = { model: "m", messages: [USER], [member]: Object.fromEntries(members) };
    const error = assertThrows(() => readChatRequest(body), GatewayError);
    assertEquals([error.kind, error.param], ["invalid_value", `${member}.k0`]);
  });
}

Deno.test("a request may add at most 16 models", () => {
  const ask = (count: number) =>
    readChatRequest({ model: "m", messages: [USER], models: Array(count).fill("m") });
  assertEquals(ask(16).models?.length, 16);
  const error = assertThrows(() => ask(100_000), GatewayError);
  assertEquals([error.param, error.message], [
    "models",
    "Invalid value for 'models': must have at most 16 entries",
  ]);
});

Deno.test("an error shortens a long name of the caller", () => {
  const name = "n".repeat(1_000_000);
  const body = { model: "m", messages: [USER], logit_bias: { [name]: "x" } };
  const error = assertThrows(() => readChatRequest(body), GatewayError);
  assert((error.param ?? "").length <= 201);
  assert(error.message.length < 300);
});
