/** Servers on this machine that the shipped config.yaml finds when they run. */

import { assertEquals } from "@std/assert";
import { loadConfig } from "../../src/config/config.ts";
import { toWarnings } from "../../src/config/warnings.ts";
import { adapters } from "../../src/providers/registry.ts";
import { readRoot } from "../support/read_root.ts";

/** The providers of servers whose list could be read, and all that are looked for. */
function load(running: readonly string[]) {
  const config = loadConfig(readRoot("config.yaml"), {
    ...{ adapters, source: "config.yaml", env: () => undefined, newKey: () => "sk-made" },
    now: () => 0,
    readFile() {
      throw new TypeError("There are no files");
    },
    findList: ({ settings: { baseUrl } }) =>
      running.includes(baseUrl)
        ? { models: [{ id: `of-${new URL(baseUrl).port}`, facts: {} }], readAt: 1 }
        : undefined,
  });
  const sought = config.sources.filter(({ isOptional }) => isOptional);
  return {
    sought: sought.map(({ provider }) => [provider.adapter.kind, provider.settings.baseUrl]),
    models: config.models.map(({ id }) => id).filter((id) => id.startsWith("of-")),
  };
}

// The default ports: https://docs.ollama.com/faq, https://lmstudio.ai/docs/developer,
// https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html and
// https://github.com/ggml-org/llama.cpp/tree/master/tools/server (2026-11-20).
const SERVERS = [
  ["ollama", "http://127.0.0.1:11434/api"],
  ["lmstudio", "http://127.0.0.1:1234/v1"],
  ["vllm", "http://127.0.0.1:8000/v1"],
  ["llamacpp", "http://127.0.0.1:8080/v1"],
];

Deno.test("the shipped configuration looks for local servers on their default ports", () => {
  assertEquals(load([]), { sought: SERVERS, models: [] });
});

Deno.test("the shipped configuration has the models of the local servers that run", () => {
  const running = SERVERS.flatMap(([, url]) => url ?? []);
  assertEquals(load(running).models.toSorted(), ["of-11434", "of-1234", "of-8000", "of-8080"]);
  assertEquals(load(running.slice(0, 1)).models, ["of-11434"]);
});

Deno.test("a base URL of Ollama that ends in the path of its other API is a warning", () => {
  const warningsOf = (path: string) => {
    const entry = { kind: "ollama", models: ["m"], base_url: `http://127.0.0.1:11434${path}` };
    const config = loadConfig(JSON.stringify({ providers: { local: entry } }), {
      ...{ adapters, source: "config.yaml", env: () => undefined, newKey: () => "sk-made" },
      ...{ now: () => 0, readFile: () => "" },
    });
    return toWarnings(config).filter((text) => text.includes("base_url"));
  };
  assertEquals(["", "/api"].flatMap(warningsOf), []);
  assertEquals(warningsOf("/v1"), [
    "providers.local.base_url ends in '/v1', where the server has a different API from that of " +
    "kind " +
    "'ollama': remove '/v1'",
  ]);
});
