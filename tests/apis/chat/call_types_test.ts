/** Calls of a conversation whose client leaves out their type. */

import { assertEquals, assertThrows } from "@std/assert";
import { GatewayError } from "../../../src/core/errors.ts";
import { readChatRequest } from "../../../src/apis/chat/read_request.ts";

function read(call: unknown) {
  const { messages } = readChatRequest({
    model: "m",
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content: "1" },
    ],
  });
  const [, turn] = messages;
  return turn?.role === "assistant" ? turn.tool_calls?.[0] : undefined;
}

Deno.test("a call without a type is a function", () => {
  const call = { id: "c", function: { name: "f", arguments: "{}" }, extra: 1 };
  for (const one of [call, { ...call, type: null }, { ...call, type: "function" }]) {
    assertEquals(read(one), { ...call, type: "function" } as never);
  }
  const custom = { id: "c", custom: { name: "f", input: "x" } };
  assertEquals(read(custom), { ...custom, type: "custom" } as never);
});

Deno.test("a call without a type has its faults named", () => {
  for (const [call, param] of [[{ id: "c" }, "function"], [{ function: {} }, "id"], [7, ""]]) {
    const error = assertThrows(() => read(call), GatewayError);
    const path = `messages[1].tool_calls[0]${param === "" ? "" : `.${param}`}`;
    assertEquals(error.param, path);
  }
  assertEquals(
    assertThrows(() => read({ id: "c", type: "tool", function: {} }), GatewayError).param,
    "messages[1].tool_calls[0].type",
  );
});
