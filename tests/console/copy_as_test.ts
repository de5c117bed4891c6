/** "Copy as": commands and programs that send the same body. */

import { assert, assertEquals } from "@std/assert";
import { toPython, toTypeScript } from "../../src/console/assets/views/playground/copy_as.js";

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
