import { assertEquals } from "@std/assert";
import { createTestGateway } from "../../support/gateway.ts";
import { ScriptedVendor, toEventStream } from "../../support/scripted_vendor.ts";

const CONFIG = {
  providers: {
    v: { kind: "openai_compatible", base_url: "http://vendor.test/v1", models: ["m"] },
  },
};

type Json = Record<string, unknown>;

const CHAT = "/v1/chat/completions";
const MESSAGES = [{ role: "user", content: "Hi" }];
const NOW = 1_700_000_000;

/** The answer to a plain request, when the vendor answers this. */
async function completionOf(body: Json): Promise<Json> {
  const vendor = new ScriptedVendor(() => Response.json(body));
  const gateway = createTestGateway({ config: CONFIG, fetch: vendor.fetch });
  const response = await gateway.call(CHAT, { model: "m", messages: MESSAGES });
  assertEquals(response.status, 200);
  return await response.json();
}

/** The choice that a caller gets, when the vendor's only choice is this. */
async function choiceOf(choice: Json): Promise<Json> {
  const { choices } = await completionOf({ choices: [choice] });
  return (choices as Json[])[0] ?? {};
}

const CALL = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };

Deno.test("an answer has every member of the interface, even if the vendor omits some", async () => {
  const choices = [{ message: { content: "Hello." }, finish_reason: "stop" }];
  assertEquals(await completionOf({ choices }), {
    id: "chatcmpl-2",
    object: "chat.completion",
    created: NOW,
    model: "m",
    choices: [{
      index: 0,
      message: { role: "assistant", content: "Hello.", refusal: null },
      logprobs: null,
      finish_reason: "stop",
    }],
    usage: null,
  });
});

Deno.test("a complete answer passes through unchanged", async () => {
  const message = { role: "assistant", content: "a", refusal: null };
  const text = JSON.stringify(
    {
      choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      ...{ object: "chat.completion", model: "m-2026", created: 5, id: "x-1" },
    },
    undefined,
    3,
  );
  const vendor = new ScriptedVendor(() =>
    new Response(text, { headers: { "content-type": "application/json" } })
  );
  const gateway = createTestGateway({ config: CONFIG, fetch: vendor.fetch });
  const response = await gateway.call(CHAT, { model: "m", messages: MESSAGES });
  assertEquals(await response.text(), text);
});

Deno.test("a tool call has a type that the caller may send back, streamed or not", async () => {
  const look = { name: "look", arguments: "{}" };
  const calls = [
    { id: "a", type: "builtin_function", function: look },
    { id: "b", type: "custom", custom: { name: "draw", input: "x" } },
    // A call without a name is none.
    { id: "c", type: "custom" },
  ];
  const expected = [
    ["function", "look", undefined],
    ["custom", undefined, "draw"],
  ];
  const reported = (given: unknown) =>
    (given as Record<string, Json>[]).map(({ type, function: made, custom }) => [
      ...[type, made?.name],
      custom?.name,
    ]);
  const { message } = await choiceOf({ message: { tool_calls: calls }, finish_reason: "stop" });
  assertEquals(reported((message as Json).tool_calls), expected);
  const delta = { tool_calls: calls.map((call, index) => ({ ...call, index })) };
  const vendor = new ScriptedVendor(() =>
    toEventStream([{ choices: [{ index: 0, delta, finish_reason: "tool_calls" }] }])
  );
  const gateway = createTestGateway({ config: CONFIG, fetch: vendor.fetch });
  const answer = await gateway.call(CHAT, { model: "m", messages: MESSAGES, stream: true });
  const [, first = ""] = (await answer.text()).split("\n\n");
  const [choice] = JSON.parse(first.slice("data: ".length)).choices;
  assertEquals(reported(choice.delta.tool_calls), expected);
});

Deno.test("valid members of the vendor stay, invalid ones are replaced, additional ones are kept", async () => {
  const choices = [{
    index: 0,
    message: { role: "assistant", content: "a" },
    finish_reason: "stop",
  }];
  const right = { id: "x-1", created: 5, model: "m-2026", system_fingerprint: "fp" };
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
  const kept = await completionOf({ ...right, object: "chat.completion", choices, usage });
  assertEquals({ ...kept, choices: [] }, {
    ...right,
    object: "chat.completion",
    choices: [],
    usage,
  });

  const wrong = { id: 5, created: "now", model: null, object: "text_completion" };
  const odd = { prompt_tokens: "3", completion_tokens: -1, total_tokens: 99 };
  const mended = await completionOf({ ...wrong, choices, usage: odd });
  assertEquals({ ...mended, choices: [] }, {
    id: "chatcmpl-2",
    created: NOW,
    model: "m",
    object: "chat.completion",
    choices: [],
    // What only the total counts is output.
    usage: { prompt_tokens: 0, completion_tokens: 99, total_tokens: 99 },
  });
});

/** A vendor's choice, and the message and finish reason that the caller gets. */
const CHOICES: readonly (readonly [string, Json, Json, string])[] = [
  [
    "an answer with only tool calls has null content",
    { message: { content: "", tool_calls: [CALL] }, finish_reason: "tool_calls" },
    { content: null, tool_calls: [CALL] },
    "tool_calls",
  ],
  [
    "text beside tool calls is kept, and the finish reason is set right",
    { message: { content: "Let me see", tool_calls: [CALL] }, finish_reason: "stop" },
    { content: "Let me see", tool_calls: [CALL] },
    "tool_calls",
  ],
  [
    "an empty list of tool calls is absent",
    { message: { content: "Hello.", tool_calls: [] }, finish_reason: "stop" },
    { content: "Hello." },
    "stop",
  ],
  [
    "a refusal has null content",
    { message: { refusal: "No." }, finish_reason: "stop" },
    { content: null, refusal: "No." },
    "stop",
  ],
  [
    "an empty answer has empty content",
    { message: { content: null }, finish_reason: "length" },
    { content: "" },
    "length",
  ],
  [
    "a filtered answer has the finish reason content_filter",
    { message: { content: "Hell" }, finish_reason: "content_filter" },
    { content: "Hell" },
    "content_filter",
  ],
  [
    "finish reasons that are none of the four are brought to them",
    { message: { content: "a" }, finish_reason: "max_tokens" },
    { content: "a" },
    "length",
  ],
  [
    "arguments that are an object become text",
    {
      message: { tool_calls: [{ ...CALL, function: { name: "look", arguments: { a: 1 } } }] },
      finish_reason: "tool_calls",
    },
    {
      content: null,
      tool_calls: [{ ...CALL, function: { name: "look", arguments: '{"a":1}' } }],
    },
    "tool_calls",
  ],
  [
    "reasoning is separate from the content",
    { message: { content: "5", reasoning: "2 + 3" }, finish_reason: "stop" },
    { content: "5", reasoning_content: "2 + 3" },
    "stop",
  ],
];

for (const [what, choice, message, finish] of CHOICES) {
  Deno.test(`an answer: ${what}`, async () => {
    assertEquals(await choiceOf(choice), {
      index: 0,
      message: { role: "assistant", refusal: null, ...message },
      logprobs: null,
      finish_reason: finish,
    });
  });
}

/** The events of a stream, when the vendor's chunks hold these choices. */
async function eventsOf(chunks: readonly Json[], members: Json = {}): Promise<unknown[]> {
  const vendor = new ScriptedVendor(() => toEventStream([...chunks, "[DONE]"]));
  const gateway = createTestGateway({ config: CONFIG, fetch: vendor.fetch });
  const request = { model: "m", messages: MESSAGES, stream: true, ...members };
  const response = await gateway.call(CHAT, request);
  const events = (await response.text()).split("\n\n");
  assertEquals(events.pop(), "");
  return events.map((event) => {
    assertEquals([event.startsWith("data: "), event.includes("\n")], [true, false]);
    const data = event.slice("data: ".length);
    return data === "[DONE]" ? data : JSON.parse(data);
  });
}

function chunkOf(choice: Json): Json {
  return {
    id: "chatcmpl-2",
    object: "chat.completion.chunk",
    created: NOW,
    model: "m",
    choices: [{ index: 0, logprobs: null, finish_reason: null, ...choice }],
  };
}

const ROLE = chunkOf({ delta: { role: "assistant", content: "" } });

function delta(members: Json, finish_reason: string | null = null): Json {
  return { choices: [{ index: 0, delta: members, finish_reason }] };
}

Deno.test("a stream has the order of the interface, regardless of the vendor's order", async () => {
  const events = await eventsOf([
    delta({ content: "Hel" }),
    delta({ role: "assistant", content: "lo" }),
    delta({ content: "." }, "stop"),
  ]);
  assertEquals(events, [
    ROLE,
    chunkOf({ delta: { content: "Hel" } }),
    chunkOf({ delta: { content: "lo" } }),
    chunkOf({ delta: { content: "." } }),
    chunkOf({ delta: {}, finish_reason: "stop" }),
    "[DONE]",
  ]);
});

Deno.test("a stream has its usage in a separate last chunk, only on request", async () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
  const chunks = [delta({ content: "a" }), { ...delta({}, "stop"), usage }];
  const plain = [
    ROLE,
    chunkOf({ delta: { content: "a" } }),
    chunkOf({ delta: {}, finish_reason: "stop" }),
  ];
  assertEquals(await eventsOf(chunks), [...plain, "[DONE]"]);
  const asked = await eventsOf(chunks, { stream_options: { include_usage: true } });
  const [last] = asked.splice(plain.length, 1) as Json[];
  assertEquals(asked, [...plain, "[DONE]"]);
  assertEquals(last, { ...chunkOf({}), choices: [], usage });
});

Deno.test("a tool call in a stream has its ID and name once, and its arguments in pieces", async () => {
  const piece = (members: Json) => delta({ tool_calls: [{ index: 0, ...members }] });
  const events = await eventsOf([
    piece({ ...CALL, function: { name: "look", arguments: "" } }),
    piece({ ...CALL, function: { name: "look", arguments: '{"a"' } }),
    piece({ function: { arguments: ":1}" } }),
    delta({}, "stop"),
  ], { tools: [{ type: "function", function: { name: "look" } }] });
  const called = (members: Json) => chunkOf({ delta: { tool_calls: [{ index: 0, ...members }] } });
  assertEquals(events, [
    ROLE,
    called({ ...CALL, function: { name: "look", arguments: "" } }),
    called({ function: { arguments: '{"a"' } }),
    called({ function: { arguments: ":1}" } }),
    chunkOf({ delta: {}, finish_reason: "tool_calls" }),
    "[DONE]",
  ]);
});
