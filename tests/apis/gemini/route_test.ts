/** Gemini's API, through the whole gateway. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../../support/gateway.ts";
import { textOf as sentText } from "../../support/sent_body.ts";
import { talkAs, USAGE, type VendorKind } from "../../support/talking_vendor.ts";

const ASK = { contents: [{ role: "user", parts: [{ text: "Hello" }] }] };
const MODEL = "/v1beta/models/some-model";
const TOOLS = [{
  functionDeclarations: [{
    name: "weather",
    description: "The weather of a city",
    parameters: {
      type: "OBJECT",
      properties: { city: { type: "STRING", nullable: true } },
      required: ["city"],
    },
  }],
}];

/** A gateway whose only vendor has another API than Gemini's. */
function converting(kind: VendorKind, sent: JsonObject[] = []) {
  const model = { id: "some-model", upstream: kind === "openai" ? "gpt-4.1" : "claude-opus-5" };
  const provider = { kind, api_key: VENDOR_KEY, models: [model, "org/other"] };
  return createTestGateway({
    config: { providers: { vendor: provider } },
    fetch: async (url, { body }) => {
      sent.push(JSON.parse(String(body)));
      return await talkAs(kind, new Request(url, { method: "POST", body: String(body) }));
    },
  });
}

function eventsOf(text: string): JsonObject[] {
  return text.split("\n\n").filter((event) => event !== "").map((event) => {
    assert(event.startsWith("data: "), event);
    return JSON.parse(event.slice("data: ".length));
  });
}

/** The parts of the first candidate. */
function partsOf(body: JsonObject): JsonObject[] {
  const [candidate] = body.candidates as { content: { parts: JsonObject[] } }[];
  return candidate?.content.parts ?? [];
}

function textOf(bodies: readonly JsonObject[]): string {
  return bodies.flatMap(partsOf).map(({ text }) => text ?? "").join("");
}

const METADATA = {
  promptTokenCount: USAGE.prompt,
  candidatesTokenCount: USAGE.completion,
  totalTokenCount: USAGE.prompt + USAGE.completion,
  cachedContentTokenCount: USAGE.cached,
};

for (const kind of ["openai", "anthropic"] as const) {
  Deno.test(`gemini: an answer of ${kind} is a GenerateContentResponse`, async () => {
    const gateway = converting(kind);
    const response = await gateway.call(`${MODEL}:generateContent`, ASK);
    assertEquals(response.status, 200);
    const body = await response.json();
    assertEquals(textOf([body]), "Hello there.");
    const [{ finishReason, index, content }] = body.candidates;
    assertEquals([finishReason, index, content.role], ["STOP", 0, "model"]);
    assertEquals(body.usageMetadata, METADATA);
    assertEquals(gateway.lines[0]?.model, "some-model");
    assertEquals(gateway.lines[0]?.path, `${MODEL}:generateContent`);
  });

  Deno.test(`gemini: a stream of ${kind} is events, or an array without alt=sse`, async () => {
    const gateway = converting(kind);
    const events = await gateway.call(`${MODEL}:streamGenerateContent?alt=sse`, ASK);
    assertStringIncludes(events.headers.get("content-type") ?? "", "text/event-stream");
    const bodies = eventsOf(await events.text());
    assertEquals(textOf(bodies), "Hello there.");
    assertEquals(bodies.at(-1)?.usageMetadata, METADATA);
    const array = await gateway.call(`${MODEL}:streamGenerateContent`, ASK);
    assertStringIncludes(array.headers.get("content-type") ?? "", "application/json");
    assertEquals(textOf(await array.json()), "Hello there.");
  });

  Deno.test(`gemini: a call and its result, without IDs, reach ${kind} as a pair`, async () => {
    const sent: JsonObject[] = [];
    const gateway = converting(kind, sent);
    const first = { ...ASK, tools: TOOLS };
    const answer = await (await gateway.call(`${MODEL}:generateContent`, first)).json();
    const call = partsOf(answer).find((part) => part.functionCall)?.functionCall as JsonObject;
    assertEquals([call.name, call.args], ["weather", { city: "Oslo" }]);
    const { id: _, ...withoutId } = call;
    const response = { name: "weather", response: { output: "cold" } };
    const contents = [
      ...ASK.contents,
      { role: "model", parts: [{ functionCall: withoutId }] },
      { role: "user", parts: [{ functionResponse: response }] },
    ];
    const second = await gateway.call(`${MODEL}:streamGenerateContent?alt=sse`, {
      ...first,
      contents,
    });
    assertEquals(textOf(eventsOf(await second.text())), "The tool says cold");
    const parameters = kind === "openai"
      ? ((sent[0]?.tools as JsonObject[])[0]?.function as JsonObject).parameters
      : (sent[0]?.tools as JsonObject[])[0]?.input_schema;
    assertEquals(parameters, {
      type: "object",
      properties: { city: { type: ["string", "null"] } },
      required: ["city"],
    });
  });
}

const VALUES = {
  temperature: 0.5,
  topP: 0.9,
  candidateCount: 2,
  maxOutputTokens: 50,
  stopSequences: ["END"],
  seed: 7,
  presencePenalty: 0.1,
  frequencyPenalty: 0.2,
};
const SENT = {
  temperature: 0.5,
  top_p: 0.9,
  n: 2,
  max_tokens: 50,
  stop: ["END"],
  seed: 7,
  presence_penalty: 0.1,
  frequency_penalty: 0.2,
};

Deno.test("gemini: the settings reach another vendor under its names, in both spellings", async () => {
  const sent: JsonObject[] = [];
  const gateway = converting("openai", sent);
  const snake = Object.fromEntries(
    Object.entries(VALUES).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
  const system = { parts: [{ text: "Be brief." }] };
  for (
    const body of [
      { ...ASK, systemInstruction: system, generationConfig: VALUES },
      { ...ASK, system_instruction: system, generation_config: snake },
    ]
  ) {
    assertEquals((await gateway.call(`${MODEL}:generateContent`, body)).status, 200);
  }
  for (const { messages, model: _, ...parameters } of sent) {
    assertEquals(parameters, SENT);
    assertEquals(messages, [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ]);
  }
});

Deno.test("gemini: what another vendor does not have is said in the receipt", async () => {
  const response = await converting("openai").call(`${MODEL}:generateContent`, {
    ...ASK,
    safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
    tools: [...TOOLS, { googleSearch: {} }],
    generationConfig: { thinkingConfig: { thinkingBudget: 0 }, mediaResolution: "LOW" },
  });
  assertEquals(response.status, 200);
  const ignored = response.headers.get("x-sluice-ignored") ?? "";
  for (const name of ["safetySettings", "tools.googleSearch", "generationConfig.mediaResolution"]) {
    assertStringIncludes(ignored, name);
  }
  await response.body?.cancel();
});

Deno.test("gemini: a schema of the answer is JSON Schema for other vendors", async () => {
  const sent: JsonObject[] = [];
  const generationConfig = {
    responseMimeType: "application/json",
    responseSchema: {
      type: "OBJECT",
      properties: { city: { type: "STRING" }, celsius: { type: "INTEGER" } },
      required: ["city", "celsius"],
      propertyOrdering: ["city", "celsius"],
    },
  };
  const gateway = converting("openai", sent);
  const response = await gateway.call(`${MODEL}:generateContent`, { ...ASK, generationConfig });
  assertEquals(JSON.parse(textOf([await response.json()])), { city: "Oslo", celsius: -3 });
  const format = sent[0]?.response_format as { json_schema: { schema: JsonObject } };
  assertEquals(format.json_schema.schema.type, "object");
  assertEquals(format.json_schema.schema.propertyOrdering, undefined);
  assertStringIncludes(response.headers.get("x-sluice-ignored") ?? "", "propertyOrdering");
});

const ERRORS: readonly (readonly [
  name: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
  expected: readonly [number, string],
  field?: string,
])[] = [
  ["no key", `${MODEL}:generateContent`, ASK, { authorization: "" }, [401, "UNAUTHENTICATED"]],
  ["no contents", `${MODEL}:generateContent`, {}, {}, [400, "INVALID_ARGUMENT"], "contents"],
  [
    "a bad part",
    `${MODEL}:generateContent`,
    { contents: [{ parts: [{ text: "a" }, 5] }] },
    {},
    [400, "INVALID_ARGUMENT"],
    "contents[0].parts[1]",
  ],
  [
    "a number out of range",
    `${MODEL}:generateContent`,
    { ...ASK, generation_config: { temperature: 3 } },
    {},
    [400, "INVALID_ARGUMENT"],
    "generation_config.temperature",
  ],
  [
    "cached content",
    `${MODEL}:generateContent`,
    { ...ASK, cachedContent: "cachedContents/1" },
    {},
    [400, "INVALID_ARGUMENT"],
    "cachedContent",
  ],
  [
    "executed code",
    `${MODEL}:generateContent`,
    { contents: [{ role: "model", parts: [{ executableCode: { code: "1" } }] }] },
    {},
    [400, "INVALID_ARGUMENT"],
    "contents[0].parts[0].executableCode",
  ],
  ["an unknown model", "/v1beta/models/none:generateContent", ASK, {}, [404, "NOT_FOUND"]],
  ["an unknown method", `${MODEL}:predict`, ASK, {}, [404, "NOT_FOUND"]],
  ["no method", MODEL, ASK, {}, [404, "NOT_FOUND"]],
];

for (const [name, path, body, headers, expected, field] of ERRORS) {
  Deno.test(`gemini: ${name} is an error in Google's format`, async () => {
    const response = await converting("openai").call(path, body, headers);
    const { error } = await response.json();
    assertEquals([response.status, error.status], expected);
    assertEquals(error.code, response.status);
    assert(error.message !== "");
    const faults = error.details.find((detail: JsonObject) => detail.fieldViolations);
    assertEquals(
      faults?.fieldViolations[0].field,
      field ?? (name === "an unknown model" ? "model" : undefined),
    );
  });
}

Deno.test("gemini: a vendor's limit is an error with the wait in its details", async () => {
  const gateway = createTestGateway({
    config: {
      providers: {
        vendor: { kind: "openai", api_key: VENDOR_KEY, models: ["some-model"], retries: 0 },
      },
    },
    fetch: () =>
      Promise.resolve(
        Response.json({ error: { message: "Slow down", code: "rate_limit_exceeded" } }, {
          status: 429,
          headers: { "retry-after": "7" },
        }),
      ),
  });
  const response = await gateway.call(`${MODEL}:generateContent`, ASK);
  const { error } = await response.json();
  assertEquals([response.status, error.status], [429, "RESOURCE_EXHAUSTED"]);
  const { retryDelay } = error.details.find((detail: JsonObject) => detail.retryDelay) ?? {};
  assertEquals(retryDelay, "7s");
});

Deno.test("gemini: the service key may be in the query, which no log shows", async () => {
  const gateway = converting("openai");
  const anonymous = { authorization: "" };
  const path = `${MODEL}:generateContent?key=${SERVICE_KEY}`;
  assertEquals((await gateway.call(path, ASK, anonymous)).status, 200);
  const wrong = await gateway.call(`${MODEL}:generateContent?key=sk-other`, ASK, anonymous);
  assertEquals(wrong.status, 401);
  const elsewhere = await gateway.call(`/v1/usage?key=${SERVICE_KEY}`, undefined, anonymous);
  assertEquals(elsewhere.status, 401);
  assert(!JSON.stringify(gateway.lines).includes(SERVICE_KEY));
});

Deno.test("gemini: models are listed in pages, and shown one by one", async () => {
  const gateway = converting("openai");
  const read = async (path: string) => await (await gateway.call(path)).json();
  const first = await read("/v1beta/models?pageSize=1");
  assertEquals(first.models.map(({ name }: JsonObject) => name), ["models/some-model"]);
  const second = await read(`/v1beta/models?pageSize=1&pageToken=${first.nextPageToken}`);
  assertEquals(second.models.map(({ name }: JsonObject) => name), ["models/org/other"]);
  assertEquals(second.nextPageToken, undefined);
  const model = await read("/v1beta/models/org/other");
  assertEquals([model.name, model.displayName], ["models/org/other", "org/other"]);
  assertEquals((await gateway.call("/v1beta/models/none")).status, 404);
  assertEquals((await gateway.call("/v1beta/models?pageToken=none")).status, 400);
});

Deno.test("gemini: tokens are counted by an estimate where the vendor has no counter", async () => {
  const gateway = createTestGateway({
    config: { providers: { mock: { kind: "mock", models: ["mock-echo"] } } },
  });
  for (
    const body of [ASK, { generateContentRequest: { model: "models/mock-echo", ...ASK } }]
  ) {
    const response = await gateway.call("/v1beta/models/mock-echo:countTokens", body);
    const { totalTokens } = await response.json();
    assert(totalTokens > 0 && totalTokens < 20, String(totalTokens));
  }
});

Deno.test("gemini: one vector and several have Google's shape", async () => {
  const sent: JsonObject[] = [];
  const gateway = createTestGateway({
    config: {
      providers: {
        vendor: {
          kind: "openai",
          api_key: VENDOR_KEY,
          models: [{ id: "some-model", upstream: "text-embedding-3-small" }],
        },
      },
    },
    fetch: async (_, { body }) => {
      const asked: JsonObject = JSON.parse(await sentText(body));
      sent.push(asked);
      const data = [asked.input].flat().map((_, index) => ({ index, embedding: [index, 1] }));
      const usage = { prompt_tokens: 3, total_tokens: 3 };
      return Response.json({ data, model: "m", usage });
    },
  });
  const content = (text: string) => ({ parts: [{ text }] });
  const one = await gateway.call(`${MODEL}:embedContent`, {
    content: content("a"),
    outputDimensionality: 2,
  });
  assertEquals(await one.json(), {
    embedding: { values: [0, 1] },
    usageMetadata: { promptTokenCount: 3 },
  });
  const requests = ["a", "b"].map((text) => ({ model: "models/x", content: content(text) }));
  const several = await gateway.call(`${MODEL}:batchEmbedContents`, { requests });
  assertEquals((await several.json()).embeddings, [{ values: [0, 1] }, { values: [1, 1] }]);
  assertEquals(sent.map(({ input, dimensions }) => [input, dimensions]), [
    ["a", 2],
    [["a", "b"], undefined],
  ]);
  const mixed = [requests[0], { ...requests[1], outputDimensionality: 2 }];
  const refused = await gateway.call(`${MODEL}:batchEmbedContents`, { requests: mixed });
  assertEquals(refused.status, 400);
});

Deno.test("gemini: an explanation shows what a target would get", async () => {
  const headers = { "x-sluice-explain": "true" };
  const response = await converting("openai").call(`${MODEL}:generateContent`, ASK, headers);
  const { model, targets } = await response.json();
  assertEquals(model, "some-model");
  assert(isObject(targets[0].request.body));
  assertEquals(targets[0].request.body.messages, [{ role: "user", content: "Hello" }]);
});

const CHUNKS = [
  { choices: [{ index: 0, delta: { role: "assistant", reasoning_content: "Grüße" } }] },
  { choices: [{ index: 0, delta: { content: "Hi 👋" } }] },
  {
    choices: [{
      index: 0,
      delta: {
        tool_calls: [{
          index: 0,
          id: "c1",
          type: "function",
          function: { name: "f", arguments: "" },
        }],
      },
    }],
  },
  {
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] } }],
  },
  {
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: ":1}" } }] } }],
  },
  { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + "data: [DONE]\n\n";

for (const alt of ["?alt=sse", ""]) {
  Deno.test(`gemini: any cut of another vendor's events gives the same stream${alt}`, async () => {
    const bytes = new TextEncoder().encode(CHUNKS);
    let pieces: readonly Uint8Array[] = [bytes];
    const vendor = { kind: "openai_compatible", base_url: "http://v.test/v1", models: ["m"] };
    const gateway = createTestGateway({
      config: { providers: { vendor: { ...vendor, retries: 0 } } },
      fetch: () =>
        Promise.resolve(
          new Response(ReadableStream.from(pieces), {
            headers: { "content-type": "text/event-stream" },
          }),
        ),
    });
    const body = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
    // The IDs that the gateway makes differ; spaces of an array show that packets arrive.
    const stream = async () =>
      (await (await gateway.call(`/v1beta/models/m:streamGenerateContent${alt}`, body)).text())
        .replaceAll(/"responseId":"[^"]*"/g, "").replaceAll(/ +(?=[[,\]]|$)/g, "");
    const whole = await stream();
    assertStringIncludes(whole, '"functionCall":{"id":"c1","name":"f","args":{"a":1}}');
    for (let at = 1; at < bytes.length; at++) {
      pieces = [bytes.subarray(0, at), bytes.subarray(at)];
      const cut = await stream();
      if (cut !== whole) assertEquals(cut, whole, `cut at ${at}`);
    }
  });
}
