/** JSON in the strings of a request is counted before it is parsed, in every format. */

import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/contract/chat.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { ScriptedVendor } from "../support/scripted_vendor.ts";

/** Far over the budget of elements, and quick to refuse. */
const LISTS = `[${"[],".repeat(1_000_000)}0]`;
const PACKED = new TextEncoder().encode(LISTS).toBase64({ alphabet: "base64url" });
const HELLO = { role: "user", content: "Hi" };

const PROVIDERS: Readonly<Record<string, JsonObject>> = {
  gemini: { kind: "gemini", api_key: VENDOR_KEY, models: [{ id: "g", upstream: "gemini-3-pro" }] },
  anthropic: {
    kind: "anthropic",
    api_key: VENDOR_KEY,
    models: [{ id: "a", upstream: "claude-x" }],
  },
  cohere: { kind: "cohere", api_key: VENDOR_KEY, models: [{ id: "c", upstream: "command-a" }] },
  ollama: { kind: "ollama", base_url: "http://o.test", models: [{ id: "o", upstream: "x" }] },
  chat: { kind: "openai_compatible", base_url: "http://chat.test/v1", models: ["m"] },
};

async function ask(path: string, body: JsonObject) {
  const vendor = new ScriptedVendor();
  const gateway = createTestGateway({ config: { providers: PROVIDERS }, fetch: vendor.fetch });
  const answer = await gateway.call(path, body);
  const text = await answer.text();
  assertEquals(gateway.bugs, []);
  return { status: answer.status, error: JSON.parse(text).error, vendor };
}

function called(text: string, content = "x"): JsonObject[] {
  const call = { id: "call_1", type: "function", function: { name: "f", arguments: text } };
  return [
    HELLO,
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content },
  ];
}

Deno.test("arguments that hold too many elements are refused for each vendor that takes objects", async () => {
  for (const model of ["g", "a", "c", "o"]) {
    const { status, error } = await ask("/v1/chat/completions", { model, messages: called(LISTS) });
    assertEquals([model, status, error.param], [
      model,
      400,
      "messages[1].tool_calls[0].function.arguments",
    ]);
    assert(error.message.includes("at most 50000 list entries and object members"), error.message);
  }
});

Deno.test("vendors that take arguments as text get them as they are", async () => {
  const { vendor } = await ask("/v1/chat/completions", { model: "m", messages: called(LISTS) });
  const [, turn] = vendor.body.messages as JsonObject[];
  assertEquals((turn?.tool_calls as { function: JsonObject }[])[0]?.function.arguments, LISTS);
});

Deno.test("the arguments of Responses items are refused at the item's own path", async () => {
  const { status, error } = await ask("/v1/responses", {
    model: "a",
    input: [
      HELLO,
      { type: "function_call", call_id: "c", name: "f", arguments: LISTS },
      { type: "function_call_output", call_id: "c", output: "x" },
    ],
  });
  assertEquals([status, error.param], [400, "input[1]"]);
});

Deno.test("a tool's result that holds too many elements stays text for Gemini", async () => {
  const { vendor } = await ask("/v1/chat/completions", {
    model: "g",
    messages: called("{}", LISTS),
  });
  const [, , turn] = vendor.body.contents as { parts: { functionResponse: JsonObject }[] }[];
  assertEquals(turn?.parts[0]?.functionResponse.response, { output: LISTS });
});

Deno.test("packed state that holds too many elements is refused", async () => {
  const messages = await ask("/v1/messages", {
    model: "m",
    max_tokens: 64,
    messages: [HELLO, {
      role: "assistant",
      content: [{ type: "thinking", thinking: "x", signature: `sluice1.${PACKED}` }],
    }, HELLO],
  });
  assertEquals(messages.status, 400);
  assert(messages.error.message.includes("'messages[1].content[0].signature'"));
  const responses = await ask("/v1/responses", {
    model: "m",
    input: [
      HELLO,
      { type: "reasoning", summary: [], encrypted_content: `sluice-r1.${PACKED}` },
      { type: "message", role: "assistant", content: "x" },
      HELLO,
    ],
  });
  assertEquals([responses.status, responses.error.param], [400, "input[1].encrypted_content"]);
});
