/** Containers of vendors that run code belong to the service key that got them. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway } from "../../support/gateway.ts";

const KEYS = { one: "sk-one-0123456789abcdef", two: "sk-two-0123456789abcdef" } as const;
type Name = keyof typeof KEYS;

const CONTAINER = { id: "container_A1", expires_at: "2026-12-01T00:00:00Z" };
const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-opus-5",
  content: [{ type: "text", text: "Hi" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
  container: CONTAINER,
};
const EVENTS = [
  { type: "message_start", message: { ...MESSAGE, content: [], container: null } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  {
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: '"container":{"id":"container_A1"}' },
  },
  { type: "content_block_stop", index: 0 },
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn", container: CONTAINER },
    usage: { output_tokens: 1 },
  },
  { type: "message_stop" },
];
const STREAM = EVENTS.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join("");

function createWorld(names: readonly Name[] = ["one", "two"]) {
  const sent: JsonObject[] = [];
  const providers = {
    a: { kind: "anthropic", api_key: "sk-vendor-0123456789", models: ["claude-opus-5"] },
    o: {
      kind: "openai",
      api: "responses",
      api_key: "sk-vendor-0123456789",
      base_url: "http://native.test/v1",
      models: ["gpt-5.6"],
    },
  };
  const gateway = createTestGateway({
    config: { providers, server: { keys: names.map((name) => ({ name, key: KEYS[name] })) } },
    fetch: (_, { body }) => {
      const asked = JSON.parse(String(body));
      sent.push(asked);
      const headers = { "content-type": "text/event-stream" };
      return Promise.resolve(
        asked.stream ? new Response(STREAM, { headers }) : Response.json(MESSAGE),
      );
    },
  });
  const post = async (who: Name, path: string, body: JsonObject) => {
    const headers = { authorization: `Bearer ${KEYS[who]}`, "anthropic-version": "2023-06-01" };
    const answer = await gateway.call(path, body, headers);
    return { status: answer.status, text: await answer.text() };
  };
  const ask = (who: Name, more: JsonObject) =>
    post(who, "/v1/messages", {
      model: "claude-opus-5",
      max_tokens: 9,
      messages: [{ role: "user", content: "Hi" }],
      ...more,
    });
  return { sent, ask, post };
}

const TOOLS = [{ type: "code_execution_20260120", name: "code_execution" }];

/** The ID of the container in an answer. */
function containerOf(text: string): string {
  const [, id = ""] = /"container":\{"id":"(container_A1[^"]*)"/.exec(text) ?? [];
  return id;
}

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "whole";
  Deno.test(`the container of a ${how} answer works for one key`, async () => {
    const { sent, ask } = createWorld();
    const first = await ask("one", { tools: TOOLS, stream });
    const id = containerOf(first.text);
    assertMatch(id, /^container_A1\.[\w-]{16}@a$/);
    for (const container of [id, { id, skills: [] }]) {
      assertEquals((await ask("one", { container, stream })).status, 200);
      const raw = typeof container === "string"
        ? "container_A1"
        : { id: "container_A1", skills: [] };
      assertEquals(sent.at(-1)?.container, raw);
      const before = sent.length;
      const foreign = await ask("two", { container, stream });
      const unknown = await ask("two", {
        container: JSON.parse(JSON.stringify(container).replace("A1", "Z9")),
        stream,
      });
      assertEquals([foreign.status, unknown.status], [404, 404]);
      const withoutRequest = (text: string) => text.replace(/,"request_id":"[^"]*"/, "");
      assertEquals(
        withoutRequest(foreign.text).replace("A1", "Z9"),
        withoutRequest(unknown.text),
      );
      assertEquals(sent.length, before);
    }
    for (const container of ["container_A1", "container_A1@a", id.replace(/@a$/, "@o")]) {
      assertEquals((await ask("two", { container, stream })).status, 404);
    }
    if (stream) {
      assert(first.text.includes('text":"\\"container\\":{\\"id\\":\\"container_A1\\"}"'));
    }
  });
}

Deno.test("with one key, and without containers, answers pass as they are", async () => {
  const alone = createWorld(["one"]);
  assertEquals((await alone.ask("one", { tools: TOOLS, stream: true })).text, STREAM);
  assertEquals((await alone.ask("one", { container: "container_A1" })).status, 200);
  const both = createWorld();
  assertEquals((await both.ask("one", { stream: true })).text, STREAM);
});

Deno.test("a chat completion reaches no container", async () => {
  const { sent, post } = createWorld();
  const messages = [{ role: "user", content: "Hi" }];
  for (
    const tool of [
      { type: "code_interpreter", container: "cntr_A1" },
      { type: "shell", environment: { type: "container_reference", container_id: "cntr_A1" } },
    ]
  ) {
    const body = { model: "gpt-5.6", messages, tools: [tool] };
    assertEquals((await post("two", "/v1/chat/completions", body)).status, 404);
  }
  assertEquals(sent, []);
});
