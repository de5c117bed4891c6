/** The guides' configurations are valid, and send requests where the guides say. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parse } from "@std/yaml";
import { readCommand } from "../src/tools/arguments.ts";
import { createTestGateway, type TestGateway } from "./support/gateway.ts";
import { sayHello, ScriptedVendor, type Sent } from "./support/scripted_vendor.ts";

const FOLDER = new URL("../docs/guides/", import.meta.url);
const ENV = Object.fromEntries(
  [
    ...["SLUICE_API_KEY", "SLUICE_STATE_KEY", "SLUICE_ADMIN_KEY", "SLUICE_KEY_PEPPER"],
    ...["OPENAI_API_KEY", "OPENAI_API_KEY_2", "ANTHROPIC_API_KEY", "COHERE_API_KEY"],
    ...["SLUICE_METRICS_KEY"],
    ...["AWS_BEARER_TOKEN_BEDROCK", "AZURE_OPENAI_API_KEY", "AZURE_EAST_KEY", "AZURE_WEST_KEY"],
    ...["ANA_KEY", "NIGHTLY_KEY"],
  ].map((name) => [name, `value-of-${name}-of-at-least-32-characters`]),
);
const VARIABLES = {
  ...ENV,
  AZURE_OPENAI_ENDPOINT: "https://our.openai.azure.com",
  VALKEY_URL: "redis://valkey:6379",
  DATABASE_URL: "postgres://u:p@db:5432/sluice",
};

function guide(name: string): string {
  return Deno.readTextFileSync(new URL(`${name}.md`, FOLDER));
}

/** The blocks of a language in a guide. */
function blocks(name: string, language: string): string[] {
  return [...guide(name).matchAll(new RegExp("```" + language + "\\n([^]*?)```", "g"))]
    .map(([, text = ""]) => text);
}

/** A gateway with a guide's configuration, and the vendor behind all of its providers. */
function start(
  name: string,
  script: (sent: Sent) => Response | Promise<Response> = sayHello,
): { gateway: TestGateway; vendor: ScriptedVendor } {
  const [text = ""] = blocks(name, "yaml");
  const vendor = new ScriptedVendor(script);
  const config = parse(text) as Record<string, unknown>;
  const gateway = createTestGateway({ config, env: VARIABLES, fetch: vendor.fetch });
  assertEquals(gateway.config.disabled, []);
  return { gateway, vendor };
}

const key = (name: string) => ({
  authorization: `Bearer ${VARIABLES[name as keyof typeof VARIABLES]}`,
  host: "llm.example.com",
});
const chat = (model: string) => ({
  model,
  max_tokens: 10,
  messages: [{ role: "user", content: "Hi" }],
});

/** Guides that tests/guides runs whole, by a block that names its file. */
const RUN_WHOLE = /^```yaml config\.yaml$/m;

const NAMES = [...Deno.readDirSync(FOLDER)].map(({ name }) => name.replace(/\.md$/, ""))
  .filter((name) => name !== "clients" && !RUN_WHOLE.test(guide(name)));

for (const name of NAMES) {
  Deno.test(`the guide '${name}' has a valid configuration, and each of its aliases a target`, () => {
    const { gateway: { config } } = start(name);
    const [text = ""] = blocks(name, "yaml");
    const { aliases = {} } = parse(text) as { aliases?: Record<string, unknown> };
    for (const alias of Object.keys(aliases)) {
      assert(config.resolve(alias.replace("*", "x")) !== undefined, alias);
    }
  });

  Deno.test(`the commands of the guide '${name}' exist`, () => {
    for (const section of guide(name).split(/^#{2,} /m)) {
      const isElsewhere = /_\(not tested here: \w+\)_/.test(section);
      for (const [, block = ""] of section.matchAll(/```sh\n([^]*?)```/g)) {
        for (const command of block.replaceAll(/\\\n */g, "").trim().split("\n")) {
          const [program = "", ...args] = command.split(" ");
          if (program === "sluice") readCommand(args.map((word) => word.replaceAll("'", "")));
          else assert(isElsewhere || program === "curl" || program === "export", command);
        }
      }
    }
  });
}

Deno.test("the list of guides has each of them", () => {
  const index = Deno.readTextFileSync(new URL("../README.md", FOLDER));
  for (const { name } of Deno.readDirSync(FOLDER)) assertStringIncludes(index, `(guides/${name})`);
});

Deno.test("ollama: the local server answers, and the vendor when it cannot be reached", async () => {
  const local = start("ollama");
  const first = await local.gateway.call("/v1/chat/completions", chat("fast"));
  assertEquals([first.status, first.headers.get("x-sluice-provider")], [200, "home"]);
  assertEquals(local.vendor.sent.map(({ url }) => new URL(url).port), ["11434"]);
  await first.body?.cancel();

  const away = start("ollama", (sent) => {
    if (sent.url.includes(":11434")) throw new TypeError("connection refused");
    return sayHello(sent);
  });
  const second = await away.gateway.call("/v1/chat/completions", chat("fast"));
  assertEquals([second.status, second.headers.get("x-sluice-provider")], [200, "openai"]);
  assertEquals(second.headers.get("x-sluice-attempts"), "2");
  await second.body?.cancel();
});

Deno.test("team: a key has its models, and its budget ends", async () => {
  const { gateway, vendor } = start("team");
  const refused = await gateway.call("/v1/chat/completions", chat("smart"), key("NIGHTLY_KEY"));
  assertEquals([refused.status, (await refused.json()).error.code], [404, "model_not_found"]);
  const allowed = await gateway.call(
    "/v1/chat/completions",
    chat("gpt-5.4-mini"),
    key("NIGHTLY_KEY"),
  );
  assertEquals(allowed.status, 200);
  await allowed.body?.cancel();
  assertEquals(vendor.sent.length, 1);
  const smart = await gateway.call("/v1/chat/completions", chat("smart"), key("ANA_KEY"));
  assertEquals(smart.status, 200);
  await smart.body?.cancel();
  const usage = await gateway.call("/v1/usage", undefined, key("ANA_KEY"));
  assertEquals((await usage.json()).budget.limit_usd, 50);
});

Deno.test("claude_code: the names of Claude Code reach Claude on Bedrock", async () => {
  const names = {
    "claude-opus-5-5": "claude-opus-5",
    "claude-haiku-5-5": "haiku",
    "fast": "haiku",
  };
  for (const [name, upstream] of Object.entries(names)) {
    const { gateway, vendor } = start(
      "claude_code",
      ({ url, body }) => sayHello({ url: url.replace(/\/invoke$/, "/messages"), body }),
    );
    const answer = await gateway.call("/v1/messages", chat(name), key("SLUICE_API_KEY"));
    assertEquals(answer.status, 200, await answer.text());
    const [{ url } = { url: "" }] = vendor.sent;
    assertStringIncludes(url, "https://bedrock-runtime.us-east-1.amazonaws.com/model/");
    assertStringIncludes(url, upstream);
  }
});

Deno.test("codex: requests of the Responses API reach the deployments on Azure", async () => {
  for (
    const [name, deployment] of [["smart", "gpt-5.5"], ["fast", "our-mini"], ["gpt-9", "gpt-5.5"]]
  ) {
    const { gateway, vendor } = start("codex");
    const body = { model: name, input: "Hi" };
    const answer = await gateway.call("/v1/responses", body, key("SLUICE_API_KEY"));
    assertEquals(answer.status, 200, await answer.text());
    const [sent] = vendor.sent;
    assertEquals(sent?.url.split("?")[0], "https://our.openai.azure.com/openai/v1/responses");
    assertEquals(sent?.body.model, deployment);
  }
});

Deno.test("two_regions: the other region answers when one is limited", async () => {
  const limited = new Set<string>();
  const { gateway, vendor } = start("two_regions", (sent) => {
    if (limited.has(new URL(sent.url).host)) return Response.json({}, { status: 429 });
    return sayHello(sent);
  });
  const hosts = () => vendor.sent.map(({ url }) => new URL(url).host);
  await (await gateway.call("/v1/chat/completions", chat("smart"))).body?.cancel();
  const [first = ""] = hosts();
  limited.add(first);
  const answer = await gateway.call("/v1/chat/completions", chat("smart"));
  assertEquals(answer.status, 200);
  await answer.body?.cancel();
  assert(hosts().at(-1) !== first, String(hosts()));
  assertEquals(new Set(hosts()).size, 2);
});

Deno.test("retrieval: vectors and ranks come from their vendors", async () => {
  const { gateway, vendor } = start(
    "retrieval",
    (sent) =>
      sent.url.endsWith("/embeddings")
        ? Response.json({
          object: "list",
          model: "m",
          data: [0, 1].map((index) => ({ object: "embedding", index, embedding: [1] })),
          usage: { prompt_tokens: 1, total_tokens: 1 },
        })
        : Response.json({
          results: [{ index: 0, relevance_score: 1 }],
          meta: { billed_units: { search_units: 1 } },
        }),
  );
  const paths: string[] = [];
  for (const curl of (blocks("retrieval", "sh")[0] ?? "").split(/^curl /m).filter(Boolean)) {
    const [, path = ""] = /127\.0\.0\.1:8787(\S+)/.exec(curl) ?? [];
    const [, body = ""] = /-d '([^]*)'/.exec(curl) ?? [];
    const answer = await gateway.call(path, body);
    assertEquals(answer.status, 200, await answer.text());
    paths.push(path);
  }
  assertEquals(paths, ["/v1/embeddings", "/v1/rerank"]);
  const hosts = vendor.sent.map(({ url }) => new URL(url).host);
  assertEquals(hosts, ["api.openai.com", "api.cohere.com"]);
});

Deno.test("moving: the old names reach their vendors, and an error of one the other", async () => {
  const { gateway, vendor } = start(
    "moving",
    (sent) => sent.url.includes("anthropic") ? Response.json({}, { status: 529 }) : sayHello(sent),
  );
  const old = await gateway.call(
    "/v1/chat/completions",
    chat("openai/gpt-5.5"),
    key("SLUICE_API_KEY"),
  );
  assertEquals([old.status, old.headers.get("x-sluice-model")], [200, "gpt-5.5"]);
  await old.body?.cancel();
  vendor.sent.length = 0;
  const answer = await gateway.call(
    "/v1/chat/completions",
    chat("smart"),
    key("SLUICE_API_KEY"),
  );
  assertEquals([answer.status, answer.headers.get("x-sluice-provider")], [200, "openai"]);
  await answer.body?.cancel();
});

Deno.test("reverse_proxy: the gateway knows the name in the guide", () => {
  const { gateway: { config: { server } } } = start("reverse_proxy");
  const caddy = Deno.readTextFileSync(new URL("../../deploy/Caddyfile", FOLDER));
  const [name = ""] = server.hosts ?? [];
  assertEquals([server.hosts?.size, caddy.includes(`\n${name} {\n`)], [1, true]);
});

Deno.test("kubernetes: the guide has the configuration of the files", () => {
  const shipped = parse(Deno.readTextFileSync(
    new URL("../../deploy/kubernetes/config.yaml", FOLDER),
  )) as Record<string, unknown>;
  const [text = ""] = blocks("kubernetes", "yaml");
  const shown = parse(text) as Record<string, unknown>;
  assertEquals(shown, shipped);
});
