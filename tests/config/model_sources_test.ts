import { assertEquals, assertThrows } from "@std/assert";
import { ConfigErrors } from "../../src/config/config.ts";
import { loadListed } from "../support/model_lists.ts";
import type { ModelList } from "../../src/config/providers.ts";

const HOME = { kind: "openai_compatible", base_url: "http://127.0.0.1:1/v1" };
const CLOUD = { kind: "openai", api_key: "sk-1" };

const listOf = (...ids: readonly string[]): ModelList => ({
  models: ids.map((id) => ({ id, facts: {} })),
  readAt: 1_800_000_000_000,
});

/** The errors of a configuration as lines of path and message. */
function errorsOf(load: () => unknown): string[] {
  const thrown = assertThrows(load);
  if (!(thrown instanceof ConfigErrors)) throw thrown;
  return thrown.errors.map(({ path, message }) => `${path}: ${message}`);
}

/** The names of all models. */
function namesOf(
  models: unknown,
  list: ModelList | undefined,
  others: Record<string, unknown> = {},
): string[] {
  const config = loadListed({ home: { ...HOME, models } }, () => list, others);
  return config.models.map(({ id }) => id);
}

Deno.test("'auto' stands for all models that the vendor lists", () => {
  assertEquals(namesOf("auto", listOf("b", "a")), ["b", "a"]);
});

Deno.test("patterns select models of the list, and '!' excludes them", () => {
  const list = listOf("gpt-5", "gpt-5-audio-x", "gpt-4", "o3");
  assertEquals(namesOf(["gpt-5*", "!*-audio*"], list), ["gpt-5"]);
  assertEquals(namesOf(["!gpt-*"], list), ["o3"]);
  assertEquals(namesOf(["o3", "gpt-4*"], list), ["o3", "gpt-4"]);
});

Deno.test("a model that config.yaml names keeps its settings and gets the facts of the list", () => {
  const facts = { context_window: 1000, prices: { input: 1, output: 2 } };
  const list = { ...listOf("a"), models: [{ id: "a", facts }] };
  const models = ["*", { id: "a", prices: { input: 5, output: 6 } }, { id: "b", upstream: "a" }];
  const config = loadListed({ home: { ...HOME, models } }, () => list);
  const factsOf = (id: string) => config.find(id)?.target.model.facts;
  assertEquals(config.models.map(({ id }) => id), ["a", "b"]);
  assertEquals(factsOf("a"), { context_window: 1000, prices: { input: 5, output: 6 } });
  assertEquals(factsOf("b"), facts);
});

Deno.test("what the vendor lists takes precedence over the catalogue, member by member", () => {
  const facts = { context_window: 77, capabilities: { vision: false } };
  const list = { ...listOf(), models: [{ id: "gpt-5.4", facts }] };
  const config = loadListed({ cloud: { ...CLOUD, models: "auto" } }, () => list);
  const { capabilities, context_window, max_output_tokens } =
    config.find("gpt-5.4")?.target.model.facts ?? {};
  assertEquals([context_window, max_output_tokens], [77, 128_000]);
  assertEquals([capabilities?.vision, capabilities?.tools], [false, true]);
});

Deno.test("a vendor's list takes over no name of config.yaml, and no pinned form of a provider", () => {
  const lists = new Map([["home", listOf("gpt-5.4", "gpt-5.4@cloud", "x@2024")]]);
  const config = loadListed({
    home: { ...HOME, models: "auto" },
    cloud: { ...CLOUD, models: ["gpt-5.4"] },
  }, ({ settings }) => lists.get(settings.id));
  const providerOf = (model: string) => config.find(model)?.target.provider.settings.id;
  assertEquals(providerOf("gpt-5.4"), "cloud");
  assertEquals(providerOf("gpt-5.4@cloud"), "cloud");
  assertEquals(providerOf("gpt-5.4@home"), "home");
  assertEquals(providerOf("x@2024"), "home");
});

Deno.test("a provider without a list is enabled, and its names are unknown but no errors", () => {
  const config = loadListed({ home: { ...HOME, models: "auto" } }, () => undefined, {
    aliases: { fast: "later", both: ["later@home", "other"] },
    pins: { later: "home" },
    limits: { models: { later: { requests_per_minute: 1 } } },
  });
  assertEquals([...config.providers.keys()], ["home"]);
  assertEquals(config.models, []);
  assertEquals(config.disabledAliases, [
    { id: "fast", reason: "no provider lists its models at present" },
    { id: "both", reason: "no provider lists its models at present" },
  ]);
  assertEquals(
    config.explainDisabled("fast"),
    "Alias 'fast' is configured, but no provider lists its models at present",
  );
});

Deno.test("an alias uses those of its models that are listed", () => {
  const config = loadListed({ home: { ...HOME, models: "auto" } }, () => listOf("b"), {
    aliases: { best: ["a", "b"] },
  });
  assertEquals(config.resolve("best")?.map(({ target }) => target.model.id), ["b"]);
});

Deno.test("names that no pattern selects are errors", () => {
  const models = ["gpt-*", "!*-audio*"];
  const others = { aliases: { fast: "o3", a: "gpt-1-audio", b: "gpt-2@home", c: "o3@home" } };
  assertEquals(errorsOf(() => loadListed({ home: { ...HOME, models } }, () => undefined, others)), [
    "aliases.fast: unknown model 'o3'",
    "aliases.a: unknown model 'gpt-1-audio'",
    "aliases.c: unknown model 'o3@home'",
  ]);
});

Deno.test("a provider with 'if_running' is absent until its list was read", () => {
  const providers = { home: { ...HOME, models: "auto", if_running: true } };
  const absent = loadListed(providers);
  assertEquals([absent.providers.size, absent.disabled, absent.sources.length], [0, [], 1]);
  const found = loadListed(providers, () => listOf("a"));
  assertEquals(found.models.map(({ id }) => id), ["a"]);
});

for (
  const [what, provider, expected] of [
    ["a kind without a list", { kind: "perplexity", api_key: "k", models: "auto" }, [
      "providers.p.models: must name each model: 'perplexity' has no model list",
    ]],
    ["'if_running' without a list", { ...HOME, models: ["a"], if_running: true }, [
      "providers.p.if_running: needs the vendor's model list, such as 'models: auto'",
    ]],
    ["another word than 'auto'", { ...HOME, models: "all" }, [
      "providers.p.models: must be 'auto' or a list, such as [all]",
    ]],
    ["an object with a pattern", { ...HOME, models: [{ id: "gpt-*" }] }, [
      "providers.p.models[0].id: must be the ID of one model: patterns with '*' are not supported",
    ]],
  ] as const
) {
  Deno.test(`loadConfig() refuses ${what}`, () => {
    assertEquals(errorsOf(() => loadListed({ p: provider })), [...expected]);
  });
}
