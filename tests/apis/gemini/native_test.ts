/** Requests of Gemini's API to Google's own APIs: bodies and answers pass as they come. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import { toSignature } from "../../../src/apis/gemini/answer_parts.ts";
import { EventArray } from "../../../src/http/routes/gemini.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { textOf } from "../../support/sent_body.ts";

const PROVIDERS = {
  gemini: { kind: "gemini", api_key: VENDOR_KEY, models: ["gemini-3.5-flash"] },
  vertex: { kind: "vertex", api_key: VENDOR_KEY, models: ["gemini-3.5-flash"] },
};
const MODEL = "/v1beta/models/gemini-3.5-flash";

interface Sent {
  readonly url: string;
  readonly body: string;
}

/** A gateway in front of one of Google's APIs, which gives one answer. */
function native(
  provider: JsonObject,
  answer: () => Response,
  sent: Sent[] = [],
  settings: JsonObject = {},
) {
  return createTestGateway({
    config: { providers: { google: { ...provider, retries: 0, ...settings } } },
    fetch: async (url, { body }) => {
      sent.push({ url, body: await textOf(body) });
      return answer();
    },
  });
}

const JSON_TYPE = { "content-type": "application/json" };

const BODY = {
  contents: [
    { role: "user", parts: [{ text: "Hi", futureMember: true }] },
    { role: "model", parts: [{ functionCall: { name: "f", args: { big: 9007199254740993n } } }] },
    {
      role: "user",
      parts: [{ functionResponse: { name: "f", response: { big: 9007199254740993n } } }],
    },
  ],
  generation_config: { thinkingConfig: { thinkingBudget: -1 }, futureOption: [1] },
  safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
  tools: [{ googleSearch: {} }],
};
const TEXT = JSON.stringify(
  BODY,
  (_, value) => typeof value === "bigint" ? Number(value) : value,
).replaceAll("9007199254740992", "9007199254740993");

const ANSWER = '{"candidates":[{"content":{"parts":[{"text":"Hey"}],"role":"model"},' +
  '"finishReason":"STOP","groundingMetadata":{"x":1.50}}],"usageMetadata":' +
  '{"promptTokenCount":5,"candidatesTokenCount":3,"thoughtsTokenCount":2,"totalTokenCount":10},' +
  '"modelVersion":"gemini-3.5-flash-001","responseId":"r-1"}';

for (const [kind, provider] of Object.entries(PROVIDERS)) {
  Deno.test(`gemini to ${kind}: the body and the answer pass unchanged`, async () => {
    const sent: Sent[] = [];
    const gateway = native(provider, () => json(ANSWER), sent);
    const response = await gateway.call(`${MODEL}:generateContent`, TEXT);
    assertEquals(await response.text(), ANSWER);
    assertEquals(sent[0]?.body, TEXT);
    assertStringIncludes(sent[0]?.url ?? "", "models/gemini-3.5-flash:generateContent");
    const [line] = gateway.lines;
    assertEquals([line?.prompt_tokens, line?.completion_tokens], [5, 5]);
    assertEquals(response.headers.get("x-sluice-ignored"), null);
  });
}

const EVENTS = ["Hel", "lo ", "ü"].map((text, index) =>
  `data: ${
    JSON.stringify({
      candidates: [{
        content: { parts: [{ text }], role: "model" },
        ...(index === 2 && { finishReason: "STOP" }),
      }],
      usageMetadata: { promptTokenCount: 4, candidatesTokenCount: index + 1 },
    })
  }\n\n`
).join("");

Deno.test("gemini to gemini: events pass byte by byte, and usage is read", async () => {
  const sent: Sent[] = [];
  const gateway = native(PROVIDERS.gemini, () => events(EVENTS), sent);
  const response = await gateway.call(`${MODEL}:streamGenerateContent?alt=sse`, asObject());
  assertEquals(await response.text(), EVENTS);
  assert(sent[0]?.url.endsWith(":streamGenerateContent?alt=sse"));
  const [line] = gateway.lines;
  assertEquals([line?.prompt_tokens, line?.completion_tokens], [4, 3]);
});

Deno.test("gemini to gemini: without alt=sse the same events are an array", async () => {
  const gateway = native(PROVIDERS.gemini, () => events(EVENTS));
  const response = await gateway.call(`${MODEL}:streamGenerateContent`, asObject());
  const bodies: JsonObject[] = await response.json();
  assertEquals(bodies.map((body) => JSON.stringify(body)), dataOf(EVENTS));
});

Deno.test("gemini: any cut of the events gives the same array", () => {
  const bytes = new TextEncoder().encode(`\n\n\n${EVENTS}`);
  for (let at = 0; at <= bytes.length; at++) {
    const array = new EventArray();
    const text = array.push(bytes.subarray(0, at)) + array.push(bytes.subarray(at)) + array.end();
    assertEquals(JSON.parse(text).map((body: unknown) => JSON.stringify(body)), dataOf(EVENTS));
  }
  assertEquals(new EventArray().end(), "[]");
});

Deno.test("gemini to gemini: a stream that is cut ends in an error event", async () => {
  const cut = EVENTS.slice(0, EVENTS.indexOf("\n\n") + 2);
  for (const [alt, read] of [["?alt=sse", dataOf], ["", entriesOf]] as const) {
    const gateway = native(PROVIDERS.gemini, () => events(cut));
    const response = await gateway.call(`${MODEL}:streamGenerateContent${alt}`, asObject());
    const bodies = read(await response.text()).map((text) => JSON.parse(text));
    assertEquals(bodies.length, 2);
    assertEquals([bodies[1].error.code, bodies[1].error.status], [502, "UNAVAILABLE"]);
  }
});

Deno.test("gemini to gemini: a blocked prompt passes as Google reports it", async () => {
  const blocked =
    '{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":4}}';
  const gateway = native(PROVIDERS.gemini, () => json(blocked));
  const response = await gateway.call(`${MODEL}:generateContent`, asObject());
  assertEquals([response.status, await response.text()], [200, blocked]);
});

Deno.test("gemini to gemini: an error of the vendor has Google's format and our status", async () => {
  const error = { error: { code: 400, message: "Bad thing", status: "INVALID_ARGUMENT" } };
  const gateway = native(PROVIDERS.gemini, () => Response.json(error, { status: 400 }));
  const response = await gateway.call(`${MODEL}:generateContent`, asObject());
  const { error: told } = await response.json();
  assertEquals([response.status, told.code, told.status], [400, 400, "INVALID_ARGUMENT"]);
  assertStringIncludes(told.message, "Bad thing");
});

Deno.test("gemini to gemini: defaults of the configuration fill what the caller leaves out", async () => {
  const sent: Sent[] = [];
  const models = [{
    id: "gemini-3.5-flash",
    params: { temperature: 0.2, max_tokens: 9, stop: "X", logit_bias: {} },
  }];
  const gateway = native(PROVIDERS.gemini, () => json(ANSWER), sent, { models });
  const response = await gateway.call(`${MODEL}:generateContent`, {
    contents: BODY.contents.map(({ role }) => ({ role, parts: [{ text: "Hi" }] })),
    generation_config: { max_output_tokens: 3 },
  });
  assertEquals(JSON.parse(sent[0]?.body ?? "").generation_config, {
    max_output_tokens: 3,
    temperature: 0.2,
    stopSequences: ["X"],
  });
  assertEquals(response.headers.get("x-sluice-ignored"), "logit_bias");
  await response.body?.cancel();
});

Deno.test("gemini to vertex: contents without a role get the user's, and the receipt says it", async () => {
  const sent: Sent[] = [];
  const gateway = native(PROVIDERS.vertex, () => json(ANSWER), sent);
  await gateway.call(`${MODEL}:generateContent`, { contents: [{ parts: [{ text: "Hi" }] }] });
  assertEquals(JSON.parse(sent[0]?.body ?? "").contents, [{
    role: "user",
    parts: [{ text: "Hi" }],
  }]);
});

Deno.test("gemini to gemini: state that the gateway made is not sent to Google", async () => {
  const sent: Sent[] = [];
  const gateway = native(PROVIDERS.gemini, () => json(ANSWER), sent);
  const thoughtSignature = toSignature({ details: [{ format: "openai", id: "rs_1" }] });
  const call = { id: "toolu_1_sluice_n", name: "f", args: {} };
  await gateway.call(`${MODEL}:generateContent`, {
    contents: [
      { role: "user", parts: [{ text: "Hi" }] },
      {
        role: "model",
        parts: [{ text: "a", thoughtSignature }, { functionCall: call, thoughtSignature }],
      },
      { role: "user", parts: [{ functionResponse: { ...call, response: {} } }] },
    ],
  });
  const [, model, user] = JSON.parse(sent[0]?.body ?? "").contents;
  assertEquals(model.parts, [
    { text: "a" },
    {
      functionCall: { ...call, id: "toolu_1" },
      thoughtSignature: "skip_thought_signature_validator",
    },
  ]);
  assertEquals(user.parts[0].functionResponse.id, "toolu_1");
});

Deno.test("gemini to gemini: tokens are counted by Google, whole requests too", async () => {
  const sent: Sent[] = [];
  const gateway = native(PROVIDERS.gemini, () => json('{"totalTokens":31}'), sent);
  const contents = [{ parts: [{ text: "Hi" }] }];
  for (const body of [{ contents }, { generateContentRequest: { model: "models/x", contents } }]) {
    const response = await gateway.call(`${MODEL}:countTokens`, body);
    assertEquals((await response.json()).totalTokens, 31);
  }
  assertEquals(sent.map(({ body }) => JSON.parse(body)), [
    { contents },
    { generateContentRequest: { model: "models/gemini-3.5-flash", contents } },
  ]);
});

function asObject(): JsonObject {
  return { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
}

function json(text: string): Response {
  return new Response(text, { headers: { "content-type": "application/json" } });
}

function events(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

/** The data of each event. */
function dataOf(text: string): string[] {
  return text.split("\n\n").filter((event) => event.startsWith("data: "))
    .map((event) => event.slice("data: ".length));
}

/** The entries of an array, as text. */
function entriesOf(text: string): string[] {
  const entries: unknown = JSON.parse(text);
  if (!Array.isArray(entries) || !entries.every(isObject)) throw new TypeError(text);
  return entries.map((entry) => JSON.stringify(entry));
}

Deno.test("gemini to gemini: usage that follows the finish reason is billed", async () => {
  const late =
    `${EVENTS}data: {"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":30}}\n\n`;
  const gateway = native(PROVIDERS.gemini, () => events(late));
  const response = await gateway.call(`${MODEL}:streamGenerateContent?alt=sse`, asObject());
  assertEquals(await response.text(), late);
  assertEquals(gateway.lines[0]?.completion_tokens, 30);
});

Deno.test("gemini to gemini: the body names no model, since the path does", async () => {
  const sent: Sent[] = [];
  for (const [kind, provider] of Object.entries(PROVIDERS)) {
    const gateway = native(provider, () => new Response(ANSWER, { headers: JSON_TYPE }), sent);
    for (const method of ["generateContent", "streamGenerateContent?alt=sse"]) {
      const body = {
        contents: [{ role: "user", parts: [{ text: "Hi" }] }],
        model: "models/other",
        models: ["more"],
      };
      const response = await gateway.call(`${MODEL}:${method}`, body);
      await response.body?.cancel();
      const { body: text = "" } = sent.at(-1) ?? {};
      assertEquals(/"models?"/.test(text), false, `${kind} ${method}: ${text}`);
      assertEquals(response.headers.get("x-sluice-ignored"), "model, models", kind);
    }
  }
});
