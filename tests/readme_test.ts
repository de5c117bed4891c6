/** README.md says what the code does: its commands, its configuration, its matrix. */

import { assert, assertEquals } from "@std/assert";
import { parse } from "@std/yaml";
import { ConfigErrors } from "../src/config/config.ts";
import { ERROR_KINDS } from "../src/core/errors.ts";
import { createTestGateway, loadTestConfig } from "./support/gateway.ts";
import { readRoot } from "./support/process.ts";

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

/** Commands, with the file that runs each and the words there that do. */
const RUN_BY: readonly (readonly [command: RegExp, file: string, words: string])[] = [
  [/^npx -y deno@[\d.]+ task start$/, "tests/support/process.ts", "manifest.tasks.start.command"],
  [/^npx -y deno@[\d.]+ task test$/, ".ci/run", "$DENO task test"],
  [/^curl http:/, "tests/readme_test.ts", "README's curl answers"],
  [/^sluice check$/, "tests/cli/commands_test.ts", 'args: ["check"]'],
  [
    /^sluice explain request.json$/,
    "tests/cli/commands_test.ts",
    'args: ["explain", "request.json"]',
  ],
  [/^sluice health$/, "tests/support/smoke.ts", '["health", "--port", port]'],
  [/^sluice providers$/, "tests/cli/commands_test.ts", 'args: ["providers"]'],
  [
    /^sluice models --stale 90d$/,
    "tests/cli/commands_test.ts",
    'args: ["models", "--stale", "90d"]',
  ],
  [/^sluice schema$/, "tests/cli/commands_test.ts", 'args: ["schema"]'],
  [/^sluice init$/, "tests/cli/commands_test.ts", 'args: ["init"]'],
  [/^deno task compile$/, "tests/build/compile_test.ts", '["task", "compile", folder]'],
  [/^deno task compile:all$/, "tests/build/compile_test.ts", '["compile", "compile:all"]'],
  [/^deno task sbom$/, "tests/build/compile_test.ts", '["task", "--quiet", "sbom"]'],
  [/^OTEL_DENO=true .* deno task start$/, "tests/telemetry/tracing_test.ts", 'OTEL_DENO: "true"'],
];

/** The tools that a mark may excuse, with the commands that they are. */
const NOT_HERE = new Map([["docker", "docker"], ["systemd", "systemctl"]]);

Deno.test("each command of README is run by a test, or marked as needing a tool that is not here", () => {
  const unused = new Set(RUN_BY);
  for (const section of README.split(/^#{2,} /m)) {
    const [, tool] = /_\(not tested here: (\w+)\)_/.exec(section) ?? [];
    for (const [, block = ""] of section.matchAll(/```sh\n([^]*?)```/g)) {
      const typed = block.replaceAll(/\\\n */g, "").replaceAll(/ +#.*$/gm, "").trim().split("\n");
      for (const command of typed) {
        if (tool !== undefined) {
          assertEquals(command.split(" ")[0], NOT_HERE.get(tool), command);
          continue;
        }
        const found = RUN_BY.find(([pattern]) => pattern.test(command));
        if (found === undefined) throw new RangeError(`No test runs '${command}'`);
        unused.delete(found);
      }
    }
  }
  assertEquals([...unused], []);
  for (const [, file, words] of RUN_BY) {
    assert(readRoot(file).includes(words), `${file} runs no ${words}`);
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

Deno.test("README's curl answers from the shipped configuration", async () => {
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

Deno.test("README's error codes are those of the table of kinds", () => {
  const section = README.slice(README.indexOf("## Errors"), README.indexOf("## Speed"));
  const codes = new Set<string>();
  for (const [row] of section.matchAll(/^\|.*\|$/gm)) {
    for (const [, code] of row.split("|").at(-2)?.matchAll(/`(\w+)`/g) ?? []) {
      if (code) codes.add(code);
    }
  }
  const known = Object.values(ERROR_KINDS).flatMap(({ code }) => code ?? []);
  for (const code of codes) assert((known as string[]).includes(code), `no kind has ${code}`);
});
