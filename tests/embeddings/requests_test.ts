/** What `POST /v1/embeddings` takes and refuses. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFloat32Base64, toFloat32Base64 } from "../../src/apis/embeddings/vectors.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";

const CONFIG = {
  providers: {
    mock: {
      kind: "mock",
      models: ["mock-echo", { id: "mock-embed", capabilities: { embeddings: true } }],
    },
    openai: { kind: "openai", api_key: VENDOR_KEY, models: ["gpt-5.4", "text-embedding-3-small"] },
    claude: { kind: "anthropic", api_key: VENDOR_KEY, models: ["claude-opus-5", "own-model"] },
    voyage: { kind: "voyage", api_key: VENDOR_KEY, models: ["voyage-4", "voyage-own"] },
  },
  aliases: { mixed: ["own-model", "text-embedding-3-small"], chats: ["voyage-4", "gpt-5.4"] },
};

async function ask(body: unknown, path = "/v1/embeddings", headers: Record<string, string> = {}) {
  const gateway = createTestGateway({ config: CONFIG });
  const response = await gateway.call(path, body, headers);
  return { gateway, response, body: await response.json() };
}

/** A request's `input` and other members, and the fault that is found. */
const FAULTS: readonly (readonly [string, Record<string, unknown>, string, string])[] = [
  ["no input", {}, "input", "is required"],
  ["an empty text", { input: "" }, "input", "must not be empty"],
  ["an empty list", { input: [] }, "input", "must not be empty"],
  ["an empty text in a list", { input: ["a", ""] }, "input[1]", "must not be empty"],
  ["an empty list of tokens", { input: [[1], []] }, "input[1]", "must not be empty"],
  ["a number", { input: 7 }, "input", "must be a string"],
  ["null in a list", { input: ["a", null] }, "input[1]", "must be a string or an array of tokens"],
  ["a negative token", { input: [1, -1] }, "input[1]", "must be a token"],
  ["a fraction as a token", { input: [[1, 1.5]] }, "input[0][1]", "must be a token"],
  ["2049 inputs", { input: Array(2049).fill("a") }, "input", "must have at most 2048 entries"],
  ["another encoding", { input: "a", encoding_format: "hex" }, "encoding_format", "must be"],
  ["no dimensions", { input: "a", dimensions: 0 }, "dimensions", "must be at least 1"],
  ["a user that is no text", { input: "a", user: 7 }, "user", "must be a string"],
];

for (const [name, members, param, sentence] of FAULTS) {
  Deno.test(`POST /v1/embeddings refuses ${name}`, async () => {
    const { response, body } = await ask({ model: "mock-embed", ...members });
    assertEquals(response.status, 400);
    assertEquals(body.error.param, param);
    assertStringIncludes(body.error.message, sentence);
  });
}

Deno.test("POST /v1/embeddings takes a text, texts, tokens and lists of tokens", async () => {
  for (const [input, count] of [["a", 1], [["a", "b"], 2], [[1, 2, 3], 1], [[[1], [2]], 2]]) {
    const { response, body } = await ask({ model: "mock-embed", input });
    assertEquals(response.status, 200);
    assertEquals(body.object, "list");
    assertEquals(body.model, "mock-embed");
    assertEquals(body.data.length, count);
  }
});

Deno.test("POST /v1/embeddings takes null for what is optional", async () => {
  const { response, body } = await ask({
    model: "mock-embed",
    input: "a",
    encoding_format: null,
    dimensions: null,
    user: null,
  });
  assertEquals(response.status, 200);
  assertEquals(Array.isArray(body.data[0].embedding), true);
});

Deno.test("the mock's vectors are unit vectors that depend only on the words", async () => {
  const { body } = await ask({ model: "mock-embed", input: ["a b", "A  B", "c"], dimensions: 16 });
  const [one, same, other] = body.data.map(({ embedding }: { embedding: number[] }) => embedding);
  assertEquals(one.length, 16);
  assertEquals(one, same);
  const length = Math.hypot(...one);
  assertEquals(Math.abs(length - 1) < 1e-6, true, String(length));
  assertEquals(JSON.stringify(one) === JSON.stringify(other), false);
});

Deno.test("base64 is float32 in little-endian bytes, and exact", () => {
  const numbers = [1, -2, 0.5, 1.1754943508222875e-38];
  assertEquals(toFloat32Base64([1, -2]), "AACAPwAAAMA=");
  assertEquals(fromFloat32Base64(toFloat32Base64(numbers)), numbers);
  assertEquals(fromFloat32Base64("AAA="), undefined);
  assertEquals(fromFloat32Base64("no base64!"), undefined);
  assertEquals(fromFloat32Base64(""), undefined);
});

Deno.test("a chat with an embedding model, and embeddings of a chat model, are a 400 that names the right endpoint", async () => {
  const messages = [{ role: "user", content: "Hello" }];
  const chat = await ask({ model: "text-embedding-3-small", messages }, "/v1/chat/completions");
  assertEquals(chat.response.status, 400);
  assertEquals(chat.body.error, {
    message: "The model 'text-embedding-3-small' is an embedding model; use POST /v1/embeddings",
    type: "invalid_request_error",
    param: "model",
    code: "unsupported_operation",
  });
  for (
    const [model, message] of [
      ["gpt-5.4", "The model 'gpt-5.4' has no embeddings; use POST /v1/chat/completions"],
      ["own-model", "The provider 'claude' (kind 'anthropic') has no embeddings"],
    ]
  ) {
    const { response, body } = await ask({ model, input: "a" });
    assertEquals([response.status, body.error.message], [400, message]);
    assertEquals(response.headers.get("x-sluice-attempts"), "0");
  }
  const own = await ask({ model: "voyage-own", messages }, "/v1/chat/completions");
  assertEquals(
    own.body.error.message,
    "The provider 'voyage' (kind 'voyage') has no chat completions",
  );
});

Deno.test("a chain passes over targets that do not have the operation", async () => {
  const sent: string[] = [];
  const gateway = createTestGateway({
    config: CONFIG,
    fetch: (url) => {
      sent.push(url);
      return Promise.resolve(Response.json({ error: { message: "no" } }, { status: 400 }));
    },
  });
  await gateway.call("/v1/embeddings", { model: "mixed", input: "a" });
  const messages = [{ role: "user", content: "Hello" }];
  await gateway.call("/v1/chat/completions", { model: "chats", messages });
  assertEquals(sent, [
    "https://api.openai.com/v1/embeddings",
    "https://api.openai.com/v1/chat/completions",
  ]);
});

Deno.test("strict embeddings refuse what would be ignored, before anything is sent", async () => {
  const { response, body } = await ask(
    { model: "mock-embed", input: "a", input_type: "query" },
    "/v1/embeddings",
    { "x-sluice-strict": "true" },
  );
  assertEquals([response.status, body.error.param], [400, "input_type"]);
});

Deno.test("GET /v1/models tells the dimensions, the prices and the operation of an embedding model", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const model = await (await gateway.call("/v1/models/text-embedding-3-small")).json();
  assertEquals(model.dimensions, 1536);
  assertEquals(model.context_window, 8192);
  assertEquals(model.capabilities, { embeddings: true });
  assertEquals(model.prices, { input: 0.02, output: 0 });
});

Deno.test("GET /v1/providers tells what each kind does with embeddings", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const { kinds } = await (await gateway.call("/v1/providers")).json();
  const kindOf = (name: string) => kinds.find(({ kind }: { kind: string }) => kind === name);
  assertEquals(kindOf("voyage").operations, ["embeddings", "rerank"]);
  assertEquals(kindOf("voyage").parameters, {});
  assert(kindOf("openai").operations.includes("embeddings"));
  assertEquals(kindOf("cohere").embeddings.parameters.dimensions.to, "output_dimension");
  assertEquals(kindOf("anthropic").operations, ["chat"]);
  assertEquals("embeddings" in kindOf("anthropic"), false);
});

Deno.test("embeddings count in metrics and in the log as other requests do", async () => {
  const { gateway } = await ask({ model: "mock-embed", input: ["one two", "three"] });
  const metrics = await (await gateway.call("/metrics")).text();
  assertStringIncludes(metrics, 'route="/v1/embeddings"');
  assertEquals(gateway.lines[0]?.prompt_tokens, 3);
  assertEquals(gateway.lines[0]?.upstream_model, "mock-embed");
});
