/**
 * A fact about a model stands in catalogue.json; the tables of the vendors say the same of its
 * family, for ids that the catalogue does not list. Here the two are held together.
 */

import { assert, assertEquals } from "@std/assert";
import type { ModelFacts } from "../../../src/contract/model_facts.ts";
import { factsOf } from "../../../src/providers/shared/catalogue.ts";
import rows from "../../../src/providers/shared/catalogue.json" with { type: "json" };
import { claudeModel } from "../../../src/providers/shared/claude/models.ts";
import { thinks } from "../../../src/providers/cohere/plan.ts";
import { geminiModel } from "../../../src/providers/gemini/models.ts";
import { isReasoningModel, samplingSupport } from "../../../src/providers/openai/models.ts";
import type { TargetModel } from "../../../src/contract/vendor_request.ts";

/** The facts that a table has about a model by its id, under the catalogue's names. */
type Told = Partial<Record<"max_output_tokens" | "reasoning" | "json_schema" | "rejects", unknown>>;

const TABLES: Readonly<Record<string, (id: string) => Told>> = {
  anthropic(id) {
    const { maxTokens, sampling, schemas, thinking } = claudeModel(id);
    return {
      max_output_tokens: maxTokens,
      reasoning: thinking !== "none",
      json_schema: schemas,
      rejects: !sampling,
    };
  },
  google: (id) => ({ reasoning: geminiModel(id).thinking.by !== "nothing" }),
  openai(id) {
    const model: TargetModel = { id, upstream: id, base: id, facts: {} };
    const messages = [{ role: "user" as const, content: "Hi" }];
    return {
      reasoning: isReasoningModel(model),
      rejects: "temperature" in samplingSupport({ model: id, messages }, model),
    };
  },
  cohere: (id) => ({ reasoning: thinks(id, {}) }),
};

/** Where the two mean different things, and why. */
const EXCEPTIONS = new Map([
  ["gemma-4-31b-it reasoning", "it reasons, but has no thinkingConfig that would say how much"],
]);

for (const [vendor, tell] of Object.entries(TABLES)) {
  Deno.test(`${vendor}: what its table says of a model is what the catalogue says`, () => {
    const models = rows.filter((row) => row.vendor === vendor);
    assert(models.length > 0);
    const differences = models.flatMap(({ id }) =>
      differencesOf(id, tell(id), factsOf(vendor, id))
    );
    assertEquals(differences.filter((name) => !EXCEPTIONS.has(nameOf(name))), []);
  });
}

Deno.test("every listed exception is still needed", () => {
  const all = Object.entries(TABLES).flatMap(([vendor, tell]) =>
    rows.filter((row) => row.vendor === vendor)
      .flatMap(({ id }) => differencesOf(id, tell(id), factsOf(vendor, id)))
  );
  const names = new Set(all.map(nameOf));
  assertEquals([...EXCEPTIONS.keys()].filter((name) => !names.has(name)), []);
});

Deno.test("a table that differs is detected", () => {
  const facts = { max_output_tokens: 64_000, rejects_sampling_params: true };
  assertEquals(differencesOf("m", { max_output_tokens: 128_000, rejects: true }, facts), [
    "m max_output_tokens: 128000, not 64000",
  ]);
});

function differencesOf(id: string, reported: Told, facts: ModelFacts): string[] {
  const known: Told = {
    max_output_tokens: facts.max_output_tokens,
    reasoning: facts.capabilities?.reasoning,
    json_schema: facts.capabilities?.json_schema,
    rejects: facts.rejects_sampling_params,
  };
  return Object.entries(reported).flatMap(([name, value]) => {
    const fact = known[name as keyof Told];
    return fact === undefined || fact === value ? [] : [`${id} ${name}: ${value}, not ${fact}`];
  });
}

/** The model and the fact, without the values. */
function nameOf(difference: string): string {
  return difference.replace(/:.*$/, "");
}
