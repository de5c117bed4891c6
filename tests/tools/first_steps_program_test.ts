/** Common mistakes of first-time users: `.env`, keys, base URLs and files. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runSluice, startSluice } from "../support/process.ts";

const CONFIG = `server: { keys: [{ name: default, key: "\${SLUICE_API_KEY}" }] }
providers: { openai: { kind: openai, api_key: "\${OPENAI_API_KEY}", models: [gpt] } }`;

Deno.test("ignored lines of .env are reported by number, without their text", async () => {
  const text = "# keys\nOPENAI_API_KEY: sk-a\n\nsk-b\nSLUICE_API_KEY=sk-s\n";
  const files = { "config.yaml": CONFIG, ".env": text };
  const { code, stdout, stderr } = await runSluice(["check"], { files });
  const warning = "sluice: .env: lines that are not NAME=value are ignored: 2, 4\n";
  assertEquals([code, stderr], [0, warning]);
  assertMatch(stdout, /^ +openai +OPENAI_API_KEY is not set$/m);
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
});
