/** Real clients of embeddings over a real port, in front of a scripted vendor. */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { assertEquals, assertRejects } from "@std/assert";
import { embed, embedMany } from "ai";
import OpenAI, { APIError } from "openai";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { type ServedGateway, serveGateway, serveVendor } from "../support/server.ts";

const MODEL = "text-embedding-3-small";
/** Numbers that float32 holds exactly. */
const VECTOR = [0.5, -0.25, 1, 3.0517578125e-5];

interface World extends AsyncDisposable {
  readonly served: ServedGateway;
  readonly client: OpenAI;
  readonly sent: Record<string, unknown>[];
}

/** A vendor that answers with numbers, whatever is asked for, or as the script says. */
function createWorld(script?: () => Response): World {
  const sent: Record<string, unknown>[] = [];
  const vendor = serveVendor(async (request) => {
    const body = await request.json();
    sent.push(body);
    if (script !== undefined) return script();
    const inputs: readonly unknown[] = [body.input].flat();
    const data = inputs.map((_, index) => ({ object: "embedding", index, embedding: VECTOR }));
    const usage = { prompt_tokens: inputs.length, total_tokens: inputs.length };
    return Response.json({ object: "list", model: MODEL, data, usage });
  });
  const openai = {
    kind: "openai",
    api_key: VENDOR_KEY,
    base_url: `${vendor.url}/v1`,
    models: [{ id: MODEL, max_inputs: 2 }, "gpt-5.4"],
  };
  const served = serveGateway({ config: { providers: { openai } } });
  const { url, fetch } = served;
  return {
    served,
    sent,
    client: new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 }),
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
      assertEquals(served.gateway.bugs, []);
      assertEquals(served.gateway.clock.pending, 0, "a timer was left behind");
    },
  };
}

Deno.test("openai package: embeddings.create() asks for base64 by itself, and reads exact numbers", async () => {
  await using world = createWorld();
  const { data, model, usage } = await world.client.embeddings.create({ model: MODEL, input: "a" });
  assertEquals(world.sent[0]?.encoding_format, "base64");
  assertEquals(data[0]?.embedding, VECTOR);
  assertEquals([model, usage.prompt_tokens, usage.total_tokens], [MODEL, 1, 1]);
});

Deno.test("openai package: embeddings.create() returns the requested encoding", async () => {
  await using world = createWorld();
  const input = ["a", "b", "c"];
  const floats = await world.client.embeddings.create({
    model: MODEL,
    input,
    encoding_format: "float",
  });
  assertEquals(floats.data.map(({ embedding }) => embedding), [VECTOR, VECTOR, VECTOR]);
  assertEquals(floats.data.map(({ index }) => index), [0, 1, 2]);
  assertEquals(floats.usage.total_tokens, 3);
  assertEquals(world.sent.length, 2);
  const text = await world.client.embeddings.create({
    model: MODEL,
    input,
    encoding_format: "base64",
  });
  const [first] = text.data as unknown as readonly { readonly embedding: string }[];
  const bytes = Uint8Array.fromBase64(first?.embedding ?? "");
  assertEquals([...new Float32Array(bytes.buffer)], VECTOR);
});

Deno.test("openai package: embeddings.create() reads the gateway's errors", async () => {
  await using world = createWorld();
  const error = await assertRejects(
    () => world.client.embeddings.create({ model: "gpt-5.4", input: "a" }),
    APIError,
  );
  assertEquals([error.status, error.code, error.param], [400, "unsupported_operation", "model"]);
});

Deno.test("openai package: embeddings.create() reads the vendor's errors", async () => {
  const error = { message: "Rate limit reached", type: "requests", code: "rate_limit_exceeded" };
  await using world = createWorld(() =>
    Response.json({ error }, { status: 429, headers: { "retry-after": "9" } })
  );
  const thrown = await assertRejects(
    () => world.client.embeddings.create({ model: MODEL, input: "a" }),
    APIError,
  );
  assertEquals([thrown.status, thrown.code], [429, "rate_limit_exceeded"]);
});

Deno.test("@ai-sdk/openai-compatible: embed() and embedMany() give the vectors in order, with usage", async () => {
  await using world = createWorld();
  const { url, fetch } = world.served;
  const settings = { name: "sluice", baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch };
  const model = createOpenAICompatible(settings).embeddingModel(MODEL);
  const one = await embed({ model, value: "a", maxRetries: 0 });
  assertEquals(one.embedding, VECTOR);
  const many = await embedMany({ model, values: ["a", "b", "c"], maxRetries: 0 });
  assertEquals(many.embeddings, [VECTOR, VECTOR, VECTOR]);
  assertEquals(many.usage.tokens, 3);
});
