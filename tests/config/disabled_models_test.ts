/** Names of disabled providers, unknown names, and the mock in fallback chains. */

import { adapters } from "../../src/providers/registry.ts";
import { loadConfig } from "../../src/config/config.ts";
import { assert, assertEquals } from "@std/assert";
import { parse } from "@std/yaml";
import { createTestGateway } from "../support/gateway.ts";
import { readRoot } from "../support/read_root.ts";
import { failing, ScriptedVendor } from "../support/scripted_vendor.ts";

const CHAT = "/v1/chat/completions";
const MESSAGES = [{ role: "user", content: "Hello" }];

/** The shipped configuration with these variables and the service key of the tests. */
function shippedGateway(env: Record<string, string>, vendor = new ScriptedVendor()) {
  const { server: _, ...config } = parse(readRoot("config.yaml")) as Record<string, unknown>;
  return createTestGateway({ config, env, fetch: vendor.fetch });
}

async function ask(gateway: ReturnType<typeof createTestGateway>, model: string, key?: string) {
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
  const response = await gateway.call(CHAT, { model, messages: MESSAGES }, headers);
  const { choices, error } = await response.json();
  return { status: response.status, text: choices?.[0].message.content, error };
}

Deno.test("the shipped aliases use the mock while no vendor is enabled", async () => {
  const gateway = shippedGateway({});
  for (const model of ["fast", "smart", "mock-echo"]) {
    const { status, text } = await ask(gateway, model);
    assertEquals([model, status, text], [model, 200, "You said: Hello"]);
  }
});

Deno.test("the shipped aliases do not use the mock when the vendor's key is wrong", async () => {
  const error = { message: "Incorrect API key provided", code: "invalid_api_key" };
  const gateway = shippedGateway({ OPENAI_API_KEY: "sk-wrong" }, failing(401, { error }));
  for (const model of ["fast", "smart"]) {
    const result = await ask(gateway, model);
    assertEquals([model, result.status, result.error?.code], [model, 502, "upstream_auth"]);
  }
  assertEquals((await ask(gateway, "mock-echo")).text, "You said: Hello");
});

Deno.test("an alias reports that all its providers are disabled once another vendor is enabled", async () => {
  const gateway = shippedGateway({ GROQ_API_KEY: "gsk" });
  const { status, error } = await ask(gateway, "fast");
  assertEquals([status, error.code, error.param], [404, "model_not_found", "model"]);
  assertEquals(
    error.message,
    "Alias 'fast' is configured, but its providers are disabled: " +
      "'openai' (OPENAI_API_KEY is not set), " +
      "'azure' (AZURE_OPENAI_API_KEY is not set, AZURE_OPENAI_ENDPOINT is not set), " +
      "'anthropic' (ANTHROPIC_API_KEY is not set), " +
      "'bedrock' (AWS_BEARER_TOKEN_BEDROCK is not set, AWS_ACCESS_KEY_ID is not set, " +
      "AWS_SECRET_ACCESS_KEY is not set)",
  );
  const listed = await (await gateway.call("/v1/models")).json();
  const ids = listed.data.map(({ id }: { id: string }) => id);
  assert(!ids.includes("fast") && ids.includes("mock-echo"));
});

/** Aliases, and their models when a vendor is enabled; undefined if the alias is disabled. */
const CHAINS: readonly (readonly [string, unknown, readonly string[] | undefined])[] = [
  ["a mock behind a vendor", ["real", "mock-echo"], ["real"]],
  ["a mock behind a disabled vendor", ["dark", "mock-echo"], undefined],
  ["a mock behind a disabled vendor and another", ["dark", "mock-echo", "real"], ["real"]],
  ["a mock before a vendor, to simulate a failure", ["mock-429", "real"], ["mock-429", "real"]],
  ["mocks only, to simulate a failure", ["mock-429", "mock-echo"], ["mock-429", "mock-echo"]],
  ["a pinned mock behind a vendor", ["real", "mock-echo@mock"], ["real"]],
  ["a mock with a weight", [{ model: "real", weight: 1 }, { model: "mock-echo", weight: 1 }], [
    "real",
  ]],
];

for (const [what, chain, expected] of CHAINS) {
  Deno.test(`an alias of ${what} ${expected ? `is ${expected.join(", ")}` : "is disabled"}`, () => {
    const { config } = createTestGateway({
      config: {
        providers: {
          v: { kind: "openai_compatible", base_url: "http://v.test/v1", models: ["real"] },
          unset: { kind: "openai", api_key: "${UNSET}", models: ["dark"] },
          mock: { kind: "mock", models: ["mock-echo", "mock-429"] },
        },
        aliases: { alias: chain },
      },
    });
    assertEquals(config.resolve("alias")?.map(({ target }) => target.model.id), expected);
    assertEquals(
      config.disabledAliases,
      expected ? [] : [{
        id: "alias",
        reason: "all of its providers are disabled: unset (UNSET is not set)",
      }],
    );
  });
}

const CONFIG = {
  providers: {
    openai: { kind: "openai", api_key: "k", models: ["gpt-5.4", "gpt-5.4-mini", "gpt-secret"] },
    azure: {
      kind: "azure",
      api_key: "k",
      base_url: "https://a.test",
      models: ["gpt-5.4"],
    },
    groq: { kind: "groq", api_key: "k", models: ["openai/gpt-oss-120b"] },
    "google-vertex": {
      kind: "vertex",
      api_key: "k",
      models: [{ id: "flash", upstream: "gemini-3.8-flash" }],
    },
    claude: {
      kind: "anthropic",
      api_key: "${ANTHROPIC_API_KEY}",
      models: ["claude-opus-5", "shared", "hidden-claude"],
    },
    bedrock: {
      kind: "bedrock",
      region: "us-east-1",
      api_key: "${AWS_BEARER_TOKEN_BEDROCK}",
      models: [{ id: "shared", upstream: "global.anthropic.shared" }],
    },
    openrouter: {
      kind: "openrouter",
      api_key: "${OPENROUTER_API_KEY}",
      models: ["openai/gpt-5.4-mini", "openai/gpt-5.5"],
    },
    filed: { kind: "mistral", api_key: "${file:/run/secrets/mistral}", models: ["mistral-large"] },
    empty: { kind: "cohere", models: ["command-a"] },
  },
  aliases: { best: ["claude-opus-5", "mistral-large"] },
  server: {
    keys: [
      { name: "all", key: "sk-all" },
      { name: "limited", key: "sk-limited", models: ["gpt-5*", "claude-*", "none"] },
    ],
  },
};

const NOT_SET = "ANTHROPIC_API_KEY is not set";

/** Requested models, the expected messages, and the keys. */
const MESSAGES_OF_404: readonly (readonly [model: string, message: string, key?: string])[] = [
  [
    "claude-opus-5",
    `Model 'claude-opus-5' is configured, but its provider 'claude' is disabled: ${NOT_SET}`,
  ],
  [
    "claude-opus-5@claude",
    `Model 'claude-opus-5@claude' is configured, but its provider 'claude' is disabled: ${NOT_SET}`,
  ],
  [
    "claude-opus-5",
    `Model 'claude-opus-5' is configured, but its provider 'claude' is disabled: ${NOT_SET}`,
    "sk-limited",
  ],
  [
    "shared",
    `Model 'shared' is configured, but its providers are disabled: 'claude' (${NOT_SET}), ` +
    "'bedrock' (AWS_BEARER_TOKEN_BEDROCK is not set)",
  ],
  [
    "mistral-large",
    "Model 'mistral-large' is configured, but its provider 'filed' is disabled: " +
    "a secret file cannot be read",
  ],
  [
    "command-a",
    "Model 'command-a' is configured, but its provider 'empty' is disabled: no api_key",
  ],
  [
    "best",
    `Alias 'best' is configured, but its providers are disabled: 'claude' (${NOT_SET}), ` +
    "'filed' (a secret file cannot be read)",
  ],
  // As LiteLLM writes a model that is enabled, and as a provider that is disabled lists it.
  [
    "openai/gpt-5.4-mini",
    "Model 'openai/gpt-5.4-mini' is configured, but its provider 'openrouter' is disabled: " +
    "OPENROUTER_API_KEY is not set; did you mean 'gpt-5.4-mini'?",
  ],
  [
    "openai/gpt-5.5",
    "Model 'openai/gpt-5.5' is configured, but its provider 'openrouter' is disabled: " +
    "OPENROUTER_API_KEY is not set",
  ],
  // A model that the key may not use does not exist for it.
  [
    "mistral-large",
    "The model `mistral-large` does not exist or you do not have access to it; see GET /v1/models",
    "sk-limited",
  ],
  [
    "best",
    "The model `best` does not exist or you do not have access to it; see GET /v1/models",
    "sk-limited",
  ],

  ["nothing-like-it", "The model 'nothing-like-it' does not exist; see GET /v1/models"],
  ["gtp-5.4", didYouMean("gtp-5.4", "gpt-5.4")],
  // As LiteLLM and OpenRouter write it.
  ["openai/gpt-5.4", didYouMean("openai/gpt-5.4", "gpt-5.4")],
  ["OpenAI/GPT-5.4", didYouMean("OpenAI/GPT-5.4", "gpt-5.4")],
  ["azure/gpt-5.4", didYouMean("azure/gpt-5.4", "gpt-5.4@azure")],
  ["openrouter/openai/gpt-5.4", didYouMean("openrouter/openai/gpt-5.4", "gpt-5.4")],
  ["vertex_ai/gemini-3.8-flash", didYouMean("vertex_ai/gemini-3.8-flash", "flash")],
  ["google/gemini-3.8-flash", didYouMean("google/gemini-3.8-flash", "flash")],
  ["groq/openai/gpt-oss-120b", didYouMean("groq/openai/gpt-oss-120b", "openai/gpt-oss-120b")],
  ["openai/gpt-5.4-2026-03-05", didYouMean("openai/gpt-5.4-2026-03-05", "gpt-5.4")],
  ["openai/gpt-5.4-mnii", didYouMean("openai/gpt-5.4-mnii", "gpt-5.4-mini")],
  // Names that are part of configured names.
  ["gpt-oss-120b", didYouMean("gpt-oss-120b", "openai/gpt-oss-120b")],
  ["gemini-3.8-flash", didYouMean("gemini-3.8-flash", "flash")],
  ["gpt-5.4-mini-latest", didYouMean("gpt-5.4-mini-latest", "gpt-5.4-mini")],
  [
    "anthropic/claude-opus-5",
    "The model 'anthropic/claude-opus-5' does not exist; did you mean 'claude-opus-5'? " +
    `Model 'claude-opus-5' is configured, but its provider 'claude' is disabled: ${NOT_SET}`,
  ],
  [
    "claude-opus5",
    "The model 'claude-opus5' does not exist; did you mean 'claude-opus-5'? " +
    `Model 'claude-opus-5' is configured, but its provider 'claude' is disabled: ${NOT_SET}`,
  ],
  // Suggestions include only names that the key may use.
  [
    "openai/gpt-5.4",
    "The model `openai/gpt-5.4` does not exist or you do not have access to it; did you mean 'gpt-5.4'? See GET /v1/models",
    "sk-limited",
  ],
  [
    "openai/gpt-secret",
    "The model `openai/gpt-secret` does not exist or you do not have access to it; see GET /v1/models",
    "sk-limited",
  ],
  [
    "groq/openai/gpt-oss-120b",
    "The model `groq/openai/gpt-oss-120b` does not exist or you do not have access to it; see GET /v1/models",
    "sk-limited",
  ],
];

function didYouMean(requested: string, suggested: string): string {
  return `The model '${requested}' does not exist; did you mean '${suggested}'? See GET /v1/models`;
}

for (const [model, message, key = "sk-all"] of MESSAGES_OF_404) {
  Deno.test(`a 404 for '${model}' with the key ${key}`, async () => {
    const gateway = createTestGateway({ config: CONFIG });
    const { status, error } = await ask(gateway, model, key);
    assertEquals([status, error.code, error.message], [404, "model_not_found", message]);
    const headers = { authorization: `Bearer ${key}` };
    const one = await gateway.call(`/v1/models/${model}`, undefined, headers);
    assertEquals([one.status, (await one.json()).error.message], [404, message]);
  });
}

Deno.test("the path of an unreadable file is reported to the operator, not to clients", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const filed = gateway.config.disabled.find(({ id }) => id === "filed");
  assertEquals(filed?.reason, "cannot read /run/secrets/mistral");
  const listed = await gateway.call("/v1/providers", undefined, { authorization: "Bearer sk-all" });
  assert(!(await listed.text()).includes("/run/secrets"));
});

Deno.test("a secret of a manager that is no key disables its provider or key, and not the start", () => {
  const text = JSON.stringify({
    server: { keys: [{ name: "a", key: "sk-a" }, { name: "b", key: "${vault:app/b#key}" }] },
    providers: {
      good: { kind: "mock", models: ["m"] },
      bad: { kind: "openai", api_key: "${vault:app/x#key}", models: ["gpt-5.4"] },
      pool: { kind: "openai", api_key: ["${vault:app/x#key}", "sk-own"], models: ["gpt-5.5"] },
      header: { kind: "mock", headers: { "x-key": "${vault:app/x#key}" }, models: ["n"] },
    },
  });
  for (const value of ["sk-\u0007x", "sk-1\nsk-2", "sk-\u00e9"]) {
    const config = loadConfig(text, {
      source: "test",
      adapters,
      env: () => undefined,
      readFile: () => "",
      now: () => 0,
      newKey: () => "sk-new",
      secret: () => ({ value }),
    });
    assertEquals(["good", "pool"].every((id) => config.providers.has(id)), true);
    assertEquals(config.providers.has("bad"), false);
    assertEquals(config.authenticate("sk-a")?.name, "a");
  }
});
