/** The exact cache: equal requests get the same answer, in every format, and no other key gets it. */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { Plans } from "../../../src/gateway/plan.ts";
import type { JsonObject } from "../../../src/contract/chat.ts";
import type { StateStore } from "../../../src/memory/store.ts";
import { MemoryUsageStore } from "../../../src/governance/ledger/memory_store.ts";
import { MemoryStore } from "../../../src/memory/store.ts";
import { responseCache } from "../../../src/features/response_cache/response_cache.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import {
  createTestGateway,
  loadTestConfig,
  type TestGateway,
  type TestOptions,
} from "../../support/gateway.ts";
import { scrape } from "../../support/samples.ts";
import { CHUNKS, sayHello, ScriptedVendor, toEventStream } from "../../support/scripted_vendor.ts";
import { turns } from "../../support/elapse.ts";

const ASK = [{ role: "user", content: "Hi" }];
const HOUR_MS = 3_600_000;

interface Stage {
  readonly gateway: TestGateway;
  readonly vendor: ScriptedVendor;
}

/** A gateway whose cache has these settings, before vendors of all kinds. */
function stage(
  cache: JsonObject | undefined = { ttl: "1h" },
  vendor = new ScriptedVendor(),
  { config = {}, ...options }: Partial<TestOptions> = {},
): Stage {
  const prices = { input: 1, output: 1 };
  const provider = (kind: string, name: string) => ({
    ...{ kind, api_key: "sk-vendor", models: [{ id: name, prices }] },
    ...(kind === "openai_compatible" && { base_url: "https://vendor.example/v1" }),
  });
  const gateway = createTestGateway({
    fetch: vendor.fetch,
    ...options,
    config: {
      providers: {
        compatible: provider("openai_compatible", "chat"),
        anthropic: provider("anthropic", "claude"),
        openai: provider("openai", "gpt"),
        gemini: provider("gemini", "gemini-3.5-flash"),
        ollama: provider("ollama", "llama"),
      },
      ...(cache && { routing: { cache } }),
      ...config,
    },
  });
  return { gateway, vendor };
}

const CHAT = "/v1/chat/completions";

function chat(members: JsonObject = {}): JsonObject {
  return { model: "chat", messages: ASK, temperature: 0, ...members };
}

/** An answer as a caller sees it. */
interface Seen {
  readonly status: number;
  readonly cache: string | null;
  readonly text: string;
  readonly headers: Headers;
}

async function ask(
  { gateway }: Pick<Stage, "gateway">,
  path: string,
  body: JsonObject,
  headers: Record<string, string> = {},
): Promise<Seen> {
  const response = await gateway.call(path, body, headers);
  const text = await response.text();
  return {
    status: response.status,
    cache: response.headers.get("x-sluice-cache"),
    text,
    headers: response.headers,
  };
}

/** Asks twice or more, and returns what the header says each time. */
async function results(
  { gateway }: Stage,
  path: string,
  bodies: readonly JsonObject[],
  headers: Record<string, string> = {},
) {
  const found: (string | null)[] = [];
  for (const body of bodies) found.push((await ask({ gateway }, path, body, headers)).cache);
  return found;
}

/** The JSON of a body, or of all events. */
function jsonOf(text: string): JsonObject[] {
  if (text.startsWith("{")) return text.trim().split("\n").map((line) => JSON.parse(line));
  return text.split("\n").filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)));
}

/** The IDs and the usage of an answer. */
function marksOf(text: string): { readonly ids: ReadonlySet<unknown>; readonly counts: number[] } {
  const holders = jsonOf(text).flatMap((json) => [json, json.message, json.response])
    .filter((value): value is JsonObject => typeof value === "object" && value !== null);
  const countsOf = (value: unknown): number[] =>
    typeof value === "number"
      ? [value]
      : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(countsOf)
      : [];
  return {
    ids: new Set(
      holders.flatMap(({ id, responseId = id }) => responseId === undefined ? [] : [responseId]),
    ),
    counts: holders.flatMap(({ usage, usageMetadata, eval_count, prompt_eval_count }) =>
      countsOf([usage, usageMetadata, eval_count, prompt_eval_count])
    ),
  };
}

const MARKS = /^(?:id|responseId|usage|usageMetadata|\w+_count|\w+_duration)$/;

/** The text without its IDs, numbers of usage and the request's ID. */
function contentOf(text: string): unknown {
  const without = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(without);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).filter(([name]) => !MARKS.test(name))
        .map(([name, member]) => [name, without(member)]),
    );
  };
  return jsonOf(text).map(without);
}

const MODELS = ["chat", "claude", "gpt", "gemini-3.5-flash", "llama"] as const;
const FORMATS: readonly (readonly [name: string, path: string, body: JsonObject])[] = MODELS
  .flatMap((model): (readonly [string, string, JsonObject])[] => [
    [`chat completions of ${model}`, CHAT, { model, messages: ASK, temperature: 0 }],
    [`messages of ${model}`, "/v1/messages", {
      ...{ model, messages: ASK, temperature: 0, max_tokens: 100 },
    }],
    [`responses of ${model}`, "/v1/responses", {
      ...{ model, input: "Hi", temperature: 0, store: false },
    }],
    [`Gemini's API for ${model}`, `/v1beta/models/${model}:generateContent`, {
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
      generationConfig: { temperature: 0 },
    }],
    [`Ollama's chats of ${model}`, "/api/chat", {
      ...{ model, messages: ASK, options: { temperature: 0 } },
    }],
    // The vendor of these tests has no texts of Ollama's API itself.
    ...(model === "llama" ? [] : [
      [`Ollama's texts of ${model}`, "/api/generate", {
        ...{ model, prompt: "Hi", options: { temperature: 0 } },
      }] as const,
    ]),
  ]);

for (const [name, whole, body] of FORMATS) {
  for (const stream of [false, true]) {
    Deno.test(`${name} ${stream ? "are streamed again" : "are answered again"}`, async () => {
      const cached = stage();
      const isGemini = whole.includes(":generateContent");
      const path = isGemini && stream
        ? whole.replace(":generateContent", ":streamGenerateContent?alt=sse")
        : whole;
      const request = isGemini ? body : { ...body, stream };
      const first = await ask(cached, path, request);
      assertEquals([first.status, first.cache], [200, "miss"], first.text);
      cached.gateway.clock.advance(61_000);
      const second = await ask(cached, path, { ...request });
      assertEquals([second.status, second.cache], [200, "hit"], second.text);
      assertEquals(second.headers.get("age"), "61");
      assertEquals(
        second.headers.get("content-type"),
        first.headers.get("content-type"),
      );
      assertEquals(cached.vendor.sent.length, 1);
      assertEquals(contentOf(second.text), contentOf(first.text));
      const [before, after] = [marksOf(first.text), marksOf(second.text)];
      assertEquals(after.ids.size, before.ids.size);
      for (const id of after.ids) {
        assertMatch(String(id), /^(chatcmpl-|msg_|resp_|gen_)/);
        assert(!before.ids.has(id), `the ID ${id} is used again`);
      }
      assertEquals(after.counts.filter((count) => count !== 0), []);
      const third = await ask(cached, path, request);
      // Ollama's API has no IDs.
      if (after.ids.size > 0) assertNotEquals(marksOf(third.text).ids, after.ids);
    });
  }
}

Deno.test("an answer expires, and a caller may want a newer one, never an older one", async () => {
  const cached = stage({ ttl: "5m" });
  assertEquals(await results(cached, CHAT, [chat(), chat()]), ["miss", "hit"]);
  cached.gateway.clock.advance(120_000);
  assertEquals(await results(cached, CHAT, [chat()], { "x-sluice-cache": "ttl=60s" }), ["miss"]);
  cached.gateway.clock.advance(299_000);
  assertEquals(await results(cached, CHAT, [chat()], { "x-sluice-cache": "ttl=24h" }), ["hit"]);
  cached.gateway.clock.advance(1000);
  assertEquals(await results(cached, CHAT, [chat()], { "x-sluice-cache": "ttl=24h" }), ["miss"]);
});

Deno.test("refresh asks again and stores; off and a client's retry do not use the cache", async () => {
  let answers = 0;
  const cached = stage(
    undefined,
    new ScriptedVendor(() =>
      Response.json({
        ...{ id: `v${++answers}`, object: "chat.completion", created: 1, model: "chat" },
        choices: [{
          ...{ index: 0, finish_reason: "stop" },
          message: { role: "assistant", content: `answer ${answers}` },
        }],
      })
    ),
    { config: { routing: { cache: { ttl: "1h" } } } },
  );
  const content = async (headers: Record<string, string> = {}) => {
    const { cache, text } = await ask(cached, CHAT, chat(), headers);
    return [cache, /answer \d+/.exec(text)?.[0]];
  };
  assertEquals(await content(), ["miss", "answer 1"]);
  assertEquals(await content({ "x-sluice-cache": "refresh" }), ["miss", "answer 2"]);
  assertEquals(await content(), ["hit", "answer 2"]);
  assertEquals(await content({ "x-sluice-cache": "off" }), [null, "answer 3"]);
  assertEquals(await content({ "x-stainless-retry-count": "1" }), [null, "answer 4"]);
  assertEquals(await content({ "x-stainless-retry-count": "0" }), ["hit", "answer 2"]);
  const wrong = await ask(cached, CHAT, chat(), { "x-sluice-cache": "ttl=soon" });
  assertEquals([wrong.status, wrong.text.includes("x-sluice-cache")], [400, true]);
});

Deno.test("nothing is cached without the setting, whatever the caller asks for", async () => {
  const plain = stage(undefined, new ScriptedVendor(), { config: {} });
  const without = createTestGateway({
    fetch: plain.vendor.fetch,
    config: {
      providers: {
        v: { kind: "openai_compatible", base_url: "https://v.example/v1", models: ["chat"] },
      },
    },
  });
  const headers = { "x-sluice-cache": "ttl=60s" };
  for (let turn = 0; turn < 2; turn++) {
    assertEquals((await ask({ gateway: without }, CHAT, chat(), headers)).cache, null);
  }
  assertEquals(plain.vendor.sent.length, 2);
});

Deno.test("an alias has its own cache, or none", async () => {
  const cached = stage({ ttl: "1h" }, new ScriptedVendor(), {
    config: {
      aliases: {
        off: { targets: ["chat"], cache: { ttl: "0s" } },
        random: { targets: ["chat"], cache: { ttl: "1h", temperature: "any" } },
      },
    },
  });
  const of = (model: string, temperature?: number) =>
    ({ model, messages: ASK, ...(temperature !== undefined && { temperature }) }) as JsonObject;
  assertEquals(await results(cached, CHAT, [of("off", 0), of("off", 0)]), [null, null]);
  assertEquals(await results(cached, CHAT, [of("random"), of("random")]), ["miss", "hit"]);
  assertEquals(await results(cached, CHAT, [of("random", 1), of("random", 1)]), ["miss", "hit"]);
  assertEquals(await results(cached, CHAT, [of("chat"), of("chat", 1)]), [null, null]);
});

const IMAGE = (url: string) => [{
  role: "user",
  content: [{ type: "image_url", image_url: { url } }],
}];
const UNCACHED: readonly (readonly [what: string, path: string, body: JsonObject])[] = [
  ["a tool of the vendor", CHAT, chat({ tools: [{ type: "web_search" }] })],
  ["a search", CHAT, chat({ web_search_options: {} })],
  ["a stored completion", CHAT, chat({ store: true })],
  ["the address of an image", CHAT, chat({ messages: IMAGE("https://images.example/a.png") })],
  ["a file", CHAT, {
    ...chat(),
    messages: [{ role: "user", content: [{ type: "file", file: { file_id: "file-1" } }] }],
  }],
  ["a response that is stored", "/v1/responses", { model: "gpt", input: "Hi", temperature: 0 }],
  ["a tool of Anthropic", "/v1/messages", {
    ...{ model: "claude", messages: ASK, temperature: 0, max_tokens: 9 },
    tools: [{ type: "web_search_20250305", name: "web_search" }],
  }],
];

for (const [what, path, body] of UNCACHED) {
  Deno.test(`a request with ${what} is not cached`, async () => {
    assertEquals(await results(stage(), path, [body, body]), [null, null]);
  });
}

Deno.test("the image of a data URL and the tools of the caller are cached", async () => {
  const tools = [{
    type: "function",
    function: { name: "f", parameters: { type: "object", properties: { url: {} } } },
  }];
  const body = chat({ messages: IMAGE("data:image/png;base64,iVBORw0KGgo="), tools });
  assertEquals(await results(stage(), CHAT, [body, body]), ["miss", "hit"]);
});

/** A completion, and the same as a stream. */
function answering(finish: string, message: JsonObject): ScriptedVendor {
  return new ScriptedVendor(({ body }) => {
    const head = { id: "v", created: 1, model: "chat" };
    if (body.stream !== true) {
      const choice = {
        index: 0,
        message: { role: "assistant", ...message },
        finish_reason: finish,
      };
      return Response.json({ ...head, object: "chat.completion", choices: [choice] });
    }
    const choice = (delta: JsonObject, finish_reason: string | null) => ({
      ...head,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
    });
    return toEventStream([
      choice({ role: "assistant", ...message }, null),
      choice({}, finish),
      "[DONE]",
    ]);
  });
}

const CALL = { id: "call_1", type: "function", function: { name: "f", arguments: '{"a":1}' } };
const ANSWERS: readonly (readonly [
  what: string,
  finish: string,
  message: JsonObject,
  isCached: boolean,
])[] = [
  ["a tool call", "tool_calls", { content: null, tool_calls: [{ index: 0, ...CALL }] }, true],
  ["an answer that was cut", "length", { content: "Once upon" }, false],
  ["a filtered answer", "content_filter", { content: "I" }, false],
  ["a refusal", "stop", { content: null, refusal: "I cannot do that" }, false],
];

for (const [what, finish, message, isCached] of ANSWERS) {
  for (const stream of [false, true]) {
    Deno.test(`${what} is ${isCached ? "" : "not "}cached${stream ? " as a stream" : ""}`, async () => {
      const body = chat({ stream });
      const cached = stage({ ttl: "1h" }, answering(finish, message));
      assertEquals(
        await results(cached, CHAT, [body, body]),
        ["miss", isCached ? "hit" : "miss"],
      );
      if (isCached) {
        const { text } = await ask(cached, CHAT, body);
        assert(text.includes('"call_1"') && text.includes('{\\"a\\":1}'), text);
      }
    });
  }
}

Deno.test("an error and a broken stream are not cached", async () => {
  let requests = 0;
  const vendor = new ScriptedVendor(({ body }) => {
    requests++;
    return body.stream === true
      ? toEventStream(CHUNKS.slice(0, 1))
      : Response.json({ error: { message: "no" } }, { status: 400 });
  });
  const cached = stage({ ttl: "1h" }, vendor);
  for (const stream of [false, true]) {
    const before = requests;
    for (let turn = 0; turn < 2; turn++) await ask(cached, CHAT, chat({ stream }));
    assert(requests >= before + 2, `${requests}`);
  }
});

Deno.test("what differs in any way is another request", async () => {
  const cached = stage({ ttl: "1h" });
  const bodies = [
    chat(),
    chat({ seed: 1 }),
    chat({ user: "u" }),
    chat({ stream: true }),
    chat({ messages: [{ role: "user", content: "Hi " }] }),
    chat({ tools: [{ type: "function", function: { name: "f" } }] }),
    chat({ metadata: { a: "1" } }),
  ];
  assertEquals(await results(cached, CHAT, bodies), bodies.map(() => "miss"));
  // The order of members is no difference.
  const reordered = { temperature: 0, messages: [{ content: "Hi", role: "user" }], model: "chat" };
  assertEquals(await results(cached, CHAT, [reordered]), ["hit"]);
  assertEquals(await results(cached, CHAT, [chat()], { "x-sluice-strict": "true" }), ["miss"]);
});

const KEYS = [
  { name: "a", key: "sk-a" },
  { name: "key a", key: "sk-key-a" },
  { name: "group", key: "sk-group" },
  { name: 'a"]', key: "sk-quote" },
  { name: "b", key: "sk-b", group: "a" },
  { name: "c", key: "sk-c", group: "a" },
];
const withKey = (key: string) => ({ authorization: `Bearer ${key}` });

Deno.test("no service key gets the answer of another one, whatever their names and bodies", async () => {
  const cached = stage({ ttl: "1h" }, new ScriptedVendor(), { config: { server: { keys: KEYS } } });
  for (const { key } of KEYS) {
    assertEquals(await results(cached, CHAT, [chat(), chat()], withKey(key)), ["miss", "hit"]);
  }
  assertEquals(cached.vendor.sent.length, KEYS.length);
});

Deno.test("keys of one group share answers only if the configuration says so", async () => {
  const cached = stage({ ttl: "1h", scope: "group" }, new ScriptedVendor(), {
    config: { server: { keys: KEYS } },
  });
  assertEquals(await results(cached, CHAT, [chat()], withKey("sk-b")), ["miss"]);
  assertEquals(await results(cached, CHAT, [chat()], withKey("sk-c")), ["hit"]);
  assertEquals(await results(cached, CHAT, [chat()], withKey("sk-key-a")), ["miss"]);
});

Deno.test("a key that may not use a model gets no answer of it", async () => {
  const keys = [{ name: "a", key: "sk-a", group: "g" }, {
    ...{ name: "b", key: "sk-b", group: "g", models: ["gpt"] },
  }];
  const cached = stage({ ttl: "1h", scope: "group" }, new ScriptedVendor(), {
    config: { server: { keys } },
  });
  assertEquals(await results(cached, CHAT, [chat(), chat()], withKey("sk-a")), ["miss", "hit"]);
  assertEquals((await ask(cached, CHAT, chat(), withKey("sk-b"))).status, 404);
});

Deno.test("a hit counts as a request, and needs neither tokens nor money", async () => {
  const usage = new MemoryUsageStore();
  const keys = [{
    ...{ name: "a", key: "sk-a", budget: { usd: 0.000015, per: "total" } },
    limits: { requests_per_minute: 3, tokens_per_minute: 2000 },
  }];
  const cached = stage({ ttl: "1h" }, new ScriptedVendor(), {
    usage,
    config: { server: { keys } },
  });
  const body = chat({ max_tokens: 5 });
  const first = await ask(cached, CHAT, body, withKey("sk-a"));
  assertEquals([first.status, first.cache], [200, "miss"], first.text);
  const second = await ask(cached, CHAT, body, withKey("sk-a"));
  assertEquals([second.status, second.cache], [200, "hit"], second.text);
  const cost = first.headers.get("x-sluice-cost-usd");
  assertEquals(
    [second.headers.get("x-sluice-saved-usd"), second.headers.get("x-sluice-cost-usd")],
    [
      cost,
      null,
    ],
  );
  assertEquals(second.headers.get("x-sluice-route"), "cache");
  assertEquals(second.headers.get("x-ratelimit-remaining-requests"), "1");
  assertEquals((await ask(cached, CHAT, body, withKey("sk-a"))).cache, "hit");
  assertEquals((await ask(cached, CHAT, body, withKey("sk-a"))).status, 429);
  cached.gateway.flush();
  const { rows } = await usage.list({ limit: 10 } as never);
  const columns = rows.map(({ usd, savedUsd, input }) => [usd, savedUsd, input]);
  assertEquals(columns.filter(([, saved]) => saved === Number(cost)), [
    [0, Number(cost), 0],
    [0, Number(cost), 0],
  ], JSON.stringify(columns));
});

Deno.test("the memory is bounded, and no key evicts the answers of another one", async () => {
  const cached = stage({ ttl: "1h" }, new ScriptedVendor(), {
    config: { server: { keys: KEYS, response_cache: { size: "4kB" } } },
  });
  assertEquals(await results(cached, CHAT, [chat()], withKey("sk-a")), ["miss"]);
  for (let seed = 0; seed < 50; seed++) {
    assertEquals(await results(cached, CHAT, [chat({ seed })], withKey("sk-b")), ["miss"]);
  }
  assertEquals(await results(cached, CHAT, [chat()], withKey("sk-a")), ["hit"]);
  assertEquals(await results(cached, CHAT, [chat({ seed: 0 })], withKey("sk-b")), ["miss"]);
});

Deno.test("an outage of the store is a miss, and so is an entry that cannot be read", async () => {
  const broken: StateStore = {
    put: () => false,
    get: () => Promise.resolve(new Map()),
    remove: () => {},
  };
  const cached = stage({ ttl: "1h" }, new ScriptedVendor(), { cache: broken });
  assertEquals(await results(cached, CHAT, [chat(), chat()]), ["miss", "miss"]);
  const odd: StateStore = {
    ...broken,
    get: (_, ids) => Promise.resolve(new Map(ids.map((id) => [id, new Uint8Array([123])]))),
  };
  const other = stage({ ttl: "1h" }, new ScriptedVendor(), { cache: odd });
  assertEquals(await results(other, CHAT, [chat(), chat()]), ["miss", "miss"]);
});

/** A vendor that answers when a test lets it. */
class SlowVendor extends ScriptedVendor {
  readonly waiting: (() => void)[];

  constructor() {
    const waiting: (() => void)[] = [];
    super((sent, signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
        waiting.push(() => resolve(sayHello(sent)));
      })
    );
    this.waiting = waiting;
  }

  answer(): void {
    for (const answer of this.waiting.splice(0)) answer();
  }
}

const settled = () => turns(20);

const SINGLE = { ttl: "1h", single_flight: true };

for (const stream of [false, true]) {
  Deno.test(`equal requests share one call${stream ? " of a stream" : ""}, each with its own ID`, async () => {
    const vendor = new SlowVendor();
    const cached = stage(SINGLE, vendor, { config: { server: { keys: KEYS } } });
    const body = chat({ stream });
    const all = [1, 2, 3].map(() => ask(cached, CHAT, body, withKey("sk-a")));
    const other = ask(cached, CHAT, body, withKey("sk-b"));
    await settled();
    assertEquals(vendor.sent.length, 2, "one for each key");
    vendor.answer();
    const seen = await Promise.all(all);
    assertEquals(seen.map(({ cache }) => cache), ["miss", "hit", "hit"]);
    assertEquals((await other).cache, "miss");
    assertEquals(new Set(seen.flatMap(({ text }) => [...marksOf(text).ids])).size, 3);
    assertEquals(vendor.sent.length, 2);
  });
}

Deno.test("without single_flight, each of equal requests is sent", async () => {
  const vendor = new SlowVendor();
  const cached = stage({ ttl: "1h" }, vendor);
  const all = [1, 2].map(() => ask(cached, CHAT, chat()));
  await settled();
  assertEquals(vendor.sent.length, 2);
  vendor.answer();
  assertEquals((await Promise.all(all)).map(({ cache }) => cache), ["miss", "miss"]);
});

Deno.test("a request that waits has its own deadline", async () => {
  const vendor = new SlowVendor();
  const cached = stage(SINGLE, vendor);
  const first = ask(cached, CHAT, chat());
  await settled();
  const second = ask(cached, CHAT, chat(), { "x-sluice-deadline-ms": "1000" });
  await settled();
  cached.gateway.clock.advance(1000);
  assertEquals((await second).status, 504);
  assertEquals(vendor.sent.length, 1);
  vendor.answer();
  assertEquals((await first).status, 200);
});

Deno.test("if the first of equal requests fails, the others are sent", async () => {
  let requests = 0;
  const replies: (() => void)[] = [];
  const vendor = new ScriptedVendor((sent) =>
    ++requests > 1
      ? sayHello(sent)
      : new Promise((resolve) =>
        replies.push(() => resolve(Response.json({ error: { message: "no" } }, { status: 400 })))
      )
  );
  const cached = stage(SINGLE, vendor);
  const all = [1, 2, 3].map(() => ask(cached, CHAT, chat()));
  await settled();
  assertEquals(requests, 1);
  for (const reply of replies) reply();
  assertEquals((await Promise.all(all)).map(({ status }) => status), [400, 200, 200]);
});

Deno.test("a request whose wait has failed delays no other one", async () => {
  const replies: (() => void)[] = [];
  const vendor = new ScriptedVendor((sent) =>
    new Promise((resolve) => {
      const isFirst = replies.length === 0;
      replies.push(() =>
        resolve(
          isFirst ? Response.json({ error: { message: "no" } }, { status: 400 }) : sayHello(sent),
        )
      );
    })
  );
  const cached = stage(SINGLE, vendor);
  const first = ask(cached, CHAT, chat());
  await settled();
  const second = ask(cached, CHAT, chat());
  await settled();
  replies[0]?.();
  assertEquals((await first).status, 400);
  await settled();
  const third = ask(cached, CHAT, chat());
  await settled();
  assertEquals(replies.length, 3, "the third is sent although the second is open");
  for (const reply of replies) reply();
  assertEquals([(await second).status, (await third).status], [200, 200]);
});

Deno.test("a first request that a limit refuses holds up no other one", async () => {
  const keys = [{ name: "a", key: "sk-a", limits: { requests_per_minute: 1 } }];
  const cached = stage(SINGLE, new ScriptedVendor(), { config: { server: { keys } } });
  const other = chat({ seed: 1 });
  assertEquals((await ask(cached, CHAT, other, withKey("sk-a"))).status, 200);
  for (let turn = 0; turn < 2; turn++) {
    assertEquals((await ask(cached, CHAT, chat(), withKey("sk-a"))).status, 429);
  }
  cached.gateway.clock.advance(HOUR_MS);
  assertEquals((await ask(cached, CHAT, chat(), withKey("sk-a"))).status, 200);
});

Deno.test("an explanation says whether a request may be answered from the cache", async () => {
  const cached = stage();
  const explained = async (body: JsonObject, headers: Record<string, string> = {}) => {
    const { text } = await ask(cached, CHAT, body, { ...headers, "x-sluice-explain": "true" });
    return JSON.parse(text).cache;
  };
  assertEquals(await explained(chat()), true);
  assertEquals(await explained(chat({ temperature: 1 })), undefined);
  assertEquals(await explained(chat(), { "x-sluice-cache": "off" }), undefined);
  assertEquals(cached.vendor.sent, []);
});

Deno.test("headers of the format are a part of the request", async () => {
  const cached = stage();
  const body = { model: "claude", messages: ASK, temperature: 0, max_tokens: 9 };
  const beta = { "anthropic-beta": "context-1m-2025-08-07" };
  assertEquals(await results(cached, "/v1/messages", [body]), ["miss"]);
  assertEquals(await results(cached, "/v1/messages", [body, body], beta), ["miss", "hit"]);
});

Deno.test("a change of the configuration or of the targets is another request", async () => {
  const clock = new ManualClock();
  const store = new MemoryStore(() => ({ bytes: 1e6, ttlMs: HOUR_MS }), () => clock.now());
  const secret = new Uint8Array(32);
  let ids = 0;
  const cache = responseCache({ store, secret, clock, newId: (prefix) => `${prefix}${++ids}` });
  const configOf = (params: JsonObject) =>
    loadTestConfig({
      providers: {
        v: {
          ...{ kind: "openai_compatible", base_url: "https://v.example/v1" },
          models: [{ id: "chat", params }],
        },
      },
      routing: { cache: { ttl: "1h" } },
    });
  const limits = { signal: new AbortController().signal, leftMs: Infinity };
  const run = async (params: JsonObject, ...names: string[]) => {
    const api = { format: "chat_completions", idPrefix: "chatcmpl-", operation: "chat" } as const;
    const request = {
      ...{ api, body: chat(), model: "chat", stream: false, key: "a", owner: "a" },
      ...{ bytes: 100, options: { strict: false } },
    };
    const [planned] = new Plans([cache]).find("chat", configOf(params))?.features(api) ?? [];
    const feature = planned?.start(request);
    const targets = names.map((model) => ({ provider: "v", model }));
    const found = await feature?.ready?.(targets, limits);
    const written = { text: '{"id":"x","choices":[]}', finishReasons: ["stop"], usd: 0 };
    const [target] = targets;
    feature?.end?.({ complete: true, target, usage: undefined, written });
    return found !== undefined;
  };
  assertEquals(await run({}, "one", "two"), false);
  assertEquals(await run({}, "one", "two"), true);
  // The order may be drawn by lot.
  assertEquals(await run({}, "two", "one"), true);
  assertEquals(await run({}, "one"), false);
  assertEquals(await run({ top_p: 0.5 }, "one", "two"), false);
});

Deno.test("metrics count hits and misses of requests that could be cached", async () => {
  const cached = stage();
  await results(cached, CHAT, [chat(), chat(), chat(), chat({ temperature: 1 })]);
  const samples = await scrape(cached.gateway);
  const count = (result: string) => samples.sum("sluice_cache_requests_total", { result });
  assertEquals([count("hit"), count("miss")], [2, 1]);
});

Deno.test("line separators of Unicode in a stream do not hide it from the cache", async () => {
  const separators = "a\u2028:b\u2029data: {c\u0085d";
  const chunks = [
    ...CHUNKS.slice(0, 1),
    { choices: [{ index: 0, delta: { content: separators }, finish_reason: null }] },
    ...CHUNKS.slice(1),
  ];
  const cached = stage(undefined, new ScriptedVendor(() => toEventStream([...chunks, "[DONE]"])), {
    config: { routing: { cache: { ttl: "1h" } } },
  });
  const request = chat({ stream: true });
  const first = await ask(cached, CHAT, request);
  const second = await ask(cached, CHAT, request);
  assertEquals([first.cache, second.cache], ["miss", "hit"]);
  assert(second.text.includes(separators));
  assertEquals(contentOf(second.text), contentOf(first.text));
});

Deno.test("an array of Gemini's API is cached with the events", async () => {
  const cached = stage();
  const body = {
    contents: [{ role: "user", parts: [{ text: "Hi" }] }],
    generation_config: { temperature: 0 },
  };
  const path = "/v1beta/models/chat:streamGenerateContent";
  const events = await ask(cached, `${path}?alt=sse`, body);
  const array = await ask(cached, path, body);
  assertEquals([events.cache, array.cache], ["miss", "hit"]);
  assertEquals(JSON.parse(array.text).length, jsonOf(events.text).length);
  const other = await ask(cached, path.replace("chat", "claude"), body);
  assertEquals(other.cache, "miss", "another model in the path is another request");
});

Deno.test("requests of Gemini's and Ollama's APIs that depend on more than their body are not cached", async () => {
  const cached = stage();
  const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
  const generationConfig = { temperature: 0 };
  const remote = [{ fileData: { fileUri: "https://files.example/a.pdf" } }];
  const gemini = "/v1beta/models/gemini-3.5-flash:generateContent";
  const rows: readonly (readonly [path: string, body: JsonObject])[] = [
    [gemini, { contents, generationConfig: { temperature: 1 } }],
    [gemini, { contents }],
    [gemini, { contents, generationConfig, cachedContent: "cachedContents/1" }],
    [gemini, { contents, generationConfig, tools: [{ googleSearch: {} }] }],
    [gemini, { contents: [{ role: "user", parts: remote }], generationConfig }],
    ["/api/chat", { model: "llama", messages: ASK, options: { temperature: 1 } }],
    ["/api/chat", { model: "llama", messages: ASK, stream: false }],
    ["/api/generate", {
      ...{ model: "llama", prompt: "Hi", messages: ASK, options: { temperature: 0 } },
    }],
  ];
  for (const [path, body] of rows) {
    assertEquals(await results(cached, path, [body, body]), [null, null], JSON.stringify(body));
  }
  const tools = [{ functionDeclarations: [{ name: "f" }] }];
  const called = [
    ...contents,
    { role: "model", parts: [{ functionCall: { name: "f", args: { url: "https://a" } } }] },
    { role: "user", parts: [{ functionResponse: { name: "f", response: { url: "https://b" } } }] },
  ];
  const own = { contents: called, generationConfig, tools };
  assertEquals(await results(cached, gemini, [own, own]), ["miss", "hit"]);
});
