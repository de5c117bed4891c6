/** Requests of the Messages API and the Responses API as vendors of other formats get them. */

import { assert, assertEquals } from "@std/assert";
import { isObject, type JsonObject } from "../../src/chat/chat.ts";
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

Deno.test("Gemini is asked for thoughts where the caller shows them", async () => {
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
  const [, told] = sent.body.messages as readonly JsonObject[];
  assertEquals(told?.reasoning_details, undefined);
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

Deno.test("members of messages that OpenAI does not document are dropped and reported", async () => {
  const hi = { role: "user", content: "Hi" };
  const turn = { role: "assistant", content: "Yes", provider_specific_fields: { a: 1 } };
  const { body, headers } = await send("openai", "gpt-4.1", "/v1/chat/completions", {
    messages: [hi, turn, hi],
  });
  assertEquals(body.messages, [hi, { role: "assistant", content: "Yes" }, hi]);
  assertEquals(headers.get("x-sluice-ignored"), "messages.provider_specific_fields");
});
