import { EXPLAINED_FORMATS } from "../../src/tools/explained_formats.ts";
import { assertEquals, assertThrows } from "@std/assert";
import { type Command, readCommand } from "../../src/tools/arguments.ts";
import { helpText } from "../../src/tools/help.ts";
import { UsageError } from "../../src/tools/admin_client.ts";

/** Command lines and the parsed commands. */
const COMMANDS: readonly (readonly [string, Command])[] = [
  ["", { name: "serve" }],
  ["serve", { name: "serve" }],
  ["check", { name: "check" }],
  ["providers", { name: "providers" }],
  ["models", { name: "models" }],
  ["models --stale 90d", { name: "models", staleDays: 90 }],
  ["--stale=0d models", { name: "models", staleDays: 0 }],
  ["schema", { name: "schema" }],
  ["init", { name: "init" }],
  ["explain request.json", { name: "explain", file: "request.json" }],
  ["health --port 80", { name: "health", port: "80" }],
  ["--help", { name: "help" }],
  ["-h", { name: "help" }],
  ["--version", { name: "version" }],
  ["-V", { name: "version" }],
  ["-v", { name: "version" }],
  ["version", { name: "version" }],
  ["help", { name: "help" }],
  ["explain -", { name: "explain", file: "-" }],
  ["explain a.json --format messages", { name: "explain", file: "a.json", format: "messages" }],
  ["explain - --config a.yaml", { name: "explain", file: "-", config: "a.yaml" }],
  ["--port 80", { name: "serve", port: "80" }],
  ["--port=0080", { name: "serve", port: "0080" }],
  ["--host ::1 --port 0", { name: "serve", host: "::1", port: "0" }],
  ["-c a.yaml check", { name: "check", config: "a.yaml" }],
  ["check --config=a.yaml", { name: "check", config: "a.yaml" }],
];

for (const [typed, expected] of COMMANDS) {
  Deno.test(`readCommand() parses 'sluice ${typed}'`, () => {
    assertEquals(readCommand(split(typed)), expected);
  });
}

const ALL_COMMANDS =
  "known: serve, check, doctor, explain, connect, health, keys, store, alerts, usage, providers, models, " +
  "schema, init, help, version; see 'sluice help'";
const ALL_OPTIONS =
  "known: --config, --host, --port, --allow-losses, --format, --live, --json, --log, --stale, " +
  "--version, --help; " +
  "see 'sluice help'";

/** Invalid command lines and their error messages. */
const INVALID: readonly (readonly [string, string])[] = [
  ["chek", "Unknown command 'chek'; did you mean 'check'?"],
  ["hlep", "Unknown command 'hlep'; did you mean 'help'?"],
  ["start", "Unknown command 'start'; did you mean 'serve'?"],
  ["run", "Unknown command 'run'; did you mean 'serve'?"],
  ["frobnicate", `Unknown command 'frobnicate'; ${ALL_COMMANDS}`],
  ["5", `Unknown command '5'; ${ALL_COMMANDS}`],
  ["constructor", `Unknown command 'constructor'; ${ALL_COMMANDS}`],
  ["--confg a", "Unknown option '--confg'; did you mean '--config'?"],
  ["-p 80", "Unknown option '-p'; did you mean '--port'?"],
  ["--frobnicate", `Unknown option '--frobnicate'; ${ALL_OPTIONS}`],
  ["-x", `Unknown option '-x'; ${ALL_OPTIONS}`],
  ["check extra", "Unexpected argument 'extra'"],
  ["check a.yaml", "Unexpected argument 'a.yaml'; did you mean '--config a.yaml'?"],
  ["a.yml", "Unexpected argument 'a.yml'; did you mean '--config a.yml'?"],
  ["--port", "--port needs a value"],
  ["store", "'sluice store' needs a command; see 'sluice store --help'"],
  ["store backup", "'sluice store backup' needs a file: sluice store backup FILE"],
  ["store backups x", "Unknown command 'store backups'; did you mean 'backup'?"],
  ["store backup a b", "Unexpected argument 'b'"],
  ["store backup a --sotre x", "Unknown option '--sotre'; did you mean '--store'?"],
  ["store restore a --store=", "--store needs one value"],
  ["explain", "'sluice explain' needs a file with a request, or '-': sluice explain request.json"],
  ["explain a.json b.json", "Unexpected argument 'b.json'"],
  ["health extra", "Unexpected argument 'extra'"],
  ["--config=", "--config needs a value"],
  [
    "explain a.json --format claude",
    `--format must be one of ${[...EXPLAINED_FORMATS.keys()].join(", ")}`,
  ],
  ["check --format messages", "--format is only valid for 'sluice explain'"],
  ["serve --live", "--live is only valid for 'sluice check'"],
  ["check --json", "--json is only valid for 'sluice doctor'"],
  ["models --stale", "--stale needs a number of days, such as 90d"],
  ["models --stale 90", "--stale needs a number of days, such as 90d"],
  ["models --stale 3h", "--stale needs a number of days, such as 90d"],
  ["models --stale 123456d", "--stale needs a number of days, such as 90d"],
  ["alerts", "'sluice alerts' needs the action 'test': sluice alerts test"],
  ["alerts list", "'sluice alerts' needs the action 'test': sluice alerts test"],
  ["alerts test now", "Unexpected argument 'now'"],
  ["check --stale 90d", "--stale is only valid for 'sluice models'"],
  ["--stale 90d", "--stale is only valid for 'sluice models'"],
];

for (const [typed, expected] of INVALID) {
  Deno.test(`readCommand() rejects 'sluice ${typed}'`, () => {
    const { message } = assertThrows(() => readCommand(split(typed)), UsageError) as UsageError;
    assertEquals(message, expected);
  });
}

Deno.test("helpText() names every command and option", () => {
  const text = helpText();
  const words = [
    ...[
      "serve",
      "check",
      "explain",
      "health",
      "keys",
      "usage",
      "providers",
      "models",
      "schema",
      "init",
      "version",
    ],
  ];
  const options = ["--config", "--host", "--port", "--format", "--stale", "--version", "--help"];
  assertEquals([...words, ...options].filter((word) => !text.includes(word)), []);
});

Deno.test("the help of a command has its options, and no others", () => {
  for (const typed of ["check --help", "help check", "--help check", "check -h --live"]) {
    const { help = "", name } = readCommand(split(typed));
    assertEquals(name, "help");
    assertEquals(help.match(/^ +-[-\w]+/gm)?.map((option) => option.trim()), [
      ...["-c", "--host", "--port", "--live"],
    ]);
    assertEquals(help.startsWith("Usage: sluice check [options]\n"), true, help);
  }
  for (const typed of ["--help", "help", "help help", "-h"]) {
    assertEquals(readCommand(split(typed)), { name: "help" });
  }
  const { message } = assertThrows(() => readCommand(["help", "chek"]), UsageError) as UsageError;
  assertEquals(message, "Unknown command 'chek'; did you mean 'check'?");
});

function split(typed: string): string[] {
  return typed.split(" ").filter((word) => word !== "");
}
