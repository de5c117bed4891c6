/** Second targets: when they are asked, what they may cost, and what is left of the one that loses. */

import type { StopSignal } from "../../../src/core/stop_signal.ts";
import { assert, assertEquals } from "@std/assert";
import { createTestGateway, type TestGateway } from "../../support/gateway.ts";
import { turns, until } from "../../support/elapse.ts";
import { CHAT } from "../../support/stage.ts";
import { sayHello, ScriptedVendor, type Sent } from "../../support/scripted_vendor.ts";

const HEADERS = { authorization: "Bearer sk-a" };
const ADMIN = { authorization: "Bearer sk-root" };
const MESSAGES = [{ role: "user", content: "word ".repeat(2000) }];

/** A vendor whose answers wait until the test lets them go. */
class HeldVendor extends ScriptedVendor {
  /** The hosts that answer at once. */
  readonly quick = new Set<string>();
  /** The hosts of requests that were aborted. */
  readonly aborted: string[] = [];
  readonly #held: { readonly host: string; readonly answer: () => void }[] = [];

  constructor() {
    super((sent, signal) => this.#answer(sent, signal));
  }

  get hosts(): string[] {
    return this.sent.map(({ url }) => new URL(url).hostname.split(".")[0] ?? "");
  }

  release(host: string): void {
    for (const held of this.#held) if (held.host === host) held.answer();
  }

  #answer(sent: Sent, signal: StopSignal | null): Response | Promise<Response> {
    const host = new URL(sent.url).hostname.split(".")[0] ?? "";
    if (this.quick.has(host)) return sayHello(sent);
    return new Promise((resolve, reject) => {
      this.#held.push({ host, answer: () => resolve(sayHello(sent)) });
      signal?.addEventListener("abort", () => {
        this.aborted.push(host);
        reject(signal.reason);
      }, { once: true });
    });
  }
}

interface World {
  readonly gateway: TestGateway;
  readonly vendor: HeldVendor;
  /** Sends a request; it answers when the vendor does. */
  ask(members?: Record<string, unknown>, signal?: AbortSignal): Promise<Response>;
}

function world(
  hedge: Record<string, unknown> = {},
  key: Record<string, unknown> = {},
  sections: Record<string, unknown> = {},
): World {
  const vendor = new HeldVendor();
  const prices = { input: 1000, output: 10_000 };
  const models = [{ id: "m", prices, max_output_tokens: 10 }];
  const providers = Object.fromEntries(["one", "two", "three"].map((id) => [
    id,
    {
      ...{ kind: "openai_compatible", base_url: `http://${id}.test/v1`, retries: 0, models },
      api_key: `sk-${id}`,
      timeout: { first_token: "60s", total: "60s" },
    },
  ]));
  const gateway = createTestGateway({
    config: {
      server: {
        keys: [{ name: "a", key: "sk-a", ...key }],
        admin_keys: [{ name: "root", key: "sk-root" }],
      },
      providers,
      aliases: {
        fast: { targets: ["m@one", "m@two"], hedge: { after: "1s", share: "100%", ...hedge } },
      },
      ...sections,
    },
    fetch: vendor.fetch,
  });
  return {
    gateway,
    vendor,
    ask: (members, signal) =>
      gateway.call(CHAT, { model: "fast", messages: MESSAGES, ...members }, HEADERS, signal),
  };
}

/** The last request as an admin sees it. */
async function lastRow(gateway: TestGateway) {
  gateway.flush();
  const { data } = await (await gateway.call("/v1/admin/requests", undefined, ADMIN)).json();
  const path = `/v1/admin/requests/${data[0].id}`;
  return await (await gateway.call(path, undefined, ADMIN)).json();
}

const costsOf = (row: { attempts: Record<string, unknown>[] }) =>
  row.attempts.map(({ provider, error, hedge, usage_source }) => [
    ...[provider, error, hedge ?? false, usage_source],
  ]);

async function metricsOf(gateway: TestGateway): Promise<string[]> {
  const text = await (await gateway.call("/metrics", undefined, HEADERS)).text();
  return text.split("\n").filter((line) => /^sluice_(hedges|fallbacks)_total\{/.test(line));
}

Deno.test("a second target is called when the first one is late, and the first answer counts", async () => {
  const { ask, gateway, vendor } = world();
  vendor.quick.add("two");
  const open = ask({ max_tokens: 10 });
  await until(() => vendor.sent.length === 1);
  gateway.clock.advance(999);
  await turns(3);
  assertEquals(vendor.hosts, ["one"]);
  gateway.clock.advance(1);
  const response = await open;
  assertEquals(response.status, 200);
  await response.text();
  assertEquals(response.headers.get("x-sluice-provider"), "two");
  assertEquals(response.headers.get("x-sluice-route"), "hedged");
  assertEquals(response.headers.get("x-sluice-attempts"), "2");
  assertEquals([vendor.hosts, vendor.aborted], [["one", "two"], ["one"]]);
  const row = await lastRow(gateway);
  assertEquals([row.provider, row.hedged, row.usage_source], ["two", true, "estimated"]);
  assertEquals(costsOf(row), [
    ["two", null, true, "vendor"],
    ["one", "abandoned", false, "estimated"],
  ]);
  // The lost request is billed by its input, and what a model writes in a second, at most 10 tokens.
  assertEquals([row.attempts[1].input_tokens, row.attempts[1].output_tokens], [2166, 10]);
  assertEquals(await metricsOf(gateway), [
    `sluice_hedges_total{provider="two",model="m",outcome="won"} 1`,
  ]);
  assertEquals(gateway.clock.pending, 0);
  assertEquals(gateway.bugs, []);
});

for (const stream of [false, true]) {
  Deno.test(`the second target is aborted if the first one answers after all, stream: ${stream}`, async () => {
    const { ask, gateway, vendor } = world();
    const open = ask({ stream });
    await until(() => vendor.sent.length === 1);
    gateway.clock.advance(1000);
    await until(() => vendor.sent.length === 2);
    vendor.release("one");
    const response = await open;
    assertEquals([response.status, response.headers.get("x-sluice-provider")], [200, "one"]);
    await response.text();
    assertEquals(vendor.aborted, ["two"]);
    const row = await lastRow(gateway);
    assertEquals(costsOf(row), [
      ["one", null, false, stream ? row.attempts[0].usage_source : "vendor"],
      ["two", "abandoned", true, "estimated"],
    ]);
    assertEquals(await metricsOf(gateway), [
      `sluice_hedges_total{provider="two",model="m",outcome="lost"} 1`,
    ]);
    assertEquals(gateway.clock.pending, 0);
  });
}

Deno.test("a client that leaves ends both requests, and both are billed", async () => {
  const { ask, gateway, vendor } = world();
  const caller = new AbortController();
  const open = ask({}, caller.signal);
  await until(() => vendor.sent.length === 1);
  gateway.clock.advance(1000);
  await until(() => vendor.sent.length === 2);
  caller.abort();
  assertEquals((await open).status, 499);
  assertEquals(vendor.aborted.toSorted(), ["one", "two"]);
  const row = await lastRow(gateway);
  assertEquals(costsOf(row).map(([, , , source]) => source), ["estimated", "estimated"]);
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("after the failure of the first target, the second one still answers", async () => {
  const { ask, gateway, vendor } = world();
  const open = ask();
  await until(() => vendor.sent.length === 1);
  gateway.clock.advance(1000);
  await until(() => vendor.sent.length === 2);
  // The first target times out after a minute; the second one was asked a second later.
  gateway.clock.advance(59_000);
  await turns(3);
  assertEquals(vendor.aborted, ["one"]);
  vendor.release("two");
  const response = await open;
  assertEquals([response.status, response.headers.get("x-sluice-provider")], [200, "two"]);
  await response.text();
  assertEquals(costsOf(await lastRow(gateway)), [
    ["one", "upstream_timeout", false, "estimated"],
    ["two", null, true, "vendor"],
  ]);
});

Deno.test("after the failure of both targets, the next one of the chain is tried", async () => {
  const targets = ["m@one", "m@two", "m@three"];
  const aliases = { fast: { targets, hedge: { after: "1s", share: "100%" } } };
  const { ask, gateway, vendor } = world({}, {}, { aliases });
  vendor.quick.add("three");
  const open = ask();
  await until(() => vendor.sent.length === 1);
  gateway.clock.advance(1000);
  await until(() => vendor.sent.length === 2);
  gateway.clock.advance(60_000);
  const response = await open;
  assertEquals([response.status, response.headers.get("x-sluice-provider")], [200, "three"]);
  await response.text();
  assertEquals(vendor.hosts, ["one", "two", "three"]);
  assertEquals(costsOf(await lastRow(gateway)).map(([provider, error]) => [provider, error]), [
    ["one", "upstream_timeout"],
    ["two", "upstream_timeout"],
    ["three", null],
  ]);
  assertEquals((await metricsOf(gateway)).filter((line) => line.includes("hedges")).length, 1);
});

/** Requests that are never sent twice. */
const STATEFUL: readonly Record<string, unknown>[] = [
  { n: 2 },
  { store: true },
  { service_tier: "flex" },
  { web_search_options: {} },
  { messages: [{ role: "assistant", content: "a", reasoning_details: [{}] }, ...MESSAGES] },
];

Deno.test("requests with state, several answers or a slow tier are not hedged", async () => {
  for (const members of STATEFUL) {
    const { ask, gateway, vendor } = world();
    const open = ask(members);
    await until(() => vendor.sent.length === 1);
    gateway.clock.advance(5000);
    await turns(3);
    assertEquals(vendor.hosts, ["one"], JSON.stringify(members).slice(0, 60));
    vendor.release("one");
    await (await open).text();
  }
});

/** Asks once, long after the second target would be asked. Returns the number of requests. */
async function countSent({ ask, gateway, vendor }: World): Promise<number> {
  const open = ask();
  await until(() => vendor.sent.length === 1);
  gateway.clock.advance(5000);
  await turns(3);
  const { length } = vendor.sent;
  for (const host of vendor.hosts) vendor.release(host);
  await (await open).text();
  return length;
}

Deno.test("a second target has a closed breaker", async () => {
  const made = world();
  const { gateway: { clock, config, state } } = made;
  const [entry] = config.resolve("m@two") ?? [];
  if (entry === undefined) throw new RangeError("No target");
  for (let count = 0; count < 5; count++) {
    state.breakerOf(entry.target).failed(undefined, clock.now());
  }
  assertEquals(await countSent(made), 1);
});

Deno.test("a second target is of another account", async () => {
  const provider = (key: string) => ({
    ...{ kind: "openai_compatible", base_url: "http://same.test/v1", models: ["m"] },
    api_key: key,
  });
  for (const [key, sent] of [["sk-one", 1], ["sk-two", 2]] as const) {
    const providers = { one: provider("sk-one"), two: provider(key) };
    assertEquals(await countSent(world({}, {}, { providers })), sent, key);
  }
});

Deno.test("a second target may follow a timeout", async () => {
  const targets = ["m@one", { model: "m@two", when: ["rate_limited"] }];
  const aliases = { fast: { targets, hedge: { after: "1s", share: "100%" } } };
  assertEquals(await countSent(world({}, {}, { aliases })), 1);
});

Deno.test("hedges never exceed their share when every first target stalls", async () => {
  const { ask, gateway, vendor } = world({ share: "5%" });
  vendor.quick.add("two");
  for (let sent = 1; sent <= 300; sent++) {
    const before = vendor.sent.length;
    const open = ask();
    await until(() => vendor.sent.length > before);
    gateway.clock.advance(1000);
    await turns(3);
    vendor.release("one");
    await (await open).text();
    const hedges = vendor.hosts.filter((host) => host === "two").length;
    assert(hedges <= sent * 0.05, `${hedges} of ${sent}`);
  }
  assertEquals(vendor.hosts.filter((host) => host === "two").length, 15);
});

Deno.test("hedges stop when their money of an hour is spent, and go on later", async () => {
  // A request usually costs 2.27 dollars here.
  const { ask, gateway, vendor } = world({ usd_per_hour: 5 });
  vendor.quick.add("two");
  const hedged = async () => {
    const before = vendor.sent.length;
    const open = ask({ max_tokens: 10 });
    await until(() => vendor.sent.length > before);
    gateway.clock.advance(1000);
    await turns(3);
    vendor.release("one");
    await (await open).text();
    return vendor.sent.length - before === 2;
  };
  assertEquals([await hedged(), await hedged(), await hedged()], [true, true, false]);
  gateway.clock.advance(3_600_000);
  assertEquals(await hedged(), true);
});

Deno.test("64 requests at once never overrun their budget by their second targets", async () => {
  // Each request reserves 2.266 dollars, and each second target as much: 6 of them have room.
  const usd = 160;
  const { ask, gateway, vendor } = world({}, { budget: { usd, per: "day" } });
  const open = Array.from({ length: 64 }, () => ask({ max_tokens: 10 }));
  await until(() => vendor.sent.length === 64);
  gateway.clock.advance(1000);
  await turns(20);
  assertEquals(vendor.hosts.filter((host) => host === "two").length, 6);
  vendor.release("two");
  await turns(3);
  vendor.release("one");
  for (const response of await Promise.all(open)) await response.text();
  const usage = await (await gateway.call("/v1/admin/usage", undefined, ADMIN)).json();
  assert(usage.data[0].cost_usd <= usd, `${usage.data[0].cost_usd} dollars`);
  // All reservations are released: the rest of the budget can be used.
  const before = vendor.sent.length;
  const more = Array.from({ length: 64 }, () => ask({ max_tokens: 10 }));
  await turns(20);
  const room = Math.min(64, Math.floor((usd - usage.data[0].cost_usd) / 2.266));
  assertEquals(vendor.sent.length - before, room);
  vendor.release("one");
  for (const response of await Promise.all(more)) await response.text();
});

Deno.test("second targets count for the budget and the limits of the end user, too", async () => {
  // Each request reserves 2.266 dollars, and a second target as much.
  const rules = [
    { budget: { usd: 6, per: "day" } },
    { limits: { tokens_per_minute: 5000 } },
  ];
  for (const end_users of rules) {
    const { ask, gateway, vendor } = world({}, { end_users });
    const open = [ask({ max_tokens: 10, user: "ada" }), ask({ max_tokens: 10, user: "bob" })];
    await until(() => vendor.sent.length === 2);
    gateway.clock.advance(1000);
    await turns(5);
    assertEquals(vendor.hosts, ["one", "one", "two", "two"]);
    // What the second target reserved is not left for another request of this user.
    const refused = await ask({ max_tokens: 10, user: "ada" });
    assertEquals([refused.status, vendor.sent.length], [429, 4]);
    await refused.body?.cancel();
    vendor.release("two");
    for (const response of await Promise.all(open)) await response.text();
    // What was reserved is released: there is room for another target.
    const last = ask({ max_tokens: 10, user: "ada" });
    await turns(5);
    gateway.clock.advance(1000);
    await turns(5);
    assertEquals(vendor.hosts.length, 5, JSON.stringify(end_users));
    vendor.release("one");
    await (await last).body?.cancel();
  }
});

Deno.test("p90 is learned for each size and kind, and is unknown with too few answers", async () => {
  const { ask, gateway, vendor } = world({ after: "p90", min: "100ms" });
  const takes = async (ms: number) => {
    const before = vendor.sent.length;
    const open = ask();
    await until(() => vendor.sent.length > before);
    gateway.clock.advance(ms);
    await turns(3);
    vendor.release("one");
    await (await open).text();
  };
  for (let index = 0; index < 19; index++) await takes(index < 17 ? 200 : 700);
  const late = ask();
  await until(() => vendor.sent.length === 20);
  gateway.clock.advance(5000);
  await turns(3);
  assertEquals(vendor.sent.length, 20);
  vendor.release("one");
  await (await late).text();
  // Of 20 answers, 18 took at most 700 ms.
  const hedged = ask();
  await until(() => vendor.sent.length === 21);
  gateway.clock.advance(699);
  await turns(3);
  assertEquals(vendor.sent.length, 21);
  const explained = await gateway.call(
    CHAT,
    { model: "fast", messages: MESSAGES },
    { ...HEADERS, "x-sluice-explain": "true" },
  );
  assertEquals((await explained.json()).hedge, { provider: "two", model: "m", after_ms: 700 });
  gateway.clock.advance(1);
  await until(() => vendor.sent.length === 22);
  vendor.release("two");
  await (await hedged).text();
  const small = ask({ messages: [{ role: "user", content: "short" }] });
  await until(() => vendor.sent.length === 23);
  gateway.clock.advance(5000);
  await turns(3);
  assertEquals(vendor.sent.length, 23);
  vendor.release("one");
  await (await small).text();
});

Deno.test("without a rule nothing is hedged", async () => {
  const { ask, gateway, vendor } = world({}, {}, { aliases: { fast: ["m@one", "m@two"] } });
  const open = ask();
  await until(() => vendor.sent.length === 1);
  gateway.clock.advance(50_000);
  await turns(3);
  assertEquals(vendor.hosts, ["one"]);
  vendor.release("one");
  const response = await open;
  await response.text();
  assertEquals(response.headers.get("x-sluice-route"), null);
});

for (
  const [max, members, route] of [
    // One request may cost 2.176 + 0.1 = 2.27 USD.
    ["4.60", { max_tokens: 10 }, "hedged"],
    ["4.40", { max_tokens: 10 }, "no-hedge-max-cost"],
    ["2.30", {}, "no-hedge-max-cost"],
  ] as const
) {
  Deno.test(`with a cap of ${max} USD and ${JSON.stringify(members)}, ${route}: as explained`, async () => {
    const { gateway, vendor } = world();
    const isHedged = route === "hedged";
    vendor.quick.add("two");
    const headers = { ...HEADERS, "x-sluice-max-cost": max };
    const body = { model: "fast", messages: MESSAGES, ...members };
    const explaining = { ...headers, "x-sluice-explain": "true" };
    const { hedge } = await (await gateway.call(CHAT, body, explaining)).json();
    const nothing = { provider: null, model: null, after_ms: null, reason: "max_cost" };
    assertEquals(hedge, isHedged ? { provider: "two", model: "m", after_ms: 1000 } : nothing);
    const open = gateway.call(CHAT, body, headers);
    await until(() => vendor.sent.length === 1);
    gateway.clock.advance(1000);
    await turns(5);
    vendor.release("one");
    const response = await open;
    assertEquals(response.status, 200, await response.text());
    assertEquals(vendor.hosts, isHedged ? ["one", "two"] : ["one"]);
    assertEquals(response.headers.get("x-sluice-route"), route);
  });
}
