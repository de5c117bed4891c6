/**
 * Two gateway processes over one Valkey server: the first turn of a conversation goes to one of
 * them, and the second turn to the other.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import OpenAI from "openai";
import type { JsonObject } from "../../src/contract/chat.ts";
import { untilReply } from "../support/elapse.ts";
import { anthropic } from "../support/loops/claude.ts";
import { FUNCTION_TOOL, QUESTION, resultOf, TOOL } from "../support/loops/loop.ts";
import { addressOf, type Running, startSluice } from "../support/process.ts";
import { sayHello } from "../support/scripted_vendor.ts";
import { serveVendor } from "../support/server.ts";
import { NEEDS_VALKEY, startValkey, VALKEY } from "../support/valkey_server.ts";
import { needs } from "../support/needs.ts";

const ignore = VALKEY === undefined;
const KEYS = [{ name: "own", key: "sk-own" }, { name: "other", key: "sk-other" }];
const STATE_KEY = "0123456789abcdef0123456789abcdef";
/** Generous: a machine that stalls must not fail a test. */
const WAIT_MS = 15_000;
const [CALL] = anthropic.calls;
const WHOLE = anthropic.back({ calls: [CALL], results: [CALL], whole: true });

/** Replicas in front of one vendor. */
interface Replicas extends AsyncDisposable {
  readonly running: readonly Running[];
  readonly bases: readonly string[];
  /** The bodies that the vendor has got. */
  readonly arrived: readonly JsonObject[];
}

/** A vendor that calls a tool in the first turn, and says hello in the second. */
async function startReplicas(
  store: string,
  { key = STATE_KEY, workers = 1 }: { readonly key?: string | null; readonly workers?: number } =
    {},
): Promise<Replicas> {
  const arrived: JsonObject[] = [];
  const vendor = serveVendor(async (request) => {
    const body: JsonObject = await request.json();
    arrived.push(body);
    const isFirst = Array.isArray(body.messages) && body.messages.length === 1;
    if (isFirst && body.tools) return Response.json(anthropic.answer([CALL]));
    return sayHello({ url: new URL(request.url).pathname, body });
  });
  const config = JSON.stringify({
    server: {
      ...{ port: 0, workers, metrics: "public", keys: KEYS },
      // All state goes to the memory.
      reasoning_state: { max_id_length: 64, ...(key !== null && { key }) },
    },
    providers: { vendor: anthropic.provider(vendor.url) },
    shared_store: store,
  });
  const running = [1, 2].map(() => startSluice([], { files: { "config.yaml": config } }));
  const bases = await Promise.all(running.map(addressOf));
  return {
    ...{ running, bases, arrived },
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((process) => process[Symbol.asyncDispose]()));
      await vendor[Symbol.asyncDispose]();
    },
  };
}

/** Waits until the metrics of a replica contain this line. */
async function metric({ bases }: Replicas, replica: number, line: string): Promise<void> {
  const began = performance.now();
  for (;;) {
    const text = await (await fetch(`${bases[replica]}/metrics`)).text();
    if (text.split("\n").includes(line)) return;
    assert(performance.now() - began < WAIT_MS, `No line '${line}' in:\n${text}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const written = (memory: string, count: number) =>
  `sluice_shared_state_writes_total{memory="${memory}"} ${count}`;
/** The line about what was looked up. */
const lookedUp = (memory: string, result: string, count: number) =>
  `sluice_shared_state_lookups_total{memory="${memory}",result="${result}"} ${count}`;

async function ready(replicas: Replicas): Promise<void> {
  for (const replica of [0, 1]) await metric(replicas, replica, "sluice_shared_state_up 1");
}

function client({ bases }: Replicas, replica: number, apiKey = "sk-own"): OpenAI {
  return new OpenAI({ baseURL: `${bases[replica]}/v1`, apiKey, maxRetries: 0 });
}

const TOOLS = [{ ...FUNCTION_TOOL, type: "function" as const }];
const MODEL = { model: anthropic.model };
const USER = { role: "user" as const, content: QUESTION };

/** The first turn of a tool loop; returns the id of its call. */
async function firstTurn(replicas: Replicas): Promise<string> {
  const { choices } = await client(replicas, 0).chat.completions.create({
    ...MODEL,
    messages: [USER],
    tools: TOOLS,
  });
  const id = choices[0]?.message.tool_calls?.[0]?.id ?? "";
  assertStringIncludes(id, "_sluice_m");
  return id;
}

/** The second turn; returns the answer's headers. */
async function secondTurn(
  replicas: Replicas,
  id: string,
  apiKey = "sk-own",
): Promise<Headers> {
  const called = { name: TOOL, arguments: `{"city":"${CALL.city}"}` };
  const { response } = await client(replicas, 1, apiKey).chat.completions.create({
    ...MODEL,
    messages: [
      USER,
      { role: "assistant", tool_calls: [{ id, type: "function", function: called }] },
      { role: "tool", tool_call_id: id, content: resultOf(CALL) },
    ],
    tools: TOOLS,
  }).withResponse();
  return response.headers;
}

/** The messages that the vendor got last, after the question. */
function lastMessages({ arrived }: Replicas): unknown {
  const { messages } = arrived.at(-1) ?? {};
  return Array.isArray(messages) && messages.slice(1);
}

function isComplete(headers: Headers): boolean {
  return headers.get("x-sluice-converted") === null;
}

const GONE = "messages.reasoning_state memory->gone";

for (const workers of [1, 2]) {
  Deno.test({
    ...needs(
      "Linux and Valkey",
      !ignore && (workers === 1 || Deno.build.os === "linux"),
      `reasoning state of one replica reaches the vendor through another (${workers} workers each)`,
    ),
    async fn() {
      await using valkey = await startValkey();
      await using replicas = await startReplicas(valkey.url, { workers });
      await ready(replicas);
      const id = await firstTurn(replicas);
      await metric(replicas, 0, written("reasoning_state", 1));
      await untilReply(async () => isComplete(await secondTurn(replicas, id)));
      assertEquals(lastMessages(replicas), WHOLE);
      await metric(replicas, 1, lookedUp("reasoning_state", "hit", 1));
      // Another service key gets nothing.
      const headers = await secondTurn(replicas, id, "sk-other");
      assertStringIncludes(headers.get("x-sluice-converted") ?? "", GONE);
    },
  });
}

Deno.test({
  name: `answers of one replica are found, continued and deleted at another${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    await using replicas = await startReplicas(valkey.url);
    await ready(replicas);
    const [one, other] = [client(replicas, 0), client(replicas, 1)];
    const first = await one.responses.create({ ...MODEL, input: "One" });
    await metric(replicas, 0, written("responses", 1));
    const previous_response_id = first.id;
    const second = await created(other, { ...MODEL, input: "Two", previous_response_id });
    await metric(replicas, 1, written("responses", 1));
    const [item] = second.output;
    const reference = { type: "item_reference" as const, id: item?.id ?? "" };
    await created(one, { ...MODEL, input: [reference, { role: "user", content: "Three" }] });
    assertStringIncludes(JSON.stringify(lastMessages(replicas)), "Three");
    // The fourth turn continues a conversation of which each replica has made a part.
    await created(one, { ...MODEL, input: "Four", previous_response_id: second.id });
    const sent = JSON.stringify(replicas.arrived.at(-1)?.messages);
    for (const text of ["One", "Two", "Four"]) assertStringIncludes(sent, text);
    assertEquals((await other.responses.retrieve(first.id)).id, first.id);
    const stranger = client(replicas, 1, "sk-other");
    assertEquals(await statusOf(stranger.responses.retrieve(first.id)), 404);
    assertEquals(await statusOf(stranger.responses.delete(first.id)), 404);

    await other.responses.delete(first.id);
    await untilReply(async () => await statusOf(one.responses.retrieve(first.id)) === 404);
    const continued = one.responses.create({ ...MODEL, input: "Five", previous_response_id });
    assertEquals(await statusOf(continued), 404);
  },
});

/** The response of a replica that can find what another one has stored. */
async function created(
  { responses }: OpenAI,
  body: OpenAI.Responses.ResponseCreateParamsNonStreaming,
): Promise<OpenAI.Responses.Response> {
  let response: OpenAI.Responses.Response | undefined;
  await untilReply(async () => {
    const call = responses.create(body);
    if (await statusOf(call) === 404) return false;
    response = await call;
    return true;
  });
  if (response === undefined) throw new TypeError("There is no response");
  return response;
}

/** The status of a call that may fail. */
async function statusOf(call: Promise<unknown>): Promise<number | undefined> {
  try {
    await call;
    return 200;
  } catch (thrown) {
    if (thrown instanceof OpenAI.APIError) return thrown.status;
    throw thrown;
  }
}

Deno.test({
  name: `without the store, state and answers of another replica are gone, as said${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    await using replicas = await startReplicas(valkey.url);
    await ready(replicas);
    const id = await firstTurn(replicas);
    const answer = await client(replicas, 0).responses.create({ ...MODEL, input: "One" });
    await metric(replicas, 0, written("reasoning_state", 1));
    await metric(replicas, 0, written("responses", 1));
    const input = { ...MODEL, input: "Two", previous_response_id: answer.id };
    for (const end of ["hangs", "is gone"]) {
      if (end === "hangs") valkey.signal("SIGSTOP");
      else await valkey.kill();
      const headers = await secondTurn(replicas, id);
      assertStringIncludes(headers.get("x-sluice-converted") ?? "", GONE, end);
      assertEquals(await statusOf(client(replicas, 1).responses.create(input)), 404, end);
      // The replica that made the answer still has it.
      assertEquals(await statusOf(client(replicas, 0).responses.create(input)), 200, end);
    }
    // What was written meanwhile is sent when the server is back.
    await valkey.restart();
    await ready(replicas);
    const later = await client(replicas, 0).responses.create({ ...MODEL, input: "Three" });
    const other = client(replicas, 1).responses;
    await untilReply(async () => await statusOf(other.retrieve(later.id)) === 200);
  },
});

Deno.test({
  name: `without a common key, replicas share nothing, and each start says so${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    await using replicas = await startReplicas(valkey.url, { key: null });
    const [process] = replicas.running;
    assertStringIncludes(process?.stderr() ?? "", "'server.reasoning_state.key' is not set");
    const id = await firstTurn(replicas);
    const headers = await secondTurn(replicas, id);
    assertStringIncludes(headers.get("x-sluice-converted") ?? "", GONE);
  },
});
