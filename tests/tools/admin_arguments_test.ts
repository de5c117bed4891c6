import { assert, assertEquals, assertThrows } from "@std/assert";
import { readCommand } from "../../src/tools/arguments.ts";
import { UsageError } from "../../src/tools/admin_client.ts";

/** Command lines: the action, its argument, its options and its flags. */
const COMMANDS: readonly (readonly [
  string[],
  string,
  string | undefined,
  Record<string, string>,
  string[],
])[] = [
  [["keys", "list"], "list", undefined, {}, []],
  [["keys", "list", "--revoked", "--json"], "list", undefined, {}, ["json", "revoked"]],
  [["keys", "create", "a b"], "create", "a b", {}, []],
  [["keys", "create", "007"], "create", "007", {}, []],
  [["keys", "create", "--", "-x"], "create", "-x", {}, []],
  [["--url", "http://x", "keys", "show", "a"], "show", "a", { url: "http://x" }, []],
  [["-c", "a.yaml", "keys", "revoke", "a"], "revoke", "a", { config: "a.yaml" }, []],
  [["keys", "rotate", "a", "--overlap=1h"], "rotate", "a", { overlap: "1h" }, []],
  [["usage"], "usage", undefined, {}, []],
  [["usage", "--group-by", "key,model", "--csv"], "usage", undefined, {
    "group-by": "key,model",
  }, ["csv"]],
  [["usage", "--key", "0"], "usage", undefined, { key: "0" }, []],
];

for (const [args, action, target, options, flags] of COMMANDS) {
  Deno.test(`readCommand() parses 'sluice ${args.join(" ")}'`, () => {
    const { name, admin } = readCommand(args);
    assertEquals([name, admin?.action, admin?.target], [
      args.includes("usage") ? "usage" : "keys",
      action,
      target,
    ]);
    assertEquals(Object.fromEntries(admin?.options ?? []), options);
    assertEquals([...admin?.flags ?? []], flags);
  });
}

/** Invalid command lines and the beginning of their errors. */
const INVALID: readonly (readonly [string, string])[] = [
  ["keys", "'sluice keys' needs a command; known: create, list, show, revoke, rotate"],
  ["keys delete x", "Unknown command 'keys delete'; did you mean 'revoke'?"],
  ["keys lst", "Unknown command 'keys lst'; did you mean 'list'?"],
  ["keys constructor", "Unknown command 'keys constructor'; known: create"],
  ["keys create", "'sluice keys create' needs an argument: sluice keys create NAME"],
  ["keys create a b", "Unexpected argument 'b'"],
  ["keys list a", "Unexpected argument 'a'"],
  ["keys list --jsn", "'sluice keys list' has no option '--jsn'; did you mean '--json'?"],
  ["keys list --budget 5/day", "'sluice keys list' has no option '--budget'; known: --url"],
  ["keys show a --revoked", "'sluice keys show' has no option '--revoked'"],
  ["keys create a --models", "--models needs one value"],
  ["usage --json --csv", "--json and --csv exclude each other"],
  ["usage now", "Unexpected argument 'now'"],
];

for (const [typed, message] of INVALID) {
  Deno.test(`readCommand() rejects 'sluice ${typed}'`, () => {
    const thrown = assertThrows(() => readCommand(typed.split(" ")), UsageError) as UsageError;
    assert(thrown.message.startsWith(message), thrown.message);
  });
}

Deno.test("the help of keys and usage names every option", () => {
  const [help] = ["keys --help", "keys create -h", "usage --help", "help keys", "help usage"]
    .map((typed) => readCommand(typed.split(" ")).help ?? "");
  for (
    const option of [
      ...["--url", "--config", "--host", "--port", "--models", "--requests-per-minute"],
      ...["--tokens-per-minute", "--concurrent", "--budget", "--expires", "--overlap"],
      ...["--group-by", "--key", "--from", "--to", "--revoked", "--json", "--csv", "--help"],
    ]
  ) assert(help?.includes(option), option);
  assert((help ?? "").split("\n").every(({ length }) => length <= 100));
});
