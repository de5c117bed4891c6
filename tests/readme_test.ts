/** README.md and the pages for users say what the code does: commands, configuration, tables. */

import { adapters } from "../src/providers/registry.ts";
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { parse } from "@std/yaml";
import { ConfigErrors } from "../src/config/config.ts";
import { ANSWER_HEADERS } from "../src/http/response.ts";
import { readCommand } from "../src/tools/arguments.ts";
import { createTestGateway, loadTestConfig } from "./support/gateway.ts";

const read = (file: string) => Deno.readTextFileSync(new URL(`../${file}`, import.meta.url));
const README = read("README.md");
const MANIFEST = JSON.parse(read("deno.json"));

/** The pages whose commands and configurations are examined, by path. */
const PAGES = new Map([
  "README.md",
  "deploy/README.md",
  "docs/installing.md",
  "docs/guides/clients.md",
  "docs/features/models.md",
  "docs/features/routing.md",
  "docs/operations/telemetry.md",
  "docs/reference/commands.md",
].map((file) => [file, read(file)]));

/** The fenced blocks of one language. */
function blocks(language: string, text = README): string[] {
  return [...text.matchAll(new RegExp("```" + language + "\\n([\\s\\S]*?)```", "g"))]
    .map(([, block = ""]) => block);
}

Deno.test("README has at most 700 words, and two screens before the reader can use it", () => {
  assert(README.split(/\s+/).filter(Boolean).length <= 700);
  const [start = ""] = README.split("## What makes it different");
  assert(start.split("\n").length <= 90);
});

Deno.test("a README in src fits on one screen", () => {
  const long = readmesBelow("src/").filter((file) => read(file).split("\n").length > 61);
  assertEquals(long, []);
});

function readmesBelow(folder: string): string[] {
  return [...Deno.readDirSync(new URL(`../${folder}`, import.meta.url))].flatMap((
    { name, isDirectory },
  ) =>
    isDirectory
      ? readmesBelow(`${folder}${name}/`)
      : name === "README.md"
      ? [`${folder}${name}`]
      : []
  );
}

/** What a mark may name as missing, with the programs that its section then runs. */
const NOT_HERE = new Map([
  [
    "a release",
    /^(?:curl -fLO https:|npx https:|sha256sum |gh |chmod |docker run |\.\/sluice-linux-x64$)/,
  ],
  ["gh", /^gh /],
  ["docker", /^docker |^mkdir -p etc && cp config\.yaml etc\/$/],
  ["systemd", /^systemctl /],
]);

for (const [file, text] of PAGES) {
  Deno.test(`each command of ${file} exists, or is marked as needing what is not here`, () => {
    for (const section of text.split(/^#{2,} /m)) expectCommands(section);
  });
}

/** @throws {Error} for a command of a section that does not exist. */
function expectCommands(section: string): void {
  const [, missing] = /_\(not tested here: ([\w ]+)\)_/.exec(section) ?? [];
  for (const block of blocks("sh", section)) {
    const typed = block.replaceAll(/\\\n */g, "").replaceAll(/ +#.*$/gm, "").trim().split("\n");
    for (const command of typed) {
      if (missing === undefined) expectCommand(command);
      else assertMatch(command, NOT_HERE.get(missing) ?? /^$/);
    }
  }
}

/** @throws {Error} for a command that neither the program nor deno.json has. */
function expectCommand(command: string): void {
  const [program, ...args] = command.split(" ").filter((word) => !/^[A-Z_]+=/.test(word));
  if (program === "export") return assertMatch(command, /^export [A-Z_]+=\S+$/);
  const [, meant] = /^alias sluice='(.*)'$/.exec(command) ?? [];
  if (meant !== undefined) return expectCommand(meant.replace("task --quiet", "task"));
  // Clients, which tests/readme_clients_program_test.ts checks.
  if (["claude", "codex", "printenv"].includes(program ?? "")) return;
  if (program === "curl") return assert(args[0]?.startsWith("http:"), command);
  if (program === "sluice") return assertEquals(readCommand(args).name, args[0]);
  const task = /^(?:npx -y deno@[\d.]+|deno) task ([\w:]+)/.exec([program, ...args].join(" "))?.[1];
  assert(task !== undefined && task in MANIFEST.tasks, `No task and no command is '${command}'`);
}

Deno.test("expectCommand() finds a command that does not exist", () => {
  for (const command of ["sluice chekc", "deno task strat", "make", "sluice check --confg x"]) {
    assertThrows(() => expectCommand(command), Error, undefined, command);
  }
});

Deno.test("the configuration examples of the pages are valid", () => {
  const env = { SLUICE_API_KEY: "a", OPENAI_API_KEY: "b", ANTHROPIC_API_KEY: "c" };
  for (const text of [...PAGES.values()].flatMap((page) => blocks("yaml", page))) {
    const document = parse(text) as Record<string, unknown>;
    try {
      const { disabled } = loadTestConfig(document, env);
      assertEquals(disabled, []);
    } catch (thrown) {
      assert(!(thrown instanceof ConfigErrors), String(thrown));
      throw thrown;
    }
  }
});

Deno.test("README's curl works with the default configuration", async () => {
  const [curl] = blocks("sh").filter((text) => text.startsWith("curl http:"));
  const body = curl?.match(/-d '(.*)'/)?.[1];
  const path = curl?.match(/http:\/\/127\.0\.0\.1:8787(\S+)/)?.[1];
  if (body === undefined || path === undefined) throw new TypeError("README.md has no curl");
  const shipped = parse(Deno.readTextFileSync(new URL("../config.yaml", import.meta.url)));
  const { server: _, ...config } = shipped as Record<string, unknown>;
  const response = await createTestGateway({ config }).call(path, body);
  assertEquals(response.status, 200);
  const { choices } = await response.json();
  assertEquals(choices[0].message.content, "You said: Hello");
});

Deno.test("the page about deployment names each setting that the log says requires a restart", () => {
  const source = read("src/process/config/reload.ts");
  const logged = [...source.matchAll(/Changing '?(server\.\w+[^$`"']*|\w+)'? requires a restart/g)]
    .flatMap(([, names = ""]) => names.split(/, | or /));
  const [, listed = ""] = /for \(const setting of \[(.*)\] as const\)/.exec(source) ?? [];
  const settings = [...listed.matchAll(/\w+/g)].map(([name]) => `server.${name}`);
  const section = read("deploy/README.md").split("## Configuration changes")[1] ?? "";
  const documented = section.match(/`[\w.-]+`/g)?.join(" ") ?? "";
  assert(logged.length >= 5 && settings.length >= 4, String([logged, settings]));
  for (const name of [...logged, ...settings]) assertStringIncludes(documented, name);
});

Deno.test("README says how many kinds of providers there are", () => {
  const [, count] = /^- (\d+) kinds of providers/m.exec(README) ?? [];
  assertEquals(Number(count), adapters.size);
  assertStringIncludes(read("docs/comparison.md"), `| ${adapters.size} kinds`);
});

/** When one of them is done, remove its entry and its check. */
Deno.test("CONTRIBUTING's first changes are still to do", async () => {
  const [, section = ""] = /^## A first change\n([^]*?)^## /m.exec(read("CONTRIBUTING.md")) ?? [];
  const config = { providers: { mock: { kind: "mock", models: ["mock-echo"] } } };
  const api = await (await createTestGateway({ config }).call("/openapi.json")).text();
  const { paths } = JSON.parse(api);
  const endpoints = [...section.matchAll(/`(GET|POST) (\/[\w/]+)`/g)];
  assert(endpoints.length > 0, section);
  assertEquals(
    endpoints.filter(([, method = "", path = ""]) => method.toLowerCase() in (paths[path] ?? {})),
    [],
  );
  const [, pattern = ""] = /"tenant_id": \{[^}]*?"pattern": ("[^"]*")/.exec(
    read("docs/schemas/config.schema.json"),
  ) ?? [];
  assertEquals(new RegExp(JSON.parse(pattern)).test("${AZURE_TENANT_ID}"), false);
  const lacking = Object.keys(ANSWER_HEADERS).filter((name) => !api.includes(name));
  assert(lacking.length > Object.keys(ANSWER_HEADERS).length / 2, lacking.join());
  assertMatch(read("docs/reference/log.md"), /^\| `\w+` .*\| +\|$/m);
});
