/**
 * A provider's IDs belong to the service key that got them: for every other key, and in every
 * spelling but the one that was handed out, they are unknown.
 */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway, type TestGateway } from "../../support/gateway.ts";
import { readEvents } from "../../support/responses/events.ts";

const KEYS = { one: "sk-one-0123456789abcdef", two: "sk-two-0123456789abcdef" } as const;
type Name = keyof typeof KEYS;

const NATIVE = {
  kind: "openai",
  api: "responses",
  api_key: "sk-vendor-0123456789",
  base_url: "http://native.test/v1",
  models: ["m"],
};

const ANSWER = {
  id: "resp_A1",
  object: "response",
  status: "completed",
  model: "m",
  previous_response_id: null,
  conversation: { id: "conv_A1" },
  output: [
    { id: "rs_A1", type: "reasoning", summary: [] },
    { id: "ci_A1", type: "code_interpreter_call", container_id: "cntr_A1", status: "completed" },
    { id: "mcpr_A1", type: "mcp_approval_request", name: "x", arguments: "{}", server_label: "s" },
    {
      id: "msg_A1",
      type: "message",
      role: "assistant",
      content: [{
        type: "output_text",
        text: "Secret.",
        annotations: [{ type: "container_file_citation", container_id: "cntr_A1", file_id: "f" }],
      }],
    },
  ],
  usage: null,
};

const COMPLETED = [{ type: "response.completed", response: ANSWER }];

function toStream(events: readonly JsonObject[]): Response {
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } });
}

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly body: JsonObject | undefined;
}

interface World {
  readonly gateway: TestGateway;
  readonly sent: Sent[];
  call(who: Name, method: string, path: string, body?: JsonObject): Promise<Reply>;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly body: JsonObject;
}

function createWorld(
  { provider = {}, groups = {}, server = {}, names = ["one", "two"] }: {
    readonly provider?: JsonObject;
    readonly groups?: Partial<Record<Name, string>>;
    readonly server?: JsonObject;
    readonly names?: readonly Name[];
  } = {},
): World {
  const sent: Sent[] = [];
  const keys = names.map((name) => ({
    name,
    key: KEYS[name],
    ...(groups[name] && { group: groups[name] }),
  }));
  const providers = { v: { ...NATIVE, ...provider }, w: { ...NATIVE, models: ["other"] } };
  const gateway = createTestGateway({
    config: { providers, server: { ...server, keys } },
    fetch: (url, { method = "GET", body }) => {
      sent.push({ method, url, body: typeof body === "string" ? JSON.parse(body) : undefined });
      const { pathname, search } = new URL(url);
      if (search === "?stream=true") return Promise.resolve(toStream(COMPLETED));
      return Promise.resolve(Response.json(
        pathname.endsWith("/input_items")
          ? { object: "list", data: [{ id: "msg_in" }], first_id: "msg_in", last_id: "msg_in" }
          : ANSWER,
      ));
    },
  });
  return {
    gateway,
    sent,
    async call(who, method, path, body) {
      const request = new Request(`http://gateway.test${path}`, {
        method,
        headers: { authorization: `Bearer ${KEYS[who]}` },
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer = await gateway.app.handle(request);
      const text = await answer.text();
      return { status: answer.status, text, body: text.startsWith("{") ? JSON.parse(text) : {} };
    },
  };
}

const ask = (more: JsonObject = {}) => ({ model: "m", input: "One", ...more });
const create = (world: World, who: Name, more?: JsonObject) =>
  world.call(who, "POST", "/v1/responses", ask(more));

/** The IDs of the answer to a key, as it sees them. */
async function idsOf(world: World, who: Name) {
  const { body } = await create(world, who);
  const [reasoning, interpreter, approval, message] = body.output as JsonObject[];
  return {
    response: String(body.id),
    conversation: String((body.conversation as JsonObject).id),
    reasoning: String(reasoning?.id),
    container: String(interpreter?.container_id),
    approval: String(approval?.id),
    message: String(message?.id),
  };
}
type Ids = Awaited<ReturnType<typeof idsOf>>;

/** A request that names an ID, and what the vendor gets of it. */
interface Way {
  readonly about: string;
  readonly method: string;
  path(ids: Ids): string;
  body?(ids: Ids): JsonObject;
  /** Checks what the vendor got from the owner. */
  check(sent: Sent): void;
}

const base = "http://native.test/v1/responses";
const posts = (about: string, member: (ids: Ids) => JsonObject, own: JsonObject): Way => ({
  about,
  method: "POST",
  path: () => "/v1/responses",
  body: (ids) => ask(member(ids)),
  check: ({ body }) => assertEquals({ ...body, ...own }, body),
});
const names = (about: string, method: string, rest: string): Way => ({
  about,
  method,
  path: ({ response }) => `/v1/responses/${response}${rest}`,
  check: ({ url }) => assertEquals(url, `${base}/resp_A1${rest}`),
});

const WAYS: readonly Way[] = [
  names("GET", "GET", ""),
  names("GET as a stream", "GET", "?stream=true"),
  names("DELETE", "DELETE", ""),
  names("cancel", "POST", "/cancel"),
  names("input_items", "GET", "/input_items"),
  posts("previous_response_id", ({ response }) => ({ previous_response_id: response }), {
    previous_response_id: "resp_A1",
  }),
  posts("conversation", ({ conversation }) => ({ conversation }), { conversation: "conv_A1" }),
  posts("conversation object", ({ conversation }) => ({ conversation: { id: conversation } }), {
    conversation: { id: "conv_A1" },
  }),
  posts("item_reference", ({ message }) => ({ input: [{ type: "item_reference", id: message }] }), {
    input: [{ type: "item_reference", id: "msg_A1" }],
  }),
  posts("approval", ({ approval }) => ({
    input: [{ type: "mcp_approval_response", approval_request_id: approval, approve: true }],
  }), {
    input: [{ type: "mcp_approval_response", approval_request_id: "mcpr_A1", approve: true }],
  }),
  posts("container", ({ container }) => ({
    tools: [{ type: "code_interpreter", container }],
  }), { tools: [{ type: "code_interpreter", container: "cntr_A1" }] }),
  posts("shell container", ({ container }) => ({
    tools: [{
      type: "shell",
      environment: { type: "container_reference", container_id: container },
    }],
  }), {
    tools: [{
      type: "shell",
      environment: { type: "container_reference", container_id: "cntr_A1" },
    }],
  }),
  posts("container of a call", ({ container }) => ({
    input: [{ type: "code_interpreter_call", container_id: container }],
  }), { input: [{ type: "code_interpreter_call", container_id: "cntr_A1" }] }),
];

/** What a stranger can make of the IDs that another key got. */
const DISGUISES: Readonly<Record<string, (id: string) => string>> = {
  "as it is": (id) => id,
  "without its tag": (id) => id.replace(/\.[\w-]{16}@/, "@"),
  "without its tag and provider": (id) => id.replace(/\.[\w-]{16}@v$/, ""),
  "in capitals": (id) => id.replace("_A1", "_a1"),
  "with the tag in another case": (id) =>
    id.replace(/\.([\w-]{16})@/, (_, tag) => `.${String(tag).toUpperCase()}@`),
  "with an empty tag": (id) => id.replace(/\.[\w-]{16}@/, ".@"),
  "with a tag of zeros": (id) => id.replace(/\.[\w-]{16}@/, ".AAAAAAAAAAAAAAAA@"),
  "at another provider": (id) => id.replace(/@v$/, "@w"),
  "with two providers": (id) => `${id}@v`,
  "with a space": (id) => id.replace("_A1", "_A1 "),
};

const mapped = (ids: Ids, change: (id: string) => string): Ids => {
  const entries = Object.entries(ids).map(([name, id]) => [name, change(id)]);
  return Object.fromEntries(entries) as Ids;
};
const send = (world: World, who: Name, way: Way, ids: Ids) =>
  world.call(who, way.method, encodeURI(way.path(ids)), way.body?.(ids));

for (const way of WAYS) {
  Deno.test(`${way.about}: a key uses its own ID, and another key gets the 404 of an unknown one`, async () => {
    const world = createWorld();
    const ids = await idsOf(world, "one");
    const own = await send(world, "one", way, ids);
    assertEquals(own.status, 200, own.text);
    way.check(world.sent.at(-1) ?? { method: "", url: "", body: {} });
    const before = world.sent.length;
    for (const [about, disguise] of Object.entries(DISGUISES)) {
      const shown = mapped(ids, disguise);
      const foreign = await send(world, "two", way, shown);
      assertEquals(foreign.status, 404, `${about}: ${foreign.text}`);
      assert(!foreign.text.includes("Secret"), foreign.text);
      const unknown = mapped(shown, (id) => id.replace(/A1/gi, "Z9"));
      const other = await send(world, "two", way, unknown);
      assertEquals(other.status, 404);
      assertEquals(foreign.text.replace(/A1/gi, "Z9"), other.text, about);
    }
    assertEquals(world.sent.length, before, "nothing reaches the vendor");
  });
}

Deno.test("the same body with two keys has different IDs, of which each works for one key", async () => {
  const world = createWorld();
  const [one, two] = [await idsOf(world, "one"), await idsOf(world, "two")];
  for (const name of Object.keys(one) as (keyof Ids)[]) assertNotEquals(one[name], two[name]);
  assertMatch(one.response, /^resp_A1\.[\w-]{16}@v$/);
  assertEquals((await send(world, "two", names("", "GET", ""), two)).status, 200);
  assertEquals((await send(world, "two", names("", "GET", ""), one)).status, 404);
});

Deno.test("full items of another key lose their IDs, so that the vendor cannot look them up", async () => {
  const world = createWorld();
  const { message, reasoning } = await idsOf(world, "one");
  const text = { type: "message", role: "assistant", content: "x" };
  const input = [
    { ...text, id: message },
    { ...text, id: "msg_A1" },
    { type: "reasoning", id: reasoning, summary: [] },
    { type: "reasoning", id: "rs_A1", summary: [], encrypted_content: "blob" },
    { type: "image_generation_call", id: "ig_A1" },
  ];
  assertEquals((await create(world, "two", { input })).status, 200);
  assertEquals(world.sent.at(-1)?.body?.input, [
    text,
    text,
    { type: "reasoning", summary: [], encrypted_content: "blob" },
    { type: "image_generation_call" },
  ]);
});

Deno.test("keys of one group share IDs", async () => {
  const world = createWorld({ groups: { one: "team", two: "team" } });
  const ids = await idsOf(world, "one");
  for (const way of WAYS) assertEquals((await send(world, "two", way, ids)).status, 200, way.about);
});

Deno.test("a key of no group, or of another one, does not share them", async () => {
  for (const groups of [{ one: "team" }, { one: "team", two: "other" }]) {
    const world = createWorld({ groups });
    const ids = await idsOf(world, "one");
    for (const way of WAYS) assertEquals((await send(world, "two", way, ids)).status, 404);
  }
});

Deno.test("a key that is named like a group is not in it", async () => {
  const world = createWorld({ groups: { one: "two" } });
  const ids = await idsOf(world, "one");
  for (const way of WAYS) assertEquals((await send(world, "two", way, ids)).status, 404);
});

Deno.test("with one key, IDs of earlier versions and of the vendor work", async () => {
  const world = createWorld({ names: ["one"] });
  const ids = await idsOf(world, "one");
  const disguises = ["as it is", "without its tag", "with a tag of zeros"];
  for (const about of disguises) {
    for (const way of WAYS) {
      const shown = mapped(ids, DISGUISES[about] ?? String);
      assertEquals((await send(world, "one", way, shown)).status, 200, `${way.about} ${about}`);
      way.check(world.sent.at(-1) ?? { method: "", url: "", body: {} });
    }
  }
  await create(world, "one", { previous_response_id: "resp_A1" });
  assertEquals(world.sent.at(-1)?.body?.previous_response_id, "resp_A1");
});

const LONG_KEY = "secret-of-at-least-32-characters";

Deno.test("IDs stay valid while any secret of theirs is known", async () => {
  const get = names("", "GET", "");
  const fromVendorKey = await idsOf(createWorld(), "one");
  const withKey = createWorld({ server: { reasoning_state: { key: LONG_KEY } } });
  assertEquals((await send(withKey, "one", get, fromVendorKey)).status, 200);
  const rotated = createWorld({
    provider: { api_key: ["sk-new-0123456789abc", NATIVE.api_key] },
  });
  assertEquals((await send(rotated, "one", get, fromVendorKey)).status, 200);
  const fromKey = await idsOf(withKey, "one");
  assertEquals((await send(createWorld(), "one", get, fromKey)).status, 404);
  const other = createWorld({ provider: { api_key: "sk-new-0123456789abc" } });
  assertEquals((await send(other, "one", get, fromVendorKey)).status, 404);
});

Deno.test("a streamed answer has the same IDs in all its events as a whole one", async () => {
  const world = createWorld();
  const { message, container } = await idsOf(world, "one");
  const part = (ANSWER.output[3] as JsonObject).content as JsonObject[];
  const annotation = (part[0]?.annotations as JsonObject[])[0];
  const events = [
    { type: "response.created", response: { ...ANSWER, output: [] } },
    { type: "response.output_item.added", item: ANSWER.output[3] },
    { type: "response.output_text.delta", item_id: "msg_A1", delta: 'a "item_id":"x" b' },
    { type: "response.output_text.annotation.added", item_id: "msg_A1", annotation },
    { type: "response.content_part.done", item_id: "msg_A1", part: part[0] },
    { type: "response.completed", response: ANSWER },
  ];
  const gateway = createTestGateway({
    config: {
      providers: { v: NATIVE },
      server: { keys: Object.entries(KEYS).map(([name, key]) => ({ name, key })) },
    },
    fetch: () => Promise.resolve(toStream(events)),
  });
  const answer = await gateway.call("/v1/responses", ask({ stream: true }), {
    authorization: `Bearer ${KEYS.one}`,
  });
  const streamed = await answer.text();
  assert(!/"(?:msg|cntr|resp|conv)_A1"/.test(streamed), streamed);
  const read = readEvents(streamed);
  for (const event of read) if ("item_id" in event) assertEquals(event.item_id, message);
  assertEquals((read[3]?.annotation as JsonObject).container_id, container);
  assertEquals(read[2]?.delta, 'a "item_id":"x" b');
});

Deno.test("the pass-through reaches no stored answers unless all keys share them", async () => {
  const provider = { passthrough: true };
  const raw = [
    ["GET", "responses/resp_A1"],
    ["DELETE", "responses/resp_A1"],
    ["POST", "responses"],
    ["POST", "responses/resp_A1/cancel"],
    ["GET", "responses/resp_A1/input_items"],
    ["GET", "Responses/resp_A1"],
    ["GET", "respons%65s/resp_A1"],
    ["GET", "%72esponses%2fresp_A1"],
    ["GET", "%2572esponses/resp_A1"],
    ["GET", "responses;x=1/resp_A1"],
    ["GET", "conversations/conv_A1/items"],
    ["GET", "containers/cntr_A1/files/f/content"],
    ["GET", "chat/completions"],
    ["GET", "chat/completions/chatcmpl-A1"],
    ["POST", "chat/completions/chatcmpl-A1"],
  ] as const;
  const send = async (world: World, who: Name, method: string, path: string) => {
    const body = method === "POST" ? ask() : undefined;
    return (await world.call(who, method, `/v1/providers/v/proxy/${path}`, body)).status;
  };
  const world = createWorld({ provider });
  const shared = createWorld({ provider, groups: { one: "team", two: "team" } });
  for (const [method, path] of raw) {
    assertEquals(await send(world, "two", method, path), 404, path);
    assertEquals(await send(shared, "two", method, path), 200, path);
  }
  assertEquals(await send(world, "two", "GET", "x//responses/resp_A1"), 400);
  assertEquals(world.sent, []);
  for (const [method, path] of [["POST", "chat/completions"], ["POST", "images/generations"]]) {
    assertEquals(await send(world, "two", method ?? "", path ?? ""), 200, path);
  }
});
