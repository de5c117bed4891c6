/**
 * What is recorded of requests of each kind: response headers, log lines, ledger rows and metrics
 * are compared with `recorded_requests.json`. With UPDATE_GOLDENS=1 the file is written instead.
 */

import type { StopSignal } from "../../src/core/stop_signal.ts";
import { assertEquals } from "@std/assert";
import type { LogLevel } from "../../src/core/log_level.ts";
import { MemoryUsageStore } from "../../src/governance/ledger/memory_store.ts";
import type { LedgerRow } from "../../src/governance/ledger/row.ts";
import { turn, turns, until } from "../support/elapse.ts";
import { createTestGateway, type TestGateway } from "../support/gateway.ts";
import { CHUNKS, sayHello, type Sent, toEventStream } from "../support/scripted_vendor.ts";

const GOLDEN = new URL("./recorded_requests.json", import.meta.url);
const UPDATE = Deno.env.get("UPDATE_GOLDENS") === "1";

const CHAT = "/v1/chat/completions";
const MESSAGES = [{ role: "user", content: "Name a color, please." }];
const KEY = "sk-key-0123456789abcdef";
const LIMITED = "sk-limited-0123456789abcdef";
const PRICES = { input: 1.25, cached_input: 0.125, cache_write: 1.5, output: 10 };

const CONFIG = {
  server: {
    keys: [
      { name: "plain", key: KEY },
      {
        ...{ name: "limited", key: LIMITED, limits: { tokens_per_minute: 100_000 } },
        budget: { usd: 5, per: "day" },
      },
    ],
  },
  providers: {
    one: {
      kind: "openai",
      api_key: "sk-vendor-one",
      base_url: "https://one.test/v1",
      passthrough: true,
      models: [
        {
          ...{ id: "m", upstream: "up" },
          prices: { ...PRICES, tiers: { priority: 2 }, long_context: { ...PRICES, above: 50_000 } },
        },
        { id: "unpriced" },
        { id: "vectors", capabilities: { embeddings: true }, prices: { input: 0.02, output: 0 } },
      ],
    },
    two: {
      kind: "openai_compatible",
      api_key: "sk-vendor-two",
      base_url: "https://two.test/v1",
      models: [{ id: "second", prices: PRICES }],
    },
    claude: {
      ...{ kind: "anthropic", api_key: "sk-vendor-claude", base_url: "https://claude.test/v1" },
      models: [{ id: "sonnet", upstream: "claude-haiku-4-5", prices: PRICES }],
    },
    native: {
      ...{ kind: "openai", api: "responses", api_key: "sk-native" },
      ...{ base_url: "https://native.test/v1", models: [{ id: "slow", prices: PRICES }] },
    },
  },
  aliases: {
    "any-*": "m",
    chain: ["m", "second"],
    cached: { targets: ["m"], cache: { ttl: "2h" } },
    fast: { targets: ["m", "second"], hedge: { after: "1s", share: "100%" } },
  },
};

const encoder = new TextEncoder();

const USAGE = {
  ...{ prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
  prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 100, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 200, audio_tokens: 0 },
};

/** What a vendor answers, by the kind of a request. */
interface VendorOptions {
  readonly usage?: unknown;
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

async function answer(
  sent: Sent,
  { usage = USAGE, members = {}, headers = {} }: VendorOptions = {},
): Promise<Response> {
  const body = await sayHello(sent).json();
  return Response.json({ ...body, usage, ...members }, { headers: { ...headers } });
}

/** A stream that stays open after its events, or breaks off. */
function openStream(events: readonly unknown[], breaks: boolean): Response {
  const texts = events.map((event) => encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const text of texts) controller.enqueue(text);
      if (breaks) controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

type Script = (sent: Sent, signal: StopSignal | null) => Response | Promise<Response>;

/** A gateway, and what it records. */
interface World {
  readonly gateway: TestGateway;
  /** Sends requests to vendors here. */
  script: Script;
  /** The hosts of requests that were sent to vendors. */
  readonly hosts: string[];
  readonly log: () => string;
  readonly rows: LedgerRow[];
  ask(
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Response>;
}

function createWorld(level: LogLevel, isReadable: boolean): World {
  const rows: LedgerRow[] = [];
  const usage = new class extends MemoryUsageStore {
    override write(added: readonly LedgerRow[]): Promise<void> {
      rows.push(...added);
      return super.write(added);
    }
  }();
  let log = "";
  const gateway = createTestGateway({
    config: CONFIG,
    usage,
    writeLog: (lines) => log += lines,
    log: { level: () => level, readable: () => isReadable },
    async fetch(url, { headers, body, signal }) {
      world.hosts.push(new URL(url).hostname);
      // Only the wait for the vendor takes time.
      await turn();
      gateway.clock.advance(120.25);
      let text = "";
      if (typeof body === "string") text = body;
      else if (body !== undefined) text = await new Response(body as BodyInit).text();
      const sent = { url, headers: new Headers(headers), body: JSON.parse(text || "{}") };
      return await world.script(sent, signal ?? null);
    },
  });
  let asked = 0;
  const world: World = {
    gateway,
    script: (sent) => answer(sent),
    hosts: [],
    log: () => log,
    rows,
    ask(path, body, headers = {}, signal) {
      const id = `req_${++asked}`;
      const own = { authorization: `Bearer ${KEY}`, "x-request-id": id };
      return gateway.call(path, body, { ...own, ...headers }, signal);
    },
  };
  return world;
}

/** Sends one kind of request, and returns its answer. */
type Ask = (world: World) => Promise<Response>;

const chat = (members: Record<string, unknown>, headers: Record<string, string> = {}): Ask => {
  return ({ ask }) => ask(CHAT, { model: "m", messages: MESSAGES, ...members }, headers);
};

/** Answers with a script. */
function by(script: Script, ask: Ask): Ask {
  return (world) => {
    world.script = script;
    return ask(world);
  };
}

/** The client leaves as soon as a vendor has been asked. */
const leave: Ask = (world) => {
  const caller = new AbortController();
  world.script = (_, signal) =>
    new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
      queueMicrotask(() => caller.abort());
    });
  return world.ask(CHAT, { model: "m", messages: MESSAGES }, {}, caller.signal);
};

/** The client reads one event of a stream, then leaves. */
const leaveStream: Ask = async (world) => {
  world.script = () => openStream(CHUNKS.slice(0, 2), false);
  const response = await world.ask(CHAT, { model: "m", messages: MESSAGES, stream: true });
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  return response;
};

/** The second target answers while the call of the first one is pending. */
const hedged: Ask = async (world) => {
  world.script = (sent, signal) =>
    sent.url.includes("two.test") ? answer(sent) : new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  const before = world.hosts.length;
  const asked = world.ask(CHAT, { model: "fast", messages: MESSAGES, max_tokens: 10 });
  await until(() => world.hosts.length > before);
  world.gateway.clock.advance(1000);
  return await asked;
};

/** An answer in the background, which is settled when the client asks for it. */
const settled: Ask = async (world) => {
  const response = { id: "resp_1", object: "response", model: "slow", output: [] };
  world.script = () => Response.json({ ...response, status: "queued", usage: null });
  const body = { model: "slow", input: "word ".repeat(40), background: true };
  const begun = await world.ask("/v1/responses", body);
  const { id } = await begun.json();
  const usage = { input_tokens: 30, output_tokens: 20, total_tokens: 50 };
  world.script = () => Response.json({ ...response, status: "completed", usage });
  return await world.ask(`/v1/responses/${id}`);
};

const CASES: Readonly<Record<string, Ask>> = {
  "an answer with cached and reasoning tokens": chat({}),
  "an answer of a service tier": by(
    (sent) => answer(sent, { members: { service_tier: "priority" } }),
    chat({ service_tier: "priority" }),
  ),
  "a long prompt, its vendor's request ID and rate limits": by(
    (sent) =>
      answer(sent, {
        usage: { prompt_tokens: 60_000, completion_tokens: 7, total_tokens: 60_007 },
        headers: { "x-request-id": "req_vendor", "x-ratelimit-remaining-requests": "59" },
      }),
    chat({}),
  ),
  "an answer without a price": chat({ model: "unpriced" }),
  "an answer without usage": by(
    (sent) => answer(sent, { usage: null }),
    chat({}),
  ),
  "an impossible usage": by(
    (sent) =>
      answer(sent, {
        usage: { prompt_tokens: 2 ** 40, completion_tokens: 1, total_tokens: 2 ** 40 + 1 },
      }),
    chat({}),
  ),
  "an alias with a star, with tags and an end user": chat(
    { model: "any-thing", user: "user-7" },
    { "x-sluice-tags": "a,b" },
  ),
  "a key with limits and a budget": chat({}, { authorization: `Bearer ${LIMITED}` }),
  "parameters that are ignored and converted": by(
    sayHello,
    chat({ model: "sonnet", seed: 1, temperature: 1.5 }),
  ),
  "a stream": by(sayHello, chat({ stream: true })),
  "a stream of converted events": by(sayHello, chat({ model: "sonnet", stream: true })),
  "a stream without usage": by(
    () => toEventStream([...CHUNKS.slice(0, 3), "[DONE]"]),
    chat({ stream: true }),
  ),
  "a stream that is cut": by(() => openStream(CHUNKS.slice(0, 2), true), chat({ stream: true })),
  "a stream whose client leaves": leaveStream,
  "a client that leaves": leave,
  "messages": by(
    sayHello,
    ({ ask }) => ask("/v1/messages", { model: "sonnet", messages: MESSAGES, max_tokens: 64 }),
  ),
  "a response": by(
    (sent) => answer(sent, { usage: { ...USAGE, prompt_tokens: 50 } }),
    ({ ask }) => ask("/v1/responses", { model: "second", input: "Hi", store: false }),
  ),
  "an answer that is settled later": settled,
  "embeddings": by(
    () =>
      Response.json({
        object: "list",
        model: "vectors",
        data: [{ object: "embedding", index: 0, embedding: [0.5] }],
        usage: { prompt_tokens: 3, total_tokens: 3 },
      }),
    ({ ask }) => ask("/v1/embeddings", { model: "vectors", input: "Hi" }),
  ),
  "several prompts": by(
    (sent) => answer(sent),
    ({ ask }) => ask("/v1/completions", { model: "m", prompt: ["one", "two"], max_tokens: 5 }),
  ),
  "a passed request": by(
    () => Response.json({ text: "Hi", usage: USAGE }),
    ({ ask }) => ask("/v1/providers/one/proxy/chat/completions", { model: "m" }),
  ),
  "a second target": by(
    (sent) => sent.url.includes("two.test") ? answer(sent) : new Response("{}", { status: 503 }),
    chat({ model: "chain" }),
  ),
  "a hedge": hedged,
  "an answer that the cache keeps": chat({ model: "cached", temperature: 0 }),
  "an answer of the cache": chat({ model: "cached", temperature: 0 }),
  "a cap on the cost": chat({ max_tokens: 100 }, { "x-sluice-max-cost": "0.000001" }),
  "a refusal by the vendor": by(
    () => Response.json({ error: { message: "No", code: "too_odd" } }, { status: 400 }),
    chat({}),
  ),
  "a failure of the vendor": by(() => new Response("{}", { status: 500 }), chat({})),
  "a failure of all targets": by(
    () => new Response("{}", { status: 503 }),
    chat({ model: "chain" }),
  ),
  "an unknown model": chat({ model: "nothing" }),
  "a wrong key": chat({}, { authorization: "Bearer sk-wrong" }),
  "a list of models": ({ ask }) => ask("/v1/models"),
  "a probe": ({ ask }) => ask("/healthz"),
};

/** The members of a row that have a value. */
const known = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

interface Recorded {
  readonly status: number;
  readonly headers: readonly string[];
  readonly lines: readonly string[];
  readonly rows: readonly unknown[];
}

/** Sends a request of each kind, and returns what is recorded of it, and the metrics after all. */
async function record(level: LogLevel, isReadable: boolean) {
  const world = createWorld(level, isReadable);
  const recorded: Record<string, Recorded> = {};
  const scrape = async () => (await (await world.ask("/metrics")).text()).split("\n");
  let metrics: readonly string[] = [];
  for (const [name, ask] of Object.entries(CASES)) {
    const [line, row] = [world.log().length, world.rows.length];
    world.script = (sent) => answer(sent);
    const response = await ask(world);
    if (!response.bodyUsed) await response.text();
    await turns(2);
    recorded[name] = {
      status: response.status,
      headers: [...response.headers].map(([header, value]) => `${header}: ${value}`),
      lines: world.log().slice(line).split("\n").slice(0, -1),
      rows: world.rows.slice(row).map(known),
    };
    // Breakers close, and rates of limits are renewed.
    world.gateway.clock.advance(3_600_000);
    // What is counted after a scrape is added to what was counted before.
    if (name === "a stream" || name === "a probe") metrics = await scrape();
  }
  assertEquals(world.gateway.bugs, []);
  return { recorded, metrics };
}

Deno.test("headers, lines, rows and metrics of requests of each kind are the goldens", async () => {
  const { recorded, metrics } = await record("info", false);
  const debug = (await record("debug", false)).recorded;
  const readable = (await record("debug", true)).recorded;
  const cases = Object.fromEntries(
    Object.entries(recorded).map(([name, { status, headers, rows, lines }]) => [name, {
      ...{ status, headers, rows, lines },
      debug: debug[name]?.lines,
      readable: readable[name]?.lines,
    }]),
  );
  if (UPDATE) {
    Deno.writeTextFileSync(GOLDEN, JSON.stringify({ cases, metrics }, null, 2) + "\n");
    return;
  }
  const golden = JSON.parse(Deno.readTextFileSync(GOLDEN));
  assertEquals(Object.keys(cases), Object.keys(golden.cases));
  for (const [name, value] of Object.entries(cases)) {
    assertEquals(value, golden.cases[name], name);
  }
  assertEquals(metrics, golden.metrics);
});
