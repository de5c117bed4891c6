/** Where the settings of clients are, and what the command line and the gateway's models choose. */

import { assertEquals, assertThrows } from "@std/assert";
import { readCommand } from "../../../src/tools/arguments.ts";
import type { Places } from "../../../src/clients/client.ts";
import { CLIENTS } from "../../../src/clients/printed.ts";
import { modelsOfAnswer, toTarget } from "../../../src/tools/connect/connect.ts";
import { SettingsError } from "../../../src/clients/edits.ts";
import { modelsOfConfig } from "../../../src/clients/target.ts";
import { loadTestConfig } from "../../support/gateway.ts";
import { placesOn, SOURCE, TARGET } from "./support.ts";
import { UsageError } from "../../../src/tools/admin_client.ts";

function pathsOf(client: string, places: Places): string[] {
  return CLIENTS.get(client)?.files(TARGET, places).map(({ path }) => path) ?? [];
}

/** The file of each client on Linux, macOS and Windows. */
const PATHS: Readonly<Record<string, readonly [string, string, string]>> = {
  "claude-code": [
    "/home/ann/.claude/settings.json",
    "/home/ann/.claude/settings.json",
    "C:\\Users\\ann\\.claude\\settings.json",
  ],
  "codex": [
    "/home/ann/.codex/config.toml",
    "/home/ann/.codex/config.toml",
    "C:\\Users\\ann\\.codex\\config.toml",
  ],
  "opencode": [
    "/home/ann/.config/opencode/opencode.json",
    "/home/ann/.config/opencode/opencode.json",
    "C:\\Users\\ann\\.config\\opencode\\opencode.json",
  ],
  "aider": [
    "/home/ann/.aider.conf.yml",
    "/home/ann/.aider.conf.yml",
    "C:\\Users\\ann\\.aider.conf.yml",
  ],
  "zed": [
    "/home/ann/.config/zed/settings.json",
    "/home/ann/.config/zed/settings.json",
    "C:\\Users\\ann\\AppData\\Roaming\\Zed\\settings.json",
  ],
  "continue": [
    "/home/ann/.continue/config.yaml",
    "/home/ann/.continue/config.yaml",
    "C:\\Users\\ann\\.continue\\config.yaml",
  ],
  "vscode": [
    "/home/ann/.config/Code/User/chatLanguageModels.json",
    "/home/ann/Library/Application Support/Code/User/chatLanguageModels.json",
    "C:\\Users\\ann\\AppData\\Roaming\\Code\\User\\chatLanguageModels.json",
  ],
};

for (const [client, paths] of Object.entries(PATHS)) {
  Deno.test(`the settings of ${client} are found on each operating system`, () => {
    const all = (["linux", "darwin", "windows"] as const).map((os) =>
      pathsOf(client, placesOn(os))[0]
    );
    assertEquals(all, [...paths]);
  });
}

/** Variables that move settings, with the file. */
const MOVED: readonly (readonly [string, Record<string, string>, string])[] = [
  ["claude-code", { CLAUDE_CONFIG_DIR: "/c/" }, "/c/settings.json"],
  ["codex", { CODEX_HOME: "/x" }, "/x/config.toml"],
  ["gemini-cli", { GEMINI_CLI_HOME: "/g" }, "/g/.gemini/.env"],
  ["opencode", { OPENCODE_CONFIG: "/o.json" }, "/o.json"],
  ["opencode", { XDG_CONFIG_HOME: "/xdg", HOME: "/h" }, "/xdg/opencode/opencode.json"],
  ["zed", { XDG_CONFIG_HOME: "/xdg" }, "/xdg/zed/settings.json"],
  ["vscode", { XDG_CONFIG_HOME: "/xdg" }, "/xdg/Code/User/chatLanguageModels.json"],
];

for (const [client, variables, path] of MOVED) {
  Deno.test(`${Object.keys(variables)[0]} moves the settings of ${client}`, () => {
    assertEquals(pathsOf(client, placesOn("linux", variables))[0], path);
  });
}

Deno.test("an existing opencode.jsonc is used", () => {
  const path = "/home/ann/.config/opencode/opencode.jsonc";
  assertEquals(pathsOf("opencode", placesOn("linux", { HOME: "/home/ann" }, [path])), [path]);
});

Deno.test("an unknown home folder is a usage error", () => {
  assertThrows(() => pathsOf("codex", placesOn("linux", {})), SettingsError, "HOME");
});

Deno.test("each client has a source and the date of its check", () => {
  assertEquals([...CLIENTS.keys()].length, 14);
  for (const { source, checked } of CLIENTS.values()) {
    assertEquals(URL.parse(source)?.protocol, "https:");
    assertEquals(/^\d{4}-\d{2}-\d{2}$/.test(checked), true);
  }
});

Deno.test("on Windows, variables are set with setx", () => {
  const steps = CLIENTS.get("claude-code")?.steps(TARGET, placesOn("windows"));
  assertEquals(steps?.[0], "setx ANTHROPIC_AUTH_TOKEN %SLUICE_API_KEY%");
});

Deno.test("toTarget() chooses the models of the options, else smart and fast", () => {
  const choose = (options: Record<string, string>) => {
    const target = toTarget("http://h", SOURCE, new Map(Object.entries(options)));
    return [target.model.id, target.smallModel.id, target.models.length];
  };
  assertEquals(choose({}), ["smart", "fast", 3]);
  assertEquals(choose({ model: "fast" }), ["fast", "fast", 3]);
  assertEquals(choose({ models: "fast" }), ["fast", "fast", 1]);
  assertEquals(choose({ models: "fast", model: "smart" }), ["smart", "fast", 2]);
  assertEquals(choose({ "small-model": "smart" }), ["smart", "smart", 3]);
  assertThrows(() => choose({ model: "smrt" }), UsageError, "did you mean 'smart'?");
  assertThrows(() => choose({ models: "fast,x" }), UsageError, "no model 'x'");
});

const PROVIDERS = {
  a: {
    kind: "openai",
    api_key: "k",
    models: ["gpt-5.5", "text-embedding-3-small", { id: "own", context_window: 1000 }],
  },
  b: { kind: "openai", api_key: "k", models: ["gpt-5.5"] },
};

Deno.test("models of embeddings and pinned forms are not listed, but found", () => {
  const config = loadTestConfig({ providers: PROVIDERS, aliases: { fast: "own" } }, {});
  const source = modelsOfConfig(config);
  assertEquals(source.models.map(({ id }) => id), ["gpt-5.5", "own", "fast"]);
  assertEquals(source.find("gpt-5.5@b")?.vision, true);
  assertEquals(source.find("own"), {
    id: "own",
    name: "own",
    contextWindow: 1000,
    maxOutputTokens: undefined,
    vision: undefined,
  });
  const answer = {
    data: config.models.map(({ id, root, target: { model: { facts } } }) => ({
      id,
      root,
      ...facts,
    })),
  };
  assertEquals(modelsOfAnswer(JSON.parse(JSON.stringify(answer))).models, source.models);
});

/** Command lines, with what they mean. */
const COMMANDS: readonly (readonly [string[], unknown])[] = [
  [["connect", "zed"], ["change", "zed", false, {}]],
  [["connect", "zed", "--write"], ["change", "zed", true, {}]],
  [["connect", "--undo", "zed"], ["undo", "zed", false, {}]],
  [["--url", "http://x", "connect", "zed", "--print"], ["print", "zed", false, {
    url: "http://x",
  }]],
  [["connect", "--list"], ["list", undefined, false, {}]],
  [["-c", "a.yaml", "connect", "zed", "--models=a,b", "--model", "a", "--small-model", "b"], [
    "change",
    "zed",
    false,
    { config: "a.yaml", model: "a", "small-model": "b", models: "a,b" },
  ]],
];

for (const [args, expected] of COMMANDS) {
  Deno.test(`readCommand() parses 'sluice ${args.join(" ")}'`, () => {
    const { connect } = readCommand(args);
    assertEquals([
      connect?.action,
      connect?.client,
      connect?.writes,
      Object.fromEntries(connect?.options ?? []),
    ], expected);
  });
}

/** Invalid command lines, with the error. */
const INVALID: readonly (readonly [string[], string])[] = [
  [["connect"], "needs a client"],
  [["connect", "zed", "codex"], "Unexpected argument 'codex'"],
  [["connect", "zed", "--undo", "--print"], "exclude each other"],
  [["connect", "zed", "--write", "--print"], "exclude each other"],
  [["connect", "zed", "--wirte"], "did you mean '--write'?"],
  [["connect", "zed", "--model", ""], "--model needs one value"],
];

for (const [args, error] of INVALID) {
  Deno.test(`readCommand() rejects 'sluice ${args.join(" ")}'`, () => {
    assertThrows(() => readCommand(args), UsageError, error);
  });
}

Deno.test("connect --help and help connect print its help", () => {
  for (const args of [["connect", "--help"], ["help", "connect"], ["connect", "zed", "-h"]]) {
    const { name, help } = readCommand(args);
    assertEquals([name, help?.startsWith("Points a client")], ["help", true]);
  }
});
