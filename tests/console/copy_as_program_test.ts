/** "Copy as": commands and programs that send the same body. */

import { assert, assertEquals } from "@std/assert";
import { toCurl, toPython } from "../../src/console/assets/views/playground/copy_as.js";

const TEXT = 'It\'s "quoted" $HOME `id` \\n \\ and\na line, grüße 👋\u2028 </script> ${1}';

const COPIED = {
  baseUrl: "http://127.0.0.1:8787/v1",
  headers: { "x-sluice-strict": "true" },
  body: {
    model: "it's",
    messages: [
      { role: "user", content: [{ type: "text", text: TEXT }] },
      { role: "assistant", content: null, tool_calls: [] },
    ],
    temperature: 0.5,
    store: false,
    parallel_tool_calls: true,
    metadata: { "a-b": "1", ["__proto__x"]: "2", class: "3" },
    top_k: 5,
  },
};

/** Runs a program with a replaced first command. */
async function run(command: string, args: string[], input: string): Promise<string> {
  const child = new Deno.Command(command, { args, stdin: "piped", stdout: "piped" }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { code, stdout } = await child.output();
  assertEquals(code, 0);
  return new TextDecoder().decode(stdout);
}

Deno.test("the curl command passes through a shell unchanged", async () => {
  const shown = await run(
    "sh",
    ["-s"],
    `SLUICE_API_KEY=the-key\ncurl() { for part; do printf '%s\\0' "$part"; done; cat; }\n${
      toCurl(COPIED)
    }`,
  );
  const parts = shown.split("\0");
  assertEquals(parts.slice(0, -1), [
    "http://127.0.0.1:8787/v1/chat/completions",
    "-H",
    "Authorization: Bearer the-key",
    "-H",
    "Content-Type: application/json",
    "-H",
    "x-sluice-strict: true",
    "--data-binary",
    "@-",
  ]);
  assertEquals(JSON.parse(parts.at(-1) ?? ""), COPIED.body);
  assert(toCurl({ ...COPIED, body: { stream: true } }).includes("--no-buffer"));
});

const PYTHON = findPython();

Deno.test({
  name: "Python reads the program as the same values" +
    (PYTHON === undefined ? " (skipped: python3 is not installed)" : ""),
  ignore: PYTHON === undefined,
  fn: readsSame,
});

async function readsSame(): Promise<void> {
  const reader = `
import ast, json, sys
tree = ast.parse(sys.stdin.read())
call = next(n for n in ast.walk(tree) if isinstance(n, ast.Call) and n.keywords and n.keywords[0].arg == "model")
print(json.dumps({k.arg: ast.literal_eval(k.value) for k in call.keywords}))`;
  const read = JSON.parse(await run("python3", ["-c", reader], toPython(COPIED)));
  const { extra_body, extra_headers, ...members } = read;
  assertEquals({ ...members, ...extra_body }, COPIED.body);
  assertEquals(extra_headers, COPIED.headers);
}

function findPython(): string | undefined {
  try {
    const quiet = { stdout: "null", stderr: "null" } as const;
    const { success } = new Deno.Command("python3", { args: ["--version"], ...quiet }).outputSync();
    return success ? "python3" : undefined;
  } catch {
    return undefined;
  }
}
