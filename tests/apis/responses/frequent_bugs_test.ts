/**
 * Frequent bugs of gateways that offer the Responses API in front of other APIs, one test for each.
 * Each test names a thread in which the bug was reported.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import { packState } from "../../../src/apis/responses/output_items.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { type Event, readEvents, readStream, saidBy } from "../../support/responses/events.ts";
import { CHUNKS, ScriptedVendor, toEventStream } from "../../support/scripted_vendor.ts";

const CHAT = { kind: "openai_compatible", base_url: "http://chat.test/v1", models: ["m"] };

interface Asked {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** The body of the only request to the vendor. */
  readonly sent: JsonObject;
}

/** Sends one request to a gateway whose vendor answers with these chunks, or with `Hello.`. */
async function ask(
  body: JsonObject,
  chunks?: readonly JsonObject[],
  provider: JsonObject = CHAT,
): Promise<Asked> {
  const vendor = new ScriptedVendor(
    chunks && (() => toEventStream(chunks.map((chunk) => ({ ...CHUNKS[0], ...chunk })))),
  );
  const config = { providers: { chat: provider } };
  const gateway = createTestGateway({ config, fetch: vendor.fetch });
  const answer = await gateway.call("/v1/responses", { model: "m", input: "Hi", ...body });
  const text = await answer.text();
  assertEquals(gateway.bugs, []);
  return {
    status: answer.status,
    text,
    headers: answer.headers,
    get sent() {
      return vendor.body;
    },
  };
}

function chunk(delta: JsonObject, finish_reason: string | null = null): JsonObject {
  return { choices: [{ index: 0, delta, finish_reason }] };
}

/** A piece of a call; its first piece has a name. */
function call(index: number, text: string, name?: string): JsonObject {
  const first = name === undefined ? {} : { id: `call_${index}`, type: "function" };
  const called = { ...(name !== undefined && { name }), arguments: text };
  return chunk({ tool_calls: [{ index, ...first, function: called }] });
}

const CALLED = chunk({}, "tool_calls");
const TOOL = { type: "function", name: "look_up", parameters: { type: "object", properties: {} } };

function eventsOf(type: string, events: readonly Event[]): Event[] {
  return events.filter((event) => event.type === type);
}

Deno.test("Oaklight/llm-rosetta#56, BerriAI/litellm#19130: every event has its item, index, id and wrapper", async () => {
  const { text } = await ask({ stream: true }, [
    chunk({ reasoning_content: "Hm" }),
    chunk({ content: "Hello" }),
    call(0, "{}", "look_up"),
    CALLED,
  ]);
  readStream(text);
  for (const { type, ...event } of readEvents(text)) {
    if (/^response\.(created|in_progress|completed)$/.test(type)) assert(isObject(event.response));
    else if (type.startsWith("response.output_item.")) {
      assert(isObject(event.item) && Number.isInteger(event.output_index));
    } else assert(typeof event.item_id === "string" && Number.isInteger(event.output_index), type);
  }
});

Deno.test("ollama/ollama#14600, tingly-dev/tingly-box#1384: a stream without its end fails, and is not completed", async () => {
  const { text } = await ask({ stream: true }, [chunk({ content: "Hel" })]);
  const response = readStream(text);
  assertEquals(response.status, "failed");
  assertEquals((response.error as JsonObject).code, "server_error");
  assert(!text.includes("response.completed") && !text.includes("[DONE]"));
});

Deno.test("openclaw/openclaw#113629, lidge-jun/opencodex#792: an error within the stream is reported once, in both forms", async () => {
  const error = {
    error: { message: "Slow down", type: "rate_limit_error", code: "rate_limit_exceeded" },
  };
  const { text } = await ask({ stream: true }, [chunk({ content: "Hel" }), error]);
  const events = readEvents(text);
  assertEquals(events.slice(-2).map(({ type }) => type), ["error", "response.failed"]);
  const [reported] = eventsOf("error", events);
  assertEquals([reported?.code, reported?.message], ["rate_limit_exceeded", "Slow down"]);
  assertEquals((reported?.error as JsonObject).message, "Slow down");
  const failed = readStream(text).error as JsonObject;
  assertEquals(failed, { code: "rate_limit_exceeded", message: "Slow down" });
  assertEquals(events.filter(({ type }) => type === "response.completed"), []);
});

Deno.test("jundot/omlx#2817, ai-dynamo/dynamo#12182: an answer that is cut is incomplete", async () => {
  for (
    const [reason, why] of [["length", "max_output_tokens"], ["content_filter", "content_filter"]]
  ) {
    const { text } = await ask({ stream: true }, [chunk({ content: "Hel" }), chunk({}, reason)]);
    const response = readStream(text);
    assertEquals([response.status, response.incomplete_details], ["incomplete", { reason: why }]);
    assertEquals((response.output as JsonObject[]).map(({ status }) => status), ["incomplete"]);
  }
});

const NAMESPACE = { type: "namespace", name: "files", tools: [{ ...TOOL, name: "read" }] };

Deno.test("coder/coder#28656, envoyproxy/ai-gateway#2303: tools in namespaces reach the model, and come back in them", async () => {
  const asked = await ask({ stream: true, tools: [NAMESPACE] }, [
    call(0, "{}", "files__read"),
    CALLED,
  ]);
  assertEquals(
    (asked.sent.tools as JsonObject[]).map((tool) => (tool.function as JsonObject).name),
    [
      "files__read",
    ],
  );
  const [item] = readStream(asked.text).output as JsonObject[];
  assertEquals([item?.type, item?.namespace, item?.name], ["function_call", "files", "read"]);
  const back = await ask({
    tools: [NAMESPACE],
    input: [
      { role: "user", content: "Read" },
      { ...item, id: undefined },
      { type: "function_call_output", call_id: "call_0", output: "text" },
    ],
  });
  const [, turn] = back.sent.messages as JsonObject[];
  const [called] = turn?.tool_calls as JsonObject[];
  assertEquals((called?.function as JsonObject).name, "files__read");
});

Deno.test("a name in a namespace has at most 64 characters, and comes back whole", async () => {
  const name = "n".repeat(60);
  const tools = [{
    type: "namespace",
    name: "space",
    tools: [{ ...TOOL, name }, { ...TOOL, name: `${name}x` }],
  }];
  const { sent } = await ask({ tools });
  const names = (sent.tools as JsonObject[]).map((tool) =>
    String((tool.function as JsonObject).name)
  );
  assertEquals(new Set(names).size, 2);
  for (const flat of names) assertEquals(flat.length, 64);
  const { text } = await ask({ stream: true, tools }, [call(0, "{}", names[1]), CALLED]);
  const [item] = readStream(text).output as JsonObject[];
  assertEquals([item?.namespace, item?.name], ["space", `${name}x`]);
});

Deno.test("theopenco/llmgateway#3613: tools in an input item `additional_tools` reach the model", async () => {
  const input = [
    { type: "additional_tools", role: "developer", tools: [TOOL, NAMESPACE] },
    { role: "user", content: "Hi" },
  ];
  const { sent } = await ask({ input });
  const names = (sent.tools as JsonObject[]).map((tool) => (tool.function as JsonObject).name);
  assertEquals(names, ["look_up", "files__read"]);
  assertEquals(sent.messages, [{ role: "user", content: "Hi" }]);
});

Deno.test("router-for-me/CLIProxyAPI#5753, caozhiyuan/copilot-api#242, decolua/9router#1007: a custom tool takes and gives plain text", async () => {
  const format = { type: "grammar", syntax: "lark", definition: "start: /.+/" };
  const tools = [{ type: "custom", name: "apply_patch", description: "Patches", format }];
  const pieces = [
    call(0, '{"inp', "apply_patch"),
    call(0, 'ut":"*** Begin\\n'),
    call(0, 'End"}'),
    CALLED,
  ];
  const { sent, text } = await ask({ stream: true, tools }, pieces);
  const [tool] = sent.tools as JsonObject[];
  const definition = tool?.function as JsonObject;
  assertEquals([tool?.type, definition.name], ["function", "apply_patch"]);
  assertMatch(String(definition.description), /Patches[^]*lark grammar:\nstart: \/\.\+\//);
  const [item] = readStream(text).output as JsonObject[];
  assertEquals([item?.type, item?.name, item?.input], [
    "custom_tool_call",
    "apply_patch",
    "*** Begin\nEnd",
  ]);
  assertMatch(String(item?.id), /^ctc_/);
  const input = [
    { role: "user", content: "Patch" },
    item,
    {
      type: "custom_tool_call_output",
      call_id: item?.call_id,
      output: [{ type: "input_text", text: "ok" }],
    },
  ];
  const back = await ask({ tools, input });
  const [, turn, result] = back.sent.messages as JsonObject[];
  const [called] = turn?.tool_calls as JsonObject[];
  assertEquals(JSON.parse(String((called?.function as JsonObject).arguments)), {
    input: "*** Begin\nEnd",
  });
  assertEquals(result?.tool_call_id, item?.call_id);
});

Deno.test("CommandCodeAI/command-code#885, anomalyco/opencode#40210: tools that only OpenAI runs are omitted, and reported", async () => {
  const tools = [{ type: "web_search" }, TOOL, { type: "local_shell" }];
  const { status, sent, headers } = await ask({ tools, tool_choice: "auto" });
  assertEquals(status, 200);
  assertEquals((sent.tools as JsonObject[]).length, 1);
  assertEquals(headers.get("x-sluice-ignored"), "tools.local_shell, tools.web_search");
  const alone = await ask({ tools: [{ type: "web_search" }], tool_choice: "auto" });
  assertEquals([alone.status, "tools" in alone.sent, "tool_choice" in alone.sent], [
    200,
    false,
    false,
  ]);
});

Deno.test("a choice that requires a tool which only OpenAI runs is a 400 that names it", async () => {
  const hosted = { type: "web_search" };
  for (
    const body of [
      { tools: [TOOL, hosted], tool_choice: hosted },
      { tools: [hosted], tool_choice: "required" },
      {
        tools: [TOOL, hosted],
        tool_choice: { type: "allowed_tools", mode: "required", tools: [hosted] },
      },
    ]
  ) {
    const { status, text } = await ask(body);
    const { error } = JSON.parse(text);
    assertEquals([status, error.code, error.param], [400, "unsupported_content", "tool_choice"]);
    assertMatch(error.message, /'web_search'/);
  }
});

Deno.test("BerriAI/litellm#21154, router-for-me/CLIProxyAPI#3152: parallel calls are one message of the assistant", async () => {
  const made = (id: string) => ({
    type: "function_call",
    call_id: id,
    name: "look_up",
    arguments: "{}",
  });
  const result = (id: string) => ({ type: "function_call_output", call_id: id, output: id });
  const input = [
    { role: "user", content: "Both" },
    { type: "reasoning", summary: [{ type: "summary_text", text: "Two" }] },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look" }] },
    made("a"),
    made("b"),
    { role: "user", content: "Quick" },
    result("a"),
    result("b"),
  ];
  const { sent } = await ask({ input, tools: [TOOL] });
  const messages = sent.messages as JsonObject[];
  assertEquals(messages.map(({ role }) => role), ["user", "assistant", "tool", "tool", "user"]);
  assertEquals((messages[1]?.tool_calls as JsonObject[]).map(({ id }) => id), ["a", "b"]);
  assertEquals(messages[1]?.content, "I look");
});

Deno.test("router-for-me/CLIProxyAPI#3451: reasoning goes back with the calls that it led to", async () => {
  const provider = {
    kind: "deepseek",
    api_key: "k",
    base_url: "http://chat.test/v1",
    models: ["m"],
  };
  const chunks = [chunk({ reasoning_content: "Look" }), call(0, "{}", "look_up"), CALLED];
  const { text } = await ask({ stream: true, tools: [TOOL] }, chunks, provider);
  const output = readStream(text).output as JsonObject[];
  const last = output.at(-1);
  const input = [
    { role: "user", content: "Hi" },
    ...output,
    { type: "function_call_output", call_id: last?.call_id, output: "ok" },
  ];
  const { sent } = await ask({ input, tools: [TOOL] }, undefined, provider);
  const [, turn] = sent.messages as JsonObject[];
  assertEquals(turn?.reasoning_content, "Look");
});

Deno.test("fish2lab/DSCodex#23: what another provider has encrypted is not sent on, and reported", async () => {
  const input = [
    { role: "user", content: "Hi" },
    { type: "reasoning", summary: [], encrypted_content: "gAAAAABforeign" },
    { role: "assistant", content: "Hello." },
    { role: "user", content: "Again" },
  ];
  const { sent, headers } = await ask({ input });
  assert(!JSON.stringify(sent).includes("gAAAA"));
  assertEquals(headers.get("x-sluice-ignored"), "input.reasoning.encrypted_content");
  const native = {
    kind: "openai",
    api: "responses",
    api_key: "k",
    base_url: "http://n.test/v1",
    models: ["m"],
  };
  const packed = {
    type: "reasoning",
    summary: [],
    encrypted_content: packState([{ a: 1 }], false),
  };
  const other = await ask({ input: [packed, { role: "user", content: "Hi" }] }, undefined, native);
  assertEquals(other.sent.input, [{ role: "user", content: "Hi" }]);
  assertEquals(other.headers.get("x-sluice-ignored"), "input.reasoning");
});

Deno.test("BerriAI/litellm#26167, BerriAI/litellm#37956: previous_response_id is never ignored", async () => {
  const { status, text } = await ask({ previous_response_id: "resp_unknown" });
  assertEquals([status, JSON.parse(text).error.code], [404, "previous_response_not_found"]);
});

Deno.test("vllm-project/vllm#56285: IDs are the same from the first event to the last", async () => {
  const chunks = [
    chunk({ reasoning_content: "Hm" }),
    chunk({ content: "Hello" }),
    call(0, '{"a":', "look_up"),
    call(1, "{}", "look_up"),
    call(0, "1}"),
    CALLED,
  ];
  const { text } = await ask({ stream: true, tools: [TOOL] }, chunks);
  const response = readStream(text);
  const items = response.output as JsonObject[];
  assertEquals(items.map(({ type }) => type), [
    "reasoning",
    "message",
    "function_call",
    "function_call",
  ]);
  assertEquals(new Set(items.map(({ id }) => id)).size, 4);
  assertEquals(saidBy(response).calls, [
    ["call_0", "look_up", '{"a":1}'],
    ["call_1", "look_up", "{}"],
  ]);
});

Deno.test("CommandCodeAI/command-code#902, api7/aisix#1185: images in the input and in results of tools are kept", async () => {
  const image = {
    type: "input_image",
    image_url: "data:image/png;base64,iVBORw0KGgo=",
    detail: "low",
  };
  const input = [
    { role: "user", content: [{ type: "input_text", text: "See" }, image] },
    { type: "function_call", call_id: "a", name: "look_up", arguments: "{}" },
    { type: "function_call_output", call_id: "a", output: [image] },
  ];
  const { sent } = await ask({ input, tools: [TOOL] });
  const [user, , result, ...others] = sent.messages as JsonObject[];
  const kept = { type: "image_url", image_url: { url: image.image_url, detail: "low" } };
  assertEquals((user?.content as JsonObject[])[1], kept);
  // Chat completions takes images only from users.
  assertEquals(result?.tool_call_id, "a");
  assertEquals(others.map(({ role }) => role), ["user"]);
  assert(JSON.stringify(others).includes(JSON.stringify(kept)), JSON.stringify(others));
});

Deno.test("vllm-project/vllm#29725, vllm-project/vllm#36445: calls are separate items, and not text", async () => {
  const { text } = await ask({ stream: true, tools: [TOOL] }, [call(0, "{}", "look_up"), CALLED]);
  const said = saidBy(readStream(text));
  assertEquals([said.text, said.calls], ["", [["call_0", "look_up", "{}"]]]);
});

Deno.test("reasoning between calls without results stays in their message", async () => {
  const made = (id: string) => ({
    type: "function_call",
    call_id: id,
    name: "look_up",
    arguments: "{}",
  });
  const thought = (text: string) => ({
    type: "reasoning",
    summary: [{ type: "summary_text", text }],
  });
  const result = (id: string) => ({ type: "function_call_output", call_id: id, output: id });
  const input = [
    { role: "user", content: "Both" },
    thought("One"),
    made("a"),
    thought("Two"),
    made("b"),
    result("a"),
    result("b"),
    thought("Three"),
    { role: "assistant", content: "Done" },
    { role: "user", content: "Thanks" },
  ];
  const provider = { kind: "deepseek", api_key: "k", base_url: "http://chat.test", models: ["m"] };
  const { sent } = await ask({ input, tools: [TOOL] }, undefined, provider);
  const messages = sent.messages as JsonObject[];
  assertEquals(messages.map(({ role, reasoning_content }) => [role, reasoning_content]), [
    ["user", undefined],
    ["assistant", "One\n\nTwo"],
    ["tool", undefined],
    ["tool", undefined],
    ["assistant", "Three"],
    ["user", undefined],
  ]);
});
