import { assert, assertEquals, assertThrows } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { readChatRequest } from "../../../src/apis/chat/read_request.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import type { ModelFacts } from "../../../src/contract/model_facts.ts";
import type { Step } from "../../../src/contract/stream_decoder.ts";
import { bedrock } from "../../../src/providers/bedrock/bedrock_adapter.ts";
import { factsOf } from "../../../src/providers/shared/catalogue.ts";
import { applySupport } from "../../../src/contract/support.ts";
import { RequestChanges } from "../../../src/contract/request_changes.ts";
import { encodeMessages } from "../../support/event_stream.ts";
import { createTestGateway } from "../../support/gateway.ts";
import type { Call, Failure } from "../../../src/contract/vendor_request.ts";

interface Setting {
  readonly model?: string;
  readonly base?: string;
  readonly facts?: ModelFacts;
  readonly region?: string;
  readonly baseUrl?: string;
}

const HI = [{ role: "user", content: "Hi" }];
const SONNET = "global.anthropic.claude-sonnet-5";
const SONNET_4 = "us.anthropic.claude-sonnet-4-20250514-v1:0";
const NOVA = "amazon.nova-pro-v1:0";
const NOVA_2 = "global.amazon.nova-2-lite-v1:0";
const NOW = { type: "function", function: { name: "now" } };

function toCall(body: JsonObject, setting: Setting = {}): Call {
  const model = setting.model ?? SONNET;
  const request = readChatRequest({ model, messages: HI, ...structuredClone(body) });
  const base = setting.base ?? model;
  const target = { id: "m", upstream: model, base, facts: setting.facts ?? {} };
  const changes = new RequestChanges();
  const overrides = bedrock.supportFor(request, target);
  const options = { region: setting.region ?? "us-east-1" };
  let ids = 0;
  return {
    request,
    fields: applySupport(request, bedrock.supports, overrides, changes),
    model: target,
    provider: { id: "aws", baseUrl: setting.baseUrl ?? "", options },
    changes,
    stream: request.stream === true,
    newId: (prefix) => `${prefix}${++ids}`,
  };
}

/** What is sent, and what the receipt says of it. */
function send(body: JsonObject, setting: Setting = {}) {
  const call = toCall(body, setting);
  const { body: sent, url, auth } = bedrock.toRequest(call);
  const { ignored, converted } = call.changes;
  return { sent, url, auth, ignored: [...ignored], converted: [...converted] };
}

function contentOf(messages: unknown[], setting: Setting = {}): unknown[] {
  return (send({ messages }, setting).sent.messages as JsonObject[])
    .map(({ role, content }) => [role, content]);
}

Deno.test("toRequest() sends to the region's host, in the domain of its partition", () => {
  for (
    const [region, host] of [
      ["eu-central-1", "bedrock-runtime.eu-central-1.amazonaws.com"],
      ["us-gov-west-1", "bedrock-runtime.us-gov-west-1.amazonaws.com"],
      ["cn-northwest-1", "bedrock-runtime.cn-northwest-1.amazonaws.com.cn"],
      ["us-iso-east-1", "bedrock-runtime.us-iso-east-1.c2s.ic.gov"],
      ["us-isob-east-1", "bedrock-runtime.us-isob-east-1.sc2s.sgov.gov"],
      ["eusc-de-east-1", "bedrock-runtime.eusc-de-east-1.amazonaws.eu"],
    ] as const
  ) {
    const { url, auth } = send({}, { region });
    assertEquals(url, `https://${host}/model/${SONNET}/converse`);
    assertEquals(auth, { type: "sigv4", service: "bedrock", region });
  }
});

Deno.test("toRequest() escapes a model's ID in the path", () => {
  const baseUrl = "http://127.0.0.1:9";
  const urlOf = (model: string) => send({ stream: true }, { model, baseUrl }).url;
  assertEquals(
    urlOf("a/b:c d!'()*é"),
    `${baseUrl}/model/a%2Fb%3Ac%20d%21%27%28%29%2A%C3%A9/converse-stream`,
  );
});

Deno.test("a model behind an ARN has the quirks of the model that it names, or of base_model", () => {
  const arn = "arn:aws:bedrock:us-east-1:123456789012:";
  const temperature = 0.5;
  const named = { model: `${arn}inference-profile/us.anthropic.claude-opus-5` };
  assertEquals(send({ temperature }, named).ignored, ["temperature"]);
  const hidden = `${arn}application-inference-profile/abc`;
  assertEquals(send({ temperature }, { model: hidden }).ignored, []);
  assertEquals(send({ temperature }, { model: hidden, base: "claude-opus-5" }).ignored, [
    "temperature",
  ]);
});

Deno.test("factsOf() finds the Claude models of Bedrock by their plain IDs", () => {
  const opus = factsOf("anthropic", "claude-opus-4-6");
  assert(opus.max_output_tokens !== undefined);
  for (
    const id of [
      "anthropic.claude-opus-4-6",
      "anthropic.claude-opus-4-6-v1",
      "us-gov.anthropic.claude-opus-4-6-v1:0",
      "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-4-6-v1",
      "claude-opus-4-6",
    ]
  ) {
    assertEquals(factsOf("bedrock", id), opus, id);
  }
  assertEquals(factsOf("bedrock", "amazon.nova-pro-v1:0"), {});
  assertEquals(factsOf("bedrock", "anthropic.claude-haiku-4-5-20251001-v1:0"), {});
});

Deno.test("toRequest() sends only messages if the request has nothing else", () => {
  for (
    const model of [SONNET, SONNET_4, NOVA, NOVA_2, "openai.gpt-oss-20b-1:0", "unheard.of-v1:0"]
  ) {
    for (const stream of [false, true]) {
      const { sent, ignored, converted } = send({ stream }, { model });
      assertEquals(sent, { messages: [{ role: "user", content: [{ text: "Hi" }] }] });
      assertEquals([ignored, converted], [[], []]);
    }
  }
});

Deno.test("toRequest() sends one of both token limits, and reports the other", () => {
  const facts = { max_output_tokens: 50 };
  const both = send({ max_tokens: 10, max_completion_tokens: 80 }, { model: NOVA, facts });
  assertEquals(both.sent.inferenceConfig, { maxTokens: 50 });
  assertEquals(both.ignored, ["max_tokens"]);
  assert(both.converted.includes("max_completion_tokens 80->50"));
  assertEquals(send({ max_tokens: 10 }, { model: NOVA, facts }).sent.inferenceConfig, {
    maxTokens: 10,
  });
});

Deno.test("toRequest() converts an effort to the field of each family", () => {
  const extraFor = (effort: string, model: string) => {
    const { sent, ignored } = send({ reasoning_effort: effort }, { model });
    return [sent.additionalModelRequestFields, ignored];
  };
  const nova = (effort: string) => ({
    reasoningConfig: { type: "enabled", maxReasoningEffort: effort },
  });
  assertEquals(extraFor("low", NOVA_2), [nova("low"), []]);
  assertEquals(extraFor("max", NOVA_2), [nova("high"), []]);
  assertEquals(extraFor("none", NOVA_2), [undefined, []]);
  assertEquals(extraFor("none", "openai.gpt-oss-20b-1:0"), [{ reasoning_effort: "low" }, []]);
  assertEquals(extraFor("xhigh", "us.openai.gpt-5.5"), [{ reasoning: { effort: "xhigh" } }, []]);
  assertEquals(extraFor("high", NOVA), [undefined, ["reasoning_effort"]]);
  assertEquals(extraFor("high", "deepseek.r1-v1:0"), [undefined, ["reasoning_effort"]]);
  assertEquals(extraFor("none", SONNET), [{ thinking: { type: "disabled" } }, []]);
});

Deno.test("toRequest() sends no thinking budget with a forced tool or an unfinished tool loop", () => {
  const loop = [
    ...HI,
    {
      role: "assistant",
      tool_calls: [{ id: "a", ...NOW, function: { name: "now", arguments: "" } }],
    },
    { role: "tool", tool_call_id: "a", content: "12:00" },
  ];
  const body = { reasoning_effort: "high", tools: [NOW] };
  const extraOf = (more: JsonObject) =>
    send({ ...body, ...more }, { model: SONNET_4 }).sent.additionalModelRequestFields;
  assertEquals(extraOf({}), { thinking: { type: "enabled", budget_tokens: 38_400 } });
  assertEquals(extraOf({ tool_choice: "required" }), undefined);
  assertEquals(extraOf({ messages: loop }), undefined);
});

Deno.test("toRequest() prefers the caller's additional fields", () => {
  const { sent } = send({
    top_k: 5,
    thinking: { type: "adaptive" },
    additionalModelRequestFields: { thinking: { type: "disabled" }, anthropic_beta: ["x"] },
  }, { model: "anthropic.claude-opus-4-6-v1" });
  assertEquals(sent.additionalModelRequestFields, {
    thinking: { type: "disabled" },
    anthropic_beta: ["x"],
  });
});

Deno.test("toRequest() omits additional members that are not objects", () => {
  const names = ["additionalModelRequestFields", "guardrailConfig", "performanceConfig"];
  for (const value of [null, 1, "x", [], {}]) {
    const { sent } = send(Object.fromEntries(names.map((name) => [name, value])));
    assertEquals(Object.keys(sent), ["messages"]);
  }
});

Deno.test("toRequest() defines past tools, and forbids them, if the request has no tools", () => {
  const call = (id: string, args: string) => ({
    id,
    type: "function",
    function: { name: "now", arguments: args },
  });
  const { sent } = send({
    messages: [
      ...HI,
      { role: "assistant", content: " ", tool_calls: [call("a", "[1]"), call("b", "")] },
      { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "12:00" }] },
      { role: "tool", tool_call_id: "b", content: "" },
    ],
  });
  const spec = { name: "now", inputSchema: { json: { type: "object", properties: {} } } };
  assertEquals(sent.toolConfig, { tools: [{ toolSpec: spec }] });
  assertEquals(sent.system, [{ text: "Do not call any tool: answer in words." }]);
  assertEquals((sent.messages as JsonObject[])[1]?.content, [
    { toolUse: { toolUseId: "a", name: "now", input: { value: [1] } } },
    { toolUse: { toolUseId: "b", name: "now", input: {} } },
  ]);
});

Deno.test("toRequest() removes blank texts, and sends instructions without messages as a user turn", () => {
  const system = { role: "system", content: "Be brief." };
  const blank = { role: "user", content: " \n" };
  assertEquals(contentOf([system, blank]), [["user", [{ text: "Be brief." }]]]);
  const error = assertThrows(() => send({ messages: [blank] }), GatewayError);
  assertEquals((error as GatewayError).param, "messages");
});

Deno.test("toRequest() adds a cache point after a tool's result if any of its parts was marked", () => {
  const call = { id: "c", type: "function", function: { name: "now", arguments: "{}" } };
  const marked = { type: "text", text: "Noon.", cache_control: { type: "ephemeral" } };
  const answered = (content: unknown) =>
    contentOf([
      ...HI,
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content },
    ]).at(-1);
  const toolResult = (...texts: string[]) => ({
    toolResult: { toolUseId: "c", content: texts.map((text) => ({ text })) },
  });
  const point = { cachePoint: { type: "default" } };
  assertEquals(answered([marked]), ["user", [toolResult("Noon."), point]]);
  assertEquals(answered([marked, { type: "text", text: "Or so." }, marked]), [
    "user",
    [toolResult("Noon.", "Or so.", "Noon."), point],
  ]);
});

Deno.test("toRequest() sends reasoning back to models that think, with the content after it", () => {
  const reasoning_details = [{ format: "bedrock", text: "Hm.", signature: "s" }];
  const said = (content: string, model: string) =>
    contentOf([...HI, { role: "assistant", content, reasoning_details }, ...HI], { model });
  const thought = {
    reasoningContent: { reasoningText: { text: "Hm.", signature: "s" } },
  };
  assertEquals(said("Yes.", SONNET)[1], ["assistant", [thought, { text: "Yes." }]]);
  assertEquals(said("Yes.", NOVA)[1], ["assistant", [{ text: "Yes." }]]);
  assertEquals(said("", SONNET), [["user", [{ text: "Hi" }, { text: "Hi" }]]]);
});

Deno.test("toRequest() gives documents valid and unique names", () => {
  const file = (filename: string | undefined) => ({
    type: "file",
    file: { file_data: "data:application/pdf;base64,JVBERi0x", ...(filename && { filename }) },
  });
  const long = "n".repeat(300);
  const names = ["a  b_c.pdf", "a b c", "a b c.txt", undefined, "日本.pdf", `${long}.pdf`, long];
  const [turn] = contentOf([{
    role: "user",
    content: [...names.map(file), { type: "text", text: "?" }],
  }]);
  const [, blocks] = turn as [string, JsonObject[]];
  assertEquals(blocks.slice(0, -1).map(({ document }) => (document as JsonObject).name), [
    "a b c",
    "a b c (2)",
    "a b c (3)",
    "document",
    "document (2)",
    "n".repeat(180),
    `${"n".repeat(180)} (2)`,
  ]);
});

Deno.test("toRequest() sends a refusal as text, and no names", () => {
  const refusal = { type: "refusal", refusal: "No" };
  const { sent, ignored } = send({
    messages: [
      { role: "user", name: "Ann", content: "Hi" },
      { role: "assistant", content: [refusal] },
      ...HI,
      { role: "assistant", content: null, refusal: "Never" },
      ...HI,
    ],
  });
  const texts = (sent.messages as JsonObject[]).map(({ content }) => content);
  assertEquals(texts, ["Hi", "No", "Hi", "Never", "Hi"].map((text) => [{ text }]));
  assertEquals(ignored, ["messages.name"]);
});

Deno.test("toRequest() sends stop sequences that are not blank, and the vendor's tiers", () => {
  const one = send({ stop: "end", service_tier: "fast" });
  assertEquals([one.sent.inferenceConfig, one.ignored], [{ stopSequences: ["end"] }, []]);
  assertEquals(one.sent.serviceTier, { type: "priority" });
  const none = send({ stop: [" "], service_tier: "batch" });
  assertEquals([none.sent.inferenceConfig, none.sent.serviceTier], [undefined, undefined]);
  assertEquals(none.ignored.toSorted(), ["service_tier", "stop"]);
});

Deno.test("toRequest() refuses content that the vendor does not support", () => {
  const image = (url: string) => ({ type: "image_url", image_url: { url } });
  const bytes = (type: string) => `data:${type};base64,AAAA`;
  for (const url of ["https://a.example/b.png", "s3://b/k", "s3://b/k.tiff", bytes("image/tiff")]) {
    const error = assertThrows(
      () => send({ messages: [{ role: "user", content: [image(url)] }] }),
      GatewayError,
    );
    const { kind, param } = error as GatewayError;
    assertEquals([kind, param], ["unsupported_content", "messages[0].content[0]"], url);
  }
  const video = { type: "file", file: { file_data: bytes("video/mp4"), filename: "a.mp4" } };
  const rows: readonly (readonly [body: JsonObject, kind: string, param: string])[] = [
    [
      { messages: [{ role: "system", content: [image(bytes("image/png"))] }] },
      "unsupported_content",
      "messages[0].content[0]",
    ],
    [
      { messages: [{ role: "user", content: [video] }] },
      "unsupported_content",
      "messages[0].content[0]",
    ],
    [
      { tools: [{ type: "function", function: { name: "f", parameters: { type: "array" } } }] },
      "invalid_value",
      "tools[0].function.parameters",
    ],
  ];
  for (const [body, kind, param] of rows) {
    const error = assertThrows(() => send(body), GatewayError) as GatewayError;
    assertEquals([error.kind, error.param], [kind, param]);
  }
});

function verdictOn(status: number, body: unknown, headers: Record<string, string> = {}) {
  return bedrock.toError({ where: "answer", status, headers: new Headers(headers), body });
}

const SCHEMA = {
  type: "object",
  properties: { a: { type: "string" } },
  required: ["a"],
};
const JSON_FORMAT = {
  type: "json_schema",
  json_schema: { name: "my answer", description: "D", schema: SCHEMA },
};
const MISTRAL = "mistral.mistral-large-2402-v1:0";
const LLAMA = "meta.llama3-3-70b-instruct-v1:0";

Deno.test("toRequest() forces a tool as far as the model supports it", () => {
  const name = "list";
  const named = { type: "function", function: { name } };
  const forced = (tool_choice: unknown, model: string) => {
    const { sent } = send({ tools: [NOW, named], tool_choice }, { model });
    const { tools, toolChoice } = sent.toolConfig as { tools: unknown[]; toolChoice: unknown };
    return [tools.length, toolChoice, sent.system];
  };
  const hint = (text: string) => [{ text }];
  assertEquals(forced("required", NOVA), [2, { any: {} }, undefined]);
  assertEquals(forced(named, NOVA), [2, { tool: { name } }, undefined]);
  assertEquals(forced("required", MISTRAL), [2, { any: {} }, undefined]);
  assertEquals(forced(named, MISTRAL), [1, { any: {} }, undefined]);
  assertEquals(forced("required", LLAMA), [2, undefined, hint("Answer by calling a tool.")]);
  assertEquals(forced(named, LLAMA), [
    1,
    undefined,
    hint(`Answer by calling the tool '${name}'.`),
  ]);
  const legacy = { functions: [{ name: "now" }], function_call: { name: "now" } };
  assertEquals(send(legacy, { model: LLAMA }).converted, [
    "functions->toolConfig.tools",
    "function_call->toolConfig.toolChoice",
    "function_call function->auto",
  ]);
});

Deno.test("toRequest() requests one call at a time from Claude, with any other parameters", () => {
  const one = { disable_parallel_tool_use: true };
  const body = { tools: [NOW], parallel_tool_calls: false };
  const sentOf = (more: JsonObject) => {
    const { sent, ignored, converted } = send({ ...body, ...more });
    const { tool_choice } = sent.additionalModelRequestFields as JsonObject;
    assertEquals((sent.toolConfig as JsonObject).toolChoice, undefined);
    assert(converted.includes("parallel_tool_calls->tool_choice.disable_parallel_tool_use"));
    return { tool_choice, ignored, system: sent.system !== undefined };
  };
  assertEquals(sentOf({ response_format: { type: "json_object" } }), {
    tool_choice: { type: "auto", ...one },
    ignored: [],
    system: true,
  });
  assertEquals(sentOf({ tool_choice: "required", response_format: { type: "json_object" } }), {
    tool_choice: { type: "any", ...one },
    ignored: ["response_format"],
    system: false,
  });
  assertEquals(sentOf({ response_format: JSON_FORMAT }), {
    tool_choice: { type: "any", ...one },
    ignored: [],
    system: false,
  });
});

Deno.test("toRequest() sends no thinking budget with a tool that is forced, by name or for JSON", () => {
  const named = { tools: [NOW], tool_choice: NOW };
  for (const body of [named, { response_format: JSON_FORMAT }]) {
    const { sent, ignored } = send({ reasoning_effort: "high", ...body }, { model: SONNET_4 });
    assertEquals(sent.additionalModelRequestFields, undefined);
    assertEquals(ignored, ["reasoning_effort"]);
  }
});

Deno.test("toRequest() requests JSON as the model supports it: by format, tool or instruction", () => {
  const partsOf = (body: JsonObject, model: string) => {
    const { sent, converted } = send(body, { model });
    const { tools, toolChoice } = (sent.toolConfig ?? {}) as JsonObject;
    const names = (tools as JsonObject[] | undefined)?.map((tool) =>
      (tool.toolSpec as JsonObject).name
    );
    return [names, toolChoice, sent.outputConfig !== undefined, converted];
  };
  const response_format = JSON_FORMAT;
  const both = { tools: [NOW], response_format };
  const byTool = ["response_format->toolConfig.tools"];
  assertEquals(partsOf({ response_format }, NOVA), [
    ["json"],
    { tool: { name: "json" } },
    false,
    byTool,
  ]);
  assertEquals(partsOf({ response_format }, MISTRAL), [["json"], { any: {} }, false, byTool]);
  assertEquals(partsOf(both, NOVA), [["now", "json"], { any: {} }, false, byTool]);
  const exact = "mistral.ministral-3-8b-instruct";
  const byFormat = ["response_format->outputConfig.textFormat"];
  assertEquals(partsOf(both, exact), [["now"], undefined, true, byFormat]);
  assertEquals(partsOf({ ...both, tool_choice: "required" }, exact), [
    ["now"],
    { any: {} },
    true,
    byFormat,
  ]);
  assertEquals(send({ response_format }, { model: exact }).sent.outputConfig, {
    textFormat: {
      type: "json_schema",
      structure: {
        jsonSchema: {
          schema: JSON.stringify({ ...SCHEMA, additionalProperties: false }),
          name: "my_answer",
          description: "D",
        },
      },
    },
  });
});

Deno.test("toRequest() keeps a valid ID of a call, and puts one cache marker on a whole message", () => {
  const call = (id: string) => ({ id, type: "function", function: { name: "now", arguments: "" } });
  const turns = contentOf([
    ...HI,
    { role: "assistant", tool_calls: [call("abc123XYZ"), call("call_1")] },
    { role: "tool", tool_call_id: "abc123XYZ", content: "1" },
    { role: "tool", tool_call_id: "call_1", content: "2" },
  ], { model: MISTRAL });
  const [, blocks] = turns[1] as [string, { toolUse: { toolUseId: string } }[]];
  const [kept = "", made = ""] = blocks.map(({ toolUse }) => toolUse.toolUseId);
  assertEquals(kept, "abc123XYZ");
  assert(/^[a-z0-9]{9}$/.test(made));
  const cache_control = { type: "ephemeral", ttl: "1h" };
  const point = { cachePoint: { type: "default", ttl: "1h" } };
  const marked = [{ type: "text", text: "Hi", cache_control }];
  for (const content of ["Hi", marked]) {
    assertEquals(contentOf([{ role: "user", content, cache_control }]), [
      ["user", [{ text: "Hi" }, point]],
    ]);
  }
});

Deno.test("toRequest() ends a prefilled answer without white space or thinking", () => {
  const reasoning_details = [{ format: "bedrock", text: "Hm.", signature: "s" }];
  const content = [{ type: "text", text: "One " }, { type: "text", text: "two " }];
  const turns = contentOf([...HI, { role: "assistant", content, reasoning_details }], {
    model: SONNET_4,
  });
  assertEquals(turns[1], ["assistant", [{ text: "One " }, { text: "two" }]]);
});

Deno.test("toRequest() sends back all of a message's reasoning or none", () => {
  const own = { format: "bedrock" };
  const sealed = { reasoningContent: { redactedContent: "r" } };
  const rows: readonly (readonly [details: unknown, thoughts: unknown[]])[] = [
    [[{ format: "other" }, "text", { ...own, redactedContent: "r" }], [sealed]],
    [[{ ...own, redactedContent: "r" }, { ...own, text: "t" }], []],
    [[{ ...own, text: "t", signature: "" }], []],
    [[{ ...own, signature: "s" }], []],
    [[{ ...own, redactedContent: "" }], []],
    ["text", []],
  ];
  for (const [reasoning_details, thoughts] of rows) {
    const turns = contentOf([...HI, { role: "assistant", content: "Y", reasoning_details }, ...HI]);
    assertEquals(turns[1], ["assistant", [...thoughts, { text: "Y" }]]);
  }
});

Deno.test("toError() reads the name of an error from every location", () => {
  const message = "Why";
  const code = "ValidationException";
  const expected = { kind: "invalid_request", message, code, suspends: undefined };
  const name = "com.amazon.coral.validate#ValidationException";
  assertEquals(verdictOn(400, { message }, { "x-amzn-errortype": `${name}:http://x/` }), expected);
  assertEquals(verdictOn(400, { Message: message, __type: name }), expected);
  assertEquals(verdictOn(400, { message, code: "ValidationException" }), expected);
});

Deno.test("toError() classifies ambiguous statuses by the name", () => {
  for (
    const [status, name, kind] of [
      [403, "MPAgreementBeingCreatedException", "upstream_unavailable"],
      [429, "ModelNotReadyException", "upstream_unavailable"],
      [400, "ServiceQuotaExceededException", "quota"],
      [400, "RequestExpired", "upstream_auth"],
      [403, "ExpiredTokenException", "upstream_auth"],
      [404, "FTUFormNotFilled", "model_not_found"],
      [408, "ModelTimeoutException", "upstream_timeout"],
      [424, "ModelErrorException", "upstream_error"],
      [424, "", "upstream_error"],
      [500, "InternalFailure", "upstream_error"],
      [413, "", "too_large"],
    ] as const
  ) {
    assertEquals(verdictOn(status, { __type: name }).kind, kind, `${status} ${name}`);
  }
});

Deno.test("toError() reads a stream's exceptions the same way, with either case of the first letter", () => {
  for (
    const [name, kind] of [
      ["throttlingException", "rate_limited"],
      ["ThrottlingException", "rate_limited"],
      ["validationException", "invalid_request"],
      ["internalServerException", "upstream_error"],
      ["serviceUnavailableException", "upstream_unavailable"],
      ["modelStreamErrorException", "upstream_error"],
      ["modelTimeoutException", "upstream_timeout"],
      ["somethingNew", "upstream_error"],
    ] as const
  ) {
    const failure: Failure = { where: "stream", body: { __type: name } };
    assertEquals(bedrock.toError(failure).kind, kind, name);
  }
});

Deno.test("toError() recognizes a prompt that is too long, and not an answer that is", () => {
  const kindOf = (message: string) => verdictOn(400, { message }).kind;
  for (
    const message of [
      "Input is too long for requested model.",
      "The model returned the following errors: prompt is too long: 5 tokens > 4 maximum",
      "Too many input tokens. Max input tokens: 8192, request input token count: 9000",
      "This request exceeds the model's maximum context length",
    ]
  ) {
    assertEquals(kindOf(message), "context_length", message);
  }
  const answer = "The maximum tokens you requested exceeds the model limit of 10000";
  assertEquals(kindOf(answer), "invalid_request");
  assertEquals(kindOf("The provided model identifier is invalid."), "model_not_found");
});

function decode(frames: readonly (readonly [string, unknown])[], body: JsonObject = {}): Step[] {
  const decoder = bedrock.decoder(toCall({ stream: true, ...body }));
  const steps = frames.map(([event, data]) => decoder.push({ event, data: JSON.stringify(data) }));
  return [...steps, decoder.end()];
}

Deno.test("the decoder skips unknown events, and ends after both last events", () => {
  const steps = decode([
    ["somethingNew", "no object"],
    ["contentBlockStart", { contentBlockIndex: 0, start: {} }],
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { citation: {} } }],
    ["contentBlockStart", { contentBlockIndex: 1, start: { image: {} } }],
    ["contentBlockStop", { contentBlockIndex: 7 }],
    ["messageStop", { stopReason: "a_new_one" }],
    ["metadata", { usage: { inputTokens: "1", outputTokens: 2 } }],
  ]);
  assertEquals(steps.map(({ done = false }) => done), [
    ...Array(6).fill(false),
    true,
    true,
  ]);
  assertEquals(steps.every(({ failure }) => failure === undefined), true);
  const { usage } = steps[6]?.chunks[0] ?? {};
  assertEquals([usage?.prompt_tokens, usage?.total_tokens], [0, 2]);
});

Deno.test("the decoder returns at the end text that looked like a code fence around JSON", () => {
  const decoder = bedrock.decoder(
    toCall({ stream: true, response_format: { type: "json_object" } }, { model: NOVA }),
  );
  const events = [
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "```json\n{}\n``" } }],
    ["messageStop", { stopReason: "end_turn" }],
    ["metadata", { usage: { inputTokens: 1, outputTokens: 2 } }],
  ] as const;
  const steps = events.map(([event, data]) => decoder.push({ event, data: JSON.stringify(data) }));
  const choices = steps.flatMap(({ chunks }) => chunks).flatMap((chunk) => chunk.choices);
  assertEquals(choices.map(({ delta }) => delta.content ?? "").join(""), "{}\n``");
});

Deno.test("the decoder fails on malformed events of known types", () => {
  for (
    const frame of [
      ["contentBlockDelta", { contentBlockIndex: 0 }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: "{" } } }],
      ["contentBlockStart", { contentBlockIndex: 0, start: { toolUse: {} } }],
      ["messageStop", []],
    ] as const
  ) {
    const [step] = decode([frame]);
    assertEquals(step?.failure?.kind, "upstream_error", JSON.stringify(frame));
  }
});

Deno.test("toRequest() sends thinking with a forced tool only where Bedrock supports it", () => {
  const body = { reasoning_effort: "high", tools: [NOW], tool_choice: "required" };
  const extraOf = (model: string, more: JsonObject = {}) => {
    const { sent, converted, ignored } = send({ ...body, ...more }, { model });
    return [sent.additionalModelRequestFields, converted, ignored];
  };
  const output_config = { effort: "high" };
  const noted = ["reasoning_effort->output_config.effort"];
  for (const model of ["us.anthropic.claude-sonnet-4-6", "us.anthropic.claude-opus-4-7"]) {
    assertEquals(extraOf(model), [{ output_config }, noted, []]);
  }
  const thinking = { type: "adaptive" };
  const own = { thinking, reasoning_effort: undefined };
  assertEquals(extraOf("us.anthropic.claude-opus-4-6-v1", own), [undefined, [], ["thinking"]]);
  for (const model of ["us.anthropic.claude-opus-4-8", SONNET]) {
    assertEquals(extraOf(model), [{ thinking, output_config }, noted, []]);
  }
});

Deno.test("toRequest() removes alternatives from the root of a tool's schema, and reports it", () => {
  const properties = { route: { type: "string" }, file: { type: "string" } };
  const parameters = { type: "object", properties, oneOf: [{ required: ["route"] }, {}] };
  const tool = { type: "function", function: { name: "impact", parameters } };
  const { sent, converted } = send({ tools: [tool] });
  const inputSchema = { json: { type: "object", properties } };
  assertEquals(sent.toolConfig, { tools: [{ toolSpec: { name: "impact", inputSchema } }] });
  assertEquals(converted, ["tools.parameters"]);
});

Deno.test("toRequest() sets no second cache point for a marked part that is blank", () => {
  const cache_control = { type: "ephemeral" };
  const content = [
    { type: "text", text: "a", cache_control },
    { type: "text", text: " ", cache_control },
  ];
  const point = { cachePoint: { type: "default" } };
  assertEquals(contentOf([{ role: "user", content }]), [["user", [{ text: "a" }, point]]]);
});

Deno.test("toRequest() limits calls to one also with the tool for a JSON answer", () => {
  const schema = { type: "object", additionalProperties: { type: "string" } };
  const response_format = { type: "json_schema", json_schema: { name: "x", schema } };
  const body = { response_format, tools: [NOW], parallel_tool_calls: false };
  const { sent, converted } = send(body);
  const { tools, toolChoice } = sent.toolConfig as JsonObject;
  assertEquals([(tools as unknown[]).length, toolChoice], [2, undefined]);
  assertEquals(sent.additionalModelRequestFields, {
    tool_choice: { type: "any", disable_parallel_tool_use: true },
  });
  assert(converted.includes("parallel_tool_calls->tool_choice.disable_parallel_tool_use"));
  assertEquals(send(body, { model: NOVA }).ignored, ["parallel_tool_calls"]);
});

Deno.test("toRequest() trims a prefilled answer, also before a cache point", () => {
  const part = { type: "text", text: "{ ", cache_control: { type: "ephemeral" } };
  const [, turn] = contentOf([...HI, { role: "assistant", content: [part] }], { model: SONNET_4 });
  assertEquals(turn, ["assistant", [{ text: "{" }, { cachePoint: { type: "default" } }]]);
});

Deno.test("a call of an undeclared tool is in the receipt, also of a stream", async () => {
  const messages = [
    { role: "user", content: "Time?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "now", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "a", content: "12:00" },
  ];
  const toolUse = { toolUseId: "b", name: "now", input: {} };
  const events = encodeMessages([
    { event: "messageStart", data: { role: "assistant" } },
    { event: "contentBlockStart", data: { contentBlockIndex: 0, start: { toolUse } } },
    { event: "contentBlockStop", data: { contentBlockIndex: 0 } },
    { event: "messageStop", data: { stopReason: "tool_use" } },
    { event: "metadata", data: { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } } },
  ]);
  const answer = {
    output: { message: { role: "assistant", content: [{ toolUse }] } },
    stopReason: "tool_use",
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  };
  for (const stream of [false, true]) {
    const gateway = createTestGateway({
      config: {
        providers: {
          aws: {
            kind: "bedrock",
            api_key: "k",
            region: "us-east-1",
            models: ["us.amazon.nova-lite-v1:0"],
          },
        },
      },
      fetch: () =>
        Promise.resolve(
          stream
            ? new Response(events, {
              headers: { "content-type": "application/vnd.amazon.eventstream" },
            })
            : Response.json(answer),
        ),
    });
    const request = { model: "us.amazon.nova-lite-v1:0", messages, ...(stream && { stream }) };
    const response = await gateway.call("/v1/chat/completions", request);
    const text = await response.text();
    assertEquals(response.status, 200, text);
    assertEquals(response.headers.get("x-sluice-ignored"), "message.tool_calls");
    assertEquals(gateway.lines[0]?.ignored, ["message.tool_calls"]);
  }
});
