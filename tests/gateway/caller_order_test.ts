/** How callers choose among targets: `provider`, `x-sluice-order`, and what they see of it. */

import { assert, assertEquals } from "@std/assert";
import { createTestGateway } from "../support/gateway.ts";
import { sayHello, ScriptedVendor } from "../support/scripted_vendor.ts";
import { CHAT, MESSAGES } from "../support/stage.ts";
import { Random } from "../support/random.ts";

const prices = (input: number) => ({ prices: { input, output: input * 4 } });

const provider = (id: string, input: number, others: Record<string, unknown> = {}) => ({
  kind: "openai_compatible",
  base_url: `http://${id}/v1`,
  api_key: `key-${id}`,
  models: [{ id: "m", ...prices(input) }, { id: `only-${id}` }],
  ...others,
});

const CONFIG = {
  providers: {
    a: provider("a", 3),
    b: provider("b", 1),
    c: provider("c", 2),
    router: { kind: "openrouter", api_key: "key-r", models: [{ id: "r", ...prices(2) }] },
  },
  aliases: {
    equal: { targets: [["m@a", "m@b", "m@c"], "r"], balance: "p2c" },
    chain: ["m@a", "m@b"],
    routed: { targets: [["r", "m@a"]] },
  },
};

interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly json: {
    readonly error?: { message: string; param: string | null; code: string | null };
    readonly route?: string;
    readonly targets?: { provider: string; receipt?: { parameter: string; fate: string }[] }[];
    readonly skipped?: unknown[];
  };
}

/** A gateway, and what its vendors were sent. */
function scene(seed = 5, config: Record<string, unknown> = CONFIG) {
  const sent: { host: string; body: Record<string, unknown> }[] = [];
  const vendor = new ScriptedVendor((one) => {
    sent.push({ host: new URL(one.url).hostname, body: one.body });
    return sayHello(one);
  });
  const seeded = new Random(seed);
  const gateway = createTestGateway({ config, fetch: vendor.fetch, random: () => seeded.next() });
  return {
    gateway,
    sent,
    async ask(
      members: Record<string, unknown>,
      headers: Record<string, string> = {},
    ): Promise<Told> {
      const response = await gateway.call(CHAT, { messages: MESSAGES, ...members }, headers);
      const json = await response.json();
      assertEquals(gateway.bugs, []);
      return { status: response.status, headers: response.headers, json };
    },
  };
}

/** The providers of a chain, from an explanation. */
async function chainOf(
  members: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<string> {
  const { json } = await scene().ask(members, { "x-sluice-explain": "true", ...headers });
  return (json.targets ?? []).map(({ provider }) => provider).join(" ") || String(json.error?.code);
}

Deno.test("a caller sorts a group by price, speed or load; a chain keeps its order", async () => {
  assertEquals(await chainOf({ model: "equal", provider: { sort: "price" } }), "b c a router");
  assertEquals(
    await chainOf({ model: "equal", provider: { sort: { by: "price", partition: "none" } } }),
    "b c a router",
  );
  assertEquals(await chainOf({ model: "equal" }, { "x-sluice-order": "in_order" }), "a b c router");
  assertEquals(await chainOf({ model: "chain", provider: { sort: "price" } }), "a b");
  assertEquals(
    await chainOf({ model: "equal", provider: { sort: "price" } }, {
      "x-sluice-order": "in_order",
    }),
    "a b c router",
    "the header takes precedence",
  );
});

Deno.test("a caller names providers to ask first, or the only ones", async () => {
  const order = { "x-sluice-order": "in_order" };
  const ask = (provider: unknown, model = "equal") => chainOf({ model, provider }, order);
  assertEquals(await ask({ order: ["C", "nobody", "b"] }), "c b a router");
  assertEquals(await ask({ order: [] }), "a b c router");
  // OpenRouter chooses among vendors itself.
  assertEquals(await ask({ only: ["c"] }), "c router");
  assertEquals(await ask({ only: ["c"] }, "m"), "c");
  assertEquals(await ask({ only: ["nobody"] }, "m"), "model_not_found");
  assertEquals(await ask({ only: ["openai_compatible"], order: ["b"] }), "b a c router");
});

Deno.test("a plain model ID has all of its providers for a caller who chooses, unless it is pinned", async () => {
  assertEquals(await chainOf({ model: "m" }), "a");
  assertEquals(await chainOf({ model: "m", provider: { sort: "price" } }), "b c a");
  assertEquals(await chainOf({ model: "m@c", provider: { sort: "price" } }), "c");
  const pinned = scene(1, { ...CONFIG, pins: { m: "a" } });
  const reported = await pinned.ask({ model: "m", provider: { sort: "price" } });
  assertEquals(reported.headers.get("x-sluice-provider"), "a");
});

Deno.test("a caller's order shows no provider that its key may not use", async () => {
  const keys = [{ name: "few", key: "sk-few", models: ["m@a", "equal"] }];
  const { ask } = scene(1, { ...CONFIG, server: { keys } });
  const reported = await ask({ model: "m", provider: { sort: "price" } }, {
    authorization: "Bearer sk-few",
  });
  assertEquals(reported.status, 404);
});

Deno.test("no vendor but OpenRouter gets the member, and the receipt says so", async () => {
  const { ask, sent } = scene();
  const provider = { sort: "price", order: ["b"], data_collection: "deny", zdr: null };
  const reported = await ask({ model: "equal", provider });
  assertEquals(sent.map(({ host, body }) => [host, body.provider]), [["b", undefined]]);
  assertEquals(reported.headers.get("x-sluice-converted"), "provider.sort, provider.order");
  assertEquals(reported.headers.get("x-sluice-ignored"), "provider.data_collection");
  const strict = await ask({ model: "equal", provider: { data_collection: "deny" } }, {
    "x-sluice-strict": "true",
  });
  assertEquals([strict.status, sent.at(-1)?.host], [200, "openrouter.ai"]);
  const routed = await ask({ model: "routed", provider: { only: ["a"], order: ["a"] } });
  assertEquals([sent.at(-1)?.host, sent.at(-1)?.body.provider], ["a", undefined]);
  const own = await ask({ model: "r", provider: { ...provider, sort: "e2e-latency" } });
  assertEquals(sent.at(-1)?.body.provider, { ...provider, sort: "e2e-latency" });
  assertEquals([routed.status, own.headers.get("x-sluice-ignored")], [200, null]);
});

Deno.test("the receipt and the record show how a target was chosen", async () => {
  const { ask, gateway } = scene();
  const reported = await ask({ model: "equal", provider: { max_price: { prompt: "2.5" } } });
  assertEquals(reported.headers.get("x-sluice-route"), "max-price=1, p2c");
  const id = reported.headers.get("x-request-id");
  const shown = await gateway.call(`/v1/requests/${id}`);
  assertEquals((await shown.json()).route, "max-price=1, p2c");
  const plain = await ask({ model: "chain" });
  assertEquals(plain.headers.get("x-sluice-route"), null);
});

Deno.test("an explanation is what is sent, with the same draws", async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const members = { model: "equal" };
    const explained = await scene(seed).ask(members, { "x-sluice-explain": "true" });
    const { ask, sent } = scene(seed);
    const reported = await ask(members);
    assertEquals(sent[0]?.host, explained.json.targets?.[0]?.provider);
    assertEquals(reported.headers.get("x-sluice-route"), explained.json.route);
  }
});

Deno.test("an explanation shows what is omitted, and how the member was handled", async () => {
  const { ask } = scene();
  const provider = { max_price: { prompt: 2 }, sort: "price", only: ["b", "c"], zdr: true };
  const { json } = await ask({ model: "equal", provider }, { "x-sluice-explain": "true" });
  assertEquals(json.skipped, [{ provider: "a", model: "m", reason: "only" }]);
  assertEquals(json.route, "only=1, sort=price");
  const rows = json.targets?.[0]?.receipt?.map(({ parameter, fate }) => `${parameter} ${fate}`);
  assertEquals(rows, [
    "provider.max_price converted",
    "provider.sort converted",
    "provider.only converted",
    "provider.zdr ignored",
  ]);
});

for (
  const [member, value, param] of [
    ["sort", 5, "sort"],
    ["sort", { by: 5 }, "sort"],
    ["order", "a", "order"],
    ["order", [1], "order"],
    ["only", { length: 1 }, "only"],
    ["only", Array(101).fill("a"), "only"],
    ["only", ["x".repeat(201)], "only"],
    ["max_price", 5, "max_price"],
    ["max_price", { prompt: -1 }, "max_price.prompt"],
    ["max_price", { completion: "cheap" }, "max_price.completion"],
    ["max_price", { prompt: "1e999" }, "max_price.prompt"],
  ] as const
) {
  Deno.test(`provider.${member}: ${JSON.stringify(value).slice(0, 40)} is a 400`, async () => {
    const { ask, sent } = scene();
    const reported = await ask({ model: "equal", provider: { [member]: value } });
    assertEquals([reported.status, reported.json.error?.code], [400, "invalid_value"]);
    assertEquals([reported.json.error?.param, sent.length], [`provider.${param}`, 0]);
  });
}

Deno.test("names of object members in provider are names, and other members do not matter", async () => {
  const { ask } = scene();
  for (const name of ["constructor", "__proto__", "toString"]) {
    const reported = await ask({
      model: "m",
      provider: { order: [name], sort: name, [name]: [name] },
    });
    assertEquals(reported.status, 200, name);
    assertEquals(reported.headers.get("x-sluice-provider"), "a");
  }
  const other = await ask({ model: "m", provider: "a" });
  assertEquals(other.status, 200, "a member of another type is left to the vendor");
});

Deno.test("an unknown x-sluice-order is a 400", async () => {
  const { ask } = scene();
  const reported = await ask({ model: "m" }, { "x-sluice-order": "fastest" });
  assertEquals([reported.status, reported.json.error?.param], [400, "x-sluice-order"]);
  assert(reported.json.error?.message.includes("p2c"));
});

Deno.test("neither an explanation nor a caller's sort changes whom others reach", async () => {
  const { ask, gateway } = scene(1, {
    ...CONFIG,
    aliases: { fast: { targets: [["m@a", "m@b"]], balance: "ttft" } },
  });
  const group = gateway.config.route("fast")?.groups[0]?.targets ?? [];
  for (const { target } of group) {
    gateway.state.statsOf(target).begin(false, gateway.clock.now())
      .answered(undefined, gateway.clock.now() + 100);
  }
  const leader = () => gateway.state.leaders.get(group, false)?.target.provider.settings.id;
  await ask({ model: "fast" }, { "x-sluice-explain": "true" });
  await ask({ model: "fast", provider: { sort: "price" } });
  assertEquals(leader(), undefined);
  await ask({ model: "fast" });
  // It has answered the request above at once.
  assertEquals(leader(), "b");
});
