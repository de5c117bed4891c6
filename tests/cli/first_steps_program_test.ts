/** Common mistakes of first-time users: `.env`, keys, base URLs and files. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runSluice, startSluice } from "../support/process.ts";

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
    const { code, stdout, stderr } = await runSluice(["check"], { files });
    assertEquals([code, stderr], [0, ""]);
    assertMatch(stdout, ENABLED);
  });
}

Deno.test("ignored lines of .env are reported by number, without their text", async () => {
  const text = "# keys\nOPENAI_API_KEY: sk-a\n\nsk-b\nSLUICE_API_KEY=sk-s\n";
  const files = { "config.yaml": CONFIG, ".env": text };
  const { code, stdout, stderr } = await runSluice(["check"], { files });
  const warning = "sluice: .env: lines that are not NAME=value are ignored: 2, 4\n";
  assertEquals([code, stderr], [0, warning]);
  assertMatch(stdout, /^ +openai +OPENAI_API_KEY is not set$/m);
});

Deno.test("UTF-16 files are reported as not being UTF-8", async () => {
  const utf16 = (text: string) => `\uFEFF${text}`.split("").map((one) => `${one}\0`).join("");
  const env = await runSluice(["check"], { files: { ".env": utf16("A=1\n") } });
  assertEquals(env.stderr, "sluice: Cannot read .env: it is not UTF-8 text\n");
  const config = await runSluice(["check"], { files: { "config.yaml": utf16(CONFIG) } });
  assertEquals(config.stderr, "sluice: Cannot read ./config.yaml: it is not UTF-8 text\n");
  assertEquals([env.code, config.code], [1, 1]);
});

Deno.test("a key that includes quotes is an error, as the vendor would reject it", async () => {
  // As `docker run --env-file` passes it.
  const env = { OPENAI_API_KEY: '"sk-secret"' };
  const finished = await runSluice(["check"], { files: { "config.yaml": CONFIG }, env });
  assertEquals(finished.code, 1);
  assertStringIncludes(finished.stderr, "providers.openai.api_key: must not be enclosed in quotes");
  assert(!finished.stderr.includes("sk-secret"));
});

for (
  const [what, keys, env, expected] of [
    ["names the variable of a service key", [{ name: "a", key: "${TEAM_KEY}" }], {}, "TEAM_KEY"],
    ["names server.keys without one", [], { SLUICE_API_KEY: "x" }, "server.keys in config.yaml"],
  ] as const
) {
  Deno.test(`the banner ${what}, and its curl works`, async () => {
    const config = JSON.stringify({
      server: { port: 0, keys },
      providers: { mock: { kind: "mock", models: ["mock-echo"] } },
    });
    await using running = startSluice([], { files: { "config.yaml": config }, env });
    await running.logged("Next steps:");
    const [, key, advice] = /^ {2}key {7}(\S+) {2}\(.*; set (.*) to keep the same key\)$/m
      .exec(running.stderr()) ?? [];
    assertEquals(advice, expected);
    assertStringIncludes(running.stderr(), `-H "Authorization: Bearer ${key}"`);
  });
}

Deno.test("the banner's curl names SLUICE_API_KEY only if it is a service key", async () => {
  for (const [own, bearer] of [["sk-own", "$SLUICE_API_KEY"], ["sk-x", "YOUR-SERVICE-KEY"]]) {
    const config = JSON.stringify({
      server: { port: 0, keys: [{ name: "own", key: own }] },
      providers: { mock: { kind: "mock", models: ["mock-echo"] } },
    });
    await using running = startSluice([], {
      files: { "config.yaml": config },
      env: { SLUICE_API_KEY: "sk-own" },
    });
    await running.logged("Next steps:");
    assertStringIncludes(running.stderr(), `-H "Authorization: Bearer ${bearer}"`);
  }
});

Deno.test("warnings are printed in the banner, and the gateway starts", async () => {
  const config = JSON.stringify({
    server: { port: 0, keys: [{ name: "own", key: "sk-own" }] },
    providers: { local: { kind: "openai_compatible", base_url: "http://a.test", models: ["m"] } },
  });
  await using running = startSluice([], { files: { "config.yaml": config } });
  await running.logged("Next steps:");
  assertStringIncludes(
    running.stderr(),
    "\n  Warning: providers.local.base_url has no path; base URLs of this kind usually end in '/v1'\n",
  );
  const { stdout, code } = await runSluice(["check"], { files: { "config.yaml": config } });
  assertEquals(code, 0);
  assertMatch(stdout, /\n {2}Warning: providers\.local\.base_url has no path;.*\n$/);
});
