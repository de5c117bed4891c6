import { assertEquals, assertThrows, fail } from "@std/assert";
import { type ChunkBody, isObject, type JsonObject } from "../src/chat.ts";
import { readChatRequest } from "../src/chat_request.ts";
import { GatewayError } from "../src/errors.ts";
import type { Call, ModelFacts, Step } from "../src/providers/adapter.ts";
import { anthropic } from "../src/providers/anthropic.ts";
import { applySupport, Receipt } from "../src/providers/support.ts";

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
  const receipt = new Receipt();
  const overrides = anthropic.supportFor(request, target);
  let ids = 0;
  return {
    request,
    fields: applySupport(request, anthropic.supports, overrides, receipt),
    model: target,
    provider: { id: "claude", baseUrl: "https://a.example/v1", options: setting.options ?? {} },
    receipt,
    stream: request.stream === true,
    newId: (prefix) => `${prefix}${++ids}`,
  };
}

/** What is sent, and what the receipt says of it. */
function send(body: JsonObject, setting: Setting = {}) {
  const call = toCall(body, setting);
  const { body: sent, headers, url } = anthropic.toRequest(call);
  const { ignored, converted } = call.receipt;
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

Deno.test("toRequest() says the version, and the betas that config names", () => {
  assertEquals(send({}).headers, { "anthropic-version": "2023-06-01" });
  assertEquals(send({}, { options: { version: "2026-10-21", beta: ["a-1", "b-2"] } }).headers, {
    "anthropic-version": "2026-10-21",
    "anthropic-beta": "a-1,b-2",
  });
});

Deno.test("options refuse what could not be a header", () => {
  for (const options of [{ version: "now" }, { beta: ["a\nb"] }, { betas: [] }]) {
    assertEquals(anthropic.options.safeParse(options).success, false);
  }
});

Deno.test("toRequest() moves instructions from anywhere into system", () => {
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

Deno.test("toRequest() keeps system in blocks where a cache marker stands", () => {
  const cache_control = { type: "ephemeral" };
  const { sent } = send({
    messages: [{ role: "system", content: [{ ...text("One."), cache_control }] }, ...HI],
    response_format: { type: "json_object" },
  });
  const system = sent.system as JsonObject[];
  assertEquals(system[0], { ...text("One."), cache_control });
  assertEquals(system.length, 2);
});

Deno.test("toRequest() asks instructions alone as the user", () => {
  const { sent } = send({ messages: [{ role: "system", content: "Sing." }] });
  assertEquals([sent.system, sent.messages], [undefined, [{
    role: "user",
    content: [text("Sing.")],
  }]]);
});

Deno.test("toRequest() refuses messages that hold nothing", () => {
  assertEquals(faultOf({ messages: [{ role: "user", content: " \n" }] }), [
    "invalid_value",
    "messages",
  ]);
});

Deno.test("toRequest() puts a user before an assistant who begins", () => {
  const messages = [{ role: "assistant", content: "Welcome." }, ...HI];
  assertEquals(turnsOf(messages)[0], ["user", [text("Continue.")]]);
  assertEquals(send({ messages }).converted, ["messages"]);
});

Deno.test("toRequest() lets only older models continue an assistant's turn", () => {
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

Deno.test("toRequest() merges turns, drops blank text and saves its cache marker", () => {
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

Deno.test("toRequest() sends a refusal as what the assistant said", () => {
  assertEquals(turnsOf([...HI, { role: "assistant", refusal: "No." }, ...HI])[1], [
    "assistant",
    [text("No.")],
  ]);
});

Deno.test("toRequest() refuses content that has no place, with its path", () => {
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

Deno.test("toRequest() answers tools in one user turn, and the user's words after them", () => {
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

Deno.test("toRequest() defines past tools where the request brings none any more", () => {
  const { sent } = send({ messages: [...HI, callOf("a"), resultOf("a")] });
  assertEquals(sent.tools, [{ name: "now", input_schema: { type: "object", properties: {} } }]);
  assertEquals(sent.tool_choice, { type: "none" });
});

Deno.test("toRequest() says every tool choice in the vendor's words", () => {
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

Deno.test("toRequest() sends allowed tools alone", () => {
  const other = { type: "function", function: { name: "other" } };
  const allowed_tools = { mode: "required", tools: [NOW] };
  const { sent } = send({
    tools: [other, NOW],
    tool_choice: { type: "allowed_tools", allowed_tools },
  });
  assertEquals(sent.tools, [{ name: "now", input_schema: { type: "object", properties: {} } }]);
  assertEquals(sent.tool_choice, { type: "any" });
});

Deno.test("toRequest() tells legacy functions as tools", () => {
  const { sent, converted } = send({
    functions: [{ name: "now" }],
    function_call: { name: "now" },
  });
  assertEquals(sent.tool_choice, { type: "tool", name: "now" });
  assertEquals(converted, ["functions->tools", "function_call->tool_choice"]);
});

Deno.test("toRequest() makes a tool strict only where model and schema allow it", () => {
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

Deno.test("toRequest() refuses parameters that are no object", () => {
  const tool = { type: "function", function: { name: "f", parameters: { type: "array" } } };
  assertEquals(faultOf({ tools: [tool] }), ["invalid_value", "tools[0].function.parameters"]);
});

Deno.test("tools come back under the caller's names, which the vendor would refuse", () => {
  const name = "files.read";
  const call = toCall({
    tools: [{ type: "function", function: { name } }, {
      type: "function",
      function: { name: "files_read" },
    }],
    tool_choice: { type: "function", function: { name } },
  });
  const { tools, tool_choice } = anthropic.toRequest(call).body;
  assertEquals((tools as JsonObject[]).map((tool) => tool.name), ["files_read", "files_read_2"]);
  assertEquals(tool_choice, { type: "tool", name: "files_read" });
  const content = [{ type: "tool_use", id: "t", name: "files_read", input: {} }];
  assertEquals(complete({ content }, call).message.tool_calls?.[0]?.function.name, name);
});

Deno.test("toRequest() drops sampling where the model refuses it, or thinks", () => {
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

Deno.test("supportFor() tells what a model takes otherwise than the table says, and nothing else", () => {
  const verdictsOf = (id: string) => {
    const { request, model } = toCall({}, { model: id });
    const verdicts = Object.entries(anthropic.supportFor(request, model));
    return verdicts.map(([name, { verdict }]) => `${name} ${verdict}`);
  };
  const unsampled = ["temperature ignored", "top_p ignored", "top_k ignored"];
  assertEquals(verdictsOf("claude-opus-5"), unsampled);
  assertEquals(verdictsOf("claude-opus-5-5"), [...unsampled, "tool_choice converted"]);
  assertEquals(verdictsOf("claude-sonnet-4-5"), []);
  assertEquals(verdictsOf("claude-3-5-haiku"), ["reasoning_effort ignored"]);
});

Deno.test("toRequest() sends top_p only without temperature", () => {
  const model = "claude-haiku-4-5";
  assertEquals(send({ top_p: 0.5 }, { model }).sent.top_p, 0.5);
  const both = send({ top_p: 0.5, temperature: 0 }, { model });
  assertEquals([both.sent.top_p, both.ignored], [undefined, ["top_p"]]);
});

Deno.test("toRequest() always says max_tokens, and no more than the model has", () => {
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

Deno.test("toRequest() drops a thinking budget where the rest of the request rules it out", () => {
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

Deno.test("toRequest() lets the caller's own thinking win over reasoning_effort", () => {
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

Deno.test("toRequest() brings thinking back whole or not at all", () => {
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

Deno.test("toRequest() puts the thinking of merged turns first, and none before an open end", () => {
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

Deno.test("toRequest() asks no tool of ours for JSON where a call is forced", () => {
  const schema = { type: "object", properties: {} };
  const response_format = { type: "json_schema", json_schema: { name: "x", schema } };
  const model = "claude-sonnet-4-20250514";
  const { sent, ignored } = send({ response_format, tools: [NOW], tool_choice: "required" }, {
    model,
  });
  assertEquals([sent.tool_choice, ignored], [{ type: "any" }, ["response_format"]]);
  assertEquals((sent.tools as unknown[]).length, 1);
});

Deno.test("toRequest() names the tool for JSON so that no tool of the caller's is hidden", () => {
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

Deno.test("toRequest() ignores and reports what the vendor has no field for", () => {
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

Deno.test("toRequest() takes a long conversation without overflowing", () => {
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

Deno.test("toCompletion() maps every stop reason", () => {
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

Deno.test("toCompletion() skips blocks that it does not know", () => {
  const content = [{ type: "server_tool_use", name: "web" }, null, text("a"), { type: "new" }];
  assertEquals(complete({ content }).message.content, "a");
});

Deno.test("toCompletion() says no text as an empty string, beside calls and refusals as null", () => {
  const used = { type: "tool_use", id: "t", name: "now", input: {} };
  const stop_details = { explanation: "Declined." };
  assertEquals(complete({ content: [] }).message.content, "");
  assertEquals(complete({ content: [used] }).message.content, null);
  const refused = complete({ content: [], stop_reason: "refusal", stop_details }).message;
  assertEquals([refused.content, refused.refusal], [null, "Declined."]);
  const silent = complete({ content: [], stop_reason: "refusal" }).message;
  assertEquals([silent.content, silent.refusal], ["", null]);
});

Deno.test("toCompletion() refuses a body that is no message", () => {
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

Deno.test("decoder() gives thinking as it comes, and the state of every block at once in the end", () => {
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

Deno.test("decoder() gives in the end what might have been the fence around JSON, and was not", () => {
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

Deno.test("decoder() reads blocks that the first event already holds", () => {
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

Deno.test("decoder() lets later counts replace earlier ones unless they are null", () => {
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

Deno.test("decoder() ignores the same start twice, and fails at another", () => {
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

Deno.test("decoder() fails at events that are malformed", () => {
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

Deno.test("toError() reads answers and events through the same rows", () => {
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

Deno.test("toError() names the sampling parameter without which a model answers", () => {
  const error = {
    type: "invalid_request_error",
    message: "`temperature` is deprecated for this model.",
  };
  const verdict = anthropic.toError({ where: "stream", body: { type: "error", error } });
  assertEquals(verdict.repair, { without: "temperature", words: "`temperature` is deprecated" });
});

Deno.test("toRequest() puts a marker inside a tool's result on the result, where alone it is taken", () => {
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

Deno.test("toRequest() sends no alternatives at the root of a tool's schema, and says so", () => {
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

Deno.test("toRequest() cuts a budget where it cuts the answer that was to be longer", () => {
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
