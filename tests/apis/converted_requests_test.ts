/** Requests of the Messages API and the Responses API as vendors of other formats get them. */

import { assert, assertEquals } from "@std/assert";
import { isObject, type JsonObject } from "../../src/contract/chat.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";

interface SentRequest {
  readonly url: string;
  readonly body: JsonObject;
}

interface Sent extends SentRequest {
  readonly headers: Headers;
}

/** The request that a vendor gets. */
async function send(
  kind: string,
  model: string,
  path: string,
  members: JsonObject,
  provider: JsonObject = {},
): Promise<Sent> {
  const sent: SentRequest[] = [];
  const gateway = createTestGateway({
    config: { providers: { p: { kind, api_key: VENDOR_KEY, models: [model], ...provider } } },
    fetch: (url, { body }) => {
      sent.push({ url: String(url), body: JSON.parse(String(body)) });
      return Promise.resolve(Response.json({ error: { message: "no" } }, { status: 400 }));
    },
  });
  const response = await gateway.call(path, { model, ...members });
  await response.body?.cancel();
  const [first] = sent;
  if (first === undefined) throw new TypeError("Nothing was sent");
  return { url: first.url, body: first.body, headers: response.headers };
}

const ASK = { max_tokens: 4000, messages: [{ role: "user", content: "Hi" }] };
const THINKING = { type: "enabled", budget_tokens: 2000 };

Deno.test("thoughts are requested from Gemini where the caller shows them", async () => {
  const thoughts = async (path: string, members: JsonObject) => {
    const { body } = await send("gemini", "gemini-2.5-flash", path, members);
    const { generationConfig } = body;
    const config = isObject(generationConfig) ? generationConfig.thinkingConfig : undefined;
    return isObject(config) ? config.includeThoughts : undefined;
  };
  const messages = (thinking: JsonObject) => thoughts("/v1/messages", { ...ASK, thinking });
  assertEquals(await messages(THINKING), true);
  assertEquals(await messages({ type: "adaptive" }), true);
  assertEquals(await messages({ type: "disabled" }), undefined);
  assertEquals(await messages({ ...THINKING, display: "omitted" }), undefined);
  assertEquals(await thoughts("/v1/messages", ASK), undefined);
  const responses = (reasoning: JsonObject) =>
    thoughts("/v1/responses", { input: "Hi", reasoning });
  assertEquals(await responses({ summary: "auto" }), true);
  assertEquals(await responses({ summary: "auto", effort: "none" }), undefined);
  assertEquals(await responses({ effort: "low" }), undefined);
});

Deno.test("GPT's summary is requested for Messages callers with thinking on", async () => {
  const shown = await send("openai", "gpt-5", "/v1/messages", { ...ASK, thinking: THINKING });
  assert(shown.url.endsWith("/responses"), shown.url);
  assertEquals((shown.body.reasoning as JsonObject).summary, "auto");
  const plain = await send("openai", "gpt-4.1", "/v1/messages", { ...ASK, thinking: THINKING });
  assert(plain.url.endsWith("/chat/completions"), plain.url);
  const silent = await send("openai", "gpt-5", "/v1/messages", ASK);
  assertEquals(silent.body.reasoning, undefined);
});

const OPTIONAL = {
  type: "object",
  properties: { a: { type: "string" }, b: { type: "string" } },
  required: ["a"],
  additionalProperties: false,
};
const REQUIRED = { ...OPTIONAL, required: ["a", "b"] };

for (
  const [title, schema, strict] of [
    ["optional properties", OPTIONAL, false],
    ["an optional property inside", { ...REQUIRED, properties: { a: OPTIONAL, b: {} } }, false],
    ["open objects", { ...REQUIRED, additionalProperties: undefined }, false],
    ["a refused keyword", { ...REQUIRED, $defs: { c: { oneOf: [{}] } } }, false],
    ["a refused format", { ...REQUIRED, properties: { a: { format: "uri" }, b: {} } }, false],
    ["a known format", { ...REQUIRED, properties: { a: { format: "date" }, b: {} } }, true],
    ["a property named format", {
      ...REQUIRED,
      properties: { format: { type: "string" } },
      required: ["format"],
    }, true],
    ["required properties", REQUIRED, true],
  ] as const
) {
  Deno.test(`a schema with ${title} is strict at OpenAI: ${strict}`, async () => {
    const asked = {
      ...ASK,
      output_config: { format: { type: "json_schema", schema } },
      tools: [{ name: "f", input_schema: schema, strict: true }],
    };
    const chat = await send("openai", "gpt-4.1", "/v1/messages", asked);
    const format = chat.body.response_format as { json_schema: JsonObject };
    const [tool] = chat.body.tools as readonly { function: JsonObject }[];
    assertEquals([format.json_schema.strict, tool?.function.strict], [strict, strict]);
    const own = await send("openai", "gpt-5.5", "/v1/messages", asked);
    const [flat] = own.body.tools as readonly JsonObject[];
    const text = own.body.text as { format: JsonObject };
    assertEquals([text.format.strict, flat?.strict], [strict, strict]);
    for (const { headers } of [chat, own]) {
      const converted = headers.get("x-sluice-converted") ?? "";
      assertEquals(converted.includes("strict true->false"), !strict, converted);
    }
  });
}

Deno.test("schemas that cannot be strict at Cerebras are not; xAI takes optional properties", async () => {
  const LISTED = { ...REQUIRED, properties: { a: { type: ["string", "null"] }, b: {} } };
  for (
    const [kind, schema, strict] of [
      ["cerebras", REQUIRED, true],
      ["cerebras", OPTIONAL, false],
      ["cerebras", LISTED, false],
      [
        "cerebras",
        { ...REQUIRED, properties: { a: { type: "array", items: true }, b: {} } },
        false,
      ],
      ["openai", LISTED, true],
      ["xai", OPTIONAL, true],
    ] as const
  ) {
    const { body, headers } = await send(kind, "gpt-4.1", "/v1/messages", {
      ...ASK,
      output_config: { format: { type: "json_schema", schema } },
    });
    const { json_schema } = body.response_format as { json_schema: JsonObject };
    assertEquals(json_schema.strict, strict, `${kind}: ${JSON.stringify(schema)}`);
    const converted = headers.get("x-sluice-converted") ?? "";
    assertEquals(converted.includes("strict true->false"), !strict, converted);
  }
});

Deno.test("top_k is not sent to OpenAI's and Groq's chat completions", async () => {
  for (
    const [kind, model, provider, isSent] of [
      ["openai", "gpt-4.1", {}, false],
      ["groq", "llama-3.3-70b", {}, false],
      ["openai", "gpt-4.1", { base_url: "http://server.test/v1" }, true],
      ["together", "m", {}, true],
    ] as const
  ) {
    const { body, headers } = await send(
      kind,
      model,
      "/v1/messages",
      { ...ASK, top_k: 5 },
      provider,
    );
    assertEquals("top_k" in body, isSent, kind);
    const ignored = headers.get("x-sluice-ignored") ?? "";
    assertEquals(ignored.includes("top_k"), !isSent, ignored);
  }
});

Deno.test("signed thinking of Anthropic reaches no other server", async () => {
  const turn = {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Hm", signature: "EqQB" },
      { type: "redacted_thinking", data: "c2ln" },
      { type: "text", text: "Yes" },
    ],
  };
  const messages = [...ASK.messages, turn, { role: "user", content: "Why?" }];
  const base_url = "http://server.test/v1";
  const sent = await send("openai_compatible", "m", "/v1/messages", { ...ASK, messages }, {
    base_url,
  });
  const [, reported] = sent.body.messages as readonly JsonObject[];
  assertEquals(reported?.reasoning_details, undefined);
  assert(sent.headers.get("x-sluice-ignored")?.includes("messages.reasoning_details"));
});

Deno.test("OpenRouter gets images inside tool results", async () => {
  const image_url = { url: "data:image/png;base64,iVBORw0KGgo=" };
  const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  const content = [{ type: "text", text: "Done" }, { type: "image_url", image_url }];
  const messages = [
    { role: "user", content: "Look" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "a", content },
  ];
  const { body } = await send("openrouter", "m", "/v1/chat/completions", { messages });
  assertEquals(
    (body.messages as readonly JsonObject[]).map(({ role, content }) => [role, content]),
    [
      ["user", "Look"],
      ["assistant", null],
      ["tool", content],
    ],
  );
});

const EXTRA = { kept_by: "the client" };

/** A conversation with members that OpenAI does not document, at every place. */
function withExtras(name: string): readonly JsonObject[] {
  const extra = { [name]: EXTRA };
  const made = { id: "call_12345", type: "function", function: { name: "f", arguments: "{}" } };
  return [
    { role: "user", content: [{ type: "text", text: "Hi", ...extra }], ...extra },
    { role: "assistant", content: "Yes", tool_calls: [{ ...made, ...extra }], ...extra },
    { role: "tool", tool_call_id: "call_12345", content: "Done", ...extra },
    { role: "user", content: "Why?" },
  ];
}

const PLACES = ["messages", "messages.content", "messages.tool_calls"];

async function sendExtras(name: string, kind: string, model: string, provider: JsonObject = {}) {
  const messages = withExtras(name);
  const { body, headers } = await send(kind, model, "/v1/chat/completions", { messages }, provider);
  const ignored = headers.get("x-sluice-ignored")?.split(",").map((one) => one.trim()) ?? [];
  return {
    isSent: JSON.stringify(body).includes(EXTRA.kept_by),
    ignored: ignored.filter((one) => one.endsWith(`.${name}`)).toSorted(),
  };
}

const AZURE = { base_url: "https://own.openai.azure.com" };

Deno.test("members of messages that OpenAI does not document are dropped and reported", async () => {
  const dropped = { isSent: false, ignored: PLACES.map((place) => `${place}.note`).toSorted() };
  assertEquals(await sendExtras("note", "openai", "gpt-4.1"), dropped);
  assertEquals(await sendExtras("note", "azure", "gpt-4.1", AZURE), dropped);
});

Deno.test("a server of kind openai at another address may document more members", async () => {
  const base_url = "https://own.test/v1";
  for (const name of ["note", "provider_specific_fields"]) {
    const { isSent, ignored } = await sendExtras(name, "openai", "gpt-4.1", { base_url });
    assertEquals([isSent, ignored], [true, []], name);
  }
});

Deno.test("members that only clients know reach no vendor, and are reported", async () => {
  const kinds: readonly (readonly [kind: string, model: string, provider?: JsonObject])[] = [
    ["openai", "gpt-4.1"],
    ["openai", "gpt-5.5", { api: "responses" }],
    ["azure", "gpt-4.1", AZURE],
    ["anthropic", "claude-opus-5"],
    ["gemini", "gemini-2.5-flash"],
    ["bedrock", "amazon.nova-pro-v1:0", { region: "us-east-1" }],
    ["cohere", "command-a-03-2025"],
    ["mistral", "mistral-large-latest"],
    ["ollama", "llama3.2"],
    ...["cerebras", "deepseek", "fireworks", "groq", "moonshot", "openrouter", "qwen", "together"]
      .map((kind) => [kind, "m"] as const),
    ...["xai", "zai", "vllm"].map((kind) => [kind, "m"] as const),
    ["openai_compatible", "m", { base_url: "https://own.test/v1" }],
  ];
  for (const [kind, model, provider] of kinds) {
    for (const name of ["providerData", "additional_kwargs"]) {
      const ignored = PLACES.map((place) => `${place}.${name}`).toSorted();
      const found = await sendExtras(name, kind, model, provider);
      assertEquals(found, { isSent: false, ignored }, `${kind}: ${name}`);
    }
  }
});

Deno.test("only a server that may be LiteLLM gets provider_specific_fields", async () => {
  const name = "provider_specific_fields";
  assertEquals((await sendExtras(name, "deepseek", "m")).ignored.length, PLACES.length);
  const base_url = "https://own.test/v1";
  assert((await sendExtras(name, "openai_compatible", "m", { base_url })).isSent);
});

Deno.test("vendors of other formats get no unknown members of messages", async () => {
  const kinds: readonly (readonly [kind: string, model: string, provider?: JsonObject])[] = [
    ["openai", "gpt-5.5", { api: "responses" }],
    ["anthropic", "claude-opus-5"],
    ["gemini", "gemini-2.5-flash"],
    ["bedrock", "amazon.nova-pro-v1:0", { region: "us-east-1" }],
    ["bedrock", "anthropic.claude-opus-5", { region: "us-east-1" }],
    ["cohere", "command-a-03-2025"],
    ["mistral", "mistral-large-latest"],
    ["ollama", "llama3.2"],
  ];
  for (const [kind, model, provider] of kinds) {
    assertEquals((await sendExtras("note", kind, model, provider)).isSent, false, kind);
  }
});
