/** "Copy as": commands and programs that send the same body. */

import { assert, assertEquals } from "@std/assert";
import {
  toCurl,
  toPython,
  toTypeScript,
} from "../../src/http/console/assets/views/playground/copy_as.js";

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

/** What an assigned member would change. */
const WITH_PROTOTYPE = JSON.parse(
  '{ "model": "m", "messages": [], "x": { "__proto__": { "a": 1 } } }',
);

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

/** The arguments of `create()` and of the client in a TypeScript program. */
async function evaluate(program: string): Promise<{ client: unknown; args: unknown[] }> {
  const runnable = program
    .replace('import OpenAI from "openai";', "")
    .replaceAll(" as object", "")
    .replace("process.env.SLUICE_API_KEY", '"the-key"');
  const seen: { client: unknown; args: unknown[] } = { client: undefined, args: [] };
  const OpenAI = class {
    readonly chat = {
      completions: {
        create: (...args: unknown[]) => {
          seen.args = args;
          return { choices: [], async *[Symbol.asyncIterator]() {} };
        },
      },
    };
    constructor(options: unknown) {
      seen.client = options;
    }
  };
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  await new AsyncFunction("OpenAI", "console", "process", runnable)(OpenAI, { log() {} }, {});
  return seen;
}

Deno.test("the TypeScript program sends the same body and headers", async () => {
  const { client, args } = await evaluate(toTypeScript(COPIED));
  assertEquals(client, { baseURL: COPIED.baseUrl, apiKey: "the-key" });
  assertEquals(args, [COPIED.body, { headers: COPIED.headers }]);
  const hostile = await evaluate(toTypeScript({ ...COPIED, headers: {}, body: WITH_PROTOTYPE }));
  assertEquals(JSON.stringify(hostile.args), JSON.stringify([WITH_PROTOTYPE]));
  const streamed = await evaluate(
    toTypeScript({ ...COPIED, body: { ...COPIED.body, stream: true } }),
  );
  assertEquals((streamed.args[0] as Record<string, unknown>).stream, true);
});

Deno.test("the Python program sends the same body and headers", () => {
  const program = toPython(COPIED);
  for (
    const line of [
      'client = OpenAI(base_url="http://127.0.0.1:8787/v1", api_key=os.environ["SLUICE_API_KEY"])',
      '    model="it\'s",',
      "    temperature=0.5,",
      "    store=False,",
      "    parallel_tool_calls=True,",
      '    extra_body={"top_k": 5},',
      '    extra_headers={"x-sluice-strict": "true"},',
    ]
  ) {
    assert(program.split("\n").includes(line), `${line}\n${program}`);
  }
  assert(program.includes('"content": None'));
  assert(toPython({ ...COPIED, body: { stream: true } }).includes("for chunk in answer:"));
});

Deno.test("programs for other APIs use the client of the API, and its members", async () => {
  const body = { model: "m", max_tokens: 9, messages: [], stop_sequences: ["x"], top_x: 1 };
  const copied = { ...COPIED, api: "messages", body };
  const python = toPython(copied);
  for (
    const line of [
      "from anthropic import Anthropic",
      'client = Anthropic(base_url="http://127.0.0.1:8787", api_key=os.environ["SLUICE_API_KEY"])',
      "answer = client.messages.create(",
      '    stop_sequences=["x"],',
      '    extra_body={"top_x": 1},',
    ]
  ) {
    assert(python.split("\n").includes(line), `${line}\n${python}`);
  }
  assert(toCurl(copied).startsWith("curl 'http://127.0.0.1:8787/v1/messages'"));
  let seen: unknown[] = [];
  const create = (...args: unknown[]) => (seen = args, { content: [], data: [], output_text: "" });
  const Client = class {
    readonly messages = { create };
    readonly responses = { create };
    readonly embeddings = { create };
  };
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  const bodies = {
    messages: body,
    responses: { model: "m", input: [], max_output_tokens: 4, x: 1 },
    embeddings: { model: "m", input: ["a"], dimensions: 3 },
  };
  for (const [api, sent] of Object.entries(bodies)) {
    const program = toTypeScript({ ...COPIED, api, body: sent })
      .replace(/^import .*$/m, "").replaceAll(" as object", "")
      .replace("process.env.SLUICE_API_KEY", '"the-key"');
    const names = ["OpenAI", "Anthropic", "console"];
    await new AsyncFunction(...names, program)(Client, Client, { log() {} });
    assertEquals(seen, [sent, { headers: COPIED.headers }], api);
  }
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
