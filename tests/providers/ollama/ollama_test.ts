import { assertEquals } from "@std/assert";
import { createFrameReader } from "../../../src/streaming/frame_readers.ts";
import { ollama } from "../../../src/providers/ollama/ollama_adapter.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { sayHello, ScriptedVendor, toLines } from "../../support/scripted_vendor.ts";

const TOOL = { type: "function", function: { name: "now" } };

function gatewayFor(vendor: ScriptedVendor, members: Record<string, unknown> = {}) {
  const provider = { kind: "ollama", models: ["m"], ...members };
  return createTestGateway({ config: { providers: { home: provider } }, fetch: vendor.fetch });
}

Deno.test("the server's root, its /api and a path before it all lead to /api/chat", async () => {
  const addresses = [
    ["http://h:11434", "http://h:11434/api/chat"],
    ["http://h:11434/", "http://h:11434/api/chat"],
    ["http://h/api/", "http://h/api/chat"],
    ["https://h/ollama", "https://h/ollama/api/chat"],
  ];
  for (const [base_url, url] of addresses) {
    const vendor = new ScriptedVendor();
    const messages = [{ role: "user", content: "Hi" }];
    const gateway = gatewayFor(vendor, { base_url });
    await (await gateway.call("/v1/chat/completions", { model: "m", messages })).body?.cancel();
    assertEquals(vendor.sent.map((sent) => sent.url), [url]);
    assertEquals(vendor.sent[0]?.headers.has("authorization"), false);
  }
});

Deno.test("a request to a model that does not think is repeated without thinking, and the rejection is learned", async () => {
  const error = '"m" does not support thinking';
  const vendor: ScriptedVendor = new ScriptedVendor((sent) =>
    "think" in sent.body ? Response.json({ error }, { status: 400 }) : sayHello(sent)
  );
  const gateway = gatewayFor(vendor);
  const messages = [{ role: "user", content: "Hi" }];
  for (let round = 0; round < 2; round++) {
    const body = { model: "m", messages, reasoning_effort: "high" };
    assertEquals((await gateway.call("/v1/chat/completions", body)).status, 200);
  }
  assertEquals(vendor.sent.map(({ body }) => body.think), ["high", undefined, undefined]);
});

Deno.test("a streamed tool loop sends thinking and IDs back", async () => {
  const made = { role: "assistant", content: "", thinking: "The clock." };
  const tool_calls = [{ function: { name: "now", arguments: { zone: "UTC" } } }];
  const vendor: ScriptedVendor = new ScriptedVendor((sent) =>
    vendor.sent.length === 1
      ? toLines([{ message: { ...made, tool_calls }, done: true, done_reason: "stop" }])
      : sayHello(sent)
  );
  const gateway = gatewayFor(vendor);
  const request = { model: "m", tools: [TOOL], stream: true };
  const messages: unknown[] = [{ role: "user", content: "What time is it?" }];
  const first = await gateway.call("/v1/chat/completions", { ...request, messages });
  const deltas = (await first.text()).split("\n\n").filter((event) => event.includes("choices"))
    .map((event) => JSON.parse(event.slice("data: ".length)).choices[0].delta);
  const [{ id, type, function: called }] = deltas.find((delta) => delta.tool_calls).tool_calls;
  const reasoning_content = deltas.map((delta) => delta.reasoning_content ?? "").join("");
  const turn = {
    role: "assistant",
    reasoning_content,
    tool_calls: [{ id, type, function: called }],
  };
  const result = { role: "tool", tool_call_id: id, content: "noon" };
  const second = await gateway.call("/v1/chat/completions", {
    ...request,
    messages: [...messages, turn, result],
  });
  assertEquals((await second.text()).includes('"content":"Hello"'), true);
  // The vendor gets its own ID again, without the reasoning state that the caller's ID contains.
  assertEquals((vendor.sent[1]?.body.messages as unknown[]).slice(1), [
    {
      role: "assistant",
      content: "",
      thinking: "The clock.",
      tool_calls: [{ id: "call_3", function: { name: "now", arguments: { zone: "UTC" } } }],
    },
    { role: "tool", content: "noon", tool_name: "now", tool_call_id: "call_3" },
  ]);
});

Deno.test("toError() uses the message where the status is ambiguous", () => {
  const verdictOf = (status: number, error: unknown) =>
    ollama.toError({ where: "answer", status, headers: new Headers(), body: { error } });
  assertEquals(
    verdictOf(400, "the input length exceeds the context length").kind,
    "context_length",
  );
  assertEquals(verdictOf(400, "m does not support vision").kind, "unsupported_content");
  assertEquals(verdictOf(400, "m does not support tools").param, "tools");
  assertEquals(verdictOf(400, 'invalid think value: "max"').repair, {
    without: "think",
    parameters: ["reasoning_effort", "thinking"],
    words: "invalid think value",
  });
  const quoted = verdictOf(400, 'unknown format: "m does not support thinking"');
  assertEquals([quoted.kind, quoted.repair], ["invalid_request", undefined]);
  assertEquals(verdictOf(400, { message: "an object" }).message, "an object");
  assertEquals(verdictOf(404, "model 'm' not found").kind, "model_not_found");
  assertEquals(verdictOf(500, "out of memory").kind, "upstream_error");
});

Deno.test("a line in many packets is read in linear time", () => {
  const reader = createFrameReader(ollama.framing);
  const packet = new TextEncoder().encode("x".repeat(128));
  // Read again with each packet, this would take minutes.
  for (let count = 0; count < 48 * 1024; count++) assertEquals(reader.push(packet), []);
  const [frame, ...others] = reader.push(new TextEncoder().encode("y\nz"));
  assertEquals([frame?.data.length, others], [6 * 1024 * 1024 + 1, []]);
  assertEquals(reader.end(), [{ data: "z" }]);
});
