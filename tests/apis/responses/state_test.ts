/**
 * Earlier answers that a request refers to: those that the gateway stores, and those that a
 * provider stores.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway, type TestGateway } from "../../support/gateway.ts";
import { readEvents, readStream } from "../../support/responses/events.ts";
import { sayHello, ScriptedVendor, toEventStream } from "../../support/scripted_vendor.ts";

const CHAT = { kind: "openai_compatible", base_url: "http://chat.test/v1", models: ["m"] };
const NATIVE = {
  kind: "openai",
  api: "responses",
  api_key: "sk-vendor",
  base_url: "http://native.test/v1",
  models: ["m"],
};

interface World {
  readonly gateway: TestGateway;
  readonly vendor: ScriptedVendor;
  /** Sends a request; a stream is read to its end. */
  ask(body: JsonObject, key?: string): Promise<{ status: number; response: JsonObject }>;
}

function createWorld(providers: JsonObject, server: JsonObject = {}): World {
  const vendor = new ScriptedVendor();
  const gateway = createTestGateway({ config: { providers, server }, fetch: vendor.fetch });
  return {
    gateway,
    vendor,
    async ask(body, key) {
      const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
      const answer = await gateway.call("/v1/responses", { model: "m", ...body }, headers);
      const text = await answer.text();
      const response = body.stream && answer.ok ? readResponse(text) : JSON.parse(text);
      return { status: answer.status, response };
    },
  };
}

/** The response of the last event. */
function readResponse(text: string): JsonObject {
  return readEvents(text).at(-1)?.response as JsonObject;
}

/** IDs without what binds them to a service key. */
const bare = (id: unknown) => String(id).replace(/\.[\w-]{16}@/, "@");

const HELLO = { role: "assistant", content: "Hello." };

for (const stream of [false, true]) {
  const how = stream ? "streamed" : "whole";

  Deno.test(`previous_response_id continues a ${how} answer of a target that keeps none`, async () => {
    const { ask, vendor } = createWorld({ chat: CHAT });
    const first = await ask({ input: "One", instructions: "Be brief", stream });
    const second = await ask({ input: "Two", previous_response_id: first.response.id, stream });
    const third = await ask({ input: "Three", previous_response_id: second.response.id, stream });
    assertEquals([first.status, second.status, third.status], [200, 200, 200]);
    assertEquals(vendor.sent[2]?.body.messages, [
      { role: "user", content: "One" },
      HELLO,
      { role: "user", content: "Two" },
      HELLO,
      { role: "user", content: "Three" },
    ]);
    assertEquals(third.response.previous_response_id, second.response.id);
  });

  Deno.test(`item_reference stands for an item of a ${how} answer`, async () => {
    const { ask, vendor } = createWorld({ chat: CHAT });
    const { response } = await ask({ input: "One", stream });
    const [item] = response.output as JsonObject[];
    const input = [
      { role: "user", content: "One" },
      { type: "item_reference", id: item?.id },
      { role: "user", content: "Two" },
    ];
    assertEquals((await ask({ input, stream })).status, 200);
    assertEquals(vendor.sent[1]?.body.messages, [
      { role: "user", content: "One" },
      HELLO,
      { role: "user", content: "Two" },
    ]);
  });
}

for (const stream of [false, true]) {
  Deno.test(`completed_at is set where OpenAI sets it, ${stream ? "streamed" : "whole"}`, async () => {
    const answers = ["stop", "length"].map((finish_reason) => {
      const message = { role: "assistant", content: "Hello." };
      const choice = { index: 0, finish_reason, [stream ? "delta" : "message"]: message };
      return { id: "c1", created: 1, model: "m", choices: [choice] };
    });
    let sent = 0;
    const gateway = createTestGateway({
      config: { providers: { chat: CHAT } },
      fetch() {
        // The answer takes three seconds.
        gateway.clock.advance(3000);
        const answer = answers[sent++] ?? {};
        const response = stream ? toEventStream([answer, "[DONE]"]) : Response.json(answer);
        return Promise.resolve(response);
      },
    });
    for (const status of ["completed", "incomplete"]) {
      const text = await (await gateway.call("/v1/responses", { model: "m", input: "One", stream }))
        .text();
      const events = stream ? readEvents(text) : [];
      for (const { response } of events.slice(0, 2)) {
        assertEquals((response as JsonObject).completed_at, null);
      }
      const response = stream ? events.at(-1)?.response as JsonObject : JSON.parse(text);
      const completedAt = status === "completed" ? Number(response.created_at) + 3 : null;
      assertEquals([response.status, response.completed_at], [status, completedAt]);
      const kept = await gateway.call(`/v1/responses/${response.id}`);
      assertEquals((await kept.json()).completed_at, completedAt);
    }
  });
}

Deno.test("an answer that is no longer stored is a 404 that says what to send", async () => {
  const { ask, gateway, vendor } = createWorld({ chat: CHAT }, { responses_memory: { ttl: "1m" } });
  const { response } = await ask({ input: "One" });
  const unstored = await ask({ input: "One", store: false });
  await gateway.clock.advance(61_000);
  for (const id of [response.id, unstored.response.id, "resp_unknown"]) {
    const { status, response } = await ask({ input: "Two", previous_response_id: id });
    const error = response.error as JsonObject;
    assertEquals([status, error.type, error.param, error.code], [
      404,
      "invalid_request_error",
      "previous_response_id",
      "previous_response_not_found",
    ]);
    assertStringIncludes(String(error.message), "`store` to false");
  }
  const input = [{ type: "item_reference", id: "msg_unknown_0" }, { role: "user", content: "Two" }];
  const { status, response: body } = await ask({ input });
  assertEquals([status, (body.error as JsonObject).param], [404, "input[0]"]);
  assertStringIncludes(
    String((body.error as JsonObject).message),
    "Item with id 'msg_unknown_0' not",
  );
  assertEquals(vendor.sent.length, 2);
});

Deno.test("a reference finds no item of another type", async () => {
  const { ask } = createWorld({ chat: CHAT });
  const { response } = await ask({ input: "One" });
  const [item] = response.output as JsonObject[];
  const id = String(item?.id).replace("msg_", "rs_");
  const { status } = await ask({ input: [{ type: "item_reference", id }] });
  assertEquals(status, 404);
});

Deno.test("the memory belongs to one service key, and is bounded", async () => {
  const [one, two] = ["sk-one-0123456789abcdef", "sk-two-0123456789abcdef"];
  const keys = [{ name: "one", key: one }, { name: "two", key: two }];
  const memory = { size: "20kB" };
  const { ask } = createWorld({ chat: CHAT }, { keys, responses_memory: memory });
  const { response } = await ask({ input: "One" }, one);
  const follow = (key: string) => ask({ input: "Two", previous_response_id: response.id }, key);
  assertEquals((await follow(two)).status, 404);
  assertEquals((await follow(one)).status, 200);
  for (let count = 0; count < 5; count++) await ask({ input: "x".repeat(9000) }, two);
  assertEquals((await follow(one)).status, 200, "another key evicts nothing");
  const [large, next] = [
    await ask({ input: "x".repeat(9000) }, one),
    await ask({ input: "x" }, one),
  ];
  assertEquals([large.status, next.status], [200, 200]);
  for (let count = 0; count < 2; count++) await ask({ input: "x".repeat(9000) }, one);
  assertEquals((await follow(one)).status, 404, "a key evicts its own answers");
});

Deno.test("an answer of a native target carries its provider in every ID, and is sent back only to it", async () => {
  const { ask, vendor } = createWorld({ other: { ...CHAT }, native: NATIVE }, {});
  for (const stream of [false, true]) {
    const model = "m@native";
    const { response } = await ask({ model, input: "One", stream });
    const [item] = response.output as JsonObject[];
    assertEquals([response.id, item?.id].map(bare), ["resp_vendor@native", "msg_vendor@native"]);
    const input = [{ type: "item_reference", id: item?.id }, { role: "user", content: "Two" }];
    await ask({ model, input, previous_response_id: response.id, stream });
    assertEquals(vendor.sent.at(-1)?.body, {
      model: "m",
      previous_response_id: "resp_vendor",
      input: [{ type: "item_reference", id: "msg_vendor" }, { role: "user", content: "Two" }],
      stream,
    });
  }
});

Deno.test("a follow-up passes over the targets of other providers", async () => {
  const aliases = { chain: ["m@first", "m@native", "m@chat"] };
  const vendor = new ScriptedVendor();
  const providers = { first: NATIVE, native: NATIVE, chat: CHAT };
  const gateway = createTestGateway({ config: { providers, aliases }, fetch: vendor.fetch });
  const ask = async (previous_response_id: string) => {
    const body = { model: "chain", input: "Two", previous_response_id };
    return await gateway.call("/v1/responses", body);
  };
  const answer = await ask("resp_a@native");
  assertEquals([answer.status, answer.headers.get("x-sluice-provider")], [200, "native"]);
  assertEquals(vendor.body.previous_response_id, "resp_a");
  const lost = await ask("resp_a@chat");
  assertEquals(lost.status, 404);
  assertStringIncludes(await lost.text(), "the provider 'chat'");
});

Deno.test("a follow-up goes to the provider that made the answer, if it has the model", async () => {
  const vendor = new ScriptedVendor();
  const providers = {
    oa1: { ...NATIVE, models: ["s", "only"] },
    oa2: { ...NATIVE, base_url: "http://second.test/v1", models: ["s"] },
  };
  const keys = [
    { name: "all", key: "sk-all-0123456789abcdef" },
    { name: "one", key: "sk-one-0123456789abcdef", models: ["step", "s@oa1"], group: "g" },
    { name: "two", key: "sk-two-0123456789abcdef", models: ["step", "s@*"], group: "g" },
  ];
  const pins = { s: "oa1" };
  const aliases = { nick: ["s@oa1"], step: "s" };
  const gateway = createTestGateway({
    config: { providers, pins, aliases, server: { keys } },
    fetch: vendor.fetch,
  });
  const ask = async (key: string, body: JsonObject) => {
    const headers = { authorization: `Bearer sk-${key}-0123456789abcdef` };
    const answer = await gateway.call("/v1/responses", { input: "One", ...body }, headers);
    const text = await answer.text();
    return {
      status: answer.status,
      body: JSON.parse(text),
      provider: answer.headers.get("x-sluice-provider"),
    };
  };
  const { body: { id, output } } = await ask("all", { model: "s@oa2" });
  for (const model of ["s", "step"]) {
    const { status, provider } = await ask("all", { model, previous_response_id: id });
    assertEquals([status, provider], [200, "oa2"], model);
  }
  // What the caller or an alias pins stays there.
  for (const model of ["nick", "s@oa1"]) {
    const { status, body } = await ask("all", { model, previous_response_id: id });
    assertEquals([status, body.error.code], [404, "previous_response_not_found"], model);
  }
  const input = [{ type: "item_reference", id: output[0].id }];
  assertEquals((await ask("all", { model: "s", input })).provider, "oa2");
  const elsewhere = await ask("all", { model: "only", previous_response_id: id });
  assertEquals(elsewhere.status, 404);
  assertStringIncludes(elsewhere.body.error.message, "such as 'MODEL@oa2'");
  const { body: made } = await ask("two", { model: "s@oa2" });
  const follow = { model: "step", previous_response_id: made.id };
  assertEquals([(await ask("one", follow)).status, (await ask("two", follow)).status], [404, 200]);
  const unknown = await ask("all", { model: "none", previous_response_id: "resp_x@oa2" });
  assertEquals(unknown.body.error.code, "model_not_found");
});

Deno.test("a native target gets the features that only it has, and every field unchanged", async () => {
  const { ask, vendor } = createWorld({ native: NATIVE });
  const body = {
    input: [{ type: "item_of_tomorrow", id: "x", deep: [{ a: null }] }, {
      role: "user",
      content: "?",
    }],
    conversation: { id: "conv_1" },
    background: false,
    store: true,
    prompt: { id: "pmpt_1" },
    tools: [{ type: "web_search" }, { type: "tool_of_tomorrow", x: 1 }],
    tool_choice: { type: "web_search" },
    include: ["web_search_call.action.sources"],
    field_of_tomorrow: { a: [1] },
  };
  assertEquals((await ask(body)).status, 200);
  assertEquals(vendor.body, { model: "m", ...body });
});

Deno.test("an answer that the gateway stores can be continued by a native target", async () => {
  const aliases = { both: ["m@chat"] };
  const vendor = new ScriptedVendor();
  const providers = { chat: CHAT, native: NATIVE };
  const gateway = createTestGateway({ config: { providers, aliases }, fetch: vendor.fetch });
  const first = await (await gateway.call("/v1/responses", { model: "both", input: "One" })).json();
  const body = { model: "m@native", input: "Two", previous_response_id: first.id };
  assertEquals((await gateway.call("/v1/responses", body)).status, 200);
  const sent = vendor.sent[1]?.body ?? {};
  assertEquals("previous_response_id" in sent, false);
  const input = sent.input as JsonObject[];
  assertEquals(input.map(({ role, id }) => [role, id]), [
    ["user", undefined],
    ["assistant", undefined],
    ["user", undefined],
  ]);
});

Deno.test("a feature that only native targets have is a 400 that names it on others", async () => {
  const { ask, vendor } = createWorld({ chat: CHAT });
  for (
    const [member, value] of [
      ["conversation", "conv_1"],
      ["background", true],
      ["prompt", { id: "pmpt_1" }],
    ] as const
  ) {
    const { status, response } = await ask({ input: "One", [member]: value });
    const error = response.error as JsonObject;
    assertEquals([status, error.param, error.code], [400, member, "unsupported_parameter"]);
    assertStringIncludes(String(error.message), "Responses API");
  }
  assertEquals(vendor.sent, []);
});

Deno.test("an answer that a provider stores is found, deleted, cancelled and listed there", async () => {
  const seen: unknown[] = [];
  const gateway = createTestGateway({
    config: { providers: { native: NATIVE } },
    fetch: (url, { method, body, headers }) => {
      seen.push([method, url, body ?? null, new Headers(headers).get("authorization")]);
      const { pathname } = new URL(url);
      if (pathname.endsWith("/input_items")) {
        return Promise.resolve(
          Response.json({ object: "list", data: [{ id: "msg_1" }], first_id: "msg_1" }),
        );
      }
      const status = pathname.endsWith("/cancel") ? "cancelled" : "failed";
      const error = { code: "server_error", message: "It failed" };
      return Promise.resolve(
        Response.json({ id: "resp_1", status, error, output: [], usage: null }),
      );
    },
  });
  const ask = async (method: string, path: string) => {
    const request = new Request(`http://gateway.test/v1/responses/${path}`, {
      method,
      headers: { authorization: "Bearer sk-test-service-key" },
    });
    const answer = await gateway.app.handle(request);
    return [answer.status, bare((await answer.json()).id)];
  };
  assertEquals(await ask("GET", "resp_1@native?include[]=a"), [200, "resp_1@native"]);
  assertEquals(await ask("DELETE", "resp_1%40native"), [200, "resp_1@native"]);
  assertEquals(await ask("POST", "resp_1@native/cancel"), [200, "resp_1@native"]);
  assertEquals(await ask("GET", "resp_1@native/input_items?limit=2"), [200, "undefined"]);
  assertEquals(await ask("GET", "resp_1@unknown"), [404, "undefined"]);
  assertEquals(await ask("GET", "resp_1"), [404, "undefined"]);
  const base = "http://native.test/v1/responses/resp_1";
  const auth = "Bearer sk-vendor";
  assertEquals(seen, [
    ["GET", `${base}?include%5B%5D=a`, null, auth],
    ["DELETE", base, null, auth],
    ["POST", `${base}/cancel`, "{}", auth],
    ["GET", `${base}/input_items?limit=2`, null, auth],
  ]);
});

Deno.test("an answer that the gateway stores is found, listed and deleted", async () => {
  const { ask, gateway } = createWorld({ chat: CHAT });
  const { response } = await ask({ input: "One" });
  const path = `/v1/responses/${response.id}`;
  assertEquals(await (await gateway.call(path)).json(), response);
  const listed = await (await gateway.call(`${path}/input_items`)).json();
  assertEquals(listed.data, [{
    type: "message",
    status: "completed",
    role: "user",
    content: [{ type: "input_text", text: "One" }],
    id: listed.first_id,
  }]);
  assertEquals((await gateway.call(`${path}/cancel`, {})).status, 400);
  const remove = new Request(`http://gateway.test${path}`, {
    method: "DELETE",
    headers: { authorization: "Bearer sk-test-service-key" },
  });
  assertEquals((await (await gateway.app.handle(remove)).json()).deleted, true);
  assertEquals((await gateway.call(path)).status, 404);
});

Deno.test("a failure of a native stream before its first item is retried elsewhere, and after it ends the stream", async () => {
  const begin = (events: readonly JsonObject[]) =>
    new Response(
      events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
      { headers: { "content-type": "text/event-stream" } },
    );
  const response = { id: "resp_1", status: "in_progress", output: [], usage: null };
  const created = { type: "response.created", sequence_number: 0, response };
  const progress = { type: "response.in_progress", sequence_number: 1, response };
  const failed = {
    type: "response.failed",
    sequence_number: 2,
    response: { ...response, error: { code: "server_error", message: "It failed" } },
  };
  const item = { type: "message", id: "msg_1", role: "assistant", content: [] };
  const added = { type: "response.output_item.added", sequence_number: 2, output_index: 0, item };
  const vendor = new ScriptedVendor(({ url, body }) => {
    if (url.startsWith("http://chat.test")) return sayHello({ url, body });
    const early = body.model === "early";
    return begin(early ? [created, progress, failed] : [created, progress, added, failed]);
  });
  const providers = { native: { ...NATIVE, models: ["early", "late"] }, chat: CHAT };
  const aliases = { early_chain: ["early", "m@chat"], late_chain: ["late", "m@chat"] };
  const gateway = createTestGateway({ config: { providers, aliases }, fetch: vendor.fetch });
  const ask = async (model: string) => {
    const answer = await gateway.call("/v1/responses", { model, input: "One", stream: true });
    return { answer, text: await answer.text() };
  };
  const early = await ask("early_chain");
  assertEquals(early.answer.headers.get("x-sluice-provider"), "chat");
  assertEquals(readStream(early.text).status, "completed");
  const late = await ask("late_chain");
  const last = readStream(late.text);
  assertEquals([bare(last.id), last.status], ["resp_1@native", "failed"]);
  assertEquals(last.error, { code: "server_error", message: "It failed" });
  assert(!late.text.includes("[DONE]"));
});
