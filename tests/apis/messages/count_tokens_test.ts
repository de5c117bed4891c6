/** `POST /v1/messages/count_tokens`: vendors' counters, and the estimate for those without one. */

import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway, type TestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { serviceAccount, TOKEN_URI } from "../../support/service_account.ts";

const MODEL = "m";
const ASK = {
  model: MODEL,
  system: "Be brief",
  messages: [{ role: "user", content: "How many tokens is this?" }],
};
/** The body that Bedrock's counter takes for a Claude model. */
const CLAUDE_ON_BEDROCK = {
  input: {
    invokeModel: {
      body: new TextEncoder().encode(JSON.stringify({
        anthropic_version: "bedrock-2023-05-31",
        max_tokens: 1,
        system: ASK.system,
        messages: ASK.messages,
      })).toBase64(),
    },
  },
};
const GOOGLE = "https://aiplatform.googleapis.com/v1/projects/test-project/locations/global";

interface Counter {
  readonly name: string;
  readonly provider: JsonObject;
  readonly url: string;
  readonly body: JsonObject;
  readonly answer: JsonObject;
}

const COUNTERS: readonly Counter[] = [
  {
    name: "anthropic",
    provider: { kind: "anthropic", models: [{ id: MODEL, upstream: "claude-haiku-4-5" }] },
    url: "https://api.anthropic.com/v1/messages/count_tokens",
    body: { ...ASK, model: "claude-haiku-4-5" },
    answer: { input_tokens: 17 },
  },
  {
    name: "Claude on vertex",
    provider: {
      kind: "vertex",
      api_key: undefined,
      credentials: serviceAccount().json,
      models: [{ id: MODEL, upstream: "claude-haiku-4-5" }],
    },
    url: `${GOOGLE}/publishers/anthropic/models/count-tokens:rawPredict`,
    body: { ...ASK, model: "claude-haiku-4-5" },
    answer: { input_tokens: 17 },
  },
  {
    name: "Claude on bedrock",
    provider: {
      kind: "bedrock",
      region: "us-east-1",
      models: [{ id: MODEL, upstream: "anthropic.claude-haiku-4-5" }],
    },
    url: "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-haiku-4-5/" +
      "count-tokens",
    body: CLAUDE_ON_BEDROCK,
    answer: { inputTokens: 17 },
  },
  {
    name: "gemini",
    provider: { kind: "gemini", models: [{ id: MODEL, upstream: "gemini-3.5-flash" }] },
    url: "https://generativelanguage.googleapis.com/v1beta/models/gemini-3.5-flash:countTokens",
    body: {
      generateContentRequest: {
        model: "models/gemini-3.5-flash",
        contents: [{ role: "user", parts: [{ text: "How many tokens is this?" }] }],
        systemInstruction: { parts: [{ text: "Be brief" }] },
      },
    },
    answer: { totalTokens: 17 },
  },
  {
    name: "Gemini on vertex",
    provider: {
      kind: "vertex",
      api_key: undefined,
      credentials: serviceAccount().json,
      models: [{ id: MODEL, upstream: "gemini-3.5-flash" }],
    },
    url: `${GOOGLE}/publishers/google/models/gemini-3.5-flash:countTokens`,
    body: {
      contents: [{ role: "user", parts: [{ text: "How many tokens is this?" }] }],
      systemInstruction: { parts: [{ text: "Be brief" }] },
    },
    answer: { totalTokens: 17 },
  },
  {
    name: "openai",
    provider: { kind: "openai", models: [{ id: MODEL, upstream: "gpt-4.1" }] },
    url: "https://api.openai.com/v1/responses/input_tokens",
    body: {
      model: "gpt-4.1",
      input: [
        { role: "system", content: "Be brief" },
        { role: "user", content: "How many tokens is this?" },
      ],
    },
    answer: { object: "response.input_tokens", input_tokens: 17 },
  },
  {
    name: "Claude on bedrock behind an inference profile",
    provider: {
      kind: "bedrock",
      region: "us-east-1",
      models: [{ id: MODEL, upstream: "global.anthropic.claude-haiku-4-5" }],
    },
    url: "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-haiku-4-5/" +
      "count-tokens",
    body: CLAUDE_ON_BEDROCK,
    answer: { inputTokens: 17 },
  },
  {
    name: "another model on bedrock",
    provider: {
      kind: "bedrock",
      region: "us-east-1",
      models: [{ id: MODEL, upstream: "us.meta.llama4-scout-17b-instruct-v1:0" }],
    },
    url: "https://bedrock-runtime.us-east-1.amazonaws.com/model/" +
      "meta.llama4-scout-17b-instruct-v1%3A0/count-tokens",
    body: {
      input: {
        converse: {
          messages: [{ role: "user", content: [{ text: "How many tokens is this?" }] }],
          system: [{ text: "Be brief" }],
        },
      },
    },
    answer: { inputTokens: 17 },
  },
  {
    name: "vllm",
    provider: { kind: "vllm", base_url: "http://gpu:8000/v1", models: [MODEL] },
    url: "http://gpu:8000/tokenize",
    body: {
      model: MODEL,
      messages: [
        { role: "system", content: "Be brief" },
        { role: "user", content: "How many tokens is this?" },
      ],
    },
    answer: { count: 17, max_model_len: 4096, tokens: Array(17).fill(1) },
  },
  {
    name: "llama.cpp",
    provider: { kind: "llamacpp", base_url: "http://gpu:8080/v1", models: [MODEL] },
    url: "http://gpu:8080/v1/messages/count_tokens",
    body: ASK,
    answer: { input_tokens: 17 },
  },
  {
    name: "vllm, whose Messages API is used",
    provider: { kind: "vllm", base_url: "http://gpu:8000/v1", api: "messages", models: [MODEL] },
    url: "http://gpu:8000/v1/messages/count_tokens",
    body: ASK,
    answer: { input_tokens: 17 },
  },
];

function gatewayFor(provider: JsonObject, answer: () => Response, sent: unknown[] = []) {
  const config = { providers: { vendor: { api_key: VENDOR_KEY, ...provider } } };
  return createTestGateway({
    config: JSON.parse(JSON.stringify(config)),
    fetch: (url, { body }) => {
      if (url === TOKEN_URI) return Promise.resolve(Response.json({ access_token: "token" }));
      sent.push({ url, body: JSON.parse(String(body)) });
      return Promise.resolve(answer());
    },
  });
}

/** An explanation, as far as the tests read it. */
interface Explanation {
  readonly object: string;
  readonly targets: readonly [{
    readonly request: { readonly url: string; readonly body: unknown };
    readonly receipt: readonly { readonly parameter: string; readonly fate: string }[];
    readonly error?: { readonly status: number };
  }];
}

async function explain(gateway: TestGateway, body: JsonObject): Promise<Explanation> {
  const headers = { "x-sluice-explain": "true" };
  const response = await gateway.call("/v1/messages/count_tokens", body, headers);
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("x-sluice-estimated"), null);
  return await response.json();
}

for (const { name, provider, url, body, answer } of COUNTERS) {
  Deno.test(`count_tokens: the counter of ${name} is asked`, async () => {
    const sent: unknown[] = [];
    const gateway = gatewayFor(provider, () => Response.json(answer), sent);
    const response = await gateway.call("/v1/messages/count_tokens", ASK);
    assertEquals(await response.json(), { input_tokens: 17 });
    assertEquals(response.headers.get("x-sluice-estimated"), null);
    assertEquals(sent, [{ url, body }]);
    assertEquals(gateway.bugs, []);
  });
}

for (const { name, provider, url, body } of COUNTERS) {
  Deno.test(`count_tokens: an explanation shows what ${name} would get, and sends nothing`, async () => {
    const sent: unknown[] = [];
    const gateway = gatewayFor(provider, () => Response.json({}), sent);
    const { targets } = await explain(gateway, ASK);
    const [{ request }] = targets;
    assertEquals(request.body, JSON.parse(JSON.stringify(body)));
    // Callers do not see the address.
    assert(url.endsWith(request.url.replace(/^\{\w+\}/, "")), request.url);
    assertEquals([sent, gateway.bugs], [[], []]);
  });
}

Deno.test("count_tokens: an explanation says that the count would be an estimate", async () => {
  const gateway = gatewayFor({ kind: "groq", models: [MODEL] }, () => Response.json({}));
  const { object, targets } = await explain(gateway, ASK);
  assertEquals([object, targets], ["explanation", [{
    ...{ provider: "vendor", kind: "groq", model: MODEL },
    ...{ request: null, estimated: true, receipt: [] },
  }]]);
});

Deno.test("count_tokens: an explanation shows what was omitted, and errors of the request", async () => {
  const vllm = { kind: "vllm", base_url: "http://gpu:8000/v1", models: [MODEL] };
  const gateway = gatewayFor(vllm, () => Response.json({}));
  const { targets: [{ receipt }] } = await explain(gateway, { ...ASK, foo: 1 });
  assertEquals(receipt.find(({ parameter }) => parameter === "foo")?.fate, "ignored");
  const messages = [{ role: "user", content: [{ type: "image" }] }];
  const { targets: [{ error }] } = await explain(gateway, { ...ASK, messages });
  assertEquals(error?.status, 400);
});

// Each state takes hundreds of characters, which would be counted.
Deno.test("count_tokens: no vendor gets the state in the IDs of tool calls, and no estimate counts it", async () => {
  const withId = (id: string) => ({
    ...ASK,
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: [{ type: "tool_use", id, name: "f", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "1" }] },
    ],
    tools: [{ name: "f", input_schema: { type: "object" } }],
  });
  const marked = `toolu_1_sluice_s${"A".repeat(900)}`;
  for (const { provider, answer } of COUNTERS) {
    const sent: { body: unknown }[] = [];
    const gateway = gatewayFor(provider, () => Response.json(answer), sent);
    await gateway.call("/v1/messages/count_tokens", withId(marked));
    await gateway.call("/v1/messages/count_tokens", withId("toolu_1"));
    assertEquals(sent.length, 2);
    assertEquals(sent[0], sent[1]);
  }
  const gateway = gatewayFor({ kind: "groq", models: [MODEL] }, () => Response.json({}));
  const [one, other] = await Promise.all(
    [marked, "toolu_1"].map(async (id) =>
      (await gateway.call("/v1/messages/count_tokens", withId(id))).json()
    ),
  );
  assertEquals(one, other);
});

Deno.test("count_tokens: without a counter, or where it is not there, the count is an estimate", async () => {
  const openai = { kind: "openai", models: [{ id: MODEL, upstream: "gpt-4.1" }] };
  const missing = () => Response.json({ error: { message: "Not found" } }, { status: 404 });
  for (const provider of [{ kind: "groq", models: [MODEL] }, openai]) {
    const gateway = gatewayFor(provider, missing);
    const response = await gateway.call("/v1/messages/count_tokens", ASK);
    assertEquals(response.headers.get("x-sluice-estimated"), "input_tokens");
    const { input_tokens } = await response.json();
    assert(input_tokens >= 12 && input_tokens <= 20, String(input_tokens));
  }
});

Deno.test("count_tokens: a model that Bedrock does not count for is estimated", async () => {
  const message = "The provided model doesn't support counting tokens.";
  const refusal = () => Response.json({ message }, { status: 400 });
  for (const [upstream, asks] of [["us.amazon.nova-pro-v1:0", 0], ["openai.gpt-oss-20b-1:0", 1]]) {
    const sent: unknown[] = [];
    const models = [{ id: MODEL, upstream }];
    const provider = { kind: "bedrock", region: "us-east-1", models };
    const gateway = gatewayFor(provider as JsonObject, refusal, sent);
    const response = await gateway.call("/v1/messages/count_tokens", ASK);
    assertEquals(response.headers.get("x-sluice-estimated"), "input_tokens");
    assert((await response.json()).input_tokens > 0);
    assertEquals(sent.length, asks, `${upstream}`);
  }
});

Deno.test("count_tokens: tools and images are counted where the vendor's tokenizer is used", async () => {
  const sent: { body: JsonObject }[] = [];
  const vllm = { kind: "vllm", base_url: "http://gpu:8000/v1", models: [MODEL] };
  const gateway = gatewayFor(vllm, () => Response.json({ count: 99 }), sent);
  const image = { type: "base64", media_type: "image/png", data: "AAAA" };
  const response = await gateway.call("/v1/messages/count_tokens", {
    ...ASK,
    messages: [{ role: "user", content: [{ type: "image", source: image }] }],
    tools: [{ name: "f", input_schema: { type: "object" } }],
  });
  assertEquals(await response.json(), { input_tokens: 99 });
  const [{ body } = { body: {} }] = sent;
  assertEquals(Object.keys(body), ["model", "messages", "tools"]);
});

Deno.test("count_tokens: errors have Anthropic's shape", async () => {
  const gateway = gatewayFor({ kind: "groq", models: [MODEL] }, () => Response.json({}));
  const response = await gateway.call("/v1/messages/count_tokens", { model: MODEL });
  assertEquals([response.status, (await response.json()).type], [400, "error"]);
});
