/** Common mistakes of first-time users: `.env`, keys, base URLs and files. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { toCheckWarnings, toWarnings } from "../../src/config/warnings.ts";
import { runCommand } from "../support/command.ts";
import { createTestGateway, loadTestConfig } from "../support/gateway.ts";
import { failing } from "../support/scripted_vendor.ts";
import { ignoredLines } from "../../src/config/references.ts";

/** `.env` files and the numbers of their ignored lines. */
const IGNORED: readonly (readonly [string, readonly number[]])[] = [
  ["", []],
  ["A=1\n\n# c\n  B = 2\nexport C=3\nD_1.x-y=\n", []],
  ["A\n=1\nA: 1\nA B=2", [1, 2, 3, 4]],
  ['A="one\ntwo\n=three"\nB', [4]],
  ["A='unclosed\nB\nC=1", [2]],
  ["A=it's\nB\nC=it's", [2]],
  ["A='x' # it's\r\nB\r\n", [2]],
];

for (const [text, expected] of IGNORED) {
  Deno.test(`ignoredLines() of ${JSON.stringify(text)}`, () => {
    assertEquals(ignoredLines(text), expected);
  });
}

/** Providers, and the path that the warning about their `base_url` suggests. */
const BASE_URLS: readonly (readonly [Record<string, unknown>, string | undefined])[] = [
  [{ kind: "openai_compatible", base_url: "http://a.test:8000" }, "/v1"],
  [{ kind: "openai_compatible", base_url: "http://a.test:8000/" }, "/v1"],
  [{ kind: "vllm", base_url: "http://a.test:8000" }, "/v1"],
  [{ kind: "anthropic", api_key: "sk-vendor-key", base_url: "https://a.test" }, "/v1"],
  [{ kind: "gemini", api_key: "sk-vendor-key", base_url: "https://a.test" }, "/v1beta"],
  [{ kind: "groq", api_key: "sk-vendor-key", base_url: "https://a.test" }, "/openai/v1"],
  [{ kind: "openai_compatible", base_url: "http://a.test/v1" }, undefined],
  [{ kind: "openai_compatible", base_url: "http://a.test/api/paas/v4" }, undefined],
  // Other paths may be correct.
  [{ kind: "openai_compatible", base_url: "http://a.test/proxy" }, undefined],
  // Kinds without a version in their URLs, and default URLs.
  [{ kind: "ollama", base_url: "http://a.test:11434" }, undefined],
  [{ kind: "azure", api_key: "sk-vendor-key", base_url: "https://a.test" }, undefined],
  [{ kind: "deepseek", api_key: "sk-vendor-key", base_url: "https://a.test" }, undefined],
  [{ kind: "openai", api_key: "sk-vendor-key" }, undefined],
  [{ kind: "mock" }, undefined],
];

for (const [provider, path] of BASE_URLS) {
  const { kind, base_url = "none" } = provider;
  Deno.test(`${kind} with the base_url ${base_url}: ${path ?? "no"} warning`, () => {
    const config = loadTestConfig({ providers: { p: { ...provider, models: ["m"] } } });
    const warning =
      `providers.p.base_url has no path; base URLs of this kind usually end in '${path}'`;
    assertEquals(toWarnings(config), path === undefined ? [] : [warning]);
  });
}

/** A vendor's response, the base URL, and whether the error suggests a missing path. */
const NOT_FOUND: readonly (readonly [number, unknown, string, boolean])[] = [
  [404, { detail: "Not Found" }, "http://a.test:8000", true],
  [404, "404 page not found", "http://a.test/proxy", true],
  [404, { detail: "Not Found" }, "http://a.test/v1", false],
  [404, { error: { message: "File Not Found", code: 404 } }, "http://a.test", true],
  [404, { error: { message: "No such model", code: "model_not_found" } }, "http://a.test", false],
  [400, { error: { message: "Bad" } }, "http://a.test", false],
];

for (const [status, body, base_url, expected] of NOT_FOUND) {
  Deno.test(`a ${status} with ${JSON.stringify(body)} from ${base_url}: ${expected ? "a" : "no"} hint about the path`, async () => {
    const providers = { local: { kind: "openai_compatible", base_url, models: ["m"] } };
    const gateway = createTestGateway({
      config: { providers },
      fetch: failing(status, body).fetch,
    });
    const request = { model: "m", messages: [{ role: "user", content: "Hi" }] };
    const response = await gateway.call("/v1/chat/completions", request);
    const { message } = (await response.json()).error;
    assertEquals(response.status, status);
    const hint = "; the base_url of provider 'local' may lack '/v1'";
    assertEquals(message.endsWith(hint), expected, message);
    assert(!message.includes("a.test"));
  });
}

const DISABLED = { kind: "openai", api_key: "${UNSET}", models: ["gpt-5.4"] };
const MOCK = { kind: "mock", models: ["mock-echo"] };

/** Configurations and the warnings of `sluice check`. */
const WARNED: readonly (readonly [string, Record<string, unknown>, readonly string[]])[] = [
  ["nothing", { providers: { v: { ...DISABLED, api_key: "sk-vendor-key" } } }, []],
  ["no model", { providers: { v: DISABLED } }, ["No model is enabled: every provider is disabled"]],
  ["the mock as the only provider", { providers: { v: DISABLED, mock: MOCK } }, [
    "Only the mock provider is enabled: it returns simulated responses",
  ]],
  ["no service key", {
    providers: { v: { ...DISABLED, api_key: "sk-vendor-key" } },
    server: { keys: [] },
  }, [
    "No service key is set: the gateway generates and prints a new one at every start",
  ]],
  [
    "a service key that cannot use any model",
    {
      providers: { v: { ...DISABLED, api_key: "sk-vendor-key" } },
      server: {
        keys: [{ name: "a", key: "sk-first-key", models: ["gpt-*"] }, {
          name: "b",
          key: "sk-second-key",
          models: ["gtp-*"],
        }],
      },
    },
    ["The service key 'b' cannot use any model: no model matches its 'models'"],
  ],
  [
    "a store that replicas share without a key for state",
    {
      providers: { v: { ...DISABLED, api_key: "sk-vendor-key" } },
      shared_store: "redis://store.test",
    },
    [
      "Replicas do not share reasoning state and answers, since 'server.reasoning_state.key' is not set",
    ],
  ],
];

for (const [what, config, expected] of WARNED) {
  Deno.test(`toCheckWarnings() warns about ${what}`, () => {
    assertEquals(toCheckWarnings(loadTestConfig(config)), expected);
  });
}

const CONFIG = `server: { keys: [{ name: default, key: "\${SLUICE_API_KEY}" }] }
providers: { openai: { kind: openai, api_key: "\${OPENAI_API_KEY}", models: [gpt] } }`;

const ENABLED = /^ +gpt +openai +gpt$/m;

/** `.env` files that set OPENAI_API_KEY, as editors and tools write them. */
const DOT_ENVS: Readonly<Record<string, string>> = {
  "with a byte-order mark": "\uFEFFOPENAI_API_KEY=sk-a\n",
  "with CRLF": "SLUICE_API_KEY=sk-s\r\nOPENAI_API_KEY=sk-a\r\n",
  "with 'export'": "export OPENAI_API_KEY=sk-a\n",
  "with quotes": "OPENAI_API_KEY='sk-a'\n",
  "with spaces around '='": "OPENAI_API_KEY = sk-a \n",
};

for (const [what, text] of Object.entries(DOT_ENVS)) {
  Deno.test(`.env ${what} enables the provider`, async () => {
    const files = { "config.yaml": CONFIG, ".env": text };
    const { code, stdout, stderr } = await runCommand(["check"], { files });
    assertEquals([code, stderr], [0, ""]);
    assertMatch(stdout, ENABLED);
  });
}

Deno.test("UTF-16 files are reported as not being UTF-8", async () => {
  const utf16 = (text: string) => `\uFEFF${text}`.split("").map((one) => `${one}\0`).join("");
  const env = await runCommand(["check"], { files: { ".env": utf16("A=1\n") } });
  assertEquals(env.stderr, "sluice: Cannot read .env: it is not UTF-8 text\n");
  const config = await runCommand(["check"], { files: { "config.yaml": utf16(CONFIG) } });
  assertEquals(config.stderr, "sluice: Cannot read config.yaml: it is not UTF-8 text\n");
  assertEquals([env.code, config.code], [1, 1]);
});

Deno.test("a key that includes quotes is an error, as the vendor would reject it", async () => {
  // As `docker run --env-file` passes it.
  const env = { OPENAI_API_KEY: '"sk-secret"' };
  const finished = await runCommand(["check"], { files: { "config.yaml": CONFIG }, env });
  assertEquals(finished.code, 1);
  assertStringIncludes(finished.stderr, "providers.openai.api_key: must not be enclosed in quotes");
  assert(!finished.stderr.includes("sk-secret"));
});

Deno.test("check prints warnings about a configuration that is valid", async () => {
  const config = JSON.stringify({
    providers: { local: { kind: "openai_compatible", base_url: "http://a.test", models: ["m"] } },
    server: { keys: [{ name: "own", key: "sk-own" }] },
  });
  const { stdout, code } = await runCommand(["check"], { files: { "config.yaml": config } });
  assertEquals(code, 0);
  assertMatch(stdout, /\n {2}Warning: providers\.local\.base_url has no path;.*\n$/);
});
