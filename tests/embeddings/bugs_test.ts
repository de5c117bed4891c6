/** Bugs that other gateways have had with embeddings, one test each. */

import { assertEquals } from "@std/assert";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";

interface Sent {
  readonly url: string;
  readonly body: Record<string, unknown>;
}

/** A vendor that answers with this, and what it was sent. */
async function ask(
  kind: string,
  model: string,
  request: Record<string, unknown>,
  upstream: unknown,
  status = 200,
) {
  const sent: Sent[] = [];
  const provider = { kind, api_key: VENDOR_KEY, models: [model] };
  const gateway = createTestGateway({
    config: { providers: { vendor: provider } },
    fetch: (url, init) => {
      sent.push({ url, body: JSON.parse(String(init.body)) });
      return Promise.resolve(Response.json(upstream, { status }));
    },
  });
  const response = await gateway.call("/v1/embeddings", { model, ...request });
  return { sent, response, body: await response.json() };
}

const NUMBERS = { data: [{ index: 0, embedding: [1, -2] }], usage: { prompt_tokens: 1 } };
const BASE64 = { data: [{ index: 0, embedding: "AACAPwAAAMA=" }], usage: { prompt_tokens: 1 } };

Deno.test("bug: numbers are answered to a request for base64, and clients read a quarter of them", async () => {
  const { body } = await ask(
    "openai",
    "text-embedding-3-small",
    { input: "a", encoding_format: "base64" },
    NUMBERS,
  );
  assertEquals(body.data[0].embedding, "AACAPwAAAMA=");
});

Deno.test("bug: base64 of the vendor is not understood", async () => {
  const { response, body } = await ask("openai", "text-embedding-3-small", { input: "a" }, BASE64);
  assertEquals(response.status, 200);
  assertEquals(body.data[0].embedding, [1, -2]);
});

Deno.test("bug: encoding_format is added to requests without it, or sent to vendors that refuse it", async () => {
  const usual = await ask("openai", "text-embedding-3-small", { input: "a" }, NUMBERS);
  assertEquals("encoding_format" in (usual.sent[0]?.body ?? {}), false);
  const empty = { input: "a", encoding_format: null };
  const none = await ask("openai", "text-embedding-3-small", empty, NUMBERS);
  assertEquals("encoding_format" in (none.sent[0]?.body ?? {}), false);
  const asked = { input: "a", encoding_format: "float" };
  const refusing = await ask("lmstudio", "nomic", asked, NUMBERS);
  assertEquals("encoding_format" in (refusing.sent[0]?.body ?? {}), false);
});

Deno.test("bug: a list of texts becomes one vector", async () => {
  const upstream = { embeddings: [{ values: [1] }, { values: [2] }] };
  const { sent, body } = await ask(
    "gemini",
    "gemini-embedding-001",
    { input: ["a", "b"] },
    upstream,
  );
  assertEquals((sent[0]?.body.requests as unknown[]).length, 2);
  assertEquals(body.data.length, 2);
  const fused = await ask("gemini", "gemini-embedding-001", { input: ["a", "b"] }, {
    embeddings: [{ values: [1] }],
  });
  assertEquals(fused.response.status, 502);
  assertEquals(fused.body.error.message, "The provider returned 1 vectors for 2 inputs");
});

Deno.test("bug: predict is used for models that only have embedContent", async () => {
  const { sent } = await ask("vertex", "gemini-embedding-2", { input: "a" }, {
    embedding: { values: [1] },
  });
  assertEquals(sent[0]?.url.endsWith("gemini-embedding-2:embedContent"), true);
});

Deno.test("bug: a batch is not split at the vendor's limit", async () => {
  const input = Array.from({ length: 25 }, () => "a");
  const { sent } = await ask("qwen", "text-embedding-v4", { input }, NUMBERS);
  assertEquals((sent[0]?.body.input as unknown[]).length, 10);
});

Deno.test("bug: tokens are sent to a vendor that takes only text", async () => {
  for (const kind of ["mistral", "voyage", "gemini", "ollama", "openrouter"]) {
    const { sent, response, body } = await ask(kind, "m", { input: [[1, 2], [3]] }, NUMBERS);
    assertEquals([response.status, body.error.code], [400, "unsupported_content"], kind);
    assertEquals(sent, [], kind);
  }
});

Deno.test("bug: dimensions are dropped, or passed to models that refuse them", async () => {
  const passed = await ask(
    "openai",
    "text-embedding-3-small",
    { input: "a", dimensions: 2 },
    NUMBERS,
  );
  assertEquals(passed.sent[0]?.body.dimensions, 2);
  const fixed = await ask(
    "openai",
    "text-embedding-ada-002",
    { input: "a", dimensions: 2 },
    NUMBERS,
  );
  assertEquals([fixed.response.status, fixed.body.error.param], [400, "dimensions"]);
  assertEquals(fixed.sent, []);
});

Deno.test("bug: input_type is stripped", async () => {
  const request = { input: "a", input_type: "query" };
  const nvidia = await ask("nvidia", "nv-embed", request, NUMBERS);
  assertEquals(nvidia.sent[0]?.body.input_type, "query");
  const own = await ask(
    "voyage",
    "voyage-4",
    { input: "a", task_type: "RETRIEVAL_DOCUMENT" },
    NUMBERS,
  );
  assertEquals(own.sent[0]?.body.input_type, "document");
});

Deno.test("bug: an error in another member of a 200 is read as success", async () => {
  for (const upstream of [{ detail: "the model is loading" }, { error: "the model is loading" }]) {
    const { response, body } = await ask("nvidia", "nv-embed", { input: "a" }, upstream);
    assertEquals(response.status, 502);
    assertEquals(body.error.message, "the model is loading");
  }
  const empty = await ask("openrouter", "m", { input: "a" }, { object: "list", data: [] });
  assertEquals(empty.response.status, 502);
});

Deno.test("vectors that are not numbers are the vendor's failure", async () => {
  for (const embedding of [[1, null], [1, "2"], "%%%", {}, []]) {
    const upstream = { data: [{ index: 0, embedding }], usage: { prompt_tokens: 1 } };
    const { response } = await ask("openai", "text-embedding-3-small", { input: "a" }, upstream);
    assertEquals(response.status, 502, JSON.stringify(embedding));
  }
});
