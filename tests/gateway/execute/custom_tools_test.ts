/** Custom tools in chats: vendors that lack them get functions, and the calls come back as before. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { sayHello, ScriptedVendor, toEventStream } from "../../support/scripted_vendor.ts";

const GRAMMAR = { syntax: "lark", definition: 'start: "*** Begin Patch"' };
/** The shape of the Responses API, which Cursor sends beside functions in that of chat completions. */
const FLAT = {
  ...{ type: "custom", name: "ApplyPatch", description: "Edits files" },
  format: { type: "grammar", ...GRAMMAR },
};
const NESTED = {
  type: "custom",
  custom: {
    ...{ name: "ApplyPatch", description: "Edits files" },
    format: { type: "grammar", grammar: GRAMMAR },
  },
};
const READ = { type: "function", function: { name: "Read", parameters: { type: "object" } } };
const PATCH = '*** Begin Patch\n+ "é" {x}\n*** End Patch';
const MESSAGES = [{ role: "user", content: "Edit it" }];

function start(kind: string, script = sayHello) {
  const vendor = new ScriptedVendor(script);
  const gateway = createTestGateway({
    config: { providers: { p: { kind, api_key: "k", models: ["m"], ...MEMBERS.get(kind) } } },
    fetch: vendor.fetch,
  });
  const ask = async (body: JsonObject) => {
    const response = await gateway.call("/v1/chat/completions", { model: "m", ...body });
    const text = await response.text();
    assertEquals(response.status, 200, text);
    return { text, headers: response.headers, sent: vendor.sent.at(-1)?.body ?? {} };
  };
  return ask;
}

const MEMBERS = new Map<string, JsonObject>([
  ["openai_compatible", { base_url: "http://v/v1" }],
  ["bedrock", { region: "us-east-1" }],
]);

const KINDS = "anthropic bedrock gemini cohere mistral ollama groq deepseek".split(" ");

for (const kind of KINDS) {
  Deno.test(`${kind}: a custom tool is a function with one text, also in earlier turns`, async () => {
    const call = { id: "c1", type: "custom", custom: { name: "ApplyPatch", input: PATCH } };
    const { sent, headers } = await start(kind)({
      messages: [
        ...MESSAGES,
        { role: "assistant", tool_calls: [call] },
        { role: "tool", tool_call_id: "c1", content: "Done" },
      ],
      tools: [READ, NESTED],
      tool_choice: "auto",
    });
    const text = JSON.stringify(sent);
    assert(!text.includes('"custom"'), text);
    assertStringIncludes(text, "ApplyPatch");
    assertStringIncludes(text, "lark grammar");
    assertStringIncludes(text.replaceAll("\\", ""), '{"input":"*** Begin Patch');
    assertStringIncludes(headers.get("x-sluice-converted") ?? "", "tools custom->function");
  });
}

Deno.test("openai_compatible: a custom tool passes, with its grammar in the shape of the API", async () => {
  for (const body of [{ messages: MESSAGES }, { input: "Edit it" }]) {
    const ask = start("openai_compatible");
    const choice = { type: "custom", name: "ApplyPatch" };
    const { sent } = await ask({ ...body, tools: [FLAT, READ], tool_choice: choice });
    const [custom, read] = sent.tools as JsonObject[];
    assertEquals([custom, (read?.function as JsonObject).name], [NESTED, "Read"]);
    assertEquals(sent.tool_choice, { type: "custom", custom: { name: "ApplyPatch" } });
  }
});

Deno.test("earlier calls that Cursor sends as functions are calls of the custom tool", async () => {
  const called = { name: "ApplyPatch", arguments: PATCH };
  const result = { role: "tool", tool_call_id: "c1", content: "Done" };
  const histories: JsonObject[] = [
    {
      messages: [
        ...MESSAGES,
        { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: called }] },
        result,
      ],
    },
    {
      messages: [
        ...MESSAGES,
        {
          role: "assistant",
          tool_calls: [{
            ...{ id: "c1", type: "custom", function: called },
            custom: { name: "ApplyPatch", input: PATCH },
          }],
        },
        result,
      ],
    },
    {
      input: [
        ...MESSAGES,
        { type: "function_call", call_id: "c1", ...called },
        { type: "function_call_output", call_id: "c1", output: "Done" },
      ],
    },
    {
      input: [
        ...MESSAGES,
        { type: "custom_tool_call", call_id: "c1", name: "ApplyPatch", input: PATCH },
        { type: "custom_tool_call_output", call_id: "c1", output: "Done" },
      ],
    },
  ];
  for (const history of histories) {
    const { sent } = await start("openai_compatible")({ ...history, tools: [FLAT, READ] });
    const [, turn] = sent.messages as JsonObject[];
    assertEquals(turn?.tool_calls, [
      { id: "c1", type: "custom", custom: { name: "ApplyPatch", input: PATCH } },
    ]);
  }
});

const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
  ...{ id: "x", object: "chat.completion.chunk", created: 1, model: "m" },
  choices: [{ index: 0, delta, finish_reason }],
});

/** A stream that calls a function and reads a file, with the arguments cut at a place. */
function streamOf(text: string, at: number) {
  const piece = (index: number, members: JsonObject) =>
    chunk({ tool_calls: [{ index, ...members }] });
  const named = (name: string, first: string) => ({
    ...{ id: `call_${name}`, type: "function" },
    function: { name, arguments: first },
  });
  return () =>
    toEventStream([
      chunk({ role: "assistant", content: "I edit. " }),
      piece(0, named("ApplyPatch", text.slice(0, at))),
      piece(1, named("Read", "{")),
      piece(0, { function: { arguments: text.slice(at) } }),
      piece(1, { function: { arguments: "}" } }),
      chunk({}, "tool_calls"),
      "[DONE]",
    ]);
}

/** The deltas of a stream, joined: the text, and each call. */
function joined(text: string) {
  const choices: { delta: JsonObject; finish_reason: string | null }[] = text.split("\n\n")
    .filter((line) => line.startsWith("data: {"))
    .flatMap((line) => JSON.parse(line.slice("data: ".length)).choices);
  const calls: JsonObject[] = [];
  for (const { delta } of choices) {
    for (const { index, ...call } of (delta.tool_calls ?? []) as JsonObject[]) {
      const known = calls[Number(index)];
      if (known === undefined) calls[Number(index)] = call;
      else merge(known, call);
    }
  }
  const content = choices.map(({ delta }) => delta.content ?? "").join("");
  return { content, calls, finish: choices.at(-1)?.finish_reason };
}

/** Adds up texts, as clients do. */
function merge(known: JsonObject, piece: JsonObject): void {
  for (const [name, value] of Object.entries(piece)) {
    if (typeof value === "string") known[name] = `${known[name] ?? ""}${value}`;
    else merge(known[name] as JsonObject, value as JsonObject);
  }
}

const CUSTOM = { name: "ApplyPatch", input: PATCH };
/** For Cursor, which looks for the name of each call in `function`. */
const AS_FUNCTION = { name: "ApplyPatch", arguments: PATCH };
const READ_CALL = {
  ...{ id: "call_Read", type: "function" },
  function: { name: "Read", arguments: "{}" },
};
const LOOSE_CALL = {
  ...{ id: "call_ApplyPatch", type: "custom" },
  ...{ custom: CUSTOM, function: AS_FUNCTION },
};

const REQUESTS: readonly [string, JsonObject, JsonObject][] = [
  ["beside messages", { messages: MESSAGES, tools: [FLAT, READ] }, LOOSE_CALL],
  ["beside input", { input: "Edit it", tools: [FLAT, READ] }, LOOSE_CALL],
  ["of this API", { messages: MESSAGES, tools: [NESTED, READ] }, {
    ...{ id: "call_ApplyPatch", type: "custom" },
    custom: CUSTOM,
  }],
];

for (const [name, request, expected] of REQUESTS) {
  Deno.test(`a call of a custom tool ${name} comes back as one, streamed in any pieces`, async () => {
    // A model may write the input without JSON around it.
    for (const text of [JSON.stringify({ input: PATCH }), PATCH]) {
      for (let at = 0; at <= text.length; at++) {
        const ask = start("groq", streamOf(text, at));
        const { text: stream } = await ask({ ...request, stream: true });
        assertEquals(joined(stream), {
          content: "I edit. ",
          calls: [expected, READ_CALL],
          finish: "tool_calls",
        });
      }
    }
  });

  Deno.test(`a call of a custom tool ${name} comes back as one, whole`, async () => {
    const message = {
      ...{ role: "assistant", content: null },
      tool_calls: [{
        ...{ id: "call_ApplyPatch", type: "function" },
        function: { name: "ApplyPatch", arguments: JSON.stringify({ input: PATCH }) },
      }, READ_CALL],
    };
    const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
    const ask = start("groq", () => Response.json({ choices }));
    const { text } = await ask(request);
    assertEquals(JSON.parse(text).choices[0].message.tool_calls, [expected, READ_CALL]);
  });
}

Deno.test("a vendor's own call of a custom tool has a function only for clients that look for it", async () => {
  const native = { id: "call_ApplyPatch", type: "custom", custom: CUSTOM };
  const events = [
    chunk({
      role: "assistant",
      tool_calls: [{ index: 0, ...native, custom: { name: "ApplyPatch", input: "" } }],
    }),
    ...[PATCH.slice(0, 9), PATCH.slice(9)].map((input) =>
      chunk({ tool_calls: [{ index: 0, custom: { input } }] })
    ),
    chunk({}, "tool_calls"),
    "[DONE]",
  ];
  for (const [name, request, expected] of REQUESTS) {
    const ask = start("openai_compatible", () => toEventStream(events));
    const { text } = await ask({ ...request, stream: true });
    assertEquals(joined(text).calls, [expected], name);
  }
});
