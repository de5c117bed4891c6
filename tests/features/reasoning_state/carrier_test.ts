/** Reasoning state through a whole gateway, for a client that returns only OpenAI's own members. */

import { assert, assertEquals } from "@std/assert";
import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import { parseCallId } from "../../../src/apis/chat/call_ids.ts";
import { createTestGateway, SERVICE_KEY, type TestGateway } from "../../support/gateway.ts";
import { anthropic, bedrock, claudeOnVertex } from "../../support/loops/claude.ts";
import { openai } from "../../support/loops/dialect.ts";
import { gemini } from "../../support/loops/google.ts";
import {
  type Called,
  FUNCTION_TOOL,
  type Loop,
  providerAt,
  QUESTION,
  resultOf,
} from "../../support/loops/loop.ts";
import { ollama } from "../../support/loops/others.ts";
import { sayHello, toEventStream } from "../../support/scripted_vendor.ts";
import { sentText } from "../../support/sent_text.ts";

interface World {
  readonly gateway: TestGateway;
  /** The bodies that vendors got. */
  readonly arrived: JsonObject[];
}

interface Options {
  readonly server?: JsonObject;
  /** Further providers, by their ids. */
  readonly others?: Readonly<Record<string, Loop>>;
}

const HOST = "http://vendor.test";

/** A gateway whose first answer calls the tools, and whose others say "Hello.". */
function createWorld(loop: Loop, calls: readonly Called[], options: Options = {}): World {
  const arrived: JsonObject[] = [];
  const { server = {}, others = {} } = options;
  const gateway = createTestGateway({
    config: {
      server,
      providers: {
        vendor: loop.provider(HOST),
        ...Object.fromEntries(
          Object.entries(others).map(([id, other]) => [id, other.provider(HOST)]),
        ),
      },
    },
    async fetch(url, { body }) {
      const sent: JsonObject = JSON.parse(sentText(body));
      arrived.push(sent);
      const path = url.slice(HOST.length);
      if (arrived.length > 1) return await sayHello({ url: path, body: sent });
      const streamed = sent.stream === true || /converse-stream$|:stream/.test(path);
      return streamed ? loop.stream(calls) : Response.json(loop.answer(calls));
    },
  });
  return { gateway, arrived };
}

interface Turn {
  readonly model?: string;
  readonly stream?: boolean;
  readonly key?: string;
}

/** Asks, and gives the ids of the calls in the answer. */
async function ask({ gateway }: World, loop: Loop, turn: Turn = {}): Promise<string[]> {
  const response = await gateway.call("/v1/chat/completions", {
    model: loop.model,
    messages: [{ role: "user", content: QUESTION }],
    tools: [FUNCTION_TOOL],
    ...(turn.stream && { stream: true }),
  }, headersOf(turn));
  const text = await response.text();
  assertEquals(response.status, 200, text);
  return [...text.matchAll(/"id":"([^"]+)","type":"function"/g)].map(([, id]) => id ?? "");
}

function headersOf({ key = SERVICE_KEY }: Turn): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

/** Returns calls and results with these ids, and nothing else; gives the response's receipt. */
async function comeBack(
  { gateway }: World,
  loop: Loop,
  ids: readonly string[],
  turn: Turn = {},
  members: JsonObject = {},
): Promise<string | null> {
  const response = await gateway.call("/v1/chat/completions", {
    model: turn.model ?? loop.model,
    messages: [
      { role: "user", content: QUESTION },
      {
        role: "assistant",
        content: null,
        ...members,
        tool_calls: ids.map((id, at) => ({
          id,
          type: "function",
          function: {
            name: FUNCTION_TOOL.function.name,
            arguments: JSON.stringify({ city: loop.calls[at]?.city }),
          },
        })),
      },
      ...ids.map((id, at) => ({
        role: "tool",
        tool_call_id: id,
        content: resultOf(loop.calls[at] ?? loop.calls[0]),
      })),
    ],
    tools: [FUNCTION_TOOL],
  }, headersOf(turn));
  const text = await response.text();
  assertEquals(response.status, 200, text);
  return response.headers.get("x-sluice-converted");
}

/** What the vendor got of the conversation after the question. */
function returned(world: World, loop: Loop): unknown {
  const history = world.arrived.at(-1)?.[loop.history];
  return Array.isArray(history) ? history.slice(1) : undefined;
}

function expected(loop: Loop, calls: readonly Called[], whole: boolean): readonly unknown[] {
  return loop.back({ calls, results: calls, whole });
}

const GONE = "messages.reasoning_state memory->gone";
const UNREADABLE = "messages.reasoning_state id->unreadable";
/** Nothing fits into ids. */
const IN_MEMORY = { reasoning_state: { max_id_length: 64 } };

for (const stream of [false, true]) {
  const how = stream ? "a stream" : "an answer";
  for (const loop of [anthropic, bedrock, gemini, ollama]) {
    for (const server of [{}, IN_MEMORY]) {
      const where = server === IN_MEMORY ? "memory" : "the ids";
      Deno.test(`${loop.name}: state of ${how} comes back from ${where}`, async () => {
        const world = createWorld(loop, loop.calls, { server });
        const ids = await ask(world, loop, { stream });
        const kinds = ids.map((id) => parseCallId(id)?.kind);
        assertEquals(kinds[0], server === IN_MEMORY ? "stored" : "sealed");
        for (const id of ids) assert(/^[\w-]+$/.test(id), id);
        if (server === IN_MEMORY) assert(ids.every((id) => id.length <= 64));
        assertEquals(await comeBack(world, loop, ids), null);
        assertEquals(returned(world, loop), expected(loop, loop.calls, true));
      });
    }
  }

  Deno.test(`ids of ${how} without state stay as they are`, async () => {
    const world = createWorld(openai, openai.calls);
    assertEquals(await ask(world, openai, { stream }), openai.calls.map(({ id }) => id));
  });

  Deno.test(`ids of ${how} stay as they are where state is disabled`, async () => {
    const server = { reasoning_state: { enabled: false } };
    const world = createWorld(anthropic, anthropic.calls, { server });
    assertEquals(await ask(world, anthropic, { stream }), anthropic.calls.map(({ id }) => id));
  });

  Deno.test(`ids of ${how} stay as they are where there is neither room nor memory`, async () => {
    const server = { reasoning_state: { max_id_length: 64, memory: 0 } };
    const world = createWorld(anthropic, anthropic.calls, { server });
    assertEquals(await ask(world, anthropic, { stream }), anthropic.calls.map(({ id }) => id));
  });

  Deno.test(`a vendor's own id of ${how} with the mark in it comes back as it was`, async () => {
    const calls = openai.calls.map((call) => ({ ...call, id: `${call.id}_sluice_sAAAA` }));
    const world = createWorld(openai, calls);
    const ids = await ask(world, openai, { stream });
    assert(ids.every((id, at) => id !== calls[at]?.id));
    assertEquals(await comeBack(world, openai, ids), null);
    assertEquals(returned(world, openai), expected(openai, calls, true));
  });
}

Deno.test("another service key gets the vendor's IDs, and no state", async () => {
  const keys = ["one", "two"].map((name) => ({ name, key: `sk-of-key-${name}` }));
  for (const limits of [{}, IN_MEMORY.reasoning_state]) {
    const server = { keys, reasoning_state: limits };
    const world = createWorld(anthropic, anthropic.calls, { server });
    const ids = await ask(world, anthropic, { key: "sk-of-key-one" });
    const receipt = await comeBack(world, anthropic, ids, { key: "sk-of-key-two" });
    assertEquals(receipt, limits === IN_MEMORY.reasoning_state ? GONE : UNREADABLE);
    assertEquals(returned(world, anthropic), expected(anthropic, anthropic.calls, false));
    assertEquals(await comeBack(world, anthropic, ids, { key: "sk-of-key-one" }), null);
    assertEquals(returned(world, anthropic), expected(anthropic, anthropic.calls, true));
  }
});

Deno.test("state that was not used for an hour expires, and the receipt reports it", async () => {
  const world = createWorld(anthropic, anthropic.calls, { server: IN_MEMORY });
  const ids = await ask(world, anthropic);
  world.gateway.clock.advance(3_599_999);
  assertEquals(await comeBack(world, anthropic, ids), null);
  world.gateway.clock.advance(3_600_000);
  assertEquals(await comeBack(world, anthropic, ids), GONE);
  assertEquals(returned(world, anthropic), expected(anthropic, anthropic.calls, false));
  // The client brought it back itself: nothing is missing.
  assertEquals(await comeBack(world, anthropic, ids, {}, { reasoning_details: [] }), null);
});

Deno.test("forged, truncated and moved IDs contain no state, and are not sent to the vendor", async () => {
  const world = createWorld(anthropic, anthropic.calls);
  const [first = "", second = ""] = await ask(world, anthropic);
  const payload = parseCallId(first)?.payload ?? "";
  for (
    const forged of [
      first.slice(0, -1),
      first.slice(0, 40),
      `${first}A`,
      first.replace(payload, payload.slice(0, 20)),
      first.replace(payload, ""),
      first.replace(payload, "A".repeat(100_000)),
      first.replace("_sluice_s", "_sluice_m"),
      first.replace("_sluice_s", "_sluice_x"),
    ]
  ) {
    const receipt = await comeBack(world, anthropic, [forged, second]);
    assert(receipt === GONE || receipt === UNREADABLE, `${receipt} ${forged.slice(0, 80)}`);
    assertEquals(returned(world, anthropic), expected(anthropic, anthropic.calls, false));
  }
  // State does not move to another call.
  const moved = first.replace(anthropic.calls[0].id, "toolu_01X");
  assertEquals(await comeBack(world, anthropic, [moved, second]), UNREADABLE);
});

Deno.test("after 64 unreadable IDs, older ones are not decrypted, and newer ones are", async () => {
  const world = createWorld(anthropic, [anthropic.calls[0]]);
  const [id = ""] = await ask(world, anthropic);
  const turnOf = (own: string) => [
    {
      role: "assistant",
      tool_calls: [{ id: own, type: "function", function: { name: "f", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: own, content: "4" },
  ];
  const forged = (count: number) =>
    Array.from({ length: count }, (_, at) => turnOf(`call_${at}_sluice_s${"A".repeat(60)}`)).flat();
  for (
    const [turns, thoughts] of [
      [[...turnOf(id), ...forged(63)], 1],
      [[...turnOf(id), ...forged(64)], 0],
      [[...forged(200), ...turnOf(id)], 1],
    ] as const
  ) {
    const response = await world.gateway.call("/v1/chat/completions", {
      model: anthropic.model,
      messages: [{ role: "user", content: QUESTION }, ...turns],
      tools: [FUNCTION_TOOL],
    });
    assertEquals([response.status, response.headers.get("x-sluice-converted")], [200, UNREADABLE]);
    const sent = JSON.stringify(world.arrived.at(-1));
    assertEquals(sent.split('"type":"thinking"').length - 1, thoughts);
    assert(!sent.includes("_sluice_"));
  }
});

Deno.test("a state counts once in a request, even if its ID occurs several times", async () => {
  const world = createWorld(anthropic, [anthropic.calls[0]]);
  const [id = ""] = await ask(world, anthropic);
  const turn = [
    {
      role: "assistant",
      tool_calls: [{ id, type: "function", function: { name: "get_weather", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: id, content: "4" },
  ];
  const messages = [
    { role: "user", content: QUESTION },
    ...Array.from({ length: 50 }, () => turn).flat(),
  ];
  const { model } = anthropic;
  const response = await world.gateway.call("/v1/chat/completions", {
    model,
    messages,
    tools: [FUNCTION_TOOL],
  });
  assertEquals(response.status, 200);
  const sent = JSON.stringify(world.arrived.at(-1));
  assertEquals(sent.split('"type":"thinking"').length - 1, 1);
  assert(!sent.includes("_sluice_"));
});

Deno.test("restored state is limited to the size of a body", async () => {
  const server = { max_body: "4KiB", reasoning_state: { max_id_length: 64 } };
  const long: Loop = {
    ...ollama,
    answer: (calls) => {
      const answer = ollama.answer(calls);
      const message = isObject(answer.message) ? answer.message : {};
      return { ...answer, message: { ...message, thinking: "thought ".repeat(1000) } };
    },
  };
  const world = createWorld(long, [long.calls[0]], { server });
  const ids = await ask(world, long);
  assertEquals(await comeBack(world, long, ids), GONE);
});

Deno.test("a target of another vendor gets the original IDs, and no state of other vendors", async () => {
  const world = createWorld(ollama, ollama.calls, { others: { others: gemini, chat: openai } });
  const ids = await ask(world, ollama);
  for (const other of [gemini, openai]) {
    assertEquals(await comeBack(world, other, ids), null);
    const sent = JSON.stringify(world.arrived.at(-1));
    assert(!sent.includes("_sluice_") && !sent.includes("Two cities"), sent);
    assert(sent.includes(ollama.calls[0].id), sent);
  }
});

Deno.test("Claude's signed thinking goes to Claude at another provider", async () => {
  const vertex = { ...claudeOnVertex, model: "claude-sonnet-4-5@vertex" };
  const world = createWorld(anthropic, anthropic.calls, { others: { vertex } });
  const ids = await ask(world, anthropic);
  assertEquals(await comeBack(world, vertex, ids), null);
  assertEquals(returned(world, vertex), expected(anthropic, anthropic.calls, true));
});

Deno.test("reasoning that a client returned in part is completed, and other reasoning is unchanged", async () => {
  const world = createWorld(ollama, ollama.calls);
  const ids = await ask(world, ollama);
  await comeBack(world, ollama, ids, {}, { reasoning_content: " one tool." });
  assertEquals(returned(world, ollama), expected(ollama, ollama.calls, true));
  await comeBack(world, ollama, ids, {}, { reasoning_content: "I know better." });
  const [turn] = returned(world, ollama) as JsonObject[];
  assertEquals(turn?.thinking, "I know better.");
});

Deno.test("a long stream of reasoning is complete, although the template cache could convert its events", async () => {
  const words = Array.from({ length: 60 }, (_, index) => `thought ${index}, `);
  const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "deepseek-reasoner",
    choices: [{ index: 0, delta, finish_reason }],
  });
  const call = {
    id: "call_1",
    type: "function",
    function: { name: "get_weather", arguments: "{}" },
  };
  const loop: Loop = {
    ...openai,
    model: "deepseek-reasoner",
    provider: (url) => providerAt("deepseek", `${url}/v1`, "deepseek-reasoner"),
    stream: () =>
      toEventStream([
        ...words.map((word) => chunk({ reasoning_content: word })),
        chunk({ tool_calls: [{ index: 0, ...call }] }),
        chunk({}, "tool_calls"),
        "[DONE]",
      ]),
  };
  const world = createWorld(loop, [loop.calls[0]]);
  const ids = await ask(world, loop, { stream: true });
  assertEquals(ids.length, 1);
  assertEquals(await comeBack(world, loop, ids), null);
  const [turn] = returned(world, loop) as JsonObject[];
  assertEquals(turn?.reasoning_content, words.join(""));
});

Deno.test("an explanation shows the vendor's IDs and the state", async () => {
  const world = createWorld(anthropic, anthropic.calls);
  const [id = ""] = await ask(world, anthropic);
  const response = await world.gateway.call("/v1/chat/completions", {
    model: anthropic.model,
    messages: [
      { role: "user", content: QUESTION },
      {
        role: "assistant",
        tool_calls: [{ id, type: "function", function: { name: "get_weather", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: id, content: "4" },
    ],
    tools: [FUNCTION_TOOL],
  }, { "x-sluice-explain": "true" });
  const text = await response.text();
  assert(text.includes('"signature"') && !text.includes("_sluice_"), text);
});
