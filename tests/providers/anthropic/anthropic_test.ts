import { assert, assertEquals, assertThrows, fail } from "@std/assert";
import { type ChunkBody, isObject, type JsonObject } from "../../../src/contract/chat.ts";
import { readChatRequest } from "../../../src/apis/chat/read_request.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import type { ModelFacts } from "../../../src/contract/model_facts.ts";
import type { Step } from "../../../src/contract/stream_decoder.ts";
import { anthropic } from "../../../src/providers/anthropic/anthropic_adapter.ts";
import { applySupport } from "../../../src/contract/support.ts";
import { RequestChanges } from "../../../src/contract/request_changes.ts";
import { readFixtures } from "../../support/fixtures.ts";
import { createTestGateway } from "../../support/gateway.ts";
import type { Call } from "../../../src/contract/vendor_request.ts";

interface Setting {
  readonly model?: string;
  readonly facts?: ModelFacts;
  readonly options?: JsonObject;
}

const HI = [{ role: "user", content: "Hi" }];
const NOW = { type: "function", function: { name: "now" } };
const PNG = "data:image/png;base64,iVBORw0KGgo=";

function toCall(body: JsonObject, setting: Setting = {}): Call {
  const model = setting.model ?? "claude-opus-4-8";
  const request = readChatRequest({ model, messages: HI, ...structuredClone(body) });
  const target = { id: model, upstream: model, base: model, facts: setting.facts ?? {} };
  const provider = {
    id: "claude",
    baseUrl: "https://a.example/v1",
    options: setting.options ?? {},
  };
  const changes = new RequestChanges();
  const overrides = anthropic.supportFor(request, target, provider);
  let ids = 0;
  return {
    request,
    fields: applySupport(request, anthropic.supports, overrides, changes),
    model: target,
    provider,
    changes,
    stream: request.stream === true,
    newId: (prefix) => `${prefix}${++ids}`,
  };
}

/** What is sent, and what the receipt says of it. */
function send(body: JsonObject, setting: Setting = {}) {
  const call = toCall(body, setting);
  const { body: sent, headers, url } = anthropic.toRequest(call);
  const { ignored, converted } = call.changes;
  return { sent, headers, url, ignored: [...ignored], converted: [...converted] };
}

/** The blocks of each turn, under the first letter of its role. */
function turnsOf(messages: unknown[], setting: Setting = {}): unknown[] {
  const { sent } = send({ messages }, setting);
  return (sent.messages as JsonObject[]).map(({ role, content }) => [role, content]);
}

function faultOf(body: JsonObject, setting: Setting = {}): [kind: string, param: string | null] {
  const error: unknown = assertThrows(() => send(body, setting), GatewayError);
  const { kind, param } = error as GatewayError;
  return [kind, param];
}

const text = (text: string) => ({ type: "text", text });
const callOf = (id: string, args = "{}") => ({
  role: "assistant",
  tool_calls: [{ id, type: "function", function: { name: "now", arguments: args } }],
});
const resultOf = (tool_call_id: string) => ({ role: "tool", tool_call_id, content: "noon" });

Deno.test("toRequest() sends the version, and the betas of the configuration", () => {
  assertEquals(send({}).headers, { "anthropic-version": "2023-06-01" });
  assertEquals(send({}, { options: { version: "2026-10-21", beta: ["a-1", "b-2"] } }).headers, {
    "anthropic-version": "2026-10-21",
    "anthropic-beta": "a-1,b-2",
  });
});

Deno.test("options refuse values that are not valid in a header", () => {
  for (const options of [{ version: "now" }, { beta: ["a\nb"] }, { betas: [] }]) {
    assertEquals(anthropic.options.safeParse(options).success, false);
  }
});

Deno.test("toRequest() moves all instructions into system", () => {
  const { sent } = send({
    messages: [
      { role: "system", content: "One." },
      ...HI,
      { role: "developer", content: [text("Two."), text(" ")] },
    ],
  });
  assertEquals(sent.system, "One.\n\nTwo.");
  assertEquals(sent.messages, [{ role: "user", content: [text("Hi")] }]);
});

Deno.test("toRequest() sends system as blocks if it has a cache marker", () => {
  const cache_control = { type: "ephemeral" };
  const { sent } = send({
    messages: [{ role: "system", content: [{ ...text("One."), cache_control }] }, ...HI],
    response_format: { type: "json_object" },
  });
  const system = sent.system as JsonObject[];
  assertEquals(system[0], { ...text("One."), cache_control });
  assertEquals(system.length, 2);
});

Deno.test("toRequest() sends instructions without messages as a user turn", () => {
  const { sent } = send({ messages: [{ role: "system", content: "Sing." }] });
  assertEquals([sent.system, sent.messages], [undefined, [{
    role: "user",
    content: [text("Sing.")],
  }]]);
});

Deno.test("toRequest() refuses messages without content", () => {
  assertEquals(faultOf({ messages: [{ role: "user", content: " \n" }] }), [
    "invalid_value",
    "messages",
  ]);
});

Deno.test("toRequest() adds a user turn before a first assistant turn if the model requires it", () => {
  const welcome = { role: "assistant", content: "Welcome." };
  const messages = [welcome, ...HI];
  assertEquals(turnsOf(messages)[0], ["assistant", [text("Welcome.")]]);
  assertEquals(send({ messages }).converted, []);
  const old = { model: "claude-3-haiku-20240307" };
  assertEquals(turnsOf(messages, old)[0], ["user", [text("Continue.")]]);
  assertEquals(send({ messages }, old).converted, ["messages"]);
  // Somebody has to be answered.
  const alone = { model: "claude-sonnet-4-5" };
  assertEquals(turnsOf([welcome], alone)[0], ["user", [text("Continue.")]]);
});

Deno.test("toRequest() prefills the answer only for older models", () => {
  const messages = [...HI, { role: "assistant", content: "Well, \n" }];
  assertEquals(turnsOf(messages, { model: "claude-sonnet-4-5" }).at(-1), [
    "assistant",
    [text("Well,")],
  ]);
  assertEquals(turnsOf(messages).slice(1), [
    ["assistant", [text("Well, \n")]],
    ["user", [text("Continue from where you stopped.")]],
  ]);
});

Deno.test("toRequest() merges turns, removes blank text and keeps its cache marker", () => {
  const cache_control = { type: "ephemeral" };
  assertEquals(
    turnsOf([
      { role: "user", content: [text("a"), { ...text(" "), cache_control }] },
      { role: "assistant", content: "" },
      { role: "user", content: "b", cache_control: "no object" },
      { role: "user", content: "c", cache_control },
    ]),
    [["user", [{ ...text("a"), cache_control }, text("b"), { ...text("c"), cache_control }]]],
  );
});

Deno.test("toRequest() sends a refusal as the assistant's text", () => {
  assertEquals(turnsOf([...HI, { role: "assistant", refusal: "No." }, ...HI])[1], [
    "assistant",
    [text("No.")],
  ]);
});

Deno.test("toRequest() refuses unsupported content, with its path", () => {
  const image = (url: string) => ({ type: "image_url", image_url: { url } });
  const cases: [role: string, part: JsonObject][] = [
    ["user", { type: "input_audio", input_audio: { data: "", format: "wav" } }],
    ["user", image("http://a.example/x.png")],
    ["user", image("ftp://a.example/x.png")],
    ["user", image("data:image/svg+xml,<svg/>")],
    ["user", { type: "file", file: { file_id: "file-1" } }],
    ["user", { type: "file", file: { file_data: btoa("\x00\x01\x02"), filename: "a.bin" } }],
    ["system", image(PNG)],
    ["assistant", image(PNG)],
  ];
  for (const [role, part] of cases) {
    assertEquals(
      faultOf({ messages: [...HI, { role, content: [text("a"), part] }] }),
      ["unsupported_content", "messages[1].content[1]"],
      JSON.stringify(part),
    );
  }
});

Deno.test("toRequest() sends tool results in one user turn, before the user's text", () => {
  const image = { type: "image_url", image_url: { url: PNG } };
  const source = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
  assertEquals(
    turnsOf([
      ...HI,
      callOf("a|1", '{"zone":'),
      { role: "tool", tool_call_id: "a|1", content: [image], cache_control: { type: "ephemeral" } },
      { role: "user", content: "And?" },
    ]).slice(1),
    [
      ["assistant", [{
        type: "tool_use",
        id: "a_1",
        name: "now",
        input: { arguments: '{"zone":' },
      }]],
      ["user", [
        {
          type: "tool_result",
          tool_use_id: "a_1",
          content: [{ type: "image", source }],
          cache_control: { type: "ephemeral" },
        },
        text("And?"),
      ]],
    ],
  );
});

Deno.test("toRequest() defines past tools if the request has no tools", () => {
  const { sent } = send({ messages: [...HI, callOf("a"), resultOf("a")] });
  assertEquals(sent.tools, [{ name: "now", input_schema: { type: "object", properties: {} } }]);
  assertEquals(sent.tool_choice, { type: "none" });
});

Deno.test("toRequest() converts every tool choice", () => {
  const choice = (body: JsonObject, model = "claude-opus-4-8") =>
    send({ tools: [NOW], ...body }, { model }).sent.tool_choice;
  const named = { type: "function", function: { name: "now" } };
  assertEquals(choice({}), undefined);
  assertEquals(choice({ tool_choice: "auto" }), { type: "auto" });
  assertEquals(choice({ tool_choice: "none", parallel_tool_calls: false }), { type: "none" });
  assertEquals(choice({ tool_choice: "required" }), { type: "any" });
  assertEquals(choice({ tool_choice: named, parallel_tool_calls: false }), {
    type: "tool",
    name: "now",
    disable_parallel_tool_use: true,
  });
  assertEquals(choice({ parallel_tool_calls: true }), undefined);
  assertEquals(choice({ tool_choice: "required" }, "claude-opus-5-5"), { type: "auto" });
  assertEquals(send({ parallel_tool_calls: false }).sent.tool_choice, undefined);
});

Deno.test("toRequest() sends only allowed tools", () => {
  const other = { type: "function", function: { name: "other" } };
  const allowed_tools = { mode: "required", tools: [NOW] };
  const { sent } = send({
    tools: [other, NOW],
    tool_choice: { type: "allowed_tools", allowed_tools },
  });
  assertEquals(sent.tools, [{ name: "now", input_schema: { type: "object", properties: {} } }]);
  assertEquals(sent.tool_choice, { type: "any" });
});

Deno.test("toRequest() sends legacy functions as tools", () => {
  const { sent, converted } = send({
    functions: [{ name: "now" }],
    function_call: { name: "now" },
  });
  assertEquals(sent.tool_choice, { type: "tool", name: "now" });
  assertEquals(converted, ["functions->tools", "function_call->tool_choice"]);
});

Deno.test("toRequest() makes a tool strict only if model and schema allow it", () => {
  const parameters = { type: "object", properties: { a: { type: "string", maxLength: 3 } } };
  const strict = (parameters: JsonObject, model?: string) => {
    const tool = { type: "function", function: { name: "f", parameters, strict: true } };
    const { sent, ignored } = send({ tools: [tool] }, model ? { model } : {});
    return [(sent.tools as JsonObject[])[0], ignored];
  };
  assertEquals(strict(parameters), [{
    name: "f",
    input_schema: {
      type: "object",
      properties: { a: { type: "string", description: "(maxLength: 3)" } },
      additionalProperties: false,
    },
    strict: true,
  }, []]);
  const loose = [{ name: "f", input_schema: parameters }, ["tools.strict"]];
  assertEquals(strict(parameters, "claude-sonnet-4-20250514"), loose);
  const open = { type: "object" };
  assertEquals(strict(open), [{ name: "f", input_schema: open }, ["tools.strict"]]);
});

Deno.test("toRequest() refuses parameters that are not an object", () => {
  const tool = { type: "function", function: { name: "f", parameters: { type: "array" } } };
  assertEquals(faultOf({ tools: [tool] }), ["invalid_value", "tools[0].function.parameters"]);
});

Deno.test("toRequest() omits sampling parameters if the model refuses them, or thinks", () => {
  const sampling = { temperature: 0.5, top_k: 3 };
  const sampled = (body: JsonObject, setting: Setting) => {
    const { sent, ignored } = send({ ...sampling, ...body }, setting);
    return [sent.temperature, sent.top_k, ignored];
  };
  const older = { model: "claude-opus-4-6" };
  const dropped = [undefined, undefined, ["temperature", "top_k"]];
  assertEquals(sampled({}, older), [0.5, 3, []]);
  assertEquals(sampled({ reasoning_effort: "low" }, older), dropped);
  assertEquals(sampled({ thinking: { type: "disabled" } }, older), [0.5, 3, []]);
  assertEquals(sampled({}, { ...older, options: { version: "2026-10-21" } }), dropped);
  assertEquals(sampled({}, {}), dropped);
  assertEquals(sampled({}, { facts: { rejects_sampling_params: false } }), [0.5, 3, []]);
  assertEquals(send({ temperature: 1, top_p: 1 }).ignored, []);
  assertEquals(sampled({ top_k: "many" }, older), [0.5, undefined, ["top_k"]]);
});

Deno.test("supportFor() returns only the model's differences from the table", () => {
  const levelsOf = (id: string, options: JsonObject = {}) => {
    const { request, model, provider } = toCall({}, { model: id, options });
    const levels = Object.entries(anthropic.supportFor(request, model, provider));
    return levels.map(([name, { level }]) => `${name} ${level}`);
  };
  const unsampled = ["temperature ignored", "top_p ignored", "top_k ignored"];
  assertEquals(levelsOf("claude-opus-5"), unsampled);
  assertEquals(levelsOf("claude-opus-5-5"), [...unsampled, "tool_choice converted"]);
  assertEquals(levelsOf("claude-sonnet-4-5"), []);
  assertEquals(levelsOf("claude-sonnet-4-5", { version: "2023-06-01" }), []);
  assertEquals(levelsOf("claude-sonnet-4-5", { version: "2026-10-21" }), unsampled);
  assertEquals(levelsOf("claude-3-5-haiku"), ["reasoning_effort ignored"]);
});

Deno.test("no request of API version 2026-10-21 has fields that this version refuses", async () => {
  const fixtures = readFixtures().filter(({ vendor }) => vendor === "anthropic");
  let sent = 0;
  for (const { about, request } of fixtures) {
    const bodies: JsonObject[] = [];
    const gateway = createTestGateway({
      config: {
        providers: {
          claude: { kind: "anthropic", api_key: "k", version: "2026-10-21", models: [about.model] },
        },
      },
      fetch: (_url, init) => {
        assertEquals(new Headers(init.headers).get("anthropic-version"), "2026-10-21");
        bodies.push(JSON.parse(String(init.body)));
        return Promise.resolve(new Response("{}", { status: 400 }));
      },
    });
    const response = await gateway.call("/v1/chat/completions", request);
    await response.body?.cancel();
    for (const body of bodies) {
      sent++;
      for (const name of ["temperature", "top_p", "top_k"]) assertEquals(body[name], undefined);
      for (const { role, content } of body.messages as JsonObject[]) {
        const blocks = (content as JsonObject[]).filter(({ type, citations }) =>
          role === "assistant" ? type === "document" : citations !== undefined
        );
        assertEquals(blocks, []);
      }
    }
  }
  assert(sent > fixtures.length / 2);
});

Deno.test("toRequest() sends top_p only without temperature", () => {
  const model = "claude-haiku-4-5";
  assertEquals(send({ top_p: 0.5 }, { model }).sent.top_p, 0.5);
  const both = send({ top_p: 0.5, temperature: 0 }, { model });
  assertEquals([both.sent.top_p, both.ignored], [undefined, ["top_p"]]);
});

Deno.test("toRequest() always sends max_tokens, within the model's maximum", () => {
  const limit = (body: JsonObject, setting: Setting = {}) => {
    const { sent, ignored, converted } = send(body, setting);
    return [sent.max_tokens, ignored, converted];
  };
  assertEquals(limit({}), [128_000, [], []]);
  assertEquals(limit({}, { model: "claude-haiku-4-5" }), [64_000, [], []]);
  assertEquals(limit({}, { facts: { max_output_tokens: 500 } }), [500, [], []]);
  assertEquals(limit({ max_tokens: 900 }, { facts: { max_output_tokens: 500 } }), [
    500,
    [],
    ["max_tokens 900->500"],
  ]);
  assertEquals(limit({ max_tokens: 5, max_completion_tokens: 7 }), [7, ["max_tokens"], [
    "max_completion_tokens->max_tokens",
  ]]);
});

Deno.test("toRequest() omits a thinking budget that the rest of the request excludes", () => {
  const thinkingOf = (body: JsonObject) => {
    const { sent, ignored } = send(body, { model: "claude-sonnet-4-5" });
    return [sent.thinking, ignored];
  };
  const budget = { type: "enabled", budget_tokens: 19_200 };
  const dropped = [undefined, ["reasoning_effort"]];
  const effort = { reasoning_effort: "medium", tools: [NOW] };
  assertEquals(thinkingOf(effort), [budget, []]);
  assertEquals(thinkingOf({ ...effort, tool_choice: "required" }), dropped);
  assertEquals(thinkingOf({ ...effort, max_tokens: 1024 }), dropped);
  const loop = [...HI, callOf("a"), resultOf("a")];
  assertEquals(thinkingOf({ ...effort, messages: loop }), dropped);
  const prefilled = [...HI, { role: "assistant", content: "So" }];
  assertEquals(thinkingOf({ ...effort, messages: prefilled }), dropped);
  const thinking = { type: "enabled", budget_tokens: 2000 };
  assertEquals(thinkingOf({ thinking }), [thinking, []]);
  assertEquals(thinkingOf({ thinking, messages: loop }), [undefined, ["thinking"]]);
});

Deno.test("toRequest() prefers the caller's own thinking to reasoning_effort", () => {
  const own = send({ thinking: { type: "disabled" }, reasoning_effort: "high" });
  assertEquals([own.sent.thinking, own.ignored], [{ type: "disabled" }, ["reasoning_effort"]]);
  const both = send({
    thinking: { type: "adaptive", display: "summarized" },
    reasoning_effort: "high",
  });
  assertEquals(both.sent.thinking, { type: "adaptive", display: "summarized" });
  assertEquals(both.sent.output_config, { effort: "high" });
  const moved = send({ thinking: { type: "enabled", budget_tokens: 5000 } });
  assertEquals([moved.sent.thinking, moved.converted], [
    { type: "adaptive" },
    ["thinking enabled->adaptive"],
  ]);
  assertEquals(send({ thinking: "please" }).ignored, ["thinking"]);
});

Deno.test("toRequest() sends thinking back completely or not at all", () => {
  const signed = { type: "thinking", thinking: "Hm. ", signature: "c2ln" };
  const redacted = { type: "redacted_thinking", data: "eA==" };
  const tagged = (...blocks: JsonObject[]) =>
    blocks.map((block) => ({ format: "anthropic", ...block }));
  const blocksOf = (reasoning_details: unknown, model = "claude-opus-4-8") =>
    (turnsOf([...HI, { role: "assistant", content: "Yes.", reasoning_details }, ...HI], {
      model,
    })[1] as [
      string,
      unknown,
    ])[1];
  assertEquals(blocksOf(tagged(signed, redacted)), [signed, redacted, text("Yes.")]);
  assertEquals(blocksOf([{ format: "other", data: "x" }, ...tagged(redacted)]), [
    redacted,
    text("Yes."),
  ]);
  for (
    const broken of [
      tagged(signed, { type: "thinking", thinking: "unsigned", signature: "" }),
      tagged(redacted, { type: "unknown" }),
      "no list",
      [null],
    ]
  ) assertEquals(blocksOf(broken), [text("Yes.")]);
  assertEquals(blocksOf(tagged(signed), "claude-3-haiku-20240307"), [text("Yes.")]);
});

Deno.test("toRequest() sends the thinking of merged turns first, and none in a prefilled answer", () => {
  const signed = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
  const said = (content: string) => ({
    role: "assistant",
    content,
    reasoning_details: [{ format: "anthropic", ...signed }],
  });
  const both = [...HI, { role: "assistant", content: "a" }, said("b")];
  assertEquals(turnsOf([...both, ...HI])[1], ["assistant", [signed, text("a"), text("b")]]);
  assertEquals(turnsOf([...HI, said("")]), [["user", [text("Hi")]]]);
  assertEquals(turnsOf(both, { model: "claude-haiku-4-5" })[1], [
    "assistant",
    [text("a"), text("b")],
  ]);
});

Deno.test("toRequest() adds no tool for JSON if a call is forced", () => {
  const schema = { type: "object", properties: {} };
  const response_format = { type: "json_schema", json_schema: { name: "x", schema } };
  const model = "claude-sonnet-4-20250514";
  const { sent, ignored } = send({ response_format, tools: [NOW], tool_choice: "required" }, {
    model,
  });
  assertEquals([sent.tool_choice, ignored], [{ type: "any" }, ["response_format"]]);
  assertEquals((sent.tools as unknown[]).length, 1);
});

Deno.test("toRequest() gives the tool for JSON a name that no tool of the caller has", () => {
  const json = { type: "function", function: { name: "json" } };
  const json_schema = { name: "x", schema: { type: "object" } };
  const call = toCall({ tools: [json], response_format: { type: "json_schema", json_schema } });
  const { tools } = anthropic.toRequest(call).body;
  assertEquals((tools as JsonObject[]).map(({ name }) => name), ["json", "json_2"]);
  const used = (name: string) => ({ type: "tool_use", id: "t", name, input: { a: 1 } });
  const content = [used("json_2"), used("json")];
  const { message, finish_reason } = complete({ content, stop_reason: "tool_use" }, call);
  assertEquals([message.content, message.tool_calls?.length, finish_reason], [
    '{"a":1}',
    1,
    "tool_calls",
  ]);
});

Deno.test("toRequest() maps user and service tier, and reports what changed", () => {
  const said = send({ user: "u", safety_identifier: "s".repeat(300), service_tier: "flex" });
  assertEquals(said.sent.metadata, { user_id: "s".repeat(256) });
  assertEquals([said.sent.service_tier, said.ignored], [undefined, ["service_tier"]]);
  assertEquals(said.converted.at(-1), "safety_identifier");
  assertEquals(send({ safety_identifier: 5, user: "u" }).sent.metadata, { user_id: "u" });
  const standard = send({ service_tier: "default" });
  assertEquals([standard.sent.service_tier, standard.converted], [
    "standard_only",
    ["service_tier default->standard_only"],
  ]);
});

Deno.test("toRequest() ignores and reports parameters that the vendor does not have", () => {
  const { sent, ignored } = send({
    seed: 1,
    logit_bias: { "5": 1 },
    n: 2,
    made_up: true,
    store: false,
  });
  assertEquals(ignored.sort(), ["logit_bias", "made_up", "n", "seed"]);
  assertEquals(Object.keys(sent), ["model", "max_tokens", "messages"]);
});

Deno.test("toRequest() converts a long conversation without a stack overflow", () => {
  const parts = Array.from({ length: 200_000 }, () => text("a"));
  assertEquals(
    turnsOf([{ role: "user", content: parts }, { role: "user", content: parts }]).length,
    1,
  );
});

function complete(body: JsonObject, call = toCall({})) {
  const answer = {
    status: 200,
    headers: new Headers(),
    body: { stop_reason: "end_turn", ...body },
  };
  const [choice] = anthropic.toCompletion(answer, call).choices;
  return choice ?? fail("The completion holds no choice");
}

Deno.test("toCompletion() converts every stop reason", () => {
  const reasons: [vendor: string | null, openai: string][] = [
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["pause_turn", "stop"],
    ["compaction", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content_filter"],
    ["tool_use", "stop"],
    ["made_up", "stop"],
    [null, "stop"],
  ];
  for (const [stop_reason, expected] of reasons) {
    assertEquals(complete({ content: [text("a")], stop_reason }).finish_reason, expected);
  }
});

Deno.test("toCompletion() skips unknown blocks", () => {
  const content = [{ type: "server_tool_use", name: "web" }, null, text("a"), { type: "new" }];
  assertEquals(complete({ content }).message.content, "a");
});

Deno.test("toCompletion() returns an empty string without text, and null with calls or refusals", () => {
  const used = { type: "tool_use", id: "t", name: "now", input: {} };
  const stop_details = { explanation: "Declined." };
  assertEquals(complete({ content: [] }).message.content, "");
  assertEquals(complete({ content: [used] }).message.content, null);
  const refused = complete({ content: [], stop_reason: "refusal", stop_details }).message;
  assertEquals([refused.content, refused.refusal], [null, "Declined."]);
  const silent = complete({ content: [], stop_reason: "refusal" }).message;
  assertEquals([silent.content, silent.refusal], ["", null]);
});

Deno.test("toCompletion() refuses a body that is not a message", () => {
  for (
    const body of [undefined, "text", [], {}, { content: "text" }, {
      content: [{ type: "tool_use", id: "t" }],
    }]
  ) {
    const answer = { status: 200, headers: new Headers(), body };
    const error: unknown = assertThrows(
      () => anthropic.toCompletion(answer, toCall({})),
      GatewayError,
    );
    assertEquals((error as GatewayError).kind, "upstream_error");
  }
});

/** Folds events, and gives back every delta, and the last step. */
function fold(events: JsonObject[], body: JsonObject = {}) {
  const decoder = anthropic.decoder(toCall({ ...body, stream: true }));
  const chunks: ChunkBody[] = [];
  let last: Step = { chunks: [] };
  for (const event of events) {
    last = decoder.push({ event: String(event.type), data: JSON.stringify(event) });
    chunks.push(...last.chunks);
  }
  return { deltas: chunks.map(({ choices }) => choices[0]?.delta), chunks, last, decoder };
}

const begin = (content: unknown[] = [], id = "msg_1") => ({
  type: "message_start",
  message: { id, model: "claude-x", content, usage: { input_tokens: 43, output_tokens: 1 } },
});
const block = (index: number, content_block: JsonObject) => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, delta: JsonObject) => ({ type: "content_block_delta", index, delta });
const stop = (index: number) => ({ type: "content_block_stop", index });
const end = { type: "message_stop" };

Deno.test("decoder() returns thinking as it arrives, and the state of all blocks at the end", () => {
  const { deltas } = fold([
    begin(),
    block(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "Hm" }),
    delta(0, { type: "signature_delta", signature: "c2" }),
    delta(0, { type: "signature_delta", signature: "ln" }),
    stop(0),
    block(1, { type: "redacted_thinking", data: "eA==" }),
    stop(1),
    block(2, text("Yes.")),
    end,
  ]);
  assertEquals(deltas, [
    { reasoning_content: "Hm" },
    { content: "Yes." },
    {
      reasoning_details: [
        { format: "anthropic", type: "thinking", thinking: "Hm", signature: "c2ln" },
        { format: "anthropic", type: "redacted_thinking", data: "eA==" },
      ],
    },
  ]);
});

Deno.test("decoder() returns at the end text that looked like a code fence around JSON", () => {
  const decoder = anthropic.decoder(
    toCall({ stream: true, response_format: { type: "json_object" } }),
  );
  const events = [
    { type: "message_start", message: { content: [] } },
    { type: "content_block_start", index: 0, content_block: text("") },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "```\n{}\n``" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" } },
    { type: "message_stop" },
  ];
  const steps = events.map((event) =>
    decoder.push({ event: event.type, data: JSON.stringify(event) })
  );
  const choices = steps.flatMap(({ chunks }) => chunks).flatMap((chunk) => chunk.choices);
  assertEquals(choices.map(({ delta }) => delta.content ?? "").join(""), "{}\n``");
});

Deno.test("decoder() reads blocks that the first event contains", () => {
  const { deltas } = fold([
    begin([text("a"), { type: "tool_use", id: "t", name: "now", input: { zone: 1 } }]),
    block(0, { type: "tool_use", id: "u", name: "now", input: {} }),
    stop(0),
  ]);
  assertEquals(deltas, [
    { content: "a" },
    {
      tool_calls: [{
        index: 0,
        id: "t",
        type: "function",
        function: { name: "now", arguments: "" },
      }],
    },
    { tool_calls: [{ index: 0, function: { arguments: '{"zone":1}' } }] },
    {
      tool_calls: [{
        index: 1,
        id: "u",
        type: "function",
        function: { name: "now", arguments: "" },
      }],
    },
    { tool_calls: [{ index: 1, function: { arguments: "{}" } }] },
  ]);
});

Deno.test("decoder() replaces earlier counts by later ones that are not null", () => {
  const usage = { input_tokens: 61, cache_read_input_tokens: null, output_tokens: 9 };
  const { chunks, last } = fold([
    begin(),
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
    end,
  ]);
  assertEquals(last.done, true);
  const { prompt_tokens, completion_tokens, total_tokens } = chunks[0]?.usage ?? {};
  assertEquals([prompt_tokens, completion_tokens, total_tokens], [61, 9, 70]);
});

Deno.test("decoder() ignores a repeated start, and fails at a different one", () => {
  assertEquals(fold([begin(), begin()]).last, { chunks: [] });
  assertEquals(fold([begin(), begin([], "msg_2")]).last.failure?.kind, "upstream_error");
});

Deno.test("decoder() skips pings, unknown events and unknown blocks", () => {
  const { deltas } = fold([
    { type: "ping" },
    begin(),
    block(0, { type: "server_tool_use", id: "s", name: "web", input: {} }),
    delta(0, { type: "input_json_delta", partial_json: "{}" }),
    delta(0, { type: "citations_delta", citation: {} }),
    stop(0),
    { type: "made_up" },
  ]);
  assertEquals(deltas, []);
});

Deno.test("decoder() fails at malformed events", () => {
  const malformed: JsonObject[] = [
    { type: "message_start" },
    { type: "message_delta" },
    block(0, { type: "tool_use" }),
    { type: "content_block_start" },
    { type: "content_block_delta", delta: "text" },
    delta(0, { type: "text_delta", text: 5 }),
    delta(0, { type: "input_json_delta" }),
  ];
  for (const event of malformed) {
    assertEquals(
      fold([begin(), event]).last.failure?.kind,
      "upstream_error",
      JSON.stringify(event),
    );
  }
  const { decoder } = fold([begin()]);
  assertEquals(decoder.push({ event: "ping", data: "{" }).failure?.kind, "upstream_error");
});

Deno.test("decoder() fails when the stream ends before its last event", () => {
  const { decoder } = fold([begin(), {
    type: "message_delta",
    delta: { stop_reason: "end_turn" },
  }]);
  assertEquals(decoder.end().failure, {
    kind: "upstream_error",
    message: "The provider ended its stream before it was complete",
  });
});

Deno.test("toError() classifies answers and events by the same rows", () => {
  const body = (type: string, message = "Words", error_code?: string) => ({
    type: "error",
    error: { type, message, ...(error_code && { details: { error_code } }) },
  });
  const answers: [status: number, body: unknown, kind: string][] = [
    [400, body("invalid_request_error"), "invalid_request"],
    [400, body("invalid_request_error", "prompt is too long: 9 > 8"), "context_length"],
    [
      400,
      body("invalid_request_error", "input length and `max_tokens` exceed context limit: 9"),
      "context_length",
    ],
    [400, body("invalid_request_error", "Your credit balance is too low"), "quota"],
    [400, body("invalid_request_error", "On hold", "organization_on_hold"), "upstream_auth"],
    [401, body("authentication_error"), "upstream_auth"],
    [402, body("billing_error"), "quota"],
    [403, body("permission_error"), "upstream_auth"],
    [404, body("not_found_error"), "model_not_found"],
    [409, body("conflict_error"), "upstream_error"],
    [413, "<html>", "too_large"],
    [422, undefined, "invalid_request"],
    [429, body("rate_limit_error"), "rate_limited"],
    [429, body("rate_limit_error", "Slow", "ramp_limit_exceeded"), "rate_limited"],
    [429, body("rate_limit_error", "Spent", "contract_spend_limit_reached"), "quota"],
    [500, body("api_error"), "upstream_error"],
    [500, body("overloaded_error"), "upstream_unavailable"],
    [503, undefined, "upstream_unavailable"],
    [504, body("timeout_error"), "upstream_timeout"],
    [529, body("overloaded_error"), "upstream_unavailable"],
  ];
  for (const [status, body, kind] of answers) {
    const failure = { where: "answer" as const, status, headers: new Headers(), body };
    assertEquals(anthropic.toError(failure).kind, kind, `${status} ${JSON.stringify(body)}`);
    const typed = isObject(body) && status !== 500;
    if (typed) assertEquals(anthropic.toError({ where: "stream", body }).kind, kind);
  }
  const unknown = anthropic.toError({ where: "stream", body: body("made_up_error") });
  assertEquals([unknown.kind, unknown.message], ["upstream_error", "Words"]);
});

Deno.test("toError() names the sampling parameter that the model rejects", () => {
  const error = {
    type: "invalid_request_error",
    message: "`temperature` is deprecated for this model.",
  };
  const upstreamError = anthropic.toError({ where: "stream", body: { type: "error", error } });
  assertEquals(upstreamError.repair, {
    without: "temperature",
    words: "`temperature` is deprecated",
  });
});

Deno.test("toRequest() moves a cache marker inside a tool's result to the result, where it is accepted", () => {
  const cache_control = { type: "ephemeral" };
  const content = [{ ...text("a"), cache_control: { type: "x" } }, { ...text("b"), cache_control }];
  const [, , turn] = turnsOf([
    ...HI,
    callOf("a"),
    { role: "tool", tool_call_id: "a", content },
  ]) as [unknown, unknown, [string, JsonObject[]]];
  const result = { type: "tool_result", tool_use_id: "a", content: [text("a"), text("b")] };
  assertEquals(turn[1], [{ ...result, cache_control }]);
});

Deno.test("toRequest() removes alternatives from the root of a tool's schema, and reports it", () => {
  const properties = { route: { type: "string" }, file: { type: "string" } };
  const parameters = {
    type: "object",
    properties,
    anyOf: [{ required: ["route"] }, { required: ["file"] }],
  };
  const tool = { type: "function", function: { name: "impact", parameters } };
  const { sent, converted } = send({ tools: [tool] });
  assertEquals(sent.tools, [{ name: "impact", input_schema: { type: "object", properties } }]);
  assertEquals(converted, ["tools.parameters"]);
  const schema = { type: "object", properties, oneOf: parameters.anyOf, patternProperties: {} };
  const response_format = { type: "json_schema", json_schema: { name: "x", schema } };
  const [answer] = send({ response_format }).sent.tools as JsonObject[];
  assertEquals(answer?.input_schema, { type: "object", properties, patternProperties: {} });
});

Deno.test("toRequest() reduces a thinking budget together with the limit on the answer", () => {
  const facts = { max_output_tokens: 64_000 };
  const thinking = { type: "enabled", budget_tokens: 102_400 };
  const budgetOf = (body: JsonObject) => {
    const { sent, converted } = send({ thinking, ...body }, { model: "claude-sonnet-4-6", facts });
    return [(sent.thinking as JsonObject).budget_tokens, converted];
  };
  const noted = "thinking.budget_tokens 102400->63999";
  assertEquals(budgetOf({}), [63_999, [noted]]);
  assertEquals(budgetOf({ max_tokens: 128_000 }), [63_999, ["max_tokens 128000->64000", noted]]);
  // What the caller's own numbers say is the vendor's to refuse.
  assertEquals(budgetOf({ max_tokens: 8_000 }), [102_400, []]);
});
