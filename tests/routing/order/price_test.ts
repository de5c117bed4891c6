/** `balance: price` and price caps. */

import { assertEquals, assertThrows } from "@std/assert";
import { GatewayError } from "../../../src/core/errors.ts";
import { toChain } from "../../../src/routing/fallback_chain.ts";
import { price } from "../../../src/routing/order/cheapest.ts";
import { RouteNotes } from "../../../src/routing/order/route_notes.ts";
import type { RouteOptions } from "../../../src/routing/order/route_options.ts";
import { loadTestConfig } from "../../support/gateway.ts";
import { begin, contextOf, idsOf } from "../../support/order.ts";

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
    keys: [{ name: "all", key: "sk-all" }, { name: "few", key: "sk-few", models: ["mix"] }],
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
  const notes = new RouteNotes();
  const found = toChain({ model: name }, key, CONFIG, { ...contextOf(), options, notes });
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
    begin(context, group[index]).answered({
      prompt_tokens: 10_000,
      completion_tokens: 500,
      total_tokens: 10_500,
      prompt_tokens_details: { cached_tokens: cached },
    }, context.clock.time + 1000);
  answer(0, 9000);
  answer(1, 0);
  // 1000 × 4 + 9000 × 0.4 + 500 × 20 = 17,600 against 10,000 × 3 + 500 × 15 = 37,500 micro-dollars.
  assertEquals(idsOf(price(group, context)).slice(0, 2), "ab");
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
  assertEquals(chain("echo", { maxPrice: { input: 0, output: 0 } }).ids, ["echo"]);
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
