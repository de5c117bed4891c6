import { assert, assertEquals, assertThrows } from "@std/assert";
import { prepare } from "../../../src/gateway/execute/chat/prepare_request.ts";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { readChatRequest } from "../../../src/apis/chat/read_request.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { createFrameReader } from "../../../src/streaming/frame_readers.ts";
import { gemini } from "../../../src/providers/gemini/gemini_adapter.ts";
import { readFinish } from "../../../src/apis/gemini/usage.ts";
import { geminiModel, nearestLevel } from "../../../src/providers/gemini/models.ts";
import {
  type GeminiSchema,
  hasMembers,
  toGeminiSchema as convertSchema,
} from "../../../src/providers/gemini/schema.ts";
import { RefInliner } from "../../../src/providers/shared/inline_refs.ts";
import { RequestChanges } from "../../../src/contract/request_changes.ts";
import {
  countedIds,
  createTestGateway,
  loadTestConfig,
  VENDOR_KEY,
} from "../../support/gateway.ts";
import type { Failure } from "../../../src/contract/vendor_request.ts";
import { PartialArguments } from "../../../src/providers/gemini/stream.ts";

function configOf(model: unknown) {
  return { providers: { gemini: { kind: "gemini", api_key: VENDOR_KEY, models: [model] } } };
}

function toGeminiSchema(schema: JsonObject): GeminiSchema {
  return convertSchema(schema, new RefInliner(), "tools[0].function.parameters");
}

/** The vendor's request for a caller's request, and its receipt. */
function prepared(request: JsonObject, model = "gemini-3.5-flash") {
  const [link] = loadTestConfig(configOf(model)).resolve(model) ?? [];
  if (link === undefined) throw new TypeError("No such model");
  const read = readChatRequest({ model, messages: [{ role: "user", content: "Hi" }], ...request });
  const changes = new RequestChanges();
  const { adapter, call, unsigned } = prepare(link.target, read, changes, countedIds());
  const [ignored, converted] = [[...changes.ignored], [...changes.converted]];
  return { adapter, call, ignored, converted, url: unsigned.url, body: unsigned.body };
}

function bodyOf(request: JsonObject, model?: string): JsonObject {
  return prepared(request, model).body;
}

function thinkingOf(effort: string, model: string): unknown {
  const { generationConfig } = bodyOf({ reasoning_effort: effort }, model);
  return (generationConfig as JsonObject | undefined)?.thinkingConfig;
}

Deno.test("toRequest() converts each effort to the model's budget or level", () => {
  const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
  const all = (model: string) =>
    EFFORTS.map((effort) => {
      const config = thinkingOf(effort, model) as JsonObject | undefined;
      return config?.thinkingBudget ?? config?.thinkingLevel;
    });
  assertEquals(all("gemini-2.5-pro"), [128, 1024, 1024, 8192, 24576, 32768, 32768]);
  assertEquals(all("gemini-2.5-flash-lite"), [0, 1024, 1024, 8192, 24576, 24576, 24576]);
  assertEquals(all("gemini-3-pro-preview"), ["LOW", "LOW", "LOW", "HIGH", "HIGH", "HIGH", "HIGH"]);
  const minimal = ["MINIMAL", "MINIMAL", "LOW", "MEDIUM", "HIGH", "HIGH", "HIGH"];
  assertEquals(all("gemini-3-flash-preview"), minimal);
  assertEquals(all("gemini-3.5-flash-lite"), minimal);
  const low = ["LOW", "LOW", "LOW", "MEDIUM", "HIGH", "HIGH", "HIGH"];
  for (const model of ["gemini-3.1-pro-preview", "gemini-3.8-flash", "gemini-flash-latest"]) {
    assertEquals(all(model), low, model);
  }
  for (const model of ["gemini-2.0-flash", "gemma-4-31b-it", "gemini-3-pro-image-preview"]) {
    assertEquals(all(model), EFFORTS.map(() => undefined), model);
  }
});

Deno.test("geminiModel() treats names without a version as the newest, and uses the catalogue", () => {
  assert(geminiModel("gemini-flash-latest").modern);
  assert(!geminiModel("models/gemini-2.5-pro").modern);
  assertEquals(geminiModel("x", { capabilities: { reasoning: false } }).thinking, {
    by: "nothing",
  });
  assertEquals(nearestLevel("max", []), undefined);
});

Deno.test("toRequest() never sends a budget together with a level", () => {
  const own = { google: { thinking_config: { thinking_budget: 5, include_thoughts: true } } };
  const body = bodyOf({ reasoning_effort: "high", extra_body: own });
  assertEquals(body.generationConfig, {
    thinkingConfig: { thinkingBudget: 5, includeThoughts: true },
  });
  const off = bodyOf({ thinking: { type: "disabled" } }).generationConfig;
  assertEquals(off, { thinkingConfig: { thinkingLevel: "MINIMAL" } });
});

Deno.test("toRequest() adapts the caller's own thinking to the model", () => {
  const older = (thinking: JsonObject) => bodyOf({ thinking }, "gemini-2.5-flash").generationConfig;
  assertEquals(older({ type: "disabled" }), { thinkingConfig: { thinkingBudget: 0 } });
  assertEquals(older({ type: "enabled" }), { thinkingConfig: { includeThoughts: true } });
  assertEquals(older({ type: "enabled", budget_tokens: 99_999 }), {
    thinkingConfig: { thinkingBudget: 24_576, includeThoughts: true },
  });
  const own = { google: { thinking_config: { thinking_budget: 5 } } };
  const reported = prepared({ thinking: { type: "enabled" }, extra_body: own }, "gemini-2.0-flash");
  assertEquals([reported.body.generationConfig, reported.ignored], [undefined, [
    "thinking",
    "extra_body",
  ]]);
});

Deno.test("toRequest() reports values that it reduces to the vendor's limits", () => {
  const many = prepared({ n: 20 }, "gemini-2.5-flash");
  assertEquals(many.body.generationConfig, { candidateCount: 8 });
  assertEquals(many.converted, ["n->generationConfig.candidateCount", "n 20->8"]);
  const tier = prepared({ service_tier: "scale" });
  assertEquals([tier.body.serviceTier, tier.ignored], [undefined, ["service_tier"]]);
  const modalities = prepared({ modalities: ["text", "audio"] });
  assertEquals([modalities.body.generationConfig, modalities.ignored], [undefined, ["modalities"]]);
});

Deno.test("toRequest() escapes a model's name in the path", () => {
  const { url } = prepared({}, "a?b#c");
  assertEquals(new URL(url).pathname, "/v1beta/models/a%3Fb%23c:generateContent");
});

Deno.test("decoder() returns the logprobs of an event once, and the tier at the end", () => {
  const { adapter, call } = prepared({ stream: true, logprobs: true });
  const decoder = adapter.decoder(call);
  const say = (text: string, members: JsonObject) =>
    decoder.push({
      event: undefined,
      data: JSON.stringify({
        candidates: [{ content: { parts: [{ text }, { text }] }, ...members }],
        usageMetadata: { promptTokenCount: 1, serviceTier: "flex" },
      }),
    }).chunks;
  const chosenCandidates = [{ token: "Hi", logProbability: -0.5 }];
  const first = say("Hi", { logprobsResult: { chosenCandidates } });
  assertEquals(first.map(({ choices: [choice] }) => choice?.logprobs !== undefined), [true, false]);
  say("!", { finishReason: "STOP" });
  assertEquals(decoder.end().chunks.at(-1)?.service_tier, "flex");
});

Deno.test("decoder() separates candidates by index, each with its finish reason", () => {
  const { adapter, call } = prepared({ stream: true });
  const decoder = adapter.decoder(call);
  const candidate = (index: number, text: string, finishReason?: string) => ({
    index,
    content: { parts: [{ text }] },
    ...(finishReason && { finishReason }),
  });
  const events = [
    [candidate(0, "Yes"), candidate(1, "No")],
    [candidate(1, " way", "MAX_TOKENS"), candidate(0, "!", "STOP")],
  ];
  const chunks = events.flatMap((candidates) =>
    decoder.push({ event: undefined, data: JSON.stringify({ candidates }) }).chunks
  );
  const all = [...chunks, ...decoder.end().chunks].flatMap(({ choices }) => choices);
  const reported = (index: number) => all.filter((choice) => choice.index === index);
  const textOf = (index: number) =>
    reported(index).map(({ delta }) => delta.content ?? "").join("");
  const endOf = (index: number) => reported(index).findLast((choice) => choice.finish_reason);
  assertEquals([textOf(0), endOf(0)?.finish_reason], ["Yes!", "stop"]);
  assertEquals([textOf(1), endOf(1)?.finish_reason], ["No way", "length"]);
});

Deno.test("decoder() returns at the end text that looked like a code fence around JSON", () => {
  const tools = [{ type: "function", function: { name: "look" } }];
  const request = { stream: true, tools, response_format: { type: "json_object" } };
  const { adapter, call } = prepared(request, "gemini-2.5-flash");
  const decoder = adapter.decoder(call);
  const parts = [{ text: "```json\n{}\n``" }];
  const data = JSON.stringify({ candidates: [{ content: { parts }, finishReason: "STOP" }] });
  const chunks = [...decoder.push({ event: undefined, data }).chunks, ...decoder.end().chunks];
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? ""));
  assertEquals(deltas, ["{}", "\n``", ""]);
});

Deno.test("toRequest() refuses unsupported content with its path", () => {
  const refused: readonly (readonly [JsonObject, string])[] = [
    [{ messages: [{ role: "system", content: "" }] }, "messages"],
    [{
      messages: [{
        role: "user",
        content: [{ type: "image_url", image_url: { url: "http://x.test/a.png" } }],
      }],
    }, "messages[0].content[0]"],
    [{
      messages: [{
        role: "user",
        content: [{ type: "input_audio", input_audio: { data: "AA==", format: "mid" } }],
      }],
    }, "messages[0].content[0]"],
    [{
      messages: [{
        role: "user",
        content: [{ type: "input_audio", input_audio: { data: "?", format: "wav" } }],
      }],
    }, "messages[0].content[0].input_audio.data"],
    [{
      messages: [{
        role: "system",
        content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }],
      }],
    }, "messages[0].content[0]"],
    [
      { tools: [{ type: "function", function: { name: "f", parameters: { type: "string" } } }] },
      "tools[0].function.parameters",
    ],
  ];
  for (const [request, param] of refused) {
    const error = assertThrows(() => bodyOf(request), GatewayError);
    assertEquals([error.status, error.param], [400, param]);
  }
});

Deno.test("toRequest() accepts any value in schemas and arguments", () => {
  const strange: unknown[] = [null, true, 7, "x", [], {}, [null], { $ref: "#" }, { a: { b: [1] } }];
  const keywords = ["properties", "items", "required", "allOf", "anyOf", "$defs", "$ref", "const"];
  for (const keyword of keywords) {
    for (const value of strange) {
      const parameters = { type: "object", [keyword]: value };
      bodyOf({ tools: [{ type: "function", function: { name: "f", parameters } }] });
      const json_schema = { name: "s", schema: { [keyword]: value } };
      bodyOf({ response_format: { type: "json_schema", json_schema } });
    }
  }
  for (const value of strange) {
    const text = JSON.stringify(value);
    const call = { id: "", type: "function", function: { name: "", arguments: text } };
    bodyOf({
      thinking: value,
      extra_body: value,
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", tool_calls: [{ ...call, extra_content: value }] },
        { role: "tool", tool_call_id: "", content: text },
      ],
    });
  }
});

Deno.test("toGeminiSchema() reports the keywords that it removed", () => {
  const kept = { type: "object", properties: { a: { type: ["string", "null"], pattern: "^a" } } };
  assertEquals(toGeminiSchema(kept), { schema: kept, changed: false });
  const loose = { type: "object", propertyNames: { pattern: "^a" }, examples: [1] };
  assertEquals(toGeminiSchema(loose), { schema: { type: "object" }, changed: true });
  const usual = { type: "object", properties: { a: { type: "string", default: "b" } } };
  assertEquals(toGeminiSchema(usual), { schema: usual, changed: false });
  const harmless = { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" };
  assertEquals(toGeminiSchema(harmless), { schema: { type: "object" }, changed: true });
  assert(!hasMembers({ type: "object", properties: {}, additionalProperties: false }));
  assert(hasMembers({ type: "object", additionalProperties: true }));
  assert(hasMembers({ properties: {} }));
  for (const keyword of ["anyOf", "oneOf", "$ref"]) {
    assert(hasMembers({ type: "object", [keyword]: "" }), keyword);
  }
});

Deno.test("toGeminiSchema() merges allOf into one object with the required names of all parts", () => {
  const text = { type: "string" };
  const part = (name: string, ...required: string[]) => ({
    type: "object",
    properties: { [name]: text },
    required,
  });
  const { schema } = toGeminiSchema({
    allOf: [{ allOf: [part("a", "a")] }, part("b", "a", "b")],
    ...part("c", "c"),
  });
  assertEquals(schema, {
    type: "object",
    properties: { a: text, b: text, c: text },
    required: ["a", "b", "c"],
  });
  assertEquals(toGeminiSchema({ allOf: [text, { maxLength: 3 }] }).schema, {
    ...text,
    maxLength: 3,
  });
});

Deno.test("a schema that would become too large keeps its references, and the receipt reports it", () => {
  const $defs = Object.fromEntries(Array.from({ length: 30 }, (_, level) => {
    const next = { $ref: `#/$defs/d${level + 1}` };
    return [`d${level}`, { anyOf: [next, next] }];
  }));
  const properties = { a: { $ref: "#/$defs/d0" } };
  const schema = { type: "object", properties, $defs: { ...$defs, d30: { type: "string" } } };
  assert(toGeminiSchema(schema).changed);
  const tools = [{ type: "function", function: { name: "f", parameters: schema } }];
  assertEquals(prepared({ tools }).converted, ["tools.parameters"]);
  const json_schema = { name: "f", schema };
  assertEquals(prepared({ response_format: { type: "json_schema", json_schema } }).converted, [
    "response_format->generationConfig.responseJsonSchema",
    "response_format.json_schema",
  ]);
});

Deno.test("PartialArguments builds the value of the paths, with members of any name", () => {
  const pieces = new PartialArguments({ whole: { x: 1 } });
  const taken = pieces.add([
    { jsonPath: "$.__proto__.a", stringValue: "p" },
    { jsonPath: "$['it\\'s'][0][\"q\"]", numberValue: 1 },
    { jsonPath: "$.s", stringValue: "a", willContinue: true },
    { jsonPath: "$.s", stringValue: "b" },
    { jsonPath: "$.none", nullValue: "NULL_VALUE" },
    { jsonPath: "$.no", boolValue: false },
  ]);
  assert(taken);
  const text = '{"whole":{"x":1},"__proto__":{"a":"p"},"it\'s":[{"q":1}],"s":"ab","none":null,' +
    '"no":false}';
  assertEquals(pieces.toString(), text);
});

Deno.test("PartialArguments refuses contradictory paths", () => {
  for (const jsonPath of ["$", "a", "$.a[2]", "$..a", "$.whole.deep", 7]) {
    const pieces = new PartialArguments({ whole: 1 });
    assert(!pieces.add([{ jsonPath, stringValue: "x" }]), String(jsonPath));
  }
  assert(!new PartialArguments({}).add("no list"));
});

function answered(status: number, message: string, details: unknown[] = []): Failure {
  const body = { error: { code: status, message, status: "X", details } };
  return { where: "answer", status, headers: new Headers(), body };
}

function retryIn(message: string, ...details: unknown[]): number | undefined {
  return gemini.toError(answered(429, message, details)).retryAfter;
}

const FILTERED = ["content_filter", "content_filter"] as const;
const FAILED = ["upstream_error", "upstream_error"] as const;

/** How the vendor's answers end, with something said and with nothing. */
const ENDS: readonly (readonly [reasons: string, spoken: string, silent: string])[] = [
  ["STOP", "stop", "stop"],
  ["MAX_TOKENS", "length", "length"],
  ["SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII", ...FILTERED],
  ["IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION", ...FILTERED],
  ["MODEL_ARMOR ESCALATION", ...FILTERED],
  ["MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS", ...FAILED],
  ["MISSING_THOUGHT_SIGNATURE MALFORMED_RESPONSE", ...FAILED],
  ["OTHER NO_IMAGE IMAGE_OTHER FINISH_REASON_UNSPECIFIED", "stop", "upstream_error"],
  ["OF_TOMORROW", "stop", "stop"],
];

Deno.test("readFinish() converts every finish reason, with and without content", () => {
  for (const [reasons, ...ends] of ENDS) {
    for (const finishReason of reasons.split(" ")) {
      const reported = [true, false].map((spoken) => {
        const end = readFinish({ finishReason }, spoken);
        return typeof end === "string" ? end : end.kind;
      });
      assertEquals(reported, ends, finishReason);
    }
  }
});

Deno.test("toError() finds the delay in a detail, else in the message", () => {
  const info = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "45.837906927s" };
  assertEquals(retryIn("retry in 1s", info), 45_838);
  assertEquals(retryIn("", { ...info, retryDelay: "0s" }), 0);
  assertEquals(retryIn("", { metadata: { quotaResetDelay: "373.8ms" } }), 374);
  assertEquals(retryIn("", { metadata: { quotaResetDelay: "1h2m3s" } }), 3_723_000);
  assertEquals(retryIn("Please retry in 26.66s."), 26_660);
  assertEquals(retryIn("Please retry soon"), undefined);
  assertEquals(retryIn("", { ...info, retryDelay: { seconds: 3 } }), undefined);
});

Deno.test("toError() classifies a daily quota as used up, unless it resets soon", () => {
  const daily = { violations: [{ quotaId: "RequestsPerDay" }] };
  const kindIn = (message: string) => {
    const error = { code: 429, message, details: [daily] };
    return gemini.toError({ where: "stream", body: { error } }).kind;
  };
  assertEquals(kindIn(""), "quota");
  assertEquals(kindIn("Please retry in 9h."), "quota");
  assertEquals(kindIn("Please retry in 30s."), "rate_limited");
});

Deno.test("toError() reads a status as a number, else as a name", () => {
  const kindOf = (error: JsonObject) => gemini.toError({ where: "stream", body: { error } }).kind;
  assertEquals(kindOf({ code: 503 }), "upstream_unavailable");
  assertEquals(kindOf({ code: 8, status: "RESOURCE_EXHAUSTED" }), "rate_limited");
  assertEquals(kindOf({ status: "NOT_FOUND" }), "model_not_found");
  const message = "Request payload size exceeds the limit: 20971520 bytes.";
  assertEquals(kindOf({ code: 400, message }), "too_large");
});

Deno.test("toError() reads failures of any shape", () => {
  for (const body of [undefined, null, [], [7], { error: "x" }, { error: { details: [null] } }]) {
    const failure: Failure = { where: "answer", status: 400, headers: new Headers(), body };
    assertEquals(gemini.toError(failure).kind, "invalid_request");
    assertEquals(gemini.toError({ where: "stream", body }).kind, "upstream_error");
  }
});

Deno.test("a parameter that a model rejects is omitted from then on", async () => {
  const sent: JsonObject[] = [];
  const gateway = createTestGateway({
    config: configOf("gemini-2.5-flash"),
    fetch: (_, init) => {
      const body = JSON.parse(String(init.body));
      sent.push(body.generationConfig);
      const message = "Logprobs is not enabled for models/gemini-2.5-flash";
      const error = { code: 400, message, status: "INVALID_ARGUMENT" };
      return Promise.resolve(
        body.generationConfig?.responseLogprobs
          ? Response.json({ error }, { status: 400 })
          : Response.json({
            candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
          }),
      );
    },
  });
  const request = {
    model: "gemini-2.5-flash",
    messages: [{ role: "user", content: "Hi" }],
    logprobs: true,
    top_logprobs: 2,
    temperature: 0,
  };
  for (const _ of [1, 2]) {
    const response = await gateway.call("/v1/chat/completions", request);
    assertEquals(response.status, 200);
    assertEquals(response.headers.get("x-sluice-ignored"), "logprobs, top_logprobs");
    await response.body?.cancel();
  }
  assertEquals(sent, [
    { temperature: 0, responseLogprobs: true, logprobs: 2 },
    { temperature: 0 },
    { temperature: 0 },
  ]);
});

Deno.test("a stream that ends in bare JSON returns it as the last frame", () => {
  const read = (text: string) => {
    const reader = createFrameReader("sse");
    const bytes = new TextEncoder().encode(text);
    return [...reader.push(bytes), ...reader.end()].map(({ data }) => data);
  };
  assertEquals(read('data: 1\r\n\r\n{\r\n "error": {}\r\n}\r\n'), ["1", '{\r\n "error": {}\r\n}']);
  assertEquals(read('{"error": 1}'), ['{"error": 1}']);
  assertEquals(read('data: {"a":1}\n\n'), ['{"a":1}']);
  assertEquals(read("data: 1\n\n{ no json"), ["1"]);
  assertEquals(read(`data: ${"{".repeat(20_000)}`).length, 1);
});
