/** The provider inside the process: deterministic, honest, and on the same path as any other. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createTestGateway, type TestGateway } from "../../support/gateway.ts";
import { untilQuiet } from "../../support/manual_clock.ts";

const ECHO = { providers: { mock: { kind: "mock", models: ["mock-echo"] } } };

interface Answer {
  readonly choices: readonly {
    readonly message: {
      readonly content: string | null;
      readonly tool_calls?: readonly ToolCall[];
    };
    readonly finish_reason: string;
  }[];
  readonly usage: Record<string, number>;
}

interface ToolCall {
  readonly id: string;
  readonly type: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Chunk {
  readonly id: string;
  readonly choices: readonly {
    readonly delta: Record<string, unknown>;
    readonly finish_reason: string | null;
  }[];
  readonly usage?: Record<string, number>;
}

const say = (content: unknown, members: Record<string, unknown> = {}) => ({
  model: "mock-echo",
  messages: [{ role: "user", content }],
  ...members,
});

async function complete(body: unknown): Promise<Answer> {
  const gateway = createTestGateway({ config: ECHO });
  const response = await gateway.call("/v1/chat/completions", body);
  assertEquals(response.status, 200);
  assertQuiet(gateway);
  return await response.json();
}

/** The events of a streamed answer, `[DONE]` left out and checked. */
async function stream(body: Record<string, unknown>): Promise<Chunk[]> {
  const gateway = createTestGateway({ config: ECHO });
  const response = await gateway.call("/v1/chat/completions", { ...body, stream: true });
  assertEquals(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  const events = (await response.text()).split("\n\n").slice(0, -1);
  assertEquals(events.pop(), "data: [DONE]");
  await untilQuiet(gateway.clock);
  assertQuiet(gateway);
  return events.map((event) => JSON.parse(event.slice("data: ".length)));
}

function assertQuiet({ bugs, clock }: TestGateway): void {
  assertEquals(bugs, []);
  assertEquals(clock.pending, 0, "a timer was left behind");
}

function tool(name: string, parameters?: Record<string, unknown>) {
  return { type: "function", function: { name, ...(parameters && { parameters }) } };
}

const WEATHER = tool("get_weather", {
  type: "object",
  properties: {
    city: { type: "string" },
    days: { type: "integer" },
    wind: { type: "boolean" },
    unit: { type: "string", enum: ["celsius", "kelvin"] },
    hours: { type: "array" },
    place: { type: "object" },
    note: { type: "string" },
  },
  required: ["city", "days", "wind", "unit", "hours", "place"],
});

Deno.test("mock: it repeats the last user message", async () => {
  const { choices } = await complete({
    model: "mock-echo",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "One" },
      { role: "assistant", content: "You said: One" },
      { role: "user", content: [{ type: "text", text: "Two " }, { type: "text", text: "three" }] },
    ],
  });
  assertEquals(choices[0]?.message.content, "You said: Two three");
  assertEquals(choices[0]?.finish_reason, "stop");
});

Deno.test("mock: without a user message it introduces itself", async () => {
  const { choices } = await complete({
    model: "mock-echo",
    messages: [{ role: "system", content: "Hi" }],
  });
  assertStringIncludes(choices[0]?.message.content ?? "", "mock");
});

Deno.test("mock: the same request has the same answer", async () => {
  assertEquals(await complete(say("Again?")), await complete(say("Again?")));
  assertEquals(await stream(say("Again?")), await stream(say("Again?")));
});

Deno.test("mock: a stream has the words of the answer", async () => {
  const chunks = await stream(say("a  b\nc"));
  const deltas = chunks.map(({ choices }) => choices[0]?.delta);
  assertEquals(deltas[0], { role: "assistant", content: "" });
  assertEquals(deltas.slice(1, -1).map((delta) => delta?.content), [
    "You ",
    "said: ",
    "a  ",
    "b\n",
    "c",
  ]);
  assertEquals(deltas.at(-1), {});
  assertEquals(chunks.at(-1)?.choices[0]?.finish_reason, "stop");
  assertEquals(new Set(chunks.map(({ id }) => id)).size, 1);
});

Deno.test("mock: usage is consistent, and the same for a stream", async () => {
  const { usage } = await complete(say("one two three"));
  assertEquals(usage, { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 });
  const asked = await stream(say("one two three", { stream_options: { include_usage: true } }));
  assertEquals(asked.at(-1)?.choices, []);
  assertEquals(asked.at(-1)?.usage, usage);
  const unasked = await stream(say("one two three"));
  assert(unasked.every(({ choices, usage }) => choices.length === 1 && usage === undefined));
});

Deno.test("mock: it calls the tool that is named in the prompt, with valid required arguments", async () => {
  const tools = [tool("get_time"), WEATHER];
  const { choices } = await complete(say("Try get_weather, then get_time.", { tools }));
  const [choice] = choices;
  assertEquals(choice?.message.content, null);
  assertEquals(choice?.finish_reason, "tool_calls");
  assertEquals(choice?.message.tool_calls?.map(({ type }) => type), ["function"]);
  const made = choice?.message.tool_calls?.[0]?.function;
  assertEquals(made?.name, "get_weather");
  assertEquals(JSON.parse(made?.arguments ?? ""), {
    city: "mock",
    days: 1,
    wind: true,
    unit: "celsius",
    hours: [],
    place: {},
  });
});

Deno.test("mock: a streamed tool call equals one that is not streamed", async () => {
  const body = say("Weather?", { tools: [WEATHER], tool_choice: "required" });
  const { choices } = await complete(body);
  const chunks = await stream(body);
  let text = "";
  for (const { choices } of chunks) {
    const pieces = choices[0]?.delta.tool_calls as ToolCall[] | undefined;
    text += pieces?.[0]?.function.arguments ?? "";
  }
  assertEquals(text, choices[0]?.message.tool_calls?.[0]?.function.arguments);
  assertEquals(chunks.at(-1)?.choices[0]?.finish_reason, "tool_calls");
});

Deno.test("mock: tool_choice selects the tool, or forbids calls", async () => {
  const tools = [WEATHER, tool("get_time")];
  const tool_choice = { type: "function", function: { name: "get_time" } };
  const named = await complete(say("Time?", { tools, tool_choice }));
  const [call] = named.choices[0]?.message.tool_calls ?? [];
  assertEquals(call?.function, { name: "get_time", arguments: "{}" });
  const none = await complete(say("Time?", { tools, tool_choice: "none" }));
  assertEquals(none.choices[0]?.message.content, "You said: Time?");
  assertEquals(none.choices[0]?.message.tool_calls, undefined);
});

Deno.test("mock: it calls no tool unless it must, or the user's last text names one", async () => {
  const tools = [tool("get_time"), WEATHER];
  const called = async (content: unknown, members: Record<string, unknown> = {}) => {
    const body = { ...say(content, { tools, ...members }) };
    const { choices } = await complete({
      ...body,
      messages: [{ role: "system", content: "You have get_time." }, ...body.messages],
    });
    return choices[0]?.message.tool_calls?.[0]?.function.name;
  };
  assertEquals(await called("Weather?"), undefined);
  assertEquals(await called("Weather?", { tool_choice: "auto" }), undefined);
  assertEquals(await called("get_weather_now, Get_Weather, xget_weather"), undefined);
  assertEquals(await called("Weather?", { tool_choice: "required" }), "get_time");
  assertEquals(await called("get_weather!", { tool_choice: "required" }), "get_weather");
  assertEquals(await called("get_weather!", { tool_choice: "auto" }), "get_weather");
  assertEquals(await called("get_weather!", { tool_choice: "none" }), undefined);
  const note = { type: "text", text: "<system-reminder>get_time</system-reminder>" };
  assertEquals(await called([note, { type: "text", text: "Hello" }]), undefined);
  assertEquals(await called([note, { type: "text", text: "`get_weather`" }]), "get_weather");
});

for (
  const [what, text] of [["short words", "x "], ["one word", "xx"], ["white space", "x\u00a0  "]]
) {
  Deno.test(`mock: 4 MB of ${what} are counted, and repeated up to a bound`, async () => {
    const content = (text as string).repeat(4_000_000 / (text as string).length);
    const began = performance.now();
    const { choices: [choice], usage } = await complete(say(content));
    assertEquals(usage.prompt_tokens, (content.match(/\S+/g) ?? []).length);
    assertEquals(choice?.finish_reason, "length");
    assert((choice?.message.content ?? "").length <= 16_384);
    assert(content.startsWith((choice?.message.content ?? "").replace("You said: ", "")));
    const chunks = await stream(say(content));
    assert(chunks.length < 10_000, String(chunks.length));
    assert(performance.now() - began < 30_000, "linear and bounded");
  });
}

Deno.test("mock: after a tool result it repeats the result", async () => {
  const { choices: [first] } = await complete(say("get_weather", { tools: [WEATHER] }));
  const { choices: [second] } = await complete({
    model: "mock-echo",
    tools: [WEATHER],
    messages: [
      { role: "user", content: "Weather?" },
      { role: "assistant", ...first?.message },
      { role: "tool", tool_call_id: first?.message.tool_calls?.[0]?.id, content: "-3 °C" },
    ],
  });
  assertEquals(second?.message.content, "The tool answered: -3 °C");
  assertEquals(second?.finish_reason, "stop");
});

Deno.test("mock: a limit that is smaller than the answer truncates it, with finish reason 'length'", async () => {
  for (const limit of ["max_tokens", "max_completion_tokens"]) {
    const { choices, usage } = await complete(say("one two three", { [limit]: 3 }));
    assertEquals(choices[0]?.message.content, "You said: one ");
    assertEquals(choices[0]?.finish_reason, "length");
    assertEquals(usage.completion_tokens, 3);
  }
  const { choices } = await complete(say("one two three", { max_tokens: 5 }));
  assertEquals(choices[0]?.finish_reason, "stop");
  const chunks = await stream(say("one two three", { max_tokens: 3 }));
  assertEquals(chunks.at(-1)?.choices[0]?.finish_reason, "length");
});

const CITY = {
  type: "json_schema",
  json_schema: {
    name: "city",
    strict: true,
    schema: {
      type: "object",
      properties: { name: { type: "string" }, people: { type: "integer", minimum: 1000 } },
      required: ["name", "people"],
      additionalProperties: false,
    },
  },
};

Deno.test("mock: json_schema is answered with a valid value, streamed or not", async () => {
  const body = say("Which city?", { response_format: CITY });
  const { choices: [choice], usage } = await complete(body);
  assertEquals(choice?.message.content, '{"name":"mock","people":1000}');
  assertEquals(choice?.finish_reason, "stop");
  const chunks = await stream({ ...body, stream_options: { include_usage: true } });
  const pieces = chunks.map(({ choices }) => choices[0]?.delta.content ?? "");
  assertEquals(pieces.filter((piece) => piece !== ""), [
    "{",
    '"name":',
    '"mock",',
    '"people":',
    "1000}",
  ]);
  assertEquals(chunks.at(-1)?.usage, usage);
});

Deno.test("mock: json_object is answered with an object, and text with text", async () => {
  const { choices: [object] } = await complete(
    say("Hi", { response_format: { type: "json_object" } }),
  );
  assertEquals(object?.message.content, '{"message":"You said: Hi"}');
  const { choices: [text] } = await complete(say("Hi", { response_format: { type: "text" } }));
  assertEquals(text?.message.content, "You said: Hi");
});

Deno.test("mock: a limit truncates JSON too", async () => {
  const body = say("Which city?", { response_format: CITY, max_tokens: 2 });
  const { choices: [choice] } = await complete(body);
  assertEquals([choice?.message.content, choice?.finish_reason], ['{"name":', "length"]);
});

Deno.test("mock: it calls a tool before it answers in the format", async () => {
  const tools = [WEATHER];
  const body = { ...say("get_weather"), tools, response_format: CITY };
  const { choices: [first] } = await complete(body);
  assertEquals(first?.finish_reason, "tool_calls");
  const call = first?.message.tool_calls?.[0];
  const { choices: [second] } = await complete({
    ...body,
    messages: [
      ...body.messages,
      { role: "assistant", ...first?.message },
      { role: "tool", tool_call_id: call?.id, content: "-3 °C" },
    ],
  });
  assertEquals(second?.message.content, '{"name":"mock","people":1000}');
});

Deno.test("mock: response_format is no longer reported as ignored", async () => {
  const gateway = createTestGateway({ config: ECHO });
  const body = say("Hi", { response_format: CITY });
  const response = await gateway.call("/v1/chat/completions", body, { "x-sluice-strict": "true" });
  await response.body?.cancel();
  assertEquals([response.status, response.headers.get("x-sluice-ignored")], [200, null]);
});

Deno.test("mock: unsupported parameters are in the receipt", async () => {
  const gateway = createTestGateway({ config: ECHO });
  const response = await gateway.call("/v1/chat/completions", say("Hi", { n: 2, logprobs: true }));
  assertEquals((await response.json()).choices.length, 1);
  assertEquals(response.headers.get("x-sluice-ignored"), "n, logprobs");
});

Deno.test("mock: it needs no key and no network, and its answers are logged", async () => {
  const gateway = createTestGateway({
    config: ECHO,
    fetch: () => Promise.reject(new TypeError("The mock went to the network")),
  });
  const response = await gateway.call("/v1/chat/completions", say("Hi"));
  await response.body?.cancel();
  assertEquals(response.headers.get("x-sluice-provider"), "mock");
  assertEquals(response.headers.get("x-sluice-model"), "mock-echo");
  const [line] = gateway.lines;
  assertEquals([line?.outcome, line?.prompt_tokens, line?.completion_tokens], ["done", 1, 3]);
});
