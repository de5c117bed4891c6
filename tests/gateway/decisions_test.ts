/** What an explanation and the receipt of a request say of each decision is what was done. */

import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/contract/chat.ts";
import { createTestGateway, type TestGateway } from "../support/gateway.ts";
import { turns } from "../support/elapse.ts";
import { scrape } from "../support/samples.ts";
import { sayHello, ScriptedVendor, type Sent } from "../support/scripted_vendor.ts";
import { CHAT } from "../support/stage.ts";

const MESSAGES = [{ role: "user", content: "Hi" }];

interface Explained {
  readonly route?: string;
  readonly targets: readonly { provider: string; request: { body: JsonObject } }[];
  readonly [member: string]: unknown;
}

interface Decided {
  readonly explained: Explained;
  readonly headers: Headers;
  readonly text: string;
  /** The requests that vendors got. */
  readonly sent: readonly { readonly provider: string; readonly body: JsonObject }[];
  /** The request as `/v1/requests/{id}` shows it. */
  readonly receipt: JsonObject;
}

function providerOf({ url }: Sent): string {
  return new URL(url).hostname.split(".")[0] ?? "";
}

/** A gateway with the model `m` at the providers `a`, `b` and `c`. */
function start(
  policy: JsonObject,
  { script = sayHello as (sent: Sent) => Response | Promise<Response>, model = {} } = {},
) {
  const vendor = new ScriptedVendor(script);
  const providers = Object.fromEntries(["a", "b", "c"].map((id, index) => [id, {
    ...{ kind: "openai_compatible", base_url: `http://${id}.test/v1`, api_key: `k-${id}` },
    ...{ retries: 0, models: [{ id: "m", prices: { input: 3 - index, output: 9 }, ...model }] },
  }]));
  const targets = [["m@a", "m@b", "m@c"]];
  const gateway = createTestGateway({
    config: { providers, aliases: { x: { targets, ...policy } } },
    fetch: vendor.fetch,
  });
  return { gateway, vendor };
}

type World = ReturnType<typeof start>;

/** Explains a request, sends it, and reads its receipt. */
async function decide(
  { gateway, vendor }: World,
  { members = {}, headers = {}, path = CHAT, whileSent = (_: TestGateway) => Promise.resolve() }: {
    members?: JsonObject;
    headers?: Record<string, string>;
    path?: string;
    whileSent?: (gateway: TestGateway) => Promise<unknown>;
  } = {},
): Promise<Decided> {
  const body = { model: "x", messages: MESSAGES, ...members };
  const asked = await gateway.call(path, body, { ...headers, "x-sluice-explain": "true" });
  const explained: Explained = await asked.json();
  assertEquals(asked.status, 200, JSON.stringify(explained));
  const before = vendor.sent.length;
  const sending = gateway.call(path, body, headers).then(async (answer) => {
    const text = await answer.text();
    assertEquals(answer.status, 200, text);
    return { text, headers: answer.headers };
  });
  await whileSent(gateway);
  const { text, headers: told } = await sending;
  gateway.flush();
  const shown = await gateway.call(`/v1/requests/${told.get("x-request-id")}`);
  const receipt: JsonObject = await shown.json();
  assertEquals(shown.status, 200, JSON.stringify(receipt));
  const sent = vendor.sent.slice(before).map((one) => ({ ...one, provider: providerOf(one) }));
  assertEquals(gateway.bugs, []);
  return { explained, headers: told, text, sent, receipt };
}

/** The order and the first request are those of the explanation, and its notes those of the rest. */
function check({ explained, headers, sent, receipt }: Decided, route: string | undefined): void {
  assertEquals(explained.route, route);
  assertEquals(headers.get("x-sluice-route"), route ?? null);
  assertEquals(receipt.route ?? undefined, route);
  const order = explained.targets.map(({ provider }) => provider);
  assertEquals(sent.map(({ provider }) => provider), order.slice(0, sent.length));
  assertEquals(sent[0]?.body, explained.targets[0]?.request.body);
  assertEquals(receipt.provider, sent.at(-1)?.provider);
  assertEquals(headers.get("x-sluice-provider"), receipt.provider);
}

Deno.test("decisions: the order of a group", async () => {
  const decided = await decide(start({ balance: "price" }));
  check(decided, "price");
  assertEquals(decided.explained.targets.map(({ provider }) => provider), ["c", "b", "a"]);
});

Deno.test("decisions: the caller's order", async () => {
  const members = { provider: { order: ["b"] } };
  const decided = await decide(start({}), { members });
  check(decided, "order");
  assertEquals(decided.sent.map(({ provider }) => provider), ["b"]);
});

Deno.test("decisions: affinity, and a session that moves", async () => {
  const down = new Set<string>();
  const script = (sent: Sent) =>
    down.has(providerOf(sent)) ? new Response("{}", { status: 503 }) : sayHello(sent);
  const world = start({ balance: "p2c", affinity: {} }, { script });
  const headers = { "x-session-id": "s" };
  const first = await decide(world, { headers });
  check(first, "affinity");
  assertEquals(first.receipt.affinity, "new");
  const home = String(first.receipt.provider);
  down.add(home);
  const moved = await decide(world, { headers });
  check(moved, "affinity");
  assertEquals([moved.receipt.affinity, moved.sent.length], ["moved", 2]);
  down.clear();
  const stays = await decide(world, { headers });
  check(stays, "affinity, moved");
  assertEquals(stays.receipt.provider, moved.receipt.provider);
  assertEquals(first.receipt.session, stays.receipt.session);
});

Deno.test("decisions: a session moves where the rate limits leave room", async () => {
  let full: string | undefined;
  const script = (sent: Sent) => {
    const answer = sayHello(sent);
    full ??= providerOf(sent);
    if (providerOf(sent) === full) answer.headers.set("x-ratelimit-remaining-requests", "0");
    return answer;
  };
  const world = start({ balance: "p2c", affinity: {} }, { script });
  const headers = { "x-session-id": "s" };
  const first = await decide(world, { headers });
  const second = await decide(world, { headers });
  check(second, "affinity, headroom=1");
  assert(first.receipt.provider !== second.receipt.provider);
  assertEquals(second.receipt.affinity, "moved");
  const metrics = await scrape(world.gateway);
  const labels = { result: "moved", reason: "headroom" };
  assertEquals(metrics.sum("sluice_affinity_requests_total", labels), 1);
  // The cache is there now.
  world.gateway.clock.advance(60_000);
  const third = await decide(world, { headers });
  check(third, "affinity, moved");
  assertEquals(third.receipt.provider, second.receipt.provider);
});

Deno.test("decisions: a price cap", async () => {
  const decided = await decide(start({ max_price: { input: 2 } }));
  check(decided, "max-price=1");
  assertEquals(decided.explained.skipped, [{ provider: "a", model: "m", reason: "max-price" }]);
  assertEquals(decided.sent.map(({ provider }) => provider), ["b"]);
});

Deno.test("decisions: a cap on the cost of the request", async () => {
  const headers = { "x-sluice-max-cost": "0.001" };
  const decided = await decide(start({}), { headers });
  check(decided, decided.explained.route);
  const limit = decided.sent[0]?.body.max_tokens;
  assert(typeof limit === "number" && limit < 1000, String(limit));
  const converted = decided.headers.get("x-sluice-converted");
  assertEquals(converted, `max_tokens unlimited->${limit}`);
});

Deno.test("decisions: headroom", async () => {
  const script = (sent: Sent) => {
    const answer = sayHello(sent);
    if (providerOf(sent) === "a") answer.headers.set("x-ratelimit-remaining-requests", "0");
    return answer;
  };
  const world = start({}, { script });
  check(await decide(world), undefined);
  const decided = await decide(world);
  check(decided, "headroom=1");
  assertEquals(decided.explained.targets.map(({ provider }) => provider), ["b", "c", "a"]);
});

Deno.test("decisions: the wait in a queue", async () => {
  let isLimited = true;
  const script = (sent: Sent) => {
    if (!isLimited) return sayHello(sent);
    return Response.json({ error: { message: "slow down" } }, {
      status: 429,
      headers: { "retry-after": "2" },
    });
  };
  const decided = await decide(start({ queue: { max_wait: "30s" } }, { script }), {
    async whileSent({ clock }) {
      await turns(20);
      isLimited = false;
      for (let passed = 0; passed < 12; passed++) {
        clock.advance(250);
        await turns(20);
      }
    },
  });
  assertEquals(decided.explained.queue, { max_wait_ms: 30_000, max_requests: 200, waiting: 0 });
  const queued = Number(decided.headers.get("x-sluice-queued-ms"));
  assert(queued >= 2000 && queued <= 30_000, String(queued));
  assertEquals(Math.round(Number(decided.receipt.queued_ms)), queued);
  const order = decided.explained.targets.map(({ provider }) => provider);
  assertEquals(decided.sent.map(({ provider }) => provider), [...order, order[0]]);
});

Deno.test("decisions: a hedge", async () => {
  const script = (sent: Sent) =>
    providerOf(sent) === "a" ? new Promise<Response>(() => {}) : sayHello(sent);
  const world = start({ hedge: { after: "2s", share: "100%" } }, { script });
  const decided = await decide(world, {
    async whileSent({ clock }) {
      await turns(20);
      clock.advance(2000);
      await turns(20);
    },
  });
  assertEquals(decided.explained.hedge, { provider: "b", model: "m", after_ms: 2000 });
  assertEquals(decided.sent.map(({ provider }) => provider), ["a", "b"]);
  assertEquals(decided.headers.get("x-sluice-route"), "hedged");
  const { hedged, provider, route } = decided.receipt;
  assertEquals([hedged, provider, route], [true, "b", "hedged"]);
});

Deno.test("decisions: an answer from the cache", async () => {
  const world = start({ cache: { ttl: "5m" } });
  const members = { temperature: 0 };
  const first = await decide(world, { members });
  check(first, undefined);
  assertEquals([first.explained.cache, first.headers.get("x-sluice-cache")], [true, "miss"]);
  const second = await decide(world, { members });
  assertEquals([second.explained.cache, second.headers.get("x-sluice-cache")], [true, "hit"]);
  assertEquals([second.sent.length, second.receipt.provider], [0, null]);
  assertEquals([second.headers.get("x-sluice-route"), second.receipt.route], ["cache", "cache"]);
  const saved = Number(second.headers.get("x-sluice-saved-usd"));
  assert(saved > 0);
  assertEquals(second.receipt.saved_usd, saved);
  const other = await decide(world, { members: { temperature: 1 } });
  assertEquals([other.explained.cache, other.headers.get("x-sluice-cache")], [undefined, null]);
});

Deno.test("decisions: cache markers for a vendor", async () => {
  const vendor = new ScriptedVendor();
  const gateway = createTestGateway({
    config: {
      providers: { a: { kind: "anthropic", api_key: "k", models: ["claude-sonnet-5"] } },
      aliases: { x: "claude-sonnet-5", y: { targets: ["claude-sonnet-5"], prompt_caching: "off" } },
    },
    fetch: vendor.fetch,
  });
  const messages = [{ role: "system", content: "word ".repeat(1500) }, ...MESSAGES];
  const body = { model: "x", messages };
  const ask = async (members: JsonObject) => {
    const request = { ...body, ...members };
    const explained = await gateway.call(CHAT, request, { "x-sluice-explain": "true" });
    const { route, targets } = await explained.json();
    const answer = await gateway.call(CHAT, request);
    assertEquals(answer.status, 200, await answer.text());
    gateway.flush();
    const shown = await gateway.call(`/v1/requests/${answer.headers.get("x-request-id")}`);
    const receipt = await shown.json();
    assertEquals([answer.headers.get("x-sluice-route"), receipt.route], [
      route ?? null,
      route ?? null,
    ]);
    assertEquals(vendor.sent.at(-1)?.body, targets[0].request.body);
    const isMarked = JSON.stringify(targets[0].request.body).includes("cache_control");
    return [route, isMarked, answer.headers.get("x-sluice-added")];
  };
  assertEquals(await ask({}), ["marks", true, "cache_control"]);
  assertEquals(await ask({ model: "y" }), [undefined, false, null]);
  assertEquals(await ask({ messages: MESSAGES }), [undefined, false, null]);
});

Deno.test("decisions: a stream that another target continues", async () => {
  const chunk = (choice: JsonObject) =>
    `data: ${JSON.stringify({ id: "v", model: "m", choices: [{ index: 0, ...choice }] })}\n\n`;
  const script = ({ body, ...sent }: Sent) => {
    const isFirst = providerOf({ body, ...sent }) === "a";
    const whole = [
      chunk({ delta: { content: isFirst ? "The quick" : "The quick brown fox" } }),
      ...(isFirst ? [] : [chunk({ delta: {}, finish_reason: "stop" }), "data: [DONE]\n\n"]),
    ];
    return new Response(whole.join(""), { headers: { "content-type": "text/event-stream" } });
  };
  const world = start({ on_stream_failure: "continue" }, { script });
  const { explained, receipt, sent, text } = await decide(world, { members: { stream: true } });
  assertEquals(explained.on_stream_failure, "continue");
  const order = explained.targets.map(({ provider }) => provider);
  assertEquals(sent.map(({ provider }) => provider), order.slice(0, 2));
  assertEquals(receipt.route, "continued");
  const attempts = receipt.attempts as { provider: string; next?: string }[];
  assertEquals(attempts.map(({ provider, next }) => [provider, next]), [
    ["a", "continued"],
    ["b", null],
  ]);
  assert(text.includes(": continued by another target"));
  const whole = await decide(start({ on_stream_failure: "continue" }));
  assertEquals(whole.explained.on_stream_failure, undefined, "it is not a stream");
});
