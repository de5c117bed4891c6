/** What one service key can take over WebSockets: connections, memory, models and requests. */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../src/contract/chat.ts";
import { allocateInFlight, InFlightMemory } from "../../src/core/in_flight_memory.ts";
import { loadTestConfig, SERVICE_KEY } from "../support/gateway.ts";
import {
  AUTHORIZED,
  Client,
  createWorld,
  idOf,
  MODEL,
  textOf,
} from "../support/responses_client.ts";
import { sayHello } from "../support/scripted_vendor.ts";
import { Gate } from "../support/server.ts";
import { until } from "../support/elapse.ts";

const OPENAI = { kind: "openai_compatible" };
const OTHER = "sk-other-service-key";
const KEYS = [{ name: "test", key: SERVICE_KEY }, { name: "other", key: OTHER }];
const AS_OTHER = { authorization: `Bearer ${OTHER}` };
const MIB = 1024 * 1024;

function errorOf(messages: readonly JsonObject[]): readonly unknown[] {
  const { type, status, error } = messages.at(-1) ?? {};
  return [type, status, (error as JsonObject | undefined)?.code];
}

Deno.test("WebSockets of one key are limited, also together with those of other keys", async () => {
  const server = { keys: KEYS, max_sockets_per_key: 2, max_sockets: 3 };
  await using world = createWorld(OPENAI, undefined, server);
  const { served } = world;
  const refusals = () => {
    served.gateway.flush();
    return served.gateway.lines.map(({ status }) => status);
  };
  {
    await using first = await Client.open(served);
    await using _second = await Client.open(served);
    await assertRejects(() => Client.open(served));
    await using _other = await Client.open(served, AS_OTHER);
    await assertRejects(() => Client.open(served, AS_OTHER));
    assertEquals(refusals(), [429, 503]);
    first.send({ input: "Hi" });
    assertEquals(textOf(await first.answer()), "Hello.");
  }
  await using again = await Client.open(served);
  await using _last = await Client.open(served);
  again.send({ input: "Hi" });
  assertEquals(textOf(await again.answer()), "Hello.");
});

Deno.test("queued messages count as memory of their key; messages over its limit are refused", async () => {
  const gate = new Gate();
  await using world = createWorld(
    OPENAI,
    async (body, { url }) => {
      await gate.opened;
      return sayHello({ url, body });
    },
    { keys: KEYS, max_in_flight_bytes: "64MiB" },
  );
  await using client = await Client.open(world.served);
  client.send({ input: "Hi" });
  await until(() => world.arrived.length > 0);
  // Large answers are stored in the background, after the end of the test.
  const large = { input: "x".repeat(6 * MIB), store: false };
  for (let count = 0; count < 4; count++) client.send(large);
  // 18 MiB each: two fit into three quarters of the memory.
  for (let count = 0; count < 2; count++) {
    assertEquals(errorOf(await client.answer()), ["error", 503, "overloaded"]);
  }
  await using other = await Client.open(world.served, AS_OTHER);
  gate.open();
  other.send({ input: "Hi" });
  assertEquals(textOf(await other.answer()), "Hello.");
  for (let count = 0; count < 3; count++) {
    assertEquals(textOf(await client.answer()), "Hello.");
  }
  client.send(large);
  assertEquals(textOf(await client.answer()), "Hello.", "all of it was given back");
});

Deno.test("a connection that ends gives back the memory of its messages", async () => {
  const gate = new Gate();
  const memory = new InFlightMemory(allocateInFlight(1), 1, {
    defaultLimit: 1024 * MIB,
    onRefused() {},
  });
  await using world = createWorld(
    OPENAI,
    async (body, { url }) => {
      await gate.opened;
      return sayHello({ url, body });
    },
    {},
    { memory },
  );
  {
    await using client = await Client.open(world.served);
    client.send({ input: "Hi", generate: false, store: false });
    await client.answer();
    client.send({ input: "Hi" });
    await until(() => world.arrived.length > 0);
    for (let count = 0; count < 9; count++) client.send({ input: "x".repeat(MIB) });
    assertEquals(errorOf(await client.answer()), ["error", 503, "overloaded"]);
    assertEquals(memory.bytes >= 8 * 3 * MIB, true);
  }
  gate.open();
  await until(() => memory.bytes === 0);
});

Deno.test("stored answers are a part of the memory of their key", async () => {
  const memory = new InFlightMemory(allocateInFlight(1), 1, {
    defaultLimit: 64 * MIB,
    onRefused() {},
  });
  await using world = createWorld(OPENAI, undefined, {}, { memory });
  await using client = await Client.open(world.served);
  client.send({ input: "x".repeat(2 * MIB) });
  const stored = await client.answer();
  await until(() => memory.bytes >= 2 * MIB);
  const { fetch, url } = world.served;
  const path = `${url}/v1/responses/${idOf(stored)}`;
  const removed = await fetch(path, { method: "DELETE", headers: AUTHORIZED });
  await removed.body?.cancel();
  assertEquals([removed.status, memory.bytes], [200, 0]);
});

Deno.test("prepared conversations of one key do not evict those of another", async () => {
  const server = { keys: KEYS, responses_memory: { size: "4MiB" } };
  await using world = createWorld(OPENAI, undefined, server);
  await using small = await Client.open(world.served, AS_OTHER);
  small.send({ input: "Remember this", generate: false });
  const kept = await small.answer();
  const greedy = await Promise.all(Array.from({ length: 6 }, () => Client.open(world.served)));
  const prepared: string[] = [];
  for (const client of greedy) {
    client.send({ input: "x".repeat(MIB), generate: false });
    prepared.push(idOf(await client.answer()));
  }
  small.send({ input: [], previous_response_id: idOf(kept) });
  assertEquals(textOf(await small.answer()), "Hello.");
  greedy[0]?.send({ input: [], previous_response_id: prepared[0] });
  assertEquals(errorOf(await (greedy[0] as Client).answer()), [
    "error",
    404,
    "previous_response_not_found",
  ]);
  for (const client of greedy) await client[Symbol.asyncDispose]();
});

Deno.test("a request that only prepares the next one is checked, counted and logged", async () => {
  const server = {
    keys: [{
      name: "test",
      key: SERVICE_KEY,
      models: [MODEL],
      limits: { requests_per_minute: 2 },
    }],
  };
  await using world = createWorld({ ...OPENAI, models: [MODEL, "secret"] }, undefined, server);
  await using client = await Client.open(world.served);
  client.send({ input: "One", generate: false, model: "secret" });
  assertEquals(errorOf(await client.answer()), ["error", 404, "model_not_found"]);
  for (let count = 0; count < 2; count++) {
    client.send({ input: "One", generate: false });
    assertEquals((await client.answer()).at(-1)?.type, "response.completed");
  }
  client.send({ input: "One", generate: false });
  assertEquals(errorOf(await client.answer()), ["error", 429, "rate_limit_exceeded"]);
  assertEquals(world.arrived, []);
  const { gateway } = world.served;
  gateway.flush();
  assertEquals(gateway.lines.map(({ status }) => status), [404, 200, 200, 429]);
});

Deno.test("a prepared request continues a stored answer, and is continued with it", async () => {
  await using world = createWorld(OPENAI);
  await using client = await Client.open(world.served);
  client.send({ input: "One" });
  const stored = await client.answer();
  client.send({ input: "Two", generate: false, previous_response_id: idOf(stored) });
  const prepared = await client.answer();
  client.send({ input: "Three", previous_response_id: idOf(prepared) });
  assertEquals(textOf(await client.answer()), "Hello.");
  const sent = JSON.stringify(world.arrived.at(-1)?.messages);
  for (const said of ["One", "Hello", "Two", "Three"]) assertStringIncludes(sent, said);
});

Deno.test("a key that is removed ends its WebSockets, and no others", async () => {
  const config = (keys: readonly JsonObject[]) =>
    loadTestConfig({
      server: { keys },
      providers: { vendor: { kind: "mock", models: ["mock-echo"] } },
    });
  const live = { current: config(KEYS), stale: undefined };
  await using world = createWorld(OPENAI, undefined, {}, { live });
  const { clock } = world.served.gateway;
  await using removed = await Client.open(world.served);
  await using other = await Client.open(world.served, AS_OTHER);
  live.current = config(KEYS.slice(1));
  clock.advance(1000);
  assertEquals(errorOf(await removed.answer()), ["error", 401, "invalid_api_key"]);
  assertEquals((await removed.closed).code, 1008);
  other.send({ model: "mock-echo", input: "Hi" });
  assertEquals((await other.answer()).at(-1)?.type, "response.completed");
});

for (
  const [name, headers, status, version] of [
    ["another version", { "sec-websocket-version": "12" }, 426, "13"],
    ["no version", { "sec-websocket-version": undefined }, 426, "13"],
    ["a key that is too short", { "sec-websocket-key": "YWJj" }, 400, undefined],
    ["a key that is not base64", { "sec-websocket-key": "!".repeat(24) }, 400, undefined],
    ["no key", { "sec-websocket-key": undefined }, 400, undefined],
  ] as const
) {
  Deno.test(`a handshake with ${name} is refused (RFC 6455, section 4.2)`, async () => {
    await using world = createWorld(OPENAI);
    const given: Record<string, string | undefined> = {
      "upgrade": "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      ...headers,
    };
    const sent = Object.entries(given).flatMap(([key, value]) => value ? [[key, value]] : []);
    const { gateway } = world.served;
    const response = await gateway.call("/v1/responses", undefined, Object.fromEntries(sent));
    assertEquals([response.status, response.headers.get("sec-websocket-version")], [
      status,
      version ?? null,
    ]);
    assertEquals(typeof (await response.json()).error.message, "string");
  });
}
