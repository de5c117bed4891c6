/** The blocks of the page about clients: they are valid, and real clients work with what they set. */

import Anthropic from "@anthropic-ai/sdk";
import { Agent, OpenAIProvider, Runner } from "@openai/agents";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parse as parseToml } from "@std/toml";
import { parse as parseYaml } from "@std/yaml";
import OpenAI from "openai";
import type { ClientModel } from "../src/clients/client.ts";
import { CLIENTS } from "../src/clients/printed.ts";
import { applySettings } from "../src/clients/settings_text.ts";
import { toTarget } from "../src/tools/connect/connect.ts";
import { placesOn } from "./tools/connect/support.ts";
import { LANGCHAIN4J_VERSION, PROGRAMS } from "./clients/programs.ts";
import { loadTestConfig, SERVICE_KEY } from "./support/gateway.ts";
import { serveGateway } from "./support/server.ts";

const read = (file: string) => Deno.readTextFileSync(new URL(`../${file}`, import.meta.url));
const SECTION = read("docs/guides/clients.md");
const ORIGIN = "http://127.0.0.1:8787";

/** The shipped configuration without its server. */
const { server: _, ...SHIPPED } = parseYaml(read("config.yaml")) as Record<string, unknown>;

/** The shell block that contains a text, and the variables that it exports. */
function shellBlock(text: string) {
  const all = [...SECTION.matchAll(/```sh\n([^]*?)```/g)].map(([, block = ""]) => block);
  const block = all.find((one) => one.includes(text));
  if (block === undefined) throw new TypeError(`clients.md has no block with ${text}`);
  const variables = new Map(
    [...block.matchAll(/^export (\w+)=(\S+)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
  return { block, variables };
}

const CLAUDE = shellBlock("claude --model");
const AGENTS = shellBlock("OPENAI_AGENTS_DISABLE_TRACING");
const [, TOML = ""] = /```toml\n([^]*?)```/.exec(SECTION) ?? [];

/** What Codex reads of its file. */
interface CodexConfig {
  readonly model: string;
  readonly model_provider: string;
  readonly model_providers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
const CODEX = parseToml(TOML) as unknown as CodexConfig;

/** The settings that `sluice connect` gives a client, as the text of a new file. */
function connected(id: string): string {
  const models = ["smart", "fast"].map((name): ClientModel => ({
    id: name,
    name,
    contextWindow: 200_000,
    maxOutputTokens: undefined,
    vision: undefined,
  }));
  const find = (name: string) => models.find((model) => model.id === name);
  const target = toTarget(ORIGIN, { models, find }, new Map());
  const [file] = CLIENTS.get(id)?.files(target, placesOn("linux")) ?? [];
  return file === undefined ? "" : applySettings("", file.format, file.settings);
}

Deno.test("the blocks of Codex and Claude Code have the settings of sluice connect", () => {
  assertEquals(TOML, connected("codex"));
  const { model, env } = JSON.parse(connected("claude-code"));
  const { ANTHROPIC_AUTH_TOKEN: _, ...variables } = Object.fromEntries(CLAUDE.variables);
  assertEquals([env, model], [variables, MODELS[0]]);
});

Deno.test("the page about clients has the versions that deno task clients runs", () => {
  const page = read("docs/guides/clients.md");
  for (const { title, version } of PROGRAMS) {
    // Another transport or format of the same client is part of its row.
    const isRow = !/ over | by /.test(title);
    if (isRow) assertStringIncludes(page, `| ${title} ${version} `);
  }
  assertStringIncludes(page, `| LangChain4j ${LANGCHAIN4J_VERSION} `);
});

Deno.test("the README of sluice connect names each client with its source", () => {
  const text = read("docs/reference/connect.md");
  for (const { id, title, source, checked } of CLIENTS.values()) {
    const row = text.split("\n").find((line) => line.includes(`\`${id}\``)) ?? "";
    for (const part of [title, source, checked]) assertStringIncludes(row, part);
  }
});

/** The models that a block names. */
const MODELS = [
  /claude --model (\S+)/.exec(CLAUDE.block)?.[1],
  CLAUDE.variables.get("ANTHROPIC_DEFAULT_HAIKU_MODEL"),
  AGENTS.variables.get("OPENAI_DEFAULT_MODEL"),
  CODEX.model,
];

/** The models that clients ask for by default. */
const DEFAULTS = ["claude-opus-5-5", "gpt-6.1-sol", "gpt-5.6-luna"];

Deno.test("the models of the clients' blocks answer with the shipped configuration, without any key", () => {
  const config = loadTestConfig(SHIPPED, {});
  for (const model of MODELS) assert(config.resolve(String(model)) !== undefined, String(model));
});

Deno.test("the shipped configuration has the clients' default models, with facts", () => {
  const config = loadTestConfig(SHIPPED, { OPENAI_API_KEY: "a", ANTHROPIC_API_KEY: "b" });
  for (const model of DEFAULTS) {
    assertStringIncludes(SECTION, model);
    const { facts } = config.find(model)?.target.model ?? {};
    assert((facts?.context_window ?? 0) > 0 && facts?.prices !== undefined, model);
  }
});

Deno.test("aliases with a * make the default models answer", () => {
  const [, alias = "", target = ""] = /`"([\w-]*\*)": ([\w.-]+)`/.exec(SECTION) ?? [];
  const config = loadTestConfig({ ...SHIPPED, aliases: { [alias]: target } }, {
    OPENAI_API_KEY: "a",
  });
  assertEquals(config.resolve("claude-opus-5-5")?.[0]?.target.model.id, target);
});

Deno.test("base URLs end in /v1, but for Anthropic's clients", () => {
  const codex = CODEX.model_providers[CODEX.model_provider] ?? {};
  assertEquals(codex.base_url, `${ORIGIN}/v1`);
  assertEquals([codex.env_key, codex.wire_api], ["SLUICE_API_KEY", "responses"]);
  assertEquals(AGENTS.variables.get("OPENAI_BASE_URL"), `${ORIGIN}/v1`);
  assertEquals(CLAUDE.variables.get("ANTHROPIC_BASE_URL"), ORIGIN);
  assertStringIncludes(SECTION, `openai_base_url=${ORIGIN}/v1`);
  for (const { variables } of [AGENTS, CLAUDE]) {
    assert([...variables.values()].includes("$SLUICE_API_KEY"));
  }
  assertEquals(AGENTS.variables.get("OPENAI_AGENTS_DISABLE_TRACING"), "1");
  assert(Number(CLAUDE.variables.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW")) > 0);
});

/** Sets the variables of a block while `use` runs, with the address and the key of a gateway. */
async function withVariables(
  variables: ReadonlyMap<string, string>,
  url: string,
  use: () => Promise<void>,
): Promise<void> {
  const before = new Map([...variables.keys()].map((name) => [name, Deno.env.get(name)]));
  for (const [name, value] of variables) {
    Deno.env.set(name, value.replace(ORIGIN, url).replace("$SLUICE_API_KEY", SERVICE_KEY));
  }
  try {
    await use();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  }
}

Deno.test("Anthropic's SDK works with the variables of Claude Code's block", async () => {
  await using served = serveGateway({ config: SHIPPED });
  await withVariables(CLAUDE.variables, served.url, async () => {
    const { content } = await new Anthropic({ fetch: served.fetch }).messages.create({
      model: String(MODELS[0]),
      max_tokens: 100,
      messages: [{ role: "user", content: "Hello" }],
    });
    assertEquals(content.map((block) => block.type === "text" && block.text), ["You said: Hello"]);
  });
});

Deno.test("OpenAI's SDK and Agents SDK work with the variables of their block", async () => {
  await using served = serveGateway({ config: SHIPPED });
  await withVariables(AGENTS.variables, served.url, async () => {
    const openAIClient = new OpenAI({ fetch: served.fetch });
    const modelProvider = new OpenAIProvider({ openAIClient });
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    const agent = new Agent({ name: "Assistant" });
    const { finalOutput } = await runner.run(agent, "Hello");
    assertEquals(finalOutput, "You said: Hello");
    assertEquals(served.gateway.lines.at(-1)?.model, AGENTS.variables.get("OPENAI_DEFAULT_MODEL"));
  });
});
