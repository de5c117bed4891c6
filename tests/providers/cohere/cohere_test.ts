import { assertEquals } from "@std/assert";
import { cohere } from "../../../src/providers/cohere/cohere_adapter.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { sayHello, ScriptedVendor, toEventStream } from "../../support/scripted_vendor.ts";

const TOOL = { type: "function", function: { name: "get-time", parameters: { type: "object" } } };

function gatewayFor(vendor: ScriptedVendor, model: string) {
  const provider = { kind: "cohere", api_key: VENDOR_KEY, models: [model] };
  return createTestGateway({ config: { providers: { cohere: provider } }, fetch: vendor.fetch });
}

Deno.test("a tool loop sends the plan back to the vendor", async () => {
  const called = {
    id: "c1",
    finish_reason: "TOOL_CALL",
    message: {
      role: "assistant",
      tool_plan: "I will look at the clock.",
      tool_calls: [{ id: "t1", type: "function", function: { name: "get_time", arguments: "" } }],
    },
  };
  const vendor: ScriptedVendor = new ScriptedVendor((sent) =>
    vendor.sent.length === 1 ? Response.json(called) : sayHello(sent)
  );
  const gateway = gatewayFor(vendor, "command-a-03-2025");
  const request = { model: "command-a-03-2025", tools: [TOOL] };
  const messages: unknown[] = [{ role: "user", content: "What time is it?" }];
  const first = await gateway.call("/v1/chat/completions", { ...request, messages });
  const { choices: [{ message }] } = await first.json();
  assertEquals(message.tool_calls[0].function, { name: "get-time", arguments: "{}" });
  const result = { role: "tool", tool_call_id: message.tool_calls[0].id, content: "noon" };
  const second = await gateway.call("/v1/chat/completions", {
    ...request,
    messages: [...messages, message, result],
  });
  assertEquals((await second.json()).choices[0].message.content, "Hello.");
  const [, turn, answer] = vendor.sent[1]?.body.messages as Record<string, unknown>[];
  assertEquals(turn, {
    role: "assistant",
    tool_plan: "I will look at the clock.",
    tool_calls: [{ id: "t1", type: "function", function: { name: "get_time", arguments: "{}" } }],
  });
  assertEquals(answer, { role: "tool", tool_call_id: "t1", content: "noon" });
});

Deno.test("a field that the vendor rejects is omitted, and the rejection is learned", async () => {
  const message = "unknown field: parameter 'safety_mode' is not a valid field";
  const vendor: ScriptedVendor = new ScriptedVendor((sent) =>
    "safety_mode" in sent.body ? Response.json({ message }, { status: 422 }) : sayHello(sent)
  );
  const gateway = gatewayFor(vendor, "m");
  const messages = [{ role: "user", content: "Hi" }];
  for (let round = 0; round < 2; round++) {
    const body = { model: "m", messages, safety_mode: "NONE" };
    const response = await gateway.call("/v1/chat/completions", body);
    assertEquals(response.status, 200);
    assertEquals(response.headers.get("x-sluice-ignored"), "safety_mode");
  }
  assertEquals(vendor.sent.map(({ body }) => "safety_mode" in body), [true, false, false]);
});

Deno.test("a stream may omit the start event and the end events of calls", async () => {
  const started = { id: "t1", type: "function", function: { name: "get_time", arguments: "{}" } };
  const vendor = new ScriptedVendor(() =>
    toEventStream([
      { type: "tool-call-start", index: 7, delta: { message: { tool_calls: { ...started } } } },
      { type: "tool-call-start", index: 8, delta: { message: { tool_calls: nameless(started) } } },
      { type: "unheard-of" },
      { type: "message-end", delta: { finish_reason: "TOOL_CALL" } },
    ])
  );
  const gateway = gatewayFor(vendor, "m");
  const response = await gateway.call("/v1/chat/completions", {
    model: "m",
    stream: true,
    tools: [TOOL],
    messages: [{ role: "user", content: "Hi" }],
  });
  const events = (await response.text()).split("\n\n").slice(0, -1);
  const calls = events.slice(0, -1).map((event) => JSON.parse(event.slice("data: ".length)))
    .flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
  assertEquals(calls.map(({ index, id }) => [index, id]), [
    [0, "t1"],
    [0, undefined],
    [1, "call_3"],
    [1, undefined],
  ]);
  assertEquals(calls.at(-1).function.arguments, "{}");
});

function nameless({ type }: { type: string }) {
  return { type, function: { name: "get_time" } };
}

Deno.test("toError() uses the message where the status is ambiguous", () => {
  const kindOf = (status: number, message: string) =>
    cohere.toError({ where: "answer", status, headers: new Headers(), body: { message } }).kind;
  assertEquals(kindOf(400, "too many tokens: at most 128000"), "context_length");
  assertEquals(kindOf(400, "message must not be empty in a turn"), "invalid_request");
  assertEquals(kindOf(429, "limited to 1000 API calls / month"), "quota");
  assertEquals(kindOf(429, "limited to 20 API calls / minute"), "rate_limited");
  assertEquals(kindOf(498, "blocked"), "content_filter");
  assertEquals(kindOf(499, ""), "upstream_error");
  assertEquals(kindOf(501, ""), "invalid_request");
  assertEquals(kindOf(503, ""), "upstream_unavailable");
});
