/** Compaction: exactly one item with a summary, and what becomes of it when it comes back. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { cutsOf } from "../../support/cuts.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { textOf } from "../../support/sent_body.ts";

const SUMMARY = "They said hi – and ü.";
const INPUT = [{ role: "user", content: "Hi" }, { role: "assistant", content: "Hello" }];
const TOOLS = [{ type: "function", name: "f", parameters: { type: "object" } }];

const PROVIDERS = {
  chat: { kind: "openai_compatible", base_url: "http://chat.test/v1", models: ["c"], retries: 0 },
  native: {
    kind: "openai",
    api: "responses",
    api_key: "sk-vendor-0123456789",
    base_url: "http://native.test/v1",
    models: ["n"],
    retries: 0,
  },
};

function createWorld(answer: () => Response = () => summary()) {
  const sent: JsonObject[] = [];
  const gateway = createTestGateway({
    config: { providers: PROVIDERS },
    fetch: async (_, { body }) => {
      sent.push(JSON.parse(await textOf(body)));
      return answer();
    },
  });
  return { gateway, sent };
}

function summary(content: string | null = SUMMARY): Response {
  return Response.json({
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 30, completion_tokens: 5, total_tokens: 35 },
  });
}

/** The only item of an output. */
function onlyItem(body: JsonObject): JsonObject {
  const output = Array.isArray(body.output) ? body.output : [];
  assertEquals(output.map(({ type }) => type), ["compaction"]);
  const [item] = output;
  assert(/^cmp_[\w-]+$/.test(item.id) && item.encrypted_content.length > 10);
  return item;
}

Deno.test("compact gets a summary from a model that has only chat, which is the only item", async () => {
  const { gateway, sent } = createWorld();
  const response = await gateway.call("/v1/responses/compact", {
    model: "c",
    input: INPUT,
    instructions: "Brief",
    stream: true,
  });
  const body = await response.json();
  assertEquals([response.status, body.object], [200, "response.compaction"]);
  onlyItem(body);
  assertEquals([body.usage.input_tokens, body.usage.output_tokens], [30, 5]);
  const messages = sent[0]?.messages as JsonObject[];
  assertEquals(messages.map(({ role }) => role), ["system", "user", "assistant", "user"]);
  assertStringIncludes(String(messages.at(-1)?.content), "Summarize");
  assertEquals(sent[0]?.stream, undefined);
  assertEquals(gateway.lines[0]?.prompt_tokens, 30);
});

Deno.test("a summary that comes back is a message, for every target", async () => {
  const { gateway, sent } = createWorld();
  const compacted = await gateway.call("/v1/responses/compact", { model: "c", input: INPUT });
  const item = onlyItem(await compacted.json());
  for (const type of ["compaction", "compaction_summary"]) {
    const input = [{ ...item, type }, { role: "user", content: "Next" }];
    for (const model of ["c", "n"]) {
      await (await gateway.call("/v1/responses", { model, input })).body?.cancel();
      const { messages, input: items } = sent.at(-1) ?? {};
      const [first, second] = (messages ?? items) as JsonObject[];
      assertEquals(first?.role, "user");
      assertEquals(first?.content, `Summary of the conversation so far:\n\n${SUMMARY}`);
      assertEquals([second?.content, first?.id, first?.encrypted_content], [
        "Next",
        undefined,
        undefined,
      ]);
    }
  }
});

Deno.test("a summary that a vendor has encrypted is noted, and one that is damaged", async () => {
  const { gateway, sent } = createWorld();
  for (const encrypted_content of ["gAAAAA", "sluice-c1.%%%", 5]) {
    const input = [{ type: "compaction", encrypted_content }, { role: "user", content: "Next" }];
    const response = await gateway.call("/v1/responses", { model: "c", input });
    assertEquals(response.headers.get("x-sluice-ignored"), "input.compaction");
    await response.body?.cancel();
    assertEquals(sent.at(-1)?.messages, [{ role: "user", content: "Next" }]);
  }
});

const TRIGGERED = {
  model: "c",
  input: [...INPUT, { type: "compaction_trigger" }],
  tools: TOOLS,
  tool_choice: "required",
};

Deno.test("a trigger at the end of the input gets a response with one item", async () => {
  const { gateway, sent } = createWorld();
  const body = await (await gateway.call("/v1/responses", TRIGGERED)).json();
  assertEquals([body.object, body.status], ["response", "completed"]);
  onlyItem(body);
  assertEquals(sent[0]?.tool_choice, "none");
  assertEquals((sent[0]?.tools as unknown[]).length, 1);
});

Deno.test("an answer without a summary is a failure of the vendor", async () => {
  for (const path of ["/v1/responses/compact", "/v1/responses"]) {
    const { gateway } = createWorld(() => summary(null));
    const response = await gateway.call(path, TRIGGERED);
    assert(response.status >= 502, String(response.status));
    assertEquals(typeof (await response.json()).error.message, "string");
  }
});

const CHUNKS = [
  { choices: [{ index: 0, delta: { role: "assistant", content: "" } }] },
  { choices: [{ index: 0, delta: { content: SUMMARY.slice(0, 9) } }] },
  { choices: [{ index: 0, delta: { content: SUMMARY.slice(9) } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  { choices: [], usage: { prompt_tokens: 30, completion_tokens: 5, total_tokens: 35 } },
].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("") + "data: [DONE]\n\n";

const streamed = (pieces: readonly Uint8Array[]) =>
  new Response(ReadableStream.from(pieces), { headers: { "content-type": "text/event-stream" } });

Deno.test("a streamed summary is one item, wherever the vendor's stream is cut", async () => {
  const bytes = new TextEncoder().encode(CHUNKS);
  let whole: string | undefined;
  for (const at of cutsOf(bytes.length)) {
    const { gateway } = createWorld(() => streamed([bytes.subarray(0, at), bytes.subarray(at)]));
    const text = await (await gateway.call("/v1/responses", { ...TRIGGERED, stream: true })).text();
    whole ??= text;
    if (text !== whole) assertEquals(text, whole, `cut at ${at}`);
  }
  const events: JsonObject[] = (whole ?? "").split("\n\n").filter((event) => event !== "")
    .map((event) => JSON.parse(event.slice(event.indexOf("data: ") + "data: ".length)));
  assertEquals(events.map(({ type, sequence_number: number }) => [type, number]), [
    ["response.created", 0],
    ["response.in_progress", 1],
    ["response.output_item.added", 2],
    ["response.output_item.done", 3],
    ["response.completed", 4],
  ]);
  const response = events.at(-1)?.response as JsonObject;
  assertEquals(onlyItem(response), events[3]?.item);
  assertEquals((response.usage as JsonObject).input_tokens, 30);
});

Deno.test("a streamed summary that is cut fails", async () => {
  const cut = new TextEncoder().encode(CHUNKS.slice(0, CHUNKS.indexOf("finish_reason")));
  const { gateway } = createWorld(() => streamed([cut]));
  const text = await (await gateway.call("/v1/responses", { ...TRIGGERED, stream: true })).text();
  assertStringIncludes(text, "event: response.failed");
  assert(!text.includes("response.completed"));
});
