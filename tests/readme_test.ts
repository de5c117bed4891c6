/** README.md says what the code does: its commands, its configuration, its matrix. */

import { adapters } from "../src/providers/registry.ts";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { parse } from "@std/yaml";
import { ConfigErrors } from "../src/config/config.ts";
import { readCommand } from "../src/cli/arguments.ts";
import { ERROR_KINDS } from "../src/core/errors.ts";
import { createTestGateway, loadTestConfig } from "./support/gateway.ts";

const README = Deno.readTextFileSync(new URL("../README.md", import.meta.url));
const MANIFEST = JSON.parse(Deno.readTextFileSync(new URL("../deno.json", import.meta.url)));

/** The fenced blocks of one language. */
function blocks(language: string): string[] {
  return [...README.matchAll(new RegExp("```" + language + "\\n([\\s\\S]*?)```", "g"))]
    .map(([, text = ""]) => text);
}

Deno.test("README's deno commands name tasks that deno.json has", () => {
  const named = [...README.matchAll(/\bdeno(?:@[\d.]+)? task ([\w:]+)/g)].map(([, task]) => task);
  assert(named.includes("start") && named.includes("test"));
  for (const task of named) assert(task !== undefined && task in MANIFEST.tasks, `no task ${task}`);
});

/** The tools that a mark may name as missing, by their commands. */
const NOT_HERE = new Map([["gh", "gh"], ["docker", "docker"], ["systemd", "systemctl"]]);

Deno.test("each command of README exists, or is marked as needing a tool that is not here", () => {
  for (const section of README.split(/^#{2,} /m)) {
    const [, tool] = /_\(not tested here: (\w+)\)_/.exec(section) ?? [];
    for (const [, block = ""] of section.matchAll(/```sh\n([^]*?)```/g)) {
      const typed = block.replaceAll(/\\\n */g, "").replaceAll(/ +#.*$/gm, "").trim().split("\n");
      for (const command of typed) {
        if (tool === undefined) expectCommand(command);
        else assertEquals(command.split(" ")[0], NOT_HERE.get(tool), command);
      }
    }
  }
});

/** @throws {Error} for a command that neither the program nor deno.json has. */
function expectCommand(command: string): void {
  const [program, ...args] = command.split(" ").filter((word) => !/^[A-Z_]+=/.test(word));
  if (program === "export") return assertMatch(command, /^export [A-Z_]+=\S+$/);
  // Clients, which tests/readme_clients_test.ts checks.
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

Deno.test("README's configuration examples are valid", () => {
  const env = { SLUICE_API_KEY: "a", OPENAI_API_KEY: "b", ANTHROPIC_API_KEY: "c" };
  for (const text of blocks("yaml")) {
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
  const [curl] = blocks("sh").filter((text) => text.startsWith("curl "));
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

Deno.test("README's error codes match the table of error kinds", () => {
  const section = README.slice(README.indexOf("## Errors"), README.indexOf("## Development"));
  const codes = new Set<string>();
  for (const [row] of section.matchAll(/^\|.*\|$/gm)) {
    for (const [, code] of row.split("|").at(-2)?.matchAll(/`(\w+)`/g) ?? []) {
      if (code) codes.add(code);
    }
  }
  const known = Object.values(ERROR_KINDS).flatMap(({ code }) => code ?? []);
  for (const code of codes) assert((known as string[]).includes(code), `no kind has ${code}`);
});

Deno.test("README says how many kinds of providers there are", () => {
  const [, count] = /^- (\d+) kinds of providers/m.exec(README) ?? [];
  assertEquals(Number(count), adapters.size);
});

Deno.test("README's table of response headers names only headers that browsers can read", async () => {
  const config = {
    server: { cors: "*" },
    providers: { mock: { kind: "mock", models: ["mock-echo"] } },
  };
  const headers = { origin: "https://app.example.com" };
  const response = await createTestGateway({ config }).call("/v1/models", undefined, headers);
  await response.body?.cancel();
  const exposed = (response.headers.get("access-control-expose-headers") ?? "").split(", ");
  const section = README.slice(README.indexOf("### Response headers"));
  const table = /^\|[^]*?\n\n/m.exec(section)?.[0] ?? "";
  const named = [...table.matchAll(/^\| `(x-[\w-]+)`/gm)].map(([, name = ""]) => name);
  assert(named.includes("x-sluice-provider"));
  assertEquals(named.filter((name) => !exposed.includes(name)), []);
});
