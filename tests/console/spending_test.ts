/** What the view of keys says about budgets. */

import { assertEquals } from "@std/assert";
import { previousUntil } from "../../src/console/assets/views/keys/settings.js";
import { budgetState, daysText } from "../../src/console/assets/views/keys/spending.js";

function stateOf(spent_usd: number, members: Record<string, unknown> = {}) {
  return budgetState({
    ...{ limit_usd: 10, spent_usd, renews_at: "2026-12-01T00:00:00.000Z", forecast_usd: null },
    ...{ unpriced_requests: 0, ...members },
  });
}

Deno.test("a budget changes its color at 80 and at 100 percent", () => {
  assertEquals(
    [0, 7.99, 8, 9.99, 10, 12].map((spent) => stateOf(spent).tone),
    ["good", "good", "warn", "warn", "bad", "bad"],
  );
  assertEquals(stateOf(0, { limit_usd: 0 }).tone, "bad");
  assertEquals(stateOf(12).share, 1.2);
});

Deno.test("the renewal, the forecast and what is unknown are said", () => {
  assertEquals(stateOf(5).notes, ["renews 1 Dec 2026"]);
  assertEquals(stateOf(5, { renews_at: "2026-11-25T23:00:00.000Z" }).notes, [
    "renews 25 Nov 2026, 23:00 UTC",
  ]);
  assertEquals(stateOf(5, { renews_at: null, forecast_usd: 9, unpriced_requests: 3 }).notes, [
    ...["at this rate $9.00", "3 requests of an unknown price"],
  ]);
  assertEquals(stateOf(5, { renews_at: null, forecast_usd: 11 }).notes, [
    "at this rate $11.00, more than the budget",
  ]);
  assertEquals(stateOf(0, { renews_at: null, forecast_usd: 0 }).notes, []);
  const days = [{ requests: 1, cost_usd: 0.5 }, { requests: 2, cost_usd: 0.5 }];
  assertEquals(daysText(days), "2 days: 3 requests, $1.00");
});

Deno.test("no text of a key that is refused is valid, also not the one before the last", () => {
  const until = (status: string, previous_valid_until: number | null) =>
    previousUntil({ status, previous_valid_until }, 1_000_000);
  assertEquals(until("active", 1001), 1001);
  assertEquals(until("active", 999), undefined);
  assertEquals(until("active", null), undefined);
  for (const status of ["revoked", "expired", "disabled"]) {
    assertEquals(until(status, 1001), undefined);
  }
});
