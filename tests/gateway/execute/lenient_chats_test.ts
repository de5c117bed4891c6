/** Chats of clients that mix formats: `input` in place of `messages`, and tools of other shapes. */

import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { sayHello, ScriptedVendor, toEventStream } from "../../support/scripted_vendor.ts";

const CHAT = "/v1/chat/completions";

function start(kind = "groq", script = sayHello) {
  const vendor = new ScriptedVendor(script);
  const gateway = createTestGateway({
    config: { providers: { p: { kind, api_key: "k", models: ["m"] } } },
    fetch: vendor.fetch,
  });
  const ask = async (body: JsonObject, headers = {}) => {
    const response = await gateway.call(CHAT, { model: "m", ...body }, headers);
    const text = await response.text();
    return {
      status: response.status,
      text,
      headers: response.headers,
      sent: vendor.sent.at(-1)?.body,
    };
  };
  return { ask, vendor };
}

const SCHEMA = { type: "object", properties: { city: { type: "string" } } };
const CHAT_TOOL = {
  type: "function",
  function: { name: "weather", description: "Says it", parameters: SCHEMA },
};
const CALLS = [
  { role: "user", content: [{ type: "input_text", text: "Weather in Oslo?" }] },
  { type: "function_call", call_id: "c1", name: "weather", arguments: '{"city":"Oslo"}' },
  { type: "function_call_output", call_id: "c1", output: "Rain" },
];
const CHAT_MESSAGES = [
  { role: "system", content: "Be brief" },
  { role: "user", content: "Weather in Oslo?" },
  {
    role: "assistant",
    tool_calls: [{
      ...{ id: "c1", type: "function" },
      function: { name: "weather", arguments: '{"city":"Oslo"}' },
    }],
  },
  { role: "tool", tool_call_id: "c1", content: "Rain" },
];

const TOOLS: readonly [string, JsonObject][] = [
  ["of the Responses API", { type: "function", ...CHAT_TOOL.function }],
  ["of Anthropic", { name: "weather", description: "Says it", input_schema: SCHEMA }],
  ["of Anthropic, with a type", {
    ...{ type: "custom", name: "weather", description: "Says it", input_schema: SCHEMA },
  }],
  ["of this API", CHAT_TOOL],
];

for (const [shape, tool] of TOOLS) {
  Deno.test(`a tool in the shape ${shape} is understood beside messages`, async () => {
    const { ask } = start();
    const messages = [{ role: "user", content: "Hi" }];
    const { status, sent, headers } = await ask({ messages, tools: [tool] });
    assertEquals([status, sent?.tools], [200, [CHAT_TOOL]]);
    assertEquals(headers.get("x-sluice-converted"), tool === CHAT_TOOL ? null : "tools");
  });

  Deno.test(`a tool in the shape ${shape} is understood beside input`, async () => {
    const { status, sent } = await start().ask({ input: "Hi", tools: [tool] });
    assertEquals([status, sent?.messages, sent?.tools], [
      200,
      [{ role: "user", content: "Hi" }],
      [CHAT_TOOL],
    ]);
  });
}

const CHOICES: readonly [unknown, unknown][] = [
  [{ type: "auto" }, "auto"],
  [{ type: "any" }, "required"],
  [{ type: "none" }, "none"],
  [{ type: "tool", name: "weather" }, { type: "function", function: { name: "weather" } }],
  [{ type: "function", name: "weather" }, { type: "function", function: { name: "weather" } }],
  ["required", "required"],
];

for (const [choice, expected] of CHOICES) {
  for (const asked of [{ messages: [{ role: "user", content: "Hi" }] }, { input: "Hi" }]) {
    const name = `${JSON.stringify(choice)} beside ${Object.keys(asked)}`;
    Deno.test(`the choice ${name} is understood`, async () => {
      const { status, sent, text } = await start("mistral")
        .ask({ ...asked, tools: [TOOLS[1]?.[1]], tool_choice: choice });
      assertEquals(status, 200, text);
      // Mistral's word for required is any.
      const word = expected === "required" ? "any" : expected;
      assertEquals(sent?.tool_choice ?? "auto", word);
    });
  }
}

Deno.test("input instead of messages is answered as a chat completion", async () => {
  const { ask } = start();
  const body = {
    ...{ instructions: "Be brief", input: CALLS, tools: [TOOLS[0]?.[1]], max_output_tokens: 50 },
    ...{ temperature: 0.5, store: false, truncation: "auto", user: "u" },
  };
  const { status, sent, text, headers } = await ask(body);
  assertEquals(status, 200, text);
  assertEquals(sent?.messages, CHAT_MESSAGES);
  assertEquals([sent?.temperature, sent?.max_completion_tokens ?? sent?.max_tokens], [0.5, 50]);
  const { object, choices } = JSON.parse(text);
  assertEquals([object, choices[0].message.content], ["chat.completion", "Hello."]);
  assert(headers.get("x-sluice-converted")?.split(", ").includes("input->messages"));
  assert(headers.get("x-sluice-ignored")?.split(", ").includes("truncation"));
});

Deno.test("a stream is one of chat completions, with usage if requested", async () => {
  for (const include_usage of [false, true]) {
    const { ask } = start();
    const asked = { input: "Hi", stream: true, stream_options: { include_usage } };
    const { status, text, headers } = await ask(asked);
    assertEquals([status, headers.get("content-type")], [200, "text/event-stream; charset=utf-8"]);
    assert(text.endsWith("data: [DONE]\n\n"), text);
    assert(!text.includes("event:"));
    const chunks = text.split("\n\n").filter((line) => line.startsWith("data: {"))
      .map((line) => JSON.parse(line.slice("data: ".length)));
    assertEquals(chunks.map(({ object }) => object), chunks.map(() => "chat.completion.chunk"));
    assertEquals(chunks.some(({ usage }) => usage != null), include_usage);
  }
});

Deno.test("members of chat completions keep their meaning beside input", async () => {
  const { ask } = start();
  const body = { input: "Hi", max_tokens: 7, stop: ["x"], seed: 3, reasoning: { effort: "low" } };
  const { status, sent, headers } = await ask(body);
  assertEquals([status, sent?.stop, sent?.seed], [200, ["x"], 3]);
  assertEquals(sent?.max_tokens ?? sent?.max_completion_tokens, 7);
  const ignored = headers.get("x-sluice-ignored")?.split(", ") ?? [];
  assertEquals(ignored.filter((name) => ["max_tokens", "stop", "seed"].includes(name)), []);
});

Deno.test("a call in the answer to such a request is one of chat completions", async () => {
  const call = {
    index: 0,
    id: "c9",
    type: "function",
    function: { name: "weather", arguments: "{}" },
  };
  const chunk = (delta: unknown, finish_reason: string | null = null) => ({
    ...{ id: "x", object: "chat.completion.chunk", created: 1, model: "m" },
    choices: [{ index: 0, delta, finish_reason }],
  });
  const { ask } = start(
    "groq",
    () =>
      toEventStream([
        chunk({ role: "assistant", tool_calls: [call] }),
        chunk({}, "tool_calls"),
        "[DONE]",
      ]),
  );
  const { text } = await ask({ input: CALLS, tools: [TOOLS[0]?.[1]], stream: true });
  const calls = text.split("\n\n").filter((line) => line.startsWith("data: {"))
    .flatMap((line) => JSON.parse(line.slice("data: ".length)).choices)
    .flatMap(({ delta }) => delta.tool_calls ?? []);
  assertEquals(calls, [call]);
});

const FAULTS: readonly [string, JsonObject, string | null][] = [
  ["neither messages nor input", {}, "messages"],
  ["an item of no known form", { input: [{ role: "wizard", content: "Hi" }] }, "input[0].role"],
  ["a stored answer", { input: "Hi", previous_response_id: "resp_1" }, "previous_response_id"],
  ["a tool without a name", { input: "Hi", tools: [{ type: "function" }] }, "tools[0].name"],
  ["a wrong number", { input: "Hi", max_tokens: "many" }, "max_tokens"],
];

for (const [what, body, param] of FAULTS) {
  Deno.test(`${what} is a 400 of chat completions`, async () => {
    const { ask, vendor } = start();
    const { status, text } = await ask(body);
    const { error } = JSON.parse(text);
    assertEquals([status, error.type, vendor.sent.length], [400, "invalid_request_error", 0], text);
    assertEquals(error.param, param);
  });
}

Deno.test("messages win over input, which then passes as an unknown member", async () => {
  const messages = [{ role: "user", content: "Hi" }];
  const { status, sent, headers } = await start().ask({ messages, input: "No" });
  assertEquals([status, sent?.messages], [200, messages]);
  assertEquals(headers.get("x-sluice-converted"), null);
});

Deno.test("an explanation says what was converted", async () => {
  const { ask, vendor } = start();
  const headers = { "x-sluice-explain": "true" };
  const { text } = await ask({ input: "Hi", tools: [TOOLS[1]?.[1]] }, headers);
  const [target] = JSON.parse(text).targets;
  const names = target.receipt.map(({ parameter }: JsonObject) => parameter);
  assert(names.includes("input"), text);
  assertEquals(vendor.sent.length, 0);
});
