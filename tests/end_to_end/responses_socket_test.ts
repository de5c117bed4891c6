/** The WebSocket of the Responses API, with a real client over a real port. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../src/contract/chat.ts";
import { sayHello } from "../support/scripted_vendor.ts";
import {
  AUTHORIZED,
  Client,
  createWorld,
  idOf,
  MODEL,
  textOf,
} from "../support/responses_client.ts";
import { Gate } from "../support/server.ts";
import { until } from "../support/elapse.ts";

const CONVERTED = { kind: "openai_compatible" };
const NATIVE = { kind: "openai", api: "responses" };

for (const [name, members] of Object.entries({ converted: CONVERTED, native: NATIVE })) {
  Deno.test(`responses over a WebSocket, ${name}: events are messages, and requests are logged`, async () => {
    await using world = createWorld(members);
    await using client = await Client.open(world.served);
    client.send({ input: "Hi" });
    const messages = await client.answer();
    assertEquals(messages[0]?.type, "response.created");
    assertEquals(messages.at(-1)?.type, "response.completed");
    if (members === CONVERTED) assertEquals(textOf(messages), "Hello.");
    const [line] = world.served.gateway.lines;
    assertEquals([line?.path, line?.status, line?.model], ["/v1/responses", 200, MODEL]);
    assertEquals(world.arrived[0]?.stream, true);
    assertEquals([world.arrived[0]?.type, world.arrived[0]?.generate], [undefined, undefined]);
  });

  Deno.test(`responses over a WebSocket, ${name}: an answer that is not stored can be continued`, async () => {
    await using world = createWorld(members);
    await using client = await Client.open(world.served);
    client.send({ input: "One", store: false });
    const first = await client.answer();
    client.send({
      input: [{ type: "message", role: "user", content: "Two" }],
      store: false,
      previous_response_id: idOf(first),
    });
    const second = await client.answer();
    assertEquals(second.at(-1)?.type, "response.completed");
    assertEquals(world.arrived[1]?.previous_response_id, undefined);
    const sent = JSON.stringify(world.arrived[1]?.messages ?? world.arrived[1]?.input);
    for (const said of ["One", "Hello", "Two"]) assertStringIncludes(sent, said);
  });
}

Deno.test("responses over a WebSocket: only the last answer is kept if it is not stored", async () => {
  await using world = createWorld(CONVERTED);
  await using client = await Client.open(world.served);
  client.send({ input: "One", store: false });
  const first = await client.answer();
  client.send({ input: "Two", store: false });
  await client.answer();
  client.send({ input: "Three", previous_response_id: idOf(first) });
  const [error] = await client.answer();
  assertEquals(error?.type, "error");
  assertEquals((error?.error as JsonObject).code, "previous_response_not_found");
});

Deno.test("responses over a WebSocket: a stored answer is continued as over HTTP", async () => {
  await using world = createWorld(CONVERTED);
  let id: string;
  {
    await using client = await Client.open(world.served);
    client.send({ input: "One" });
    id = idOf(await client.answer());
  }
  await using other = await Client.open(world.served);
  other.send({ input: "Two", previous_response_id: id });
  assertEquals((await other.answer()).at(-1)?.type, "response.completed");
  const sent = JSON.stringify(world.arrived[1]?.messages);
  for (const said of ["One", "Hello", "Two"]) assertStringIncludes(sent, said);
});

Deno.test("responses over a WebSocket: a request may only prepare the next one", async () => {
  await using world = createWorld(CONVERTED);
  await using client = await Client.open(world.served);
  client.send({ input: "One", generate: false });
  const prepared = await client.answer();
  assertEquals(prepared.map(({ type }) => type), ["response.created", "response.completed"]);
  assertEquals(world.arrived, []);
  client.send({ input: [], store: false, previous_response_id: idOf(prepared) });
  assertEquals(textOf(await client.answer()), "Hello.");
  assertEquals(world.arrived[0]?.messages, [{ role: "user", content: "One" }]);
});

Deno.test("responses over a WebSocket: numbers of tools stay as they were written", async () => {
  const texts: string[] = [];
  await using world = createWorld(CONVERTED, (body, { url }) => {
    texts.push(String((body.messages as JsonObject[]).at(-1)?.content));
    return sayHello({ url, body });
  });
  await using client = await Client.open(world.served);
  client.socket.send(
    `{"input":"9007199254740993","model":"${MODEL}","type":"response.create","metadata":{}}`,
  );
  await client.answer();
  assertEquals(texts, ["9007199254740993"]);
});

const BAD: readonly (readonly [name: string, message: string, status: number, code: unknown])[] = [
  ["a text that is not JSON", "{", 400, null],
  ["another type", '{"type":"response.append","input":[]}', 400, "invalid_value"],
  ["no model", '{"type":"response.create","input":"Hi"}', 400, "invalid_value"],
  [
    "an unknown model",
    '{"type":"response.create","model":"none","input":"Hi"}',
    404,
    "model_not_found",
  ],
  [
    "an input of another type",
    `{"type":"response.create","model":"${MODEL}","input":5}`,
    400,
    "invalid_value",
  ],
  [
    "a named stream",
    `{"type":"response.create","model":"${MODEL}","input":"Hi","stream_id":"a"}`,
    400,
    "unsupported_parameter",
  ],
];

for (const [name, message, status, code] of BAD) {
  Deno.test(`responses over a WebSocket: ${name} is an error event, and the connection stays`, async () => {
    await using world = createWorld(CONVERTED);
    await using client = await Client.open(world.served);
    client.socket.send(message);
    const [error, ...others] = await client.answer();
    assertEquals([error?.type, error?.status, others], ["error", status, []]);
    // Codex ignores messages that also have the other name of the status.
    assert(error !== undefined && !("status_code" in error));
    assertEquals((error?.error as JsonObject).code, code);
    client.send({ input: "Hi" });
    assertEquals(textOf(await client.answer()), "Hello.");
  });
}

Deno.test("responses over a WebSocket: a failure of the vendor is an error with its wait", async () => {
  await using world = createWorld(
    CONVERTED,
    () =>
      Response.json({ error: { message: "Slow down" } }, {
        status: 429,
        headers: { "retry-after": "7" },
      }),
  );
  await using client = await Client.open(world.served);
  client.send({ input: "Hi" });
  const [error] = await client.answer();
  assertEquals([error?.status, (error?.headers as JsonObject)["retry-after"]], [429, "7"]);
});

Deno.test("responses over a WebSocket: bytes are refused", async () => {
  await using world = createWorld(CONVERTED);
  await using client = await Client.open(world.served);
  client.socket.send(new Uint8Array([1]));
  assertEquals((await client.answer())[0]?.status, 400);
});

Deno.test("responses over a WebSocket: a connection needs a key", async () => {
  await using world = createWorld(CONVERTED);
  const opened = await Client.open(world.served, {}).then(() => true, () => false);
  assertEquals(opened, false);
  const [line] = world.served.gateway.lines;
  assertEquals(line?.status, 401);
});

Deno.test("responses over a WebSocket: requests are answered one after the other", async () => {
  const first = new Gate();
  await using world = createWorld(CONVERTED, async (body, { url }) => {
    if (world.arrived.length === 1) await first.opened;
    return sayHello({ url, body });
  });
  await using client = await Client.open(world.served);
  client.send({ input: "One" });
  client.send({ input: "Two" });
  await until(() => world.arrived.length > 0);
  assertEquals(world.arrived.length, 1);
  first.open();
  assertEquals(textOf(await client.answer()), "Hello.");
  assertEquals(textOf(await client.answer()), "Hello.");
  const said = world.arrived.map(({ messages }) => (messages as JsonObject[])[0]?.content);
  assertEquals(said, ["One", "Two"]);
});

Deno.test("responses over a WebSocket: a silent answer has messages, which Codex waits for", async () => {
  const gate = new Gate();
  await using world = createWorld(CONVERTED, async (body, { url }) => {
    await gate.opened;
    return sayHello({ url, body });
  }, { keep_alive: "15s" });
  await using client = await Client.open(world.served);
  const { clock } = world.served.gateway;
  client.send({ input: "Hi" });
  await until(() => world.arrived.length > 0);
  for (let pause = 0; pause < 2; pause++) {
    clock.advance(15_000);
    assertEquals(await client.next(), { type: "keepalive", sequence_number: 0 });
  }
  gate.open();
  const messages = await client.answer();
  assertEquals([messages[0]?.type, textOf(messages)], ["response.created", "Hello."]);
  // Nothing is sent between two answers.
  clock.advance(60_000);
  client.send({ input: "Hi" });
  assertEquals((await client.next()).type, "response.created");
});

/** A vendor that begins a stream and does not end it. */
function endless(aborted: Gate): (body: JsonObject, request: Request) => Response {
  return () => {
    const first = 'data: {"choices":[{"index":0,"delta":{"content":"Ye"}}]}\n\n';
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(first)),
      cancel: () => aborted.open(),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

Deno.test("responses over a WebSocket: the end of the connection ends the request to the vendor", async () => {
  const aborted = new Gate();
  await using world = createWorld(CONVERTED, endless(aborted));
  await using client = await Client.open(world.served);
  client.send({ input: "Hi" });
  while ((await client.next()).type !== "response.output_text.delta");
  client.socket.close();
  await aborted.opened;
});

Deno.test("responses over a WebSocket: idle connections are closed when the gateway drains", async () => {
  await using world = createWorld(CONVERTED);
  await using client = await Client.open(world.served);
  client.send({ input: "Hi" });
  await client.answer();
  await world.served.gateway.app.drain();
  assertEquals((await client.closed).code, 1001);
});

Deno.test("responses over a WebSocket: an answer ends before a draining gateway closes", async () => {
  const second = new Gate();
  await using world = createWorld(CONVERTED, async (body, { url }) => {
    await second.opened;
    return sayHello({ url, body });
  });
  await using client = await Client.open(world.served);
  client.send({ input: "Hi" });
  await until(() => world.arrived.length > 0);
  const drained = world.served.gateway.app.drain();
  second.open();
  assertEquals(textOf(await client.answer()), "Hello.");
  assertEquals((await client.closed).code, 1001);
  await drained;
});

Deno.test("responses over a WebSocket: old and idle connections are closed", async () => {
  await using world = createWorld(CONVERTED);
  const { clock } = world.served.gateway;
  await using idle = await Client.open(world.served);
  clock.advance(900_000);
  assertEquals((await idle.closed).code, 1000);
  await using old = await Client.open(world.served);
  for (let minutes = 0; minutes < 60; minutes += 10) {
    old.send({ input: "Hi" });
    await old.answer();
    clock.advance(600_000);
  }
  const [error] = await old.answer();
  assertEquals((error?.error as JsonObject).code, "websocket_connection_limit_reached");
  await old.closed;
});

Deno.test("GET /v1/responses without an upgrade is a 405, and 426 where none is possible", async () => {
  await using world = createWorld(CONVERTED);
  const { url, fetch, gateway } = world.served;
  const response = await fetch(`${url}/v1/responses`, { headers: AUTHORIZED });
  assertEquals([response.status, response.headers.get("allow")], [405, "POST"]);
  await response.body?.cancel();
  const faked = await gateway.call("/v1/responses", undefined, { upgrade: "websocket" });
  assertEquals(faked.status, 426);
  assert(typeof (await faked.json()).error.message === "string");
});
