import { assert, assertEquals } from "@std/assert";
import { factsOf } from "../../../src/providers/shared/catalogue.ts";
import rows from "../../../src/providers/shared/catalogue.json" with { type: "json" };

Deno.test("factsOf() gives everything that a row says", () => {
  assertEquals(factsOf("openai", "gpt-5.4-mini"), {
    created: 1773705600,
    context_window: 400_000,
    max_output_tokens: 128_000,
    capabilities: {
      tools: true,
      vision: true,
      json_schema: true,
      reasoning: true,
      streaming: true,
    },
    rejects_sampling_params: false,
    prices: { input: 0.75, output: 4.5, cached_input: 0.075 },
  });
});

Deno.test("factsOf() leaves out what a row does not know", () => {
  const undated = factsOf("anthropic", "claude-sonnet-5");
  assert("created" in undated);
  assert(!("created" in factsOf("anthropic", "claude-mythos-5")));
  assert(!("cached_input" in (factsOf("openai", "gpt-5.5-pro").prices ?? {})));
  assertEquals(factsOf("gemini", "gemma-4-31b-it").prices, undefined);
});

Deno.test("factsOf() serves gemini and vertex from Google's models", () => {
  const facts = factsOf("gemini", "gemini-2.5-pro");
  assertEquals(facts.context_window, 1_048_576);
  assertEquals(factsOf("vertex", "gemini-2.5-pro"), facts);
});

Deno.test("factsOf() knows nothing of other models, kinds and names of objects' members", () => {
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

Deno.test("catalogue.json holds each model of a vendor once, and no null comes out of it", () => {
  const seen = new Set<string>();
  for (const { vendor, id } of rows) {
    assert(!seen.has(`${vendor} ${id}`), `${vendor} ${id}`);
    seen.add(`${vendor} ${id}`);
    const facts = factsOf(vendor === "google" ? "gemini" : vendor, id);
    assert(!JSON.stringify(facts).includes("null"), id);
    assert(Object.keys(facts).length > 0, id);
  }
});
