/** State of calls for a client of Ollama's API that returns no ids, as its package for Python. */

import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { callKeys, toCallKey } from "../../../src/features/reasoning_state/call_id_writer.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { toEventStream } from "../../support/scripted_vendor.ts";

const MODEL = "gemini-3.5-flash";
const TOOLS = [{
  type: "function",
  function: { name: "look", parameters: { type: "object", properties: {} } },
}];
const USAGE = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 };

/** Gemini with these calls in each of its answers: their arguments, and the signature of the first. */
function createWorld(turns: readonly (readonly JsonObject[])[], server: JsonObject = {}) {
  const sent: JsonObject[] = [];
  const gateway = createTestGateway({
    config: {
      server,
      providers: { v: { kind: "gemini", api_key: VENDOR_KEY, models: [MODEL] } },
    },
    fetch: (url, { body }) => {
      const parts = (turns[sent.length] ?? []).map((args, at) => ({
        functionCall: { name: "look", args },
        ...(at === 0 && { thoughtSignature: `c2ln${sent.length}Q==` }),
      }));
      sent.push(JSON.parse(String(body)));
      const answer = {
        candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
        usageMetadata: USAGE,
      };
      return Promise.resolve(
        url.includes("stream") ? toEventStream([answer]) : Response.json(answer),
      );
    },
  });
  return { gateway, sent };
}

type Made = { readonly function: { readonly name: string; readonly arguments: JsonObject } };

async function ask(
  { gateway }: ReturnType<typeof createWorld>,
  messages: readonly JsonObject[],
  stream: boolean,
): Promise<readonly Made[]> {
  const body = { model: MODEL, messages, tools: TOOLS, stream };
  const response = await gateway.call("/api/chat", body);
  const text = await response.text();
  assertEquals([response.status, gateway.bugs], [200, []], text);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line) => JSON.parse(line).message?.tool_calls ?? []);
}

/** What the client keeps of a turn: no ids, and arguments in another order. */
function turnOf(calls: readonly Made[]): JsonObject[] {
  return [
    {
      role: "assistant",
      content: "",
      tool_calls: calls.map(({ function: { name, arguments: input } }) => ({
        function: { name, arguments: Object.fromEntries(Object.entries(input).reverse()) },
      })),
    },
    ...calls.map(() => ({ role: "tool", tool_name: "look", content: "1" })),
  ];
}

function signaturesIn(request: JsonObject | undefined): unknown[] {
  const contents = request?.contents as { parts: JsonObject[] }[];
  return contents.flatMap(({ parts }) => parts).filter((part) => part.functionCall !== undefined)
    .map(({ thoughtSignature }) => thoughtSignature);
}

const QUESTION = { role: "user", content: "Go" };

for (const stream of [false, true]) {
  Deno.test(`a client without ids: signatures come back in their turn; stream: ${stream}`, async () => {
    // The same call in two turns has another signature in each.
    const calls = [{ a: 1, b: "x" }, { a: 2, b: "y" }];
    const world = createWorld([calls, calls, []]);
    const messages: JsonObject[] = [QUESTION];
    for (let turn = 0; turn < 2; turn++) {
      messages.push(...turnOf(await ask(world, messages, stream)));
    }
    await ask(world, messages, stream);
    assertEquals(signaturesIn(world.sent[1]), ["c2ln0Q==", undefined]);
    assertEquals(signaturesIn(world.sent[2]), ["c2ln0Q==", undefined, "c2ln1Q==", undefined]);
  });
}

Deno.test("a client without IDs: nothing is stored if state is disabled", async () => {
  const world = createWorld([[{ a: 1 }], []], { reasoning_state: { enabled: false } });
  const messages = [QUESTION, ...turnOf(await ask(world, [QUESTION], false))];
  await ask(world, messages, false);
  assertEquals(signaturesIn(world.sent[1]).includes("c2ln0Q=="), false);
});

Deno.test("keys: arguments in any order and spelling are the same; any other change is another call", () => {
  const call = { name: "f", input: '{"a":{"x":1,"y":2},"b":[1]}', turn: 0, index: 0 };
  const key = toCallKey(call);
  assertEquals(toCallKey({ ...call, input: '{ "b":[1.0], "a":{"y":2,"x":1} }' }), key);
  const others = [{ name: "g" }, { input: "{}" }, { turn: 1 }, { index: 1 }, { input: "{" }];
  const keys = new Set(others.map((other) => toCallKey({ ...call, ...other })));
  assertEquals([keys.size, keys.has(key)], [others.length, false]);
  const tool_calls = [
    { id: "c1", type: "function" as const, function: { name: "f", arguments: "{}" } },
  ];
  assertEquals(callKeys([{ role: "assistant", tool_calls }]).size, 0);
});
