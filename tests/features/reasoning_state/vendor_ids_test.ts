/**
 * Vendors that use one id for several calls: callers that pair by id get unique ids, and the vendor
 * gets its own again. The caller of each format sends back what it got.
 */

import { assertEquals, assertNotEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { toEventStream } from "../../support/scripted_vendor.ts";

const PARAMETERS = { type: "object", properties: { q: { type: "string" } } };

/** A call as a vendor of OpenAI's format writes it. */
interface Called {
  readonly id: string;
  readonly q: string;
}

function toCall({ id, q }: Called, index: number): JsonObject {
  const made = { name: "look_up", arguments: JSON.stringify({ q }) };
  return { index, id, type: "function", function: made };
}

/** A vendor that calls with these ids in each of its answers. */
function createWorld(turns: readonly (readonly Called[])[]) {
  const sent: JsonObject[] = [];
  const gateway = createTestGateway({
    config: {
      providers: {
        v: { kind: "openai_compatible", base_url: "http://v.test", models: ["m"] },
      },
    },
    fetch: (_url, { body }) => {
      const asked = JSON.parse(String(body));
      const tool_calls = (turns[sent.length] ?? []).map(toCall);
      sent.push(asked);
      const finish_reason = "tool_calls";
      const base = { id: "c", object: "chat.completion", created: 1, model: "m" };
      const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
      return Promise.resolve(
        asked.stream
          ? toEventStream([
            { ...base, choices: [{ index: 0, delta: { tool_calls } }] },
            { ...base, choices: [{ index: 0, delta: {}, finish_reason }] },
            { ...base, choices: [], usage },
            "[DONE]",
          ])
          : Response.json({
            ...base,
            choices: [{
              index: 0,
              message: { role: "assistant", content: null, tool_calls },
              finish_reason,
            }],
            usage,
          }),
      );
    },
  });
  return { gateway, sent };
}

interface Got {
  readonly id: string;
  readonly q: string;
}

/** How callers of a format ask and answer. */
interface Caller {
  readonly path: (stream: boolean) => string;
  readonly history: string;
  readonly frame: JsonObject;
  readonly question: JsonObject;
  readonly calls: (answer: readonly JsonObject[]) => readonly Got[];
  /** What it sends back: the calls, and the results in the given order. */
  readonly back: (calls: readonly Got[], results: readonly Got[]) => readonly JsonObject[];
  /** Whether it pairs by id within a turn only. */
  readonly pairsInTurn?: boolean;
}

/** Every object below a value. */
function* objectsIn(value: unknown): Iterable<JsonObject> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as JsonObject;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

/** Calls of answers whose arguments are text, which may come in pieces. */
function gather(answer: readonly JsonObject[]): readonly Got[] {
  const found = new Map<unknown, { id: string; text: string }>();
  for (const one of objectsIn(answer)) {
    const made = one.function as { name?: string; arguments: string } | undefined;
    if (made === undefined) continue;
    const call = found.get(one.index) ?? { id: "", text: "" };
    found.set(one.index ?? one.id, {
      id: call.id + String(one.id ?? ""),
      text: call.text + made.arguments,
    });
  }
  return [...found.values()].map(({ id, text }) => ({ id, q: JSON.parse(text).q }));
}

const CALLERS: Readonly<Record<string, Caller>> = {
  chat_completions: {
    path: () => "/v1/chat/completions",
    history: "messages",
    frame: {
      model: "m",
      tools: [{ type: "function", function: { name: "look_up", parameters: PARAMETERS } }],
    },
    question: { role: "user", content: "Go" },
    calls: gather,
    back: (calls, results) => [
      { role: "assistant", content: null, tool_calls: calls.map((call) => toCall(call, 0)) },
      ...results.map(({ id, q }) => ({ role: "tool", tool_call_id: id, content: `of ${q}` })),
    ],
    pairsInTurn: true,
  },
  messages: {
    path: () => "/v1/messages",
    history: "messages",
    frame: {
      model: "m",
      max_tokens: 99,
      tools: [{ name: "look_up", input_schema: PARAMETERS }],
    },
    question: { role: "user", content: "Go" },
    calls(answer) {
      const blocks = [...objectsIn(answer)].filter(({ type }) => type === "tool_use");
      const pieces = [...objectsIn(answer)].filter(({ type }) => type === "input_json_delta");
      return blocks.map(({ id, input }, at) => ({
        id: String(id),
        q: pieces.length === 0
          ? (input as Got).q
          : JSON.parse(String(pieces[at]?.partial_json ?? "{}")).q,
      }));
    },
    back: (calls, results) => [
      {
        role: "assistant",
        content: calls.map(({ id, q }) => ({
          type: "tool_use",
          id,
          name: "look_up",
          input: { q },
        })),
      },
      {
        role: "user",
        content: results.map(({ id, q }) => ({
          type: "tool_result",
          tool_use_id: id,
          content: `of ${q}`,
        })),
      },
    ],
  },
  responses: {
    path: () => "/v1/responses",
    history: "input",
    frame: {
      model: "m",
      tools: [{ type: "function", name: "look_up", parameters: PARAMETERS }],
    },
    question: { role: "user", content: "Go" },
    calls(answer) {
      const last = answer.at(-1);
      return [...objectsIn(last)].filter(({ type }) => type === "function_call")
        .map(({ call_id, arguments: text }) => ({
          id: String(call_id),
          q: JSON.parse(String(text)).q,
        }));
    },
    back: (calls, results) => [
      ...calls.map(({ id, q }) => ({
        type: "function_call",
        call_id: id,
        name: "look_up",
        arguments: JSON.stringify({ q }),
      })),
      ...results.map(({ id, q }) => ({
        type: "function_call_output",
        call_id: id,
        output: `of ${q}`,
      })),
    ],
  },
  gemini: {
    path: (stream) =>
      `/v1beta/models/m:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    history: "contents",
    frame: { tools: [{ functionDeclarations: [{ name: "look_up" }] }] },
    question: { role: "user", parts: [{ text: "Go" }] },
    calls: (answer) =>
      [...objectsIn(answer)].flatMap(({ functionCall: made }) =>
        made === undefined
          ? []
          : [{ id: (made as Got).id, q: (made as { args: { q: string } }).args.q }]
      ),
    back: (calls, results) => [
      {
        role: "model",
        parts: calls.map(({ id, q }) => ({ functionCall: { id, name: "look_up", args: { q } } })),
      },
      {
        role: "user",
        parts: results.map(({ id, q }) => ({
          functionResponse: { id, name: "look_up", response: { output: `of ${q}` } },
        })),
      },
    ],
  },
};

async function ask(
  { gateway }: ReturnType<typeof createWorld>,
  { path, frame, history, calls }: Caller,
  turns: readonly JsonObject[],
  stream: boolean,
): Promise<readonly Got[]> {
  const isNamed = path(stream).includes(":");
  const body = { ...frame, ...(!isNamed && { stream }), [history]: turns };
  const response = await gateway.call(path(stream), body);
  const text = await response.text();
  assertEquals(response.status, 200, text);
  assertEquals(gateway.bugs, []);
  if (!stream) return calls([JSON.parse(text)]);
  const data = text.split("\n").filter((line) => line.startsWith("data: {"));
  return calls(data.map((line) => JSON.parse(line.slice("data: ".length))));
}

/** The calls and results of a request, as the vendor got them. */
function pairsIn(request: JsonObject | undefined): readonly (readonly [string, string])[] {
  const messages = request?.messages as JsonObject[];
  return messages.flatMap((message): [string, string][] =>
    message.role === "tool"
      ? [[
        String(message.tool_call_id),
        String(message.content).replace('{"output":"', "").replace('"}', ""),
      ]]
      : ((message.tool_calls ?? []) as { id: string; function: { arguments: string } }[])
        .map((call) => [call.id, JSON.parse(call.function.arguments).q])
  );
}

for (const [format, caller] of Object.entries(CALLERS)) {
  for (const stream of [false, true]) {
    const how = `${format}${stream ? ", streamed" : ""}`;

    Deno.test(`${how}: an id of every turn is another one for callers, and the vendor's own again`, async () => {
      const qs = ["a", "b", "c", "d"];
      const world = createWorld(qs.map((q) => [{ id: "call_0", q }]));
      const turns = [caller.question];
      const ids: string[] = [];
      for (const q of qs) {
        const calls = await ask(world, caller, turns, stream);
        assertEquals(calls.map((call) => call.q), [q]);
        ids.push(...calls.map(({ id }) => id));
        turns.push(...caller.back(calls, calls));
      }
      const unique = ["call_0", "call_0_2", "call_0_3", "call_0_4"];
      assertEquals(ids, caller.pairsInTurn ? qs.map(() => "call_0") : unique);
      const before = qs.slice(0, -1).flatMap((q) => [["call_0", q], ["call_0", `of ${q}`]]);
      assertEquals(pairsIn(world.sent.at(-1)), before as [string, string][]);
    });

    Deno.test(`${how}: two calls of one answer with one id are two, whatever the order of the results`, async () => {
      const world = createWorld([[{ id: "look_up", q: "a" }, { id: "look_up", q: "b" }], [
        { id: "look_up", q: "c" },
      ]]);
      const calls = await ask(world, caller, [caller.question], stream);
      assertEquals(calls, [{ id: "look_up", q: "a" }, { id: "look_up_2", q: "b" }]);
      const back = caller.back(calls, calls.toReversed());
      const [next] = await ask(world, caller, [caller.question, ...back], stream);
      assertEquals(next?.q, "c");
      if (!caller.pairsInTurn) assertEquals(next?.id, "look_up_3");
      assertEquals(pairsIn(world.sent[1]), [
        ["look_up", "a"],
        ["look_up", "b"],
        ["look_up", "of a"],
        ["look_up", "of b"],
      ]);
    });
  }
}

Deno.test("ids of a vendor that end in numbers stay as they are", async () => {
  const { chat_completions: caller } = CALLERS;
  if (caller === undefined) throw new TypeError();
  const world = createWorld([[], []]);
  const ids = ["call_1", "call_2", "get_2", "x_02", "look_up"];
  const calls = ids.map((id) => ({ id, q: id }));
  await ask(world, caller, [caller.question, ...caller.back(calls, calls)], false);
  assertEquals(pairsIn(world.sent[0]).slice(0, ids.length).map(([id]) => id), ids);
  const named = [{ id: "tool", q: "a" }, { id: "tool_2", q: "b" }];
  const turn = caller.back(named, named);
  const [first] = turn as [JsonObject];
  const made = first.tool_calls as { id: string; function: JsonObject }[];
  for (const call of made) call.function.name = call.id;
  await ask(world, caller, [caller.question, ...turn], false);
  assertEquals(pairsIn(world.sent[1]).map(([id]) => id), ["tool", "tool_2", "tool", "tool_2"]);
});

Deno.test("each choice of an answer has separate IDs", async () => {
  const { chat_completions: caller } = CALLERS;
  if (caller === undefined) throw new TypeError();
  const tool_calls = [toCall({ id: "call_0", q: "a" }, 0)];
  const gateway = createTestGateway({
    config: {
      providers: { v: { kind: "openai_compatible", base_url: "http://v.test", models: ["m"] } },
    },
    fetch: () =>
      Promise.resolve(Response.json({
        choices: [0, 1].map((index) => ({
          index,
          message: { role: "assistant", content: null, tool_calls },
          finish_reason: "tool_calls",
        })),
      })),
  });
  const body = { ...caller.frame, n: 2, messages: [caller.question] };
  const { choices } = await (await gateway.call("/v1/chat/completions", body)).json();
  for (const { message } of choices) assertEquals(message.tool_calls[0].id, "call_0");
  assertNotEquals(choices.length, 0);
});
