/** The modules of the view of savings that need no browser. */

import { assert, assertEquals } from "@std/assert";
import { parse } from "@std/yaml";
import {
  NOTHING,
  otherInput,
  savedShare,
  savingsOf,
  sumText,
} from "../../src/console/assets/views/savings/figures.js";
import { HOW_TO } from "../../src/console/assets/views/savings/how_to.js";
import { toSumsReport } from "../../src/governance/ledger/columns.ts";
import { GroupSums } from "../../src/governance/ledger/summary.ts";
import { loadTestConfig } from "../support/gateway.ts";

const ENTRY = {
  ...NOTHING,
  ...{ requests: 9, cost_usd: 6, saved_usd: 3, response_cache_saved_usd: 1 },
  ...{ cache_write_usd: 0.5, price_order_saved_usd: 2, hedge_usd: 1 },
};

Deno.test("reads, writes and the response cache are told apart, and hedges are subtracted", () => {
  assertEquals(savingsOf(ENTRY), {
    ...{ prompt: 2, reads: 2.5, writes: 0.5, response: 1, order: 2, hedges: 1, net: 4 },
    unknown: 0,
  });
});

Deno.test("the net amount says what it is made of", () => {
  assertEquals(
    sumText(ENTRY),
    "$4.00 is $2.00 of prompt caching, $1.00 of the response cache and $2.00 of the cheapest " +
      "target first, less $1.00 for hedges. Sessions that stay are a part of prompt caching.",
  );
});

Deno.test("the share is of what everything would have cost, and unknown with any unknown price", () => {
  assertEquals(savedShare(ENTRY), 0.4);
  assertEquals(savedShare(NOTHING), null);
  for (
    const name of [
      ...["unpriced_requests", "unpriced_cached_requests", "unpriced_response_cache_hits"],
      ...["unpriced_hedges", "unpriced_price_orders"],
    ]
  ) {
    assertEquals(savedShare({ ...ENTRY, [name]: 1 }), null, name);
  }
});

Deno.test("other input is that of requests whose session did not stay", () => {
  const tokens = { input_tokens: 100, cached_input_tokens: 50 };
  const stayed = { affinity_input_tokens: 60, affinity_cached_input_tokens: 45 };
  assertEquals(otherInput({ ...ENTRY, ...tokens, ...stayed }), { input: 40, cached: 5 });
});

Deno.test("the view reads only members that a report has", () => {
  const report = toSumsReport(new GroupSums().toSummary([]));
  for (const name of Object.keys(NOTHING)) assert(name in report, name);
});

Deno.test("the settings that the view shows are valid, and turn each capability on", () => {
  const models = ["model-a", "model-b"];
  const providers = { mock: { kind: "mock", models } };
  const policies = Object.fromEntries(
    Object.entries(HOW_TO).map(([id, { config }]) => {
      const settings = parse(config) as Record<string, unknown>;
      const loaded = loadTestConfig({ providers, ...settings });
      return [id, loaded.route(id === "order" ? "cheapest" : "model-a")?.policy];
    }),
  );
  assertEquals(policies.prompt?.prompt_caching, "auto");
  assertEquals(policies.sessions?.affinity, { ttl: "auto" });
  assertEquals(policies.order?.balance, "price");
  assertEquals(policies.response?.cache?.ttl, 300_000);
  assertEquals(policies.hedges?.hedge?.usd_per_hour, 2);
  assertEquals((policies.queue?.queue as { max_wait: number }).max_wait, 20_000);
});
