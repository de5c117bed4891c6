/** `balance: price` and price caps. */

import { readCounts } from "../../../src/apis/chat/token_counts.ts";
import { assertEquals, assertThrows } from "@std/assert";
import type { Usage } from "../../../src/contract/chat.ts";
import type { FallbackTarget } from "../../../src/config/config.ts";
import type { TargetName } from "../../../src/gateway/feature.ts";
import {
  MeasuredUsage,
  price,
  RequestUsage,
} from "../../../src/features/price_order/price_order.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { toChain } from "../../../src/gateway/fallback_chain.ts";
import { type RouteOptions, RouteTrace } from "../../../src/gateway/order/route_trace.ts";
import type { OrderState } from "../../../src/gateway/order/strategy.ts";
import { State } from "../../../src/gateway/state.ts";
import { createTestGateway, loadTestConfig } from "../../support/gateway.ts";
import { begin, contextOf, idsOf } from "../../support/order.ts";
import { ScriptedVendor, toEventStream } from "../../support/scripted_vendor.ts";

const prices = (input: number, output: number, cached?: number) => ({
  input,
  output,
  ...(cached !== undefined && { cached_input: cached }),
});

const model = (id: string, its?: ReturnType<typeof prices>) => ({
  id,
  ...(its && { prices: its }),
});

const CONFIG = loadTestConfig({
  server: {
    keys: [
      { name: "all", key: "sk-all", models: [..."abcd", "free", "mix", "capped", "none", "tight"] },
      { name: "few", key: "sk-few", models: ["mix"] },
      // Simulated models cost nothing.
      { name: "mock", key: "sk-mock", models: ["echo"] },
    ],
  },
  providers: {
    p: {
      kind: "openai_compatible",
      base_url: "http://p",
      models: [
        model("a", prices(4, 20, 0.4)),
        model("b", prices(3, 15)),
        model("c", prices(10, 50)),
        model("free"),
      ],
    },
    q: { kind: "openai_compatible", base_url: "http://q", models: [model("d", prices(1, 2))] },
    mock: { kind: "mock", models: ["echo"] },
  },
  aliases: {
    mix: { targets: [["a", "b", "c", "free"]], balance: "price" },
    capped: { targets: ["c", "free", "a", "b"], max_price: { input: 4, output: 30 } },
    none: { targets: ["c", "free"], max_price: { input: 5 } },
    tight: { targets: ["c"], max_price: { input: 0.5, output: 0.5 } },
  },
});

function chain(name: string, options?: RouteOptions, token = "sk-all") {
  const key = CONFIG.authenticate(token);
  if (key === undefined) throw new TypeError("There is no such key");
  const notes = new RouteTrace();
  const found = toChain({ model: name }, key, CONFIG, {
    ...contextOf(),
    options,
    notes,
    order: { strategies: { price: price(undefined) } },
  });
  return { ids: found.map(({ target }) => target.model.id), notes };
}

Deno.test("price: the cheapest first, and an unknown price last", () => {
  assertEquals(chain("mix").ids, ["b", "a", "c", "free"]);
  assertEquals(chain("mix").notes.text, "price");
});

Deno.test("price: the share of input that a vendor has read from its cache counts", () => {
  const context = contextOf();
  const group = CONFIG.route("mix")?.groups[0]?.targets ?? [];
  const answer = (index: number, cached: number) =>
    begin(context, group[index])
      .answered(readCounts(tokens(10_000, 500, cached)), context.clock.time + 1000);
  answer(0, 9000);
  answer(1, 0);
  // 1000 × 4 + 9000 × 0.4 + 500 × 20 = 17,600 against 10,000 × 3 + 500 × 15 = 37,500 micro-dollars.
  assertEquals(idsOf(price(undefined)(group, context)).slice(0, 2), "ab");
});

Deno.test("a price cap excludes more expensive targets and those without a known price", () => {
  const { ids, notes } = chain("capped");
  assertEquals(ids, ["a", "b"]);
  assertEquals(notes.text, "max-price=2");
  assertEquals(notes.skipped.map(({ target }) => target.model.id), ["c", "free"]);
});

Deno.test("a caller can lower a cap, not raise it", () => {
  assertEquals(chain("capped", { maxPrice: { input: 3.5 } }).ids, ["b"]);
  assertEquals(chain("capped", { maxPrice: { input: 100, output: 100 } }).ids, ["a", "b"]);
  assertEquals(chain("c", { maxPrice: { output: 50 } }).ids, ["c"]);
  const free = { maxPrice: { input: 0, output: 0 } };
  assertEquals(chain("echo", free, "sk-mock").ids, ["echo"]);
});

Deno.test("the error of a price cap names what it excludes and the cheapest model that fits", () => {
  const error = assertThrows(() => chain("none"), GatewayError);
  assertEquals([error.kind, error.status, error.param], ["over_max_price", 400, null]);
  assertEquals(
    error.message,
    "No target is within the price cap of 5 USD for input per million tokens: 'c' of 'p' costs 10 " +
      "and 50, the price of 'free' of 'p' is unknown; 'd' is within it",
  );
  const own = assertThrows(() => chain("c", { maxPrice: { input: 3 } }), GatewayError);
  assertEquals(own.param, "provider.max_price");
  const tight = assertThrows(() => chain("tight"), GatewayError);
  assertEquals(tight.message.endsWith("no model is within it"), true, tight.message);
});

Deno.test("the error of a price cap suggests no model that the key may not use", () => {
  const error = assertThrows(
    () => chain("mix", { maxPrice: { input: 2 } }, "sk-few"),
    GatewayError,
  );
  assertEquals(error.message.endsWith("no model is within it"), true, error.message);
});

const PROVIDER = { kind: "openai_compatible", base_url: "http://p/v1" };

/** A model with the prices of caches. */
const caching = (id: string, its: Record<string, unknown>) => ({ id, prices: its });

const TIERED = loadTestConfig({
  providers: {
    p: {
      kind: "openai_compatible",
      base_url: "http://p",
      models: [
        // Cheaper up to 1,000 tokens of input, and four times as much above that.
        caching("tiers", {
          input: 1,
          output: 1,
          long_context: { above: 1000, input: 4, output: 4 },
        }),
        caching("flat", { input: 2, output: 2 }),
        // Half the price of `flat`, but all that is read was written at twice the price.
        caching("writes", { input: 1, output: 1, cached_input: 0.1, cache_write: 6 }),
      ],
    },
  },
  aliases: {
    long: { targets: [["flat", "tiers"]], balance: "price" },
    written: { targets: [["flat", "writes"]], balance: "price" },
  },
});

function groupOf(alias: string) {
  return TIERED.route(alias)?.groups[0]?.targets ?? [];
}

/** A request of a number of tokens for an alias, in a session. */
function nameOf({ target: { provider, model } }: FallbackTarget): TargetName {
  return { provider: provider.settings.id, model: model.upstream };
}

/** A context with what is measured. */
function pricedContext() {
  return { ...contextOf(), measured: new MeasuredUsage() };
}

function usageOf(
  context: ReturnType<typeof pricedContext>,
  { model = "alias", words = 0, session = undefined as string | undefined, key = "k" } = {},
): RequestUsage {
  const body = { messages: [{ role: "user", content: "word ".repeat(words) }] };
  return new RequestUsage({
    measured: context.measured,
    ...{ key, model, body, session },
  });
}

const tokens = (input: number, output: number, cached = 0, written = 0): Usage => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
});

Deno.test("price: the input of the request decides the tier of long prompts", () => {
  const context = pricedContext();
  const order = (words: number) => {
    const usage = usageOf(context, { words });
    return price(usage)(groupOf("long"), { ...context, state: new State() })[0]?.target.model.id;
  };
  assertEquals([order(100), order(3000)], ["tiers", "flat"]);
});

Deno.test("price: what a target writes to its cache counts at its price", () => {
  const context = pricedContext();
  const [flat, writes] = groupOf("written");
  assertEquals(price(undefined)(groupOf("written"), context)[0]?.target.model.id, "writes");
  const fresh = pricedContext();
  for (const target of [flat, writes]) {
    begin(fresh, target).answered(
      readCounts(tokens(1000, 100, 0, target === writes ? 900 : 0)),
      1_000_000,
    );
  }
  assertEquals(price(undefined)(groupOf("written"), fresh)[0]?.target.model.id, "flat");
});

Deno.test("price: the share of an alias at a target counts before that of all its requests", () => {
  const context = pricedContext();
  const [a, b] = CONFIG.route("mix")?.groups[0]?.targets ?? [];
  if (a === undefined || b === undefined) throw new TypeError("There are no targets");
  const { measured } = context;
  const now = context.clock.time;
  // For all requests, `a` reads nine tenths from its cache; for those of one alias, nothing.
  begin(context, a).answered(readCounts(tokens(10_000, 500, 9000)), now);
  begin(context, b).answered(readCounts(tokens(10_000, 500)), now);
  const first = (model: string) => {
    const own = { ...context, state: withoutLeaders(context.state) };
    return price(usageOf(context, { model, words: 9000 }))([a, b], own)[0];
  };
  assertEquals(first("cold"), a);
  measured.answered("cold", nameOf(a), tokens(10_000, 500), now);
  measured.answered("cold", nameOf(b), tokens(10_000, 500), now);
  assertEquals([first("cold"), first("other")], [b, a]);
});

/** The same state, in which no target of a group is preferred. */
function withoutLeaders(state: State): OrderState {
  return {
    statsOf: (target) => state.statsOf(target),
    hasRoom: () => true,
    leaders: { get: () => undefined, set() {} },
  };
}

Deno.test("price: a session moves only if a cold cache there is worth it", () => {
  const context = pricedContext();
  const { measured, clock } = context;
  const [a, b] = CONFIG.route("mix")?.groups[0]?.targets ?? [];
  if (a === undefined || b === undefined) throw new TypeError("There are no targets");
  const first = (session: string | undefined, key = "k") => {
    const usage = usageOf(context, { session, key, words: 9000 });
    return price(usage)([a, b], { ...context, state: withoutLeaders(context.state) })[0];
  };
  // Nothing is known: `b` is cheaper, also for a session that has not begun.
  assertEquals([first(undefined), first("s")], [b, b]);
  // Its last turn was at `a`, which reads nine tenths at a tenth of the price.
  measured.turnEnded("k", "s", nameOf(a), tokens(9000, 500, 8000, 0), clock.time);
  assertEquals([first("s"), first(undefined), first("other")], [a, b, b]);
  assertEquals(first("s", "another key"), b, "a session belongs to its key");
  // Nothing was cached there, so nothing keeps it.
  measured.turnEnded("k", "t", nameOf(a), tokens(9000, 500), clock.time);
  assertEquals(first("t"), b);
  // After five minutes the cache is cold.
  clock.time += 300_000;
  assertEquals(first("s"), b);
});

Deno.test("price: the longer a session, the less the cost of a move counts", () => {
  const context = pricedContext();
  const { measured, clock } = context;
  const [flat, writes] = groupOf("written");
  if (flat === undefined || writes === undefined) throw new TypeError("There are no targets");
  // `writes` reads nearly all at a twentieth of the price of `flat`, once it has written it.
  measured.answered("alias", nameOf(writes), tokens(9000, 100, 8900, 50), clock.time);
  measured.answered("alias", nameOf(flat), tokens(9000, 100), clock.time);
  const first = () => {
    const usage = usageOf(context, { session: "s", words: 9000 });
    const own = { ...context, state: withoutLeaders(context.state) };
    return price(usage)([flat, writes], own)[0]?.target.model.id;
  };
  const found: (string | undefined)[] = [];
  for (let turn = 0; turn < 6; turn++) {
    measured.turnEnded("k", "s", nameOf(flat), tokens(9000, 100), clock.time);
    found.push(first());
  }
  // Writing 9,000 tokens costs four times as much as it saves in a turn.
  assertEquals(found, ["flat", "flat", "flat", "writes", "writes", "writes"]);
});

Deno.test("price: a session reads in its next turn what it has written", () => {
  const context = pricedContext();
  const { measured, clock } = context;
  const group = groupOf("written");
  const [, writes] = group;
  if (writes === undefined) throw new TypeError("There is no target");
  measured.turnEnded("k", "s", nameOf(writes), tokens(9000, 100, 0, 8900), clock.time);
  const usage = usageOf(context, { session: "s", words: 9000 });
  const own = { ...context, state: withoutLeaders(context.state) };
  assertEquals(price(usage)(group, own)[0], writes);
});

for (const stream of [false, true]) {
  Deno.test(`price: what is learned of answers decides for the next one (stream: ${stream})`, async () => {
    const cached = new Map([["a", 0], ["b", 0]]);
    const vendor = new ScriptedVendor(({ body }) => {
      const details = { cached_tokens: cached.get(String(body.model)) ?? 0 };
      const usage = { ...tokens(9000, 10), prompt_tokens_details: details };
      const choice = { index: 0, finish_reason: "stop" };
      const answer = { id: "x", model: body.model, usage };
      if (!stream) {
        const message = { role: "assistant", content: "Hi" };
        return Response.json({ ...answer, choices: [{ ...choice, message }] });
      }
      const chunk = { ...answer, choices: [{ ...choice, delta: { content: "Hi" } }] };
      return toEventStream([chunk]);
    });
    const gateway = createTestGateway({
      config: {
        providers: {
          q: { ...PROVIDER, models: [model("a", prices(4, 20, 0.4))] },
          p: { ...PROVIDER, models: [model("b", prices(3, 15, 3))] },
        },
        aliases: {
          x: { targets: [["a", "b"]], balance: "price" },
          y: { targets: [["a", "b"]], balance: "price" },
        },
      },
      fetch: vendor.fetch,
    });
    const ask = async (name: string, members = {}) => {
      const messages = [{ role: "user", content: "word ".repeat(9000) }];
      const body = { model: name, messages, stream, ...members };
      const path = "/v1/chat/completions";
      const explained = await gateway.call(path, body, { "x-sluice-explain": "true" });
      const { targets } = await explained.json();
      const answer = await gateway.call(path, body);
      assertEquals(answer.status, 200, await answer.text());
      return [targets[0].model, vendor.sent.at(-1)?.body.model];
    };
    assertEquals(await ask("x"), ["b", "b"]);
    // A caller chooses `a`, which caches the prompts of the alias, but none of other requests.
    cached.set("a", 8900);
    assertEquals(await ask("x", { provider: { order: ["q"] } }), ["a", "a"]);
    cached.set("a", 0);
    for (let times = 0; times < 9; times++) await ask("a");
    assertEquals(await ask("x"), ["a", "a"]);
    assertEquals(await ask("y"), ["b", "b"]);
  });
}
