import { assertEquals } from "@std/assert";
import {
  conditionOf,
  filtered,
  shareOf,
  sourceText,
  toEntries,
} from "../../src/console/assets/views/models/figures.js";

const USUAL = ["rate_limited", "quota", "auth", "not_found", "unavailable", "timeout"];
const target = (provider: string, upstream: string, more = {}) => ({
  ...{ provider, upstream, kind: "k", id: upstream },
  ...{ attempts: 0, failed_attempts: 0, uptime: null, p50_ms: null, p95_ms: null, ...more },
});
const step = (...targets: readonly string[]) => ({
  balance: "in_order",
  targets: targets.map((name) => {
    const [upstream, provider] = name.split("@");
    return { provider, upstream, when: USUAL };
  }),
});
const ROUTES = {
  data: [
    { id: "a", form: "model", steps: [step("m@one")] },
    { id: "best", form: "alias", steps: [step("m@one"), step("n@two")] },
    { id: "none", form: "alias" },
  ],
  targets: [
    target("one", "m", { attempts: 10, failed_attempts: 5, p50_ms: 7, p95_ms: 9 }),
    target("two", "n", { attempts: 30, failed_attempts: 0, p50_ms: 3, p95_ms: 4 }),
  ],
};
const LIVE = {
  at: "2026-11-25T03:00:00Z",
  models: [{
    ...{ provider: "one", upstream: "m", breaker: "open", attempts: 4, failed_attempts: 4 },
    ...{ last_failure: null, p50_ms: 7, tries_again_in_ms: 500 },
  }],
};

Deno.test("a name has the figures and the health of its targets", () => {
  const [a, best, none] = toEntries(ROUTES, LIVE);
  assertEquals([a.attempts, a.uptime, a.p50, a.health], [10, 0.5, 7, "failing"]);
  assertEquals(a.all[0].state.breaker, "open");
  // An alias works as long as one of its targets does.
  assertEquals([best.attempts, best.failed, best.uptime, best.p95], [40, 5, 0.875, 4]);
  assertEquals(best.health, "unused");
  assertEquals([none.all, none.uptime, none.health], [[], null, "unused"]);
});

Deno.test("without a live state nothing is known to be broken", () => {
  const [a] = toEntries(ROUTES, undefined);
  assertEquals([a.health, a.all[0].state.breaker], ["unused", "closed"]);
});

Deno.test("the search takes each word, in names, providers and vendors' names", () => {
  const entries = toEntries(ROUTES, LIVE);
  const found = (text: string, form = "all") =>
    filtered(entries, text, form).map(({ id }: { readonly id: string }) => id);
  assertEquals(found(""), ["a", "best", "none"]);
  assertEquals(found("TWO n"), ["best"]);
  assertEquals(found("two zzz"), []);
  assertEquals(found("two", "alias"), ["best"]);
});

Deno.test("shares, conditions and sources are texts", () => {
  const weighted = { balance: "weighted", targets: [{ weight: 3 }, {}] };
  assertEquals(weighted.targets.map((one) => shareOf(one, weighted)), ["75 %", "25 %"]);
  assertEquals(shareOf({}, { balance: "p2c", targets: [{}, {}] }), undefined);
  assertEquals(shareOf({}, { balance: "weighted", targets: [{}] }), undefined);
  assertEquals(conditionOf({ when: USUAL }), "if it fails");
  assertEquals(conditionOf({ when: ["context_length", "quota"] }), "after context length, quota");
  assertEquals(conditionOf({ when: [] }), "never");
  assertEquals(sourceText(undefined, 0), undefined);
  assertEquals(
    sourceText({ read_at: 60, stale: true }, 180_000),
    "listed by the vendor, read 2 min ago, stale",
  );
});
