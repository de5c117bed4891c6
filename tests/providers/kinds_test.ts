/** Adapters are loaded by the configuration that names their kinds. */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ConfigErrors } from "../../src/config/config.ts";
import { loadText } from "../../src/process/config/load_config.ts";
import { KINDS, kindsIn, loadAdapters, loadedAdapters } from "../../src/providers/kinds.ts";

const loaded = () => [...loadedAdapters().keys()];

function load(kind: string) {
  const text = `providers: { one: { kind: "${kind}", api_key: sk, models: [m] } }`;
  return loadText({ text, source: "config.yaml" }, {}, (name) => name === "KIND" ? "xai" : "");
}

Deno.test("kindsIn() finds whole words, each once", () => {
  const text = "kind: openai_compatible # my-mock, mock2\nb: { kind: 'groq' }\nc: groq";
  assertEquals([...kindsIn(text)], ["openai_compatible", "groq"]);
});

Deno.test("a configuration loads the adapters of its kinds, in the order of all kinds", async () => {
  // Other tests of this process may have loaded some.
  const before = loaded();
  const { config, snapshot } = await load("groq");
  assertEquals(config.providers.get("one")?.adapter.kind, "groq");
  assertEquals(new Set(loaded()), new Set([...before, "groq"]));
  assertEquals(snapshot.kinds, loaded());
  await Promise.all([loadAdapters(["mock", "unknown"]), loadAdapters(["openai", "groq"])]);
  const expected = new Set([...before, "openai", "groq", "mock"]);
  assertEquals(loaded(), KINDS.filter((kind) => expected.has(kind)));
  assertEquals(await loadAdapters(["mock"]), loadedAdapters());
});

Deno.test("a kind in an environment variable is loaded", async () => {
  const { config } = await load("${KIND}");
  assertEquals(config.providers.get("one")?.adapter.kind, "xai");
});

Deno.test("an unknown kind is compared with all kinds, loaded or not", async () => {
  const before = loaded();
  const { message } = await assertRejects(() => load("anthropc"), ConfigErrors);
  assertStringIncludes(message, "unknown kind 'anthropc'; did you mean 'anthropic'?");
  assertEquals(loaded(), before);
});

Deno.test("the registry has all adapters under their kinds", async () => {
  const { adapters } = await import("../../src/providers/registry.ts");
  assertEquals([...adapters.keys()], KINDS);
  assertEquals([...adapters.values()].map(({ kind }) => kind), KINDS);
});
