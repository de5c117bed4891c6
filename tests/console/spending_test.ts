/** What the view of keys says about budgets. */

import { assertEquals } from "@std/assert";
import { messageFor, previousUntil } from "../../src/console/assets/views/keys/settings.js";
import {
  budgetState,
  daysText,
  headlineOf,
  shareOf,
  teamOf,
} from "../../src/console/assets/views/keys/spending.js";

function stateOf(spent_usd: number, members: Record<string, unknown> = {}) {
  return budgetState({
    ...{ limit_usd: 10, spent_usd, renews_at: "2026-12-01T00:00:00.000Z", forecast_usd: null },
    ...{ unpriced_requests: 0, ...members },
  });
}

Deno.test("a budget changes its color at 90 and at 100 percent", () => {
  assertEquals(
    [0, 8.99, 9, 9.99, 10, 12].map((spent) => stateOf(spent).tone),
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
    ...["at this rate $9.00", "3 requests with an unknown price"],
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

function keyOf(name: string, spent: number, members: Record<string, unknown> = {}) {
  const budget = { limit_usd: 10, spent_usd: spent, renews_at: "2026-12-01T00:00:00.000Z" };
  return {
    name,
    status: "active",
    budget: { usd: 10, per: "month" },
    usage: { budget },
    ...members,
  };
}

Deno.test("the headline says how many keys are near their budgets, and which has none left", () => {
  const near = [keyOf("a", 9), keyOf("b", 3), keyOf("c", 9.5)];
  assertEquals(headlineOf(near).title, "2 of 3 keys are over 90 % of their budgets");
  const { title, text, used } = headlineOf([keyOf("a", 10), keyOf("b", 3)]);
  assertEquals(title, "1 of 2 keys is over 90 % of its budget");
  assertEquals([text, used?.name], [
    "It has used it up and is refused with 429 until 1 Dec 2026.",
    "a",
  ]);
  assertEquals(headlineOf([keyOf("b", 3)]).title, "No key is over 90 % of its budget");
  const revoked = keyOf("a", 10, { status: "revoked" });
  assertEquals(
    headlineOf([revoked, keyOf("b", 3, { budget: null })]).title,
    "1 key, none with a budget",
  );
  assertEquals([shareOf(keyOf("b", 3)), shareOf(revoked)], [0.3, undefined]);
});

Deno.test("the message of a new key has the key only on request", () => {
  const entry = {
    ...{ name: "voice", owner: "Priya Raman", key: "sk-sluice-secret", models: ["smart", "fast"] },
    ...{ budget: { usd: 150, per: "month" }, expires: 1_806_451_200 },
  };
  const options = { origin: "https://llm.example", hasKey: false };
  assertEquals(
    messageFor(entry, options),
    "Hello Priya Raman,\n" +
      'your key "voice" for our model gateway is ready. It may use smart, fast, up to $150.00 a ' +
      "month, until 2027-03-31.\nAddress: https://llm.example/v1\n" +
      "Usage and budget: https://llm.example/ (sign in with the key)\n" +
      "The key itself follows separately.",
  );
  assertEquals(
    messageFor(entry, { ...options, hasKey: true }).endsWith("Key: sk-sluice-secret"),
    true,
  );
  const bare = { ...entry, owner: null, models: null, budget: null, expires: null };
  assertEquals(
    messageFor(bare, options).split("\n")[0],
    'your key "voice" for our model gateway is ready. It may use all models.',
  );
});

Deno.test("a team has the budgets, the days and the owners of its keys", () => {
  const key = (name: string, spent: number, members = {}) => ({
    ...{ name, status: "active", owner: "Ana", budget: { usd: 10, per: "month" } },
    usage: {
      last_used: `2026-11-2${spent}`,
      budget: { limit_usd: 10, spent_usd: spent },
      days: [{ requests: spent, cost_usd: 1 }, { requests: 1, cost_usd: 0 }],
    },
    ...members,
  });
  const bare = { ...{ name: "c", status: "active", owner: null, budget: null }, usage: undefined };
  const revoked = key("d", 1, { status: "revoked", owner: "Bo" });
  assertEquals(teamOf([key("a", 9), key("b", 2), bare, revoked]), {
    ...{ active: 3, near: 1, budget: 20, spent: 11, lastUsed: "2026-11-29" },
    owners: ["Ana", "Bo"],
    days: [{ requests: 12, cost_usd: 3 }, { requests: 3, cost_usd: 0 }],
  });
  assertEquals(teamOf([]).days, []);
});
