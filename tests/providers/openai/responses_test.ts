/** What goldens cannot show of OpenAI's Responses API: whole loops, errors by code, odd requests. */

import { assert, assertEquals, assertFalse } from "@std/assert";
import type { ErrorKind } from "../../../src/core/errors.ts";
import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import { toResponsesError } from "../../../src/providers/openai/responses_errors.ts";
import { createTestGateway, type TestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { Random } from "../../support/random.ts";
import { type Leaf, randomRequest, readLeaves } from "../../support/requests.ts";
import { ScriptedVendor } from "../../support/scripted_vendor.ts";

const USER = { role: "user", content: "Hello" };
const PING = { type: "function", function: { name: "ping" } };

interface Scripted {
  readonly gateway: TestGateway;
  /** The bodies that were sent, in turn. */
  readonly sent: JsonObject[];
}

/** A gateway whose vendor gives these answers in turn, and the last one ever after. */
function scripted(answers: readonly Response[], provider: JsonObject = {}): Scripted {
  const sent: JsonObject[] = [];
  const gateway = createTestGateway({
    config: {
      providers: {
        openai: { kind: "openai", api_key: VENDOR_KEY, models: ["gpt-5.5"], ...provider },
        second: { kind: "openai", api_key: VENDOR_KEY, models: ["gpt-5.5"] },
      },
    },
    fetch: (_, init) => {
      sent.push(JSON.parse(String(init.body)));
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      return Promise.resolve(answer?.clone() ?? Response.error());
    },
  });
  return { gateway, sent };
}

function answer(output: readonly JsonObject[]): Response {
  return Response.json({ id: "resp_1", status: "completed", model: "gpt-5.5", output });
}

function stream(events: readonly JsonObject[]): Response {
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } });
}

const THOUGHT = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" };
const CALL = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "ping",
  arguments: "{}",
};
const ANSWER = { type: "message", content: [{ type: "output_text", text: "Done" }] };

const LOOP = [
  { role: "user", content: "Hello" },
  { type: "reasoning", summary: [], encrypted_content: "sealed" },
  { type: "function_call", call_id: "call_1", name: "ping", arguments: "{}" },
  { type: "function_call_output", call_id: "call_1", output: "pong" },
];

async function complete(
  { gateway }: Scripted,
  messages: readonly unknown[],
  model = "gpt-5.5@openai",
): Promise<JsonObject> {
  const response = await gateway.call("/v1/chat/completions", { model, messages, tools: [PING] });
  assertEquals(response.status, 200);
  return (await response.json()).choices[0].message;
}

Deno.test("reasoning is returned with an answer and sent back in the next request", async () => {
  const script = scripted([answer([THOUGHT, CALL]), answer([ANSWER])]);
  const turn = await complete(script, [USER]);
  const result = { role: "tool", tool_call_id: "call_1", content: "pong" };
  const last = await complete(script, [USER, turn, result]);
  assertEquals(script.sent[1]?.input, LOOP);
  assertEquals(last.content, "Done");
});

Deno.test("reasoning is returned in a stream and sent back in the next request", async () => {
  const script = scripted([
    stream([
      { type: "response.output_item.done", output_index: 0, item: THOUGHT },
      { type: "response.output_item.done", output_index: 1, item: CALL },
      { type: "response.completed", response: { status: "completed", output: [] } },
    ]),
    answer([ANSWER]),
  ]);
  const response = await script.gateway.call("/v1/chat/completions", {
    model: "gpt-5.5",
    messages: [USER],
    tools: [PING],
    stream: true,
  });
  const turn: JsonObject = { role: "assistant", content: null };
  for (const line of (await response.text()).split("\n\n")) {
    const delta = line.startsWith("data: {") ? JSON.parse(line.slice(6)).choices[0].delta : {};
    for (const name of ["reasoning_details", "tool_calls"]) {
      if (name in delta) turn[name] ??= delta[name];
    }
    if (delta.tool_calls?.[0].id === undefined && delta.tool_calls) {
      const [call] = turn.tool_calls as { function: { arguments: string } }[];
      if (call) call.function.arguments += delta.tool_calls[0].function.arguments;
    }
  }
  await complete(script, [USER, turn, { role: "tool", tool_call_id: "call_1", content: "pong" }]);
  assertEquals(script.sent[1]?.input, LOOP);
});

Deno.test("reasoning is not sent to another provider, which cannot decrypt it", async () => {
  const script = scripted([answer([THOUGHT, CALL]), answer([ANSWER])]);
  const turn = await complete(script, [USER]);
  const result = { role: "tool", tool_call_id: "call_1", content: "pong" };
  await complete(script, [USER, turn, result], "gpt-5.5@second");
  assertEquals(script.sent[1]?.input, LOOP.filter(({ type }) => type !== "reasoning"));
});

Deno.test("reasoning is not sent to chat completions", async () => {
  const message = { role: "assistant", content: "Hi" };
  const chat = Response.json({ choices: [{ index: 0, message, finish_reason: "stop" }] });
  const script = scripted([answer([THOUGHT, ANSWER]), chat]);
  const turn = await complete(script, [USER]);
  assert("reasoning_details" in turn);
  const messages = [USER, turn, USER];
  await script.gateway.call("/v1/chat/completions", { model: "gpt-5.5", messages });
  assertFalse(JSON.stringify(script.sent[1]).includes("sealed"));
});

Deno.test("encrypted reasoning is not requested again from a model that rejects it", async () => {
  const refusal = { message: "Encrypted content is not supported", param: "include", code: null };
  const script = scripted([
    Response.json({ error: { ...refusal, type: "invalid_request_error" } }, { status: 400 }),
    answer([ANSWER]),
  ]);
  await complete(script, [USER]);
  await complete(script, [USER]);
  assertEquals(script.sent.map((body) => "include" in body), [true, false, false]);
});

const UNVERIFIED = {
  message: "Your organization must be verified to generate reasoning summaries.",
  type: "invalid_request_error",
  param: "reasoning.summary",
  code: "unsupported_value",
};

Deno.test("summaries of reasoning are not requested again from an organization that gets none", async () => {
  const script = scripted([
    Response.json({ error: UNVERIFIED }, { status: 400 }),
    answer([THOUGHT, ANSWER]),
  ], { api: "responses" });
  const ask = { model: "gpt-5.5", max_tokens: 4000, messages: [USER] };
  const thinking = { type: "enabled", budget_tokens: 2000 };
  for (const _ of [1, 2]) {
    const response = await script.gateway.call("/v1/messages", { ...ask, thinking });
    assertEquals(response.status, 200);
    const { content } = await response.json() as { content: JsonObject[] };
    assertEquals(content.find(({ type }) => type === "text")?.text, "Done");
  }
  const [first, ...others] = script.sent.map(({ reasoning }) => reasoning as JsonObject);
  const { summary, ...rest } = first ?? {};
  assertEquals(summary, "auto");
  assert(typeof rest.effort === "string");
  assertEquals(others, [rest, rest]);
});

Deno.test("a caller's own summary of reasoning that is refused is reported", async () => {
  const script = scripted([
    Response.json({ error: UNVERIFIED }, { status: 400 }),
    answer([ANSWER]),
  ], { api: "responses" });
  const reasoning = { summary: "auto", effort: "low" };
  const request = { model: "gpt-5.5", messages: [USER], reasoning };
  const response = await script.gateway.call("/v1/chat/completions", request);
  await response.body?.cancel();
  assertEquals(response.headers.get("x-sluice-ignored"), "reasoning.summary");
  assertEquals(script.sent[1]?.reasoning, { effort: "low" });
});

Deno.test("items of a stream are identified by index, even if relays change their IDs", async () => {
  const { gateway } = scripted([
    stream([
      { type: "response.output_item.added", output_index: 1, item: { ...CALL, id: "a" } },
      {
        type: "response.function_call_arguments.delta",
        output_index: 1,
        item_id: "b",
        delta: "{}",
      },
      { type: "response.output_item.done", output_index: 1, item: { ...CALL, id: "c" } },
      { type: "response.completed", response: { status: "completed", output: [CALL] } },
    ]),
  ]);
  const response = await gateway.call("/v1/chat/completions", {
    model: "gpt-5.5",
    messages: [USER],
    tools: [PING],
    stream: true,
  });
  const text = await response.text();
  assertEquals(text.match(/call_1/g)?.length, 1);
  assertEquals(text.match(/"arguments":"{}"/g)?.length, 1);
});

const CODES: readonly (readonly [code: string, kind: ErrorKind])[] = [
  ["rate_limit_exceeded", "rate_limited"],
  ["insufficient_quota", "quota"],
  ["server_error", "upstream_error"],
  ["server_is_overloaded", "upstream_unavailable"],
  ["slow_down", "upstream_unavailable"],
  ["vector_store_timeout", "upstream_timeout"],
  ["context_length_exceeded", "context_length"],
  ["invalid_prompt", "invalid_request"],
  ["bio_policy", "invalid_request"],
  ["data_residency_mismatch", "invalid_request"],
  ["failed_to_download_image", "invalid_request"],
  ["invalid_api_key", "upstream_auth"],
  ["something_new", "upstream_error"],
];

for (const [code, kind] of CODES) {
  Deno.test(`toResponsesError() takes ${code} for ${kind}, whatever event brings it`, () => {
    const error = { code, message: "Words" };
    const bodies = [
      { type: "error", ...error, param: null },
      { type: "error", error: { ...error, type: null, param: null } },
      { type: "response.failed", response: { status: "failed", error } },
      { status: "failed", error },
    ];
    for (const body of bodies) {
      const upstreamError = toResponsesError({ where: "stream", body });
      assertEquals([upstreamError.kind, upstreamError.message], [kind, "Words"]);
    }
  });
}

const PARAMS: readonly (readonly [here: string, there: string])[] = [
  ["input[3].content[0]", "messages"],
  ["max_output_tokens", "max_completion_tokens"],
  ["reasoning.effort", "reasoning_effort"],
  ["text.format.schema", "response_format"],
  ["text.verbosity", "verbosity"],
  ["tools[2].parameters", "tools[2].function.parameters"],
  ["temperature", "temperature"],
];

for (const [here, there] of PARAMS) {
  Deno.test(`toResponsesError() calls ${here} what the caller calls it: ${there}`, () => {
    const body = { error: { message: "No", type: "invalid_request_error", param: here } };
    const headers = new Headers();
    const upstreamError = toResponsesError({ where: "answer", status: 400, headers, body });
    assertEquals(upstreamError.param, there);
  });
}

Deno.test("toResponsesError() accepts any body", () => {
  for (const body of [undefined, null, 7, "text", [], {}, { error: "text" }, { response: [] }]) {
    assertEquals(toResponsesError({ where: "stream", body }).kind, "upstream_error");
    const headers = new Headers();
    assertEquals(
      toResponsesError({ where: "answer", status: 429, headers, body }).kind,
      "rate_limited",
    );
  }
});

Deno.test("toResponsesError() reads the delay from the message if there is no header", () => {
  const waitFor = (message: string, status = 429, retryAfter?: string) => {
    const headers = new Headers(retryAfter === undefined ? {} : { "retry-after": retryAfter });
    const body = { error: { message } };
    return toResponsesError({ where: "answer", status, headers, body }).retryAfter;
  };
  assertEquals(waitFor("Limit reached. Please try again in 1.5s."), 1500);
  assertEquals(waitFor("Please try again in 20ms."), 20);
  assertEquals(waitFor("Please try again in 1.2.3s."), undefined);
  assertEquals(waitFor("Please try again."), undefined);
  assertEquals(waitFor("Please try again in 5s.", 429, "7"), undefined);
  assertEquals(waitFor("Please try again in 5s.", 400), undefined);
});

Deno.test("toResponsesError() names what to omit: a parameter, or encrypted reasoning", () => {
  const repairOf = (param: string, code: string | null) => {
    const message = `Unsupported parameter: '${param}' is not supported with this model.`;
    const body = { error: { message, type: "invalid_request_error", param, code } };
    const headers = new Headers();
    const { repair } = toResponsesError({ where: "answer", status: 400, headers, body });
    return repair !== undefined && "without" in repair ? repair.without : undefined;
  };
  assertEquals(repairOf("temperature", "unsupported_parameter"), "temperature");
  assertEquals(repairOf("reasoning.effort", "unsupported_parameter"), "reasoning.effort");
  assertEquals(repairOf("instructions", "unsupported_parameter"), undefined);
  assertEquals(repairOf("include", null), "include");
  assertEquals(repairOf("input", null), undefined);
});

/** The answer of a stream, with the pieces of each member of its deltas joined. */
async function heard(events: readonly JsonObject[]): Promise<JsonObject> {
  const { gateway } = scripted([stream(events)], { api: "responses" });
  const request = { model: "gpt-5.5", messages: [USER], tools: [PING], stream: true };
  const response = await gateway.call("/v1/chat/completions", request);
  const said: JsonObject = {};
  for (const event of (await response.text()).split("\n\n")) {
    if (!event.startsWith("data: {")) continue;
    const { delta } = JSON.parse(event.slice("data: ".length)).choices[0];
    for (const name of ["content", "refusal", "reasoning_content"]) {
      if (delta[name]) said[name] = `${said[name] ?? ""}${delta[name]}`;
    }
    for (const call of delta.tool_calls ?? []) {
      said.arguments = `${said.arguments ?? ""}${call.function.arguments}`;
    }
  }
  return said;
}

const OVER = { type: "response.completed", response: { status: "completed", output: [] } };

Deno.test("repeated events of a stream count once, and each of them suffices", async () => {
  const at = { output_index: 0, content_index: 0 };
  const refused = [
    { type: "response.refusal.delta", ...at, delta: "No" },
    { type: "response.refusal.done", ...at, refusal: "No" },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { type: "message", content: [{ type: "refusal", refusal: "No" }] },
    },
  ];
  const called = [
    { type: "response.function_call_arguments.delta", output_index: 0, delta: "{}" },
    { type: "response.function_call_arguments.done", output_index: 0, arguments: "{}" },
    { type: "response.output_item.done", output_index: 0, item: CALL },
  ];
  const open = {
    type: "response.output_item.added",
    output_index: 0,
    item: { ...CALL, arguments: "" },
  };
  for (const skipped of [0, 1, 2]) {
    assertEquals(await heard([...refused.slice(skipped), OVER]), { refusal: "No" });
    assertEquals(await heard([open, ...called.slice(skipped), OVER]), { arguments: "{}" });
  }
  const empty = { type: "response.refusal.delta", ...at, delta: "" };
  assertEquals(await heard([empty, OVER]), {});
});

Deno.test("the reasoning of a stream is its summary by parts, else the reasoning text", async () => {
  const added = { type: "response.output_item.added", output_index: 0, item: THOUGHT };
  const part = (summary_index: number, delta: string) => ({
    ...{ type: "response.reasoning_summary_text.delta", output_index: 0 },
    ...{ summary_index, delta },
  });
  const raw = (delta: string) => ({
    ...{ type: "response.reasoning_text.delta", output_index: 0, content_index: 0 },
    delta,
  });
  const done = (item: JsonObject) => ({
    ...{ type: "response.output_item.done", output_index: 0 },
    item: { ...THOUGHT, ...item },
  });
  const texts = (...list: string[]) => list.map((text) => ({ type: "text", text }));
  const summary = texts("One", "Two");
  const content = texts("Raw");
  const answered = { type: "response.output_item.done", output_index: 1, item: ANSWER };
  const rows: readonly (readonly [events: readonly JsonObject[], reasoning: string])[] = [
    [
      [added, part(0, "O"), part(0, "ne"), part(1, "Two"), done({ summary, content })],
      "One\n\nTwo",
    ],
    [[added, part(0, ""), raw("Raw"), part(0, "One"), done({ summary: texts("One") })], "One"],
    [[added, raw(""), raw("Ra"), raw("w"), done({ content })], "Raw"],
    [[added, done({ summary, content })], "One\n\nTwo"],
    [[done({ summary: texts(""), content })], "Raw"],
  ];
  for (const [events, reasoning_content] of rows) {
    assertEquals(await heard([...events, answered, OVER]), { reasoning_content, content: "Done" });
  }
});

/** What is sent for a request, or the path that is complained of. */
async function sentFor(members: JsonObject): Promise<JsonObject | string> {
  const { gateway, sent } = scripted([answer([ANSWER])], { api: "responses" });
  const request = { model: "gpt-5.5", messages: [USER], ...members };
  const response = await gateway.call("/v1/chat/completions", request);
  const { error } = await response.json();
  return sent[0] ?? `${error.code} ${error.param}`;
}

Deno.test("toRequest() sends the assistant's text and refusals, and rejects other content", async () => {
  const said = async (turn: JsonObject) => {
    const sent = await sentFor({ messages: [{ role: "assistant", ...turn }, USER] });
    return isObject(sent) ? (sent.input as unknown[]).slice(0, -1) : sent;
  };
  const role = "assistant";
  const text = { type: "text", text: "Well" };
  const refusal = { type: "refusal", refusal: "No" };
  const phase = "final_answer";
  assertEquals(await said({ content: [text, text] }), [{ role, content: "WellWell", phase }]);
  assertEquals(await said({ content: [text, refusal] }), [
    { role, content: [{ type: "output_text", text: "Well" }, refusal] },
  ]);
  assertEquals(await said({ content: null, refusal: "No" }), [{ role, content: [refusal] }]);
  assertEquals(await said({ content: "" }), []);
  const image = { type: "image_url", image_url: { url: "https://a.test/b.png" } };
  assertEquals(await said({ content: [image] }), "unsupported_content messages[0].content[0]");
  assertEquals(await said({ audio: { id: "a" } }), "unsupported_content messages[0].audio");
});

Deno.test("toRequest() uses the effort of the caller's `reasoning`", async () => {
  const sent = async (members: JsonObject) => {
    const body = await sentFor({ temperature: 0.5, ...members });
    return isObject(body) ? [body.reasoning, body.temperature] : body;
  };
  const none = { effort: "none" };
  assertEquals(await sent({ reasoning: none }), [none, 0.5]);
  assertEquals(await sent({ reasoning: { effort: "low" } }), [{ effort: "low" }, undefined]);
  // A wrong word is the vendor's to refuse.
  const odd = { effort: "odd", summary: "auto" };
  assertEquals(await sent({ reasoning: odd }), [odd, undefined]);
  assertEquals(await sent({ reasoning: odd, reasoning_effort: "odd" }), [odd, undefined]);
});

Deno.test("toRequest() sends every file with a name and a type", async () => {
  const fileOf = async (file: JsonObject) => {
    const sent = await sentFor({ messages: [{ role: "user", content: [{ type: "file", file }] }] });
    return isObject(sent) ? (sent.input as { content: unknown[] }[])[0]?.content[0] : sent;
  };
  const type = "input_file";
  const pdf = btoa("%PDF-1.7");
  const file_data = `data:application/pdf;base64,${pdf}`;
  const file_url = "https://a.test/b.pdf";
  assertEquals(await fileOf({ file_id: "f", file_url }), { type, file_id: "f" });
  assertEquals(await fileOf({ file_url }), { type, file_url });
  assertEquals(await fileOf({ file_data, file_url }), { type, filename: "file.pdf", file_data });
  assertEquals(await fileOf({ file_data, filename: "b" }), { type, filename: "b", file_data });
  assertEquals(await fileOf({ file_data: pdf }), { type, filename: "file.pdf", file_data });
  assertEquals(await fileOf({ file_data: "YSxi", filename: "b" }), {
    ...{ type, filename: "b" },
    file_data: "data:application/octet-stream;base64,YSxi",
  });
  const odd = "data: Text/CSV ;base64,YSxi";
  assertEquals(await fileOf({ file_data: odd }), { type, filename: "file.csv", file_data: odd });
  const unknown = "data:x/y;base64,YSxi";
  assertEquals(await fileOf({ file_data: unknown }), {
    type,
    filename: "file",
    file_data: unknown,
  });
});

Deno.test("toRequest() makes a schema strict only on request", async () => {
  const formatOf = async (json_schema: JsonObject) => {
    const sent = await sentFor({ response_format: { type: "json_schema", json_schema } });
    return isObject(sent) && isObject(sent.text) ? sent.text.format : sent;
  };
  const schema = { type: "object", properties: {} };
  const type = "json_schema";
  assertEquals(await formatOf({ name: "x" }), {
    ...{ type, name: "x", strict: false },
    schema: { type: "object" },
  });
  const whole = { name: "x", description: "y", schema, strict: true };
  assertEquals(await formatOf(whole), { type, ...whole });
});

Deno.test("several calls inside a call of an undeclared tool are split", async () => {
  const use = (name: string) => ({ recipient_name: `functions.${name}`, parameters: { a: 1 } });
  const calling = (...names: string[]) =>
    answer([{
      ...CALL,
      name: "parallel",
      arguments: JSON.stringify({ tool_uses: names.map(use) }),
    }]);
  const named = async (response: Response) => {
    const { tool_calls } = await complete(scripted([response], { api: "responses" }), [USER]);
    return (tool_calls as { function: { name: string } }[]).map((call) => call.function.name);
  };
  assertEquals(await named(calling("ping", "ping")), ["ping", "ping"]);
  assertEquals(await named(calling("ping", "pong")), ["parallel"], "one of them is unknown");
  assertEquals(await named(calling()), ["parallel"]);
});

const ODD: readonly JsonObject[] = [
  { reasoning: "high", web_search_options: 7, prompt_cache_key: {} },
  { reasoning: { effort: "a lot" }, web_search_options: { user_location: [] } },
  { reasoning: { effort: 7, summary: {} } },
  { tools: [{ type: "custom", custom: { name: "x", format: "text" } }] },
  {
    tools: [PING],
    tool_choice: {
      type: "allowed_tools",
      allowed_tools: { mode: "auto", tools: [{ type: "__proto__" }] },
    },
  },
  { response_format: { type: "odd", json_schema: { name: "x" } } },
  { response_format: { type: "json_schema", json_schema: { name: "x" } } },
  { messages: [{ role: "assistant", content: "" }] },
  { messages: [{ role: "assistant", content: [{ type: "refusal", refusal: "No" }] }] },
  {
    messages: [{
      role: "assistant",
      content: "x",
      reasoning_details: [7, null, { format: "openai-responses" }],
    }],
  },
  { messages: [{ role: "user", content: [] }] },
  { messages: [{ role: "user", content: [{ type: "refusal", refusal: "No" }] }] },
  { messages: [{ role: "assistant", content: [{ type: "image_url", image_url: { url: "x" } }] }] },
  { messages: [{ role: "assistant", audio: { id: "audio_1" } }] },
  { messages: [{ role: "user", content: [{ type: "file", file: {} }] }] },
  { messages: [{ role: "user", content: [{ type: "file", file: { file_data: "?" } }] }] },
  { messages: [{ role: "tool", tool_call_id: "", content: "lost" }] },
  { messages: [{ role: "function", name: "f", content: null }] },
  { n: 3, modalities: ["audio"], audio: {}, functions: [{ name: "f" }], function_call: "none" },
];

for (const members of ODD) {
  Deno.test(`an unusual request is answered or refused without an internal error: ${JSON.stringify(members)}`, async () => {
    const { gateway, sent } = scripted([answer([ANSWER])], { api: "responses" });
    const response = await gateway.call("/v1/chat/completions", {
      model: "gpt-5.5",
      messages: [USER],
      ...members,
    });
    const { error } = await response.json();
    assertEquals(gateway.bugs, []);
    assert(response.status === 200 || response.status === 400, `${response.status}`);
    assertEquals(sent.length, response.status === 200 ? 1 : 0);
    assertEquals(isObject(error), response.status === 400);
  });
}

Deno.test("toRequest() puts no text of the caller into the receipt", async () => {
  const { gateway, sent } = scripted([answer([ANSWER])], { api: "responses" });
  const response = await gateway.call("/v1/chat/completions", {
    model: "gpt-5.5",
    messages: [USER],
    reasoning: { effort: "secret word" },
  });
  assertFalse(JSON.stringify([...response.headers]).includes("secret"));
  assertEquals(sent[0]?.reasoning, { effort: "secret word" });
});

/** Words of the API's own format, by their path; other values are the caller's. */
const WORDS: Readonly<Record<string, readonly unknown[]>> = {
  "input.role": ["user", "assistant", "system", "developer"],
  "input.type": ["function_call", "function_call_output"],
  "input.content.type": ["input_text", "input_image"],
  "input.phase": ["commentary", "final_answer"],
  "tools.type": ["function"],
  "tools.strict": [false],
  "tool_choice.type": ["function"],
  "text.format.strict": [false],
  "reasoning.effort": ["none", "minimal", "low", "medium", "high", "xhigh"],
  "include": ["reasoning.encrypted_content", "message.output_text.logprobs"],
  "max_output_tokens": [16],
  "store": [false],
};

/** What only the vendor's own format has names for. */
const FIELDS = [
  ...["model", "input", "stream", "temperature", "top_p", "top_logprobs", "max_output_tokens"],
  ...["tools", "tool_choice", "parallel_tool_calls", "text", "reasoning", "include"],
  ...["user", "metadata", "store", "service_tier", "safety_identifier"],
];

Deno.test("toRequest() adds only declared fields", async () => {
  const models = ["gpt-4o", "gpt-5.5", "gpt-5.4", "unheard-of"];
  const base_url = "http://vendor.test";
  const provider = { kind: "openai", api: "responses", api_key: VENDOR_KEY, base_url, models };
  for (let seed = 0; seed < 400; seed++) {
    const random = new Random(seed);
    const vendor = new ScriptedVendor();
    const gateway = createTestGateway({
      config: { providers: { v: provider } },
      fetch: vendor.fetch,
    });
    const request = randomRequest(random, random.pick(models));
    const response = await gateway.call("/v1/chat/completions", request);
    await response.body?.cancel();
    assertEquals([response.status, gateway.bugs], [200, []]);
    const given = new Set(readLeaves(request).map(({ value }) => value));
    const isMade = ({ path, value }: Leaf) => !given.has(value) && !WORDS[path]?.includes(value);
    assertEquals(readLeaves(vendor.body).filter(isMade), [], JSON.stringify(request));
    assertEquals(Object.keys(vendor.body).filter((field) => !FIELDS.includes(field)), []);
  }
});
