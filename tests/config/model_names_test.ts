import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type Config, ConfigErrors } from "../../src/config/config.ts";
import { toWarnings } from "../../src/config/warnings.ts";
import { load, LOADED_AT, targetOf } from "../support/sample_config.ts";

/** The targets of a name as `model@provider`. */
function chainOf(config: Config, model: string): string[] | undefined {
  return config.resolve(model)?.map(({ target: { model, provider } }) =>
    `${model.id}@${provider.settings.id}`
  );
}

const SHARED = `
providers:
  one: { kind: mock, models: [shared, only-one, weird@2024, "@cf/meta/llama"] }
  two: { kind: mock, models: [shared, only-two] }
  dark: { kind: openai, api_key: "\${UNSET}", models: [shared, only-dark] }
aliases:
  fast: only-two
  best: [shared@two, only-dark, shared]
  gone: [only-dark, shared@dark]
  only-one: only-two
  two@one: only-two
`;

/** Requested names and their targets; undefined if the name is unknown. */
const RESOLUTIONS: readonly (readonly [string, string, readonly string[] | undefined])[] = [
  ["an alias", "fast", ["only-two@two"]],
  ["an alias as a chain without its disabled targets", "best", ["shared@two", "shared@one"]],
  ["an alias before a model of the same name", "only-one", ["only-two@two"]],
  ["an alias before a pinned form of the same spelling", "two@one", ["only-two@two"]],
  ["a plain ID to the provider listed first", "shared", ["shared@one"]],
  ["an ID with an @", "weird@2024", ["weird@2024@one"]],
  ["an ID that begins with an @", "@cf/meta/llama", ["@cf/meta/llama@one"]],
  ["a pinned form", "shared@two", ["shared@two"]],
  ["a pinned form of a model that only one provider lists", "only-two@two", ["only-two@two"]],
  ["a pinned form of a model that an alias hides", "only-one@one", ["only-one@one"]],
  ["a pinned form split at the last @", "weird@2024@one", ["weird@2024@one"]],
  ["a pinned form that begins with an @", "@cf/meta/llama@one", ["@cf/meta/llama@one"]],
  ["an unknown name", "nothing", undefined],
  ["an alias at a provider", "fast@two", undefined],
  ["a provider that lacks the model", "only-two@one", undefined],
  ["an unknown provider", "shared@three", undefined],
  ["a disabled provider", "shared@dark", undefined],
  ["a model of a disabled provider", "only-dark", undefined],
  ["an alias of disabled models", "gone", undefined],
  ["a name in another case", "Shared", undefined],
  ["a provider in another case", "shared@One", undefined],
  ["a name with surrounding spaces", " shared ", undefined],
  ["nothing before the @", "@one", undefined],
  ["nothing after the @", "shared@", undefined],
  ["the empty name", "", undefined],
  ["constructor, a member of every object", "constructor", undefined],
  ["__proto__", "__proto__", undefined],
];

for (const [what, model, expected] of RESOLUTIONS) {
  Deno.test(`resolve() ${expected === undefined ? "does not know" : "knows"} ${what}`, () => {
    const config = load(SHARED);
    assertEquals(chainOf(config, model), expected);
    assertEquals(config.find(model)?.id, expected === undefined ? undefined : model);
  });
}

Deno.test("resolve() knows a model with the name of an object member", () => {
  const config = load("providers: { x: { kind: mock, models: [constructor, hasOwnProperty] } }");
  assertEquals(chainOf(config, "constructor"), ["constructor@x"]);
  assertEquals(chainOf(config, "hasOwnProperty@x"), ["hasOwnProperty@x"]);
});

Deno.test("resolve() prefers an exact ID to a pinned form of the same spelling", () => {
  const config = load(`providers:
  a: { kind: mock, models: [m] }
  b: { kind: mock, models: [m@a] }`);
  assertEquals(chainOf(config, "m@a"), ["m@a@b"]);
  assertEquals(config.models.map(({ id }) => id), ["m", "m@a"]);
});

const PINNED = `
providers:
  one: { kind: mock, models: [a, b] }
  two: { kind: mock, models: [b, a] }
  dark: { kind: openai, models: [a, b] }
aliases: { x: a, y: [b, b@one] }
`;

Deno.test("resolve() applies a pin to a plain ID and to its aliases", () => {
  const config = load(`${PINNED}pins: { a: two }`);
  assertEquals(chainOf(config, "a"), ["a@two"]);
  assertEquals(chainOf(config, "b"), ["b@one"]);
  assertEquals(chainOf(config, "x"), ["a@two"]);
  assertEquals(chainOf(config, "y"), ["b@one", "b@one"]);
});

Deno.test("resolve() ignores a pin to a disabled provider", () => {
  assertEquals(chainOf(load(`${PINNED}pins: { a: dark }`), "a"), ["a@one"]);
});

Deno.test("resolve() returns the same target for all of its names", () => {
  const config = load(PINNED);
  assertEquals(targetOf(config, "a") === targetOf(config, "a@one"), true);
  assertEquals(targetOf(config, "x") === targetOf(config, "a@one"), true);
});

Deno.test("resolve() does not accept the upstream name", () => {
  const config = load(`providers:
  x: { kind: mock, models: [{ id: cheap, upstream: vendor-model }] }`);
  assertEquals(targetOf(config, "cheap").model.upstream, "vendor-model");
  assertEquals(config.resolve("vendor-model"), undefined);
});

Deno.test("models lists plain IDs, then pinned forms of shared models, then aliases", () => {
  const config = load(SHARED);
  assertEquals(
    config.models.map(({ id, root, target }) => [id, root, target.provider.settings.id]),
    [
      ["shared", "shared", "one"],
      ["weird@2024", "weird@2024", "one"],
      ["@cf/meta/llama", "@cf/meta/llama", "one"],
      ["only-two", "only-two", "two"],
      ["shared@one", "shared", "one"],
      ["shared@two", "shared", "two"],
      ["fast", "only-two", "two"],
      ["best", "shared", "two"],
      ["only-one", "only-two", "two"],
      ["two@one", "only-two", "two"],
    ],
  );
});

Deno.test("models lists a pinned plain ID with the pin's provider", () => {
  const config = load(`${PINNED}pins: { a: two }`);
  assertEquals(
    config.models.map(({ id, target }) => [id, target.provider.settings.id]),
    [
      ["a", "two"],
      ["b", "one"],
      ["a@one", "one"],
      ["b@one", "one"],
      ["b@two", "two"],
      ["a@two", "two"],
      ["x", "two"],
      ["y", "one"],
    ],
  );
});

Deno.test("disabledAliases names the disabled providers of an alias", () => {
  assertEquals(load(SHARED).disabledAliases, [
    { id: "gone", reason: "all of its providers are disabled: dark (UNSET is not set)" },
  ]);
});

Deno.test("models is empty when every provider is disabled, which is not an error", () => {
  const config = load("providers: { x: { kind: openai, models: [m] } }\naliases: { a: m }");
  assertEquals(config.models, []);
  assertEquals(config.disabledAliases, [
    { id: "a", reason: "all of its providers are disabled: x (no api_key)" },
  ]);
});

const FACTS = `
providers:
  claude:
    kind: anthropic
    api_key: k
    models:
      - claude-opus-5
      - id: mine
        base_model: claude-haiku-4-5
        upstream: deployment-7
        created: 2026-03-05
        max_output_tokens: "1000"
        capabilities: { vision: false }
      - { id: other, upstream: claude-haiku-4-5, created: 1000000000, context_window: 5 }
      - { id: priced, prices: { input: 1, output: 2 }, rejects_sampling_params: true }
aliases: { best: claude-opus-5 }
`;

Deno.test("find() takes the date from the entry, else the catalogue, else the load time", () => {
  const config = load(FACTS);
  const dates = ["claude-opus-5", "claude-opus-5@claude", "best", "mine", "other", "priced"]
    .map((model) => config.find(model)?.created);
  const released = Date.UTC(2026, 6, 24) / 1000;
  assertEquals(dates, [
    released,
    released,
    released,
    Date.UTC(2026, 2, 5) / 1000,
    1_000_000_000,
    LOADED_AT,
  ]);
});

Deno.test("find() returns the model ID as the root of pinned forms and aliases", () => {
  const config = load(FACTS);
  assertEquals(config.find("mine@claude")?.root, "mine");
  assertEquals(config.find("best")?.root, "claude-opus-5");
  assertEquals(config.find("mine")?.root, "mine");
});

Deno.test("facts come from the entry, then from base_model, upstream or the ID", () => {
  const config = load(FACTS);
  const mine = targetOf(config, "mine").model;
  assertEquals([mine.upstream, mine.base], ["deployment-7", "claude-haiku-4-5"]);
  assertEquals(mine.facts.context_window, 200_000);
  assertEquals(mine.facts.max_output_tokens, 1000);
  assertEquals(mine.facts.capabilities?.vision, false);
  assertEquals(mine.facts.capabilities?.tools, true);
  const other = targetOf(config, "other").model;
  assertEquals([other.base, other.facts.context_window], ["claude-haiku-4-5", 5]);
  assertEquals(other.facts.max_output_tokens, 64_000);
  assertEquals(targetOf(config, "priced").model.facts, {
    rejects_sampling_params: true,
    prices: { input: 1, output: 2 },
  });
});

const KEYED = `
server:
  keys:
    - { name: all, key: a }
    - { name: some, key: b, models: ["gpt-*", fast, "*-mini-*x", weird, "a*b*b", "c*c"] }
providers:
  one: { kind: mock, models: [gpt-5, gpt-6, o-mini-1x, o-mini-x, o-minix, claude, weird@2024, ab, abb, c, cc] }
  two: { kind: mock, models: [gpt-5, claude] }
aliases: { fast: claude, gpt: claude, "slow@two": claude, gpt-alias: claude }
`;

/** The models that the key with patterns may use. */
const ALLOWED: readonly (readonly [string, boolean])[] = [
  ["gpt-5", true],
  ["gpt-5@one", true],
  ["gpt-5@two", true],
  ["gpt-6@one", true],
  ["gpt-alias", true],
  ["o-mini-1x", true],
  ["o-mini-x", true],
  ["o-minix", false],
  // A character cannot match two parts of a pattern.
  ["ab", false],
  ["abb", true],
  ["c", false],
  ["cc", true],
  ["fast", true],
  ["gpt", false],
  ["claude", false],
  ["claude@two", false],
  // The '@' here belongs to the ID, so that 'weird' is not its plain ID.
  ["weird@2024", false],
  ["weird@2024@one", false],
  ["slow@two", false],
  ["gpt-unknown", false],
];

for (const [model, expected] of ALLOWED) {
  Deno.test(`isAllowed() ${expected ? "allows" : "rejects"} '${model}'`, () => {
    const config = load(KEYED);
    const [all, some] = config.serviceKeys;
    assertEquals(some && config.isAllowed(some, model), expected);
    assertEquals(all && config.isAllowed(all, model), true);
  });
}

Deno.test("suggest() finds a similar name among those that the key may use", () => {
  const config = load(KEYED);
  const [all, some] = config.serviceKeys;
  if (all === undefined || some === undefined) throw new TypeError("Two keys are configured");
  assertEquals(config.suggest("cluade", all), "claude");
  assertEquals(config.suggest("gpt-5@tow", all), "gpt-5@two");
  assertEquals(config.suggest("entirely-different", all), undefined);
  assertEquals(config.suggest("cluade", some), undefined);
  assertEquals(config.suggest("GPT-6", some), "gpt-6");
});

Deno.test("suggest() prefers models to aliases of names that cannot be used", () => {
  const config = load(`
providers:
  dark: { kind: openai, api_key: "\${UNSET}", models: [model-b] }
aliases: { model-a: model-b }
server: { keys: [{ name: all, key: sk-all-12345678 }] }
`);
  const [key] = config.serviceKeys;
  assertEquals(key && config.suggest("model-c", key), "model-b");
});

const PATTERNS = `
providers:
  one: { kind: mock, models: [a, b, c, claude-x] }
  dark: { kind: openai, api_key: "\${UNSET}", models: [gpt-d, claude-d] }
aliases:
  claude-exact: c
  "claude-*": a
  "claude-opus-*": [b, c]
  "*-latest": c
  "my-*-old": gpt-d
  "gpt-*": [gpt-d, b]
`;

/** Requested names, the alias that they fit, and their targets. */
const BY_PATTERN:
  readonly (readonly [string, string | undefined, readonly string[] | undefined])[] = [
    ["claude-haiku-5-5", "claude-*", ["a@one"]],
    ["claude-opus-5-5", "claude-opus-*", ["b@one", "c@one"]],
    ["claude-opus-", "claude-opus-*", ["b@one", "c@one"]],
    ["claude-opus", "claude-*", ["a@one"]],
    ["any-latest", "*-latest", ["c@one"]],
    // Of two that fit, the longer one applies, and of two with the same length the longer prefix.
    ["claude-opus-latest", "claude-opus-*", ["b@one", "c@one"]],
    ["claude-latest", "claude-*", ["a@one"]],
    // Enabled names precede patterns.
    ["claude-exact", undefined, ["c@one"]],
    ["claude-x", undefined, ["claude-x@one"]],
    // A model of a disabled provider is no such name.
    ["claude-d", "claude-*", ["a@one"]],
    ["gpt-new", "gpt-*", ["b@one"]],
    // A pinned form says which provider is meant.
    ["claude-x@two", undefined, undefined],
    ["claude-y@one", undefined, undefined],
    ["my-x-old", undefined, undefined],
    ["Claude-x", undefined, undefined],
    ["claude", undefined, undefined],
  ];

for (const [model, alias, expected] of BY_PATTERN) {
  Deno.test(`'${model}' resolves by ${alias ?? "no alias with a *"}`, () => {
    const config = load(PATTERNS);
    assertEquals(chainOf(config, model), expected);
    assertEquals(config.patternOf(model), alias);
    assertEquals(config.find(model)?.id, expected && model);
  });
}

Deno.test("an alias with a * is no row of the models, and one without a usable model is explained", () => {
  const config = load(PATTERNS);
  assertEquals(config.models.filter(({ id }) => id.includes("*")), []);
  assertEquals(config.aliasPatterns, ["claude-opus-*", "claude-*", "*-latest", "gpt-*"]);
  assertEquals(config.disabledAliases.map(({ id }) => id), ["my-*-old"]);
  assertEquals(
    config.explainDisabled("my-own-old"),
    "Alias 'my-*-old' is configured, but its provider 'dark' is disabled: UNSET is not set",
  );
  const anyone = { name: "any" };
  assertEquals(config.suggest("claud-exact", anyone), "claude-exact");
});

Deno.test("a key may use names of an alias with a * that its own models match", () => {
  const config = load(`server:
  keys:
    - { name: haiku, key: sk-1, models: ["claude-haiku-*"] }
    - { name: exact, key: sk-2, models: [claude-new] }
    - { name: targets, key: sk-3, models: [a] }
${PATTERNS}`);
  const allowed = (token: string, model: string) => {
    const key = config.authenticate(token);
    return key !== undefined && config.isAllowed(key, model);
  };
  assertEquals(allowed("sk-1", "claude-haiku-9"), true);
  assertEquals(allowed("sk-1", "claude-opus-9"), false);
  assertEquals(allowed("sk-1", "claude-*"), false);
  assertEquals(allowed("sk-1", "claude-haiku-9@one"), false);
  assertEquals(allowed("sk-2", "claude-new"), true);
  assertEquals(allowed("sk-2", "claude-newer"), false);
  assertEquals(allowed("sk-3", "claude-haiku-9"), false);
  assertEquals(toWarnings(config), []);
  const useless = load(`server: { keys: [{ name: k, key: sk-1, models: ["mistral-*"] }] }
${PATTERNS}`);
  assertEquals(toWarnings(useless).length, 1);
});

Deno.test("an alias with two * is an error with its position", () => {
  const thrown = assertThrows(
    () => load('providers: { x: { kind: mock, models: [m] } }\naliases: { "a*b*": m }'),
    ConfigErrors,
  );
  assertStringIncludes(String(thrown), "may contain only one '*'");
  assertStringIncludes(String(thrown), "a*b*");
});
