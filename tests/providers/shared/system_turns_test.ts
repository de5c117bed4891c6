/** System messages inside a conversation of the Messages API. */

import { assert, assertEquals } from "@std/assert";
import { withoutSystemTurns } from "../../../src/providers/shared/claude/native_fit.ts";

const text = (text: string, more = {}) => ({ type: "text", text, ...more });
const user = (...content: unknown[]) => ({ role: "user", content });
const system = (content: unknown) => ({ role: "system", content });
const call = { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] };
const result = { type: "tool_result", tool_use_id: "t", content: "1" };
const cache_control = { type: "ephemeral" };

const ROWS: readonly (readonly [what: string, messages: unknown[], placed: unknown[]])[] = [
  ["after a user's message: at its end", [user(text("Hi")), system("A"), system("B")], [
    user(text("Hi"), text("<system>A</system>"), text("<system>B</system>")),
  ]],
  ["a user's message that is a string", [{ role: "user", content: "Hi" }, system("A")], [
    user(text("Hi"), text("<system>A</system>")),
  ]],
  ["after results: at the end", [user(text("Hi")), call, user(result), system("A")], [
    user(text("Hi")),
    call,
    user(result, text("<system>A</system>")),
  ]],
  [
    "between calls and results: after the results",
    [user(text("Hi")), call, system("A"), user(result, text("Go"))],
    [user(text("Hi")), call, user(result, text("<system>A</system>"), text("Go"))],
  ],
  ["after the assistant: first in the next message", [
    user(text("Hi")),
    { role: "assistant", content: "Yes" },
    system("A"),
    system("B"),
    user(text("Go")),
  ], [
    user(text("Hi")),
    { role: "assistant", content: "Yes" },
    user(text("<system>A</system>"), text("<system>B</system>"), text("Go")),
  ]],
  ["at the end: a separate message", [
    user(text("Hi")),
    { role: "assistant", content: "Yes" },
    system("A"),
  ], [
    user(text("Hi")),
    { role: "assistant", content: "Yes" },
    user(text("<system>A</system>")),
  ]],
  ["the marker stays", [
    user(text("Hi")),
    system([text("A", { cache_control }), text("B")]),
  ], [user(text("Hi"), text("<system>A\n\nB</system>", { cache_control }))]],
];

for (const [what, messages, placed] of ROWS) {
  Deno.test(`a system message ${what}`, () => {
    const body = { system: "S", messages };
    const before = structuredClone(body);
    assertEquals(withoutSystemTurns(body), { system: "S", messages: placed });
    assertEquals(body, before);
  });
}

Deno.test("the first system messages become the system prompt", () => {
  const messages = [system("A"), system([text("B")]), user(text("Hi"))];
  assertEquals(withoutSystemTurns({ system: "S", messages }), {
    system: [text("S"), text("A"), text("B")],
    messages: [user(text("Hi"))],
  });
  assertEquals(withoutSystemTurns({ messages }).system, [text("A"), text("B")]);
});

Deno.test("a body without them is the same body", () => {
  const body = { messages: [user(text("Hi"))] };
  assert(withoutSystemTurns(body) === body);
});
