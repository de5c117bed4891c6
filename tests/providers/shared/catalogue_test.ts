import { assert, assertEquals } from "@std/assert";
import { factsOf } from "../../../src/providers/shared/catalogue.ts";
import embeddingModels from "../../../src/providers/shared/embedding_models.json" with {
  type: "json",
};
import mediaModels from "../../../src/providers/shared/media_models.json" with { type: "json" };
import rows from "../../../src/providers/shared/catalogue.json" with { type: "json" };

Deno.test("factsOf() returns every value of a row", () => {
  assertEquals(factsOf("openai", "gpt-5.4-mini"), {
    created: 1773705600,
    context_window: 400_000,
    max_output_tokens: 128_000,
    capabilities: {
      embeddings: false,
      tools: true,
      vision: true,
      json_schema: true,
      reasoning: true,
      streaming: true,
    },
    rejects_sampling_params: false,
    prices: { input: 0.75, output: 4.5, cached_input: 0.075, tiers: new Map([["flex", 0.5]]) },
  });
});

Deno.test("factsOf() finds embedding models under the names of each vendor that serves them", () => {
  const facts = {
    context_window: 8192,
    dimensions: 1536,
    capabilities: { embeddings: true },
    prices: { input: 0.02, output: 0 },
  };
  assertEquals(factsOf("openai", "text-embedding-3-small"), facts);
  assertEquals(factsOf("azure", "text-embedding-3-small"), facts);
  assertEquals(factsOf("vertex", "gemini-embedding-001").dimensions, 3072);
  const titan = factsOf("bedrock", "amazon.titan-embed-text-v2:0");
  assertEquals(titan.dimensions, 1024);
  const arn = "arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.titan-embed-text-v2:0";
  assertEquals(factsOf("bedrock", arn), titan);
  assertEquals(factsOf("bedrock", "global.cohere.embed-v4:0").dimensions, 1536);
});

Deno.test("factsOf() knows the prices of units, and what a model does not do", () => {
  const whisper = factsOf("openai", "whisper-1");
  assertEquals(whisper.capabilities, { embeddings: false, transcription: true });
  assertEquals(whisper.prices, { input: 0, output: 0, units: { seconds: 0.006 / 60 } });
  const imagen = { input: 0, output: 0, units: { images: 0.04 } };
  assertEquals(factsOf("vertex", "imagen-4.0-generate-001").prices, imagen);
  const canvas = factsOf("bedrock", "us.amazon.nova-canvas-v1:0").prices?.units;
  assertEquals(canvas, { images: 0.06 });
  assertEquals(factsOf("cohere", "rerank-v4.0-pro").prices?.units, { searches: 0.0025 });
  assertEquals(factsOf("elevenlabs", "eleven_v3").prices?.units, { characters: 80 / 1e6 });
  assertEquals(factsOf("azure", "gpt-image-1").prices, { input: 10, output: 40 });
  // It chats, too.
  assertEquals(factsOf("gemini", "gemini-2.5-flash-image").capabilities, { embeddings: false });
});

Deno.test("factsOf() omits unknown values of a row", () => {
  const undated = factsOf("anthropic", "claude-sonnet-5");
  assert("created" in undated);
  assert(!("created" in factsOf("anthropic", "claude-mythos-5")));
  assert(!("cached_input" in (factsOf("openai", "gpt-5.5-pro").prices ?? {})));
  assertEquals(factsOf("gemini", "gemma-4-31b-it").prices, undefined);
});

Deno.test("factsOf() finds Google's models for gemini and vertex", () => {
  const facts = factsOf("gemini", "gemini-2.5-pro");
  assertEquals(facts.context_window, 1_048_576);
  assertEquals(factsOf("vertex", "gemini-2.5-pro"), facts);
});

Deno.test("factsOf() returns nothing for other models, kinds, and names of object members", () => {
  for (
    const [kind, model] of [
      ["openai", "claude-opus-5"],
      ["openai", "gpt-5.4-mini-2026-03-17"],
      ["openai_compatible", "gpt-5.4-mini"],
      ["openai", "constructor"],
      ["__proto__", "toString"],
    ] as const
  ) {
    assertEquals(factsOf(kind, model), {}, `${kind} ${model}`);
  }
});

Deno.test("catalogue.json contains each model of a vendor once, and facts contain no null", () => {
  const seen = new Set<string>();
  for (const { vendor, id } of [...rows, ...embeddingModels, ...mediaModels]) {
    assert(!seen.has(`${vendor} ${id}`), `${vendor} ${id}`);
    seen.add(`${vendor} ${id}`);
    const facts = factsOf(vendor === "google" ? "gemini" : vendor, id);
    assert(!JSON.stringify(facts).includes("null"), id);
    assert(Object.keys(facts).length > 0, id);
  }
});
