/** What the view of the state says is wrong now. */

import { assertEquals } from "@std/assert";
import {
  agoText,
  byHealth,
  failureText,
  healthOf,
  historyText,
  hourTone,
  problemsOf,
} from "../../src/console/assets/views/status/health.js";

const NOW = Date.parse("2026-11-25T03:00:00Z");
const recent = { time: "2026-11-25T02:59:40Z", error: "upstream_error", status: 502, request: "r" };
const old = { ...recent, time: "2026-11-25T01:00:00Z" };

function entry(members: Record<string, unknown> = {}) {
  return {
    ...{ id: "p", enabled: true, breaker: "closed", attempts: 100, failed_attempts: 0 },
    ...{ keys: 2, resting_keys: 0, last_failure: null, p50_ms: 300, usual_p50_ms: 250 },
    ...members,
  };
}

Deno.test("the health of a target is the worst of its breaker, keys, failures and durations", () => {
  for (
    const [health, members] of [
      ["ok", {}],
      ["idle", { attempts: 0 }],
      ["failing", { breaker: "open" }],
      ["failing", { breaker: "half_open" }],
      ["failing", { resting_keys: 2 }],
      ["ok", { keys: 0, resting_keys: 0 }],
      ["limited", { resting_keys: 1 }],
      ["failing", { failed_attempts: 50, last_failure: recent }],
      ["unreliable", { failed_attempts: 5, last_failure: recent }],
      ["ok", { failed_attempts: 4, last_failure: recent }],
      // It failed two hours ago, and works now.
      ["ok", { failed_attempts: 90, last_failure: old }],
      ["slow", { p50_ms: 501 }],
      ["ok", { p50_ms: 500 }],
      ["ok", { p50_ms: 900, attempts: 9 }],
      ["ok", { p50_ms: 900, usual_p50_ms: null }],
      // The store does not answer.
      ["ok", { attempts: null, failed_attempts: null, p50_ms: null }],
    ] as const
  ) {
    assertEquals(healthOf(entry(members), NOW), health, JSON.stringify(members));
  }
});

Deno.test("problems come first, with their reasons", () => {
  const providers = [
    entry({ id: "good" }),
    entry({ id: "slow", p50_ms: 900 }),
    entry({ id: "keys", resting_keys: 1 }),
    entry({ id: "bad", breaker: "open", failed_attempts: 60, last_failure: recent }),
    { id: "off", enabled: false },
  ];
  const models = [
    { id: "m", provider: "bad", breaker: "open" },
    { id: "n", provider: "bad", breaker: "closed" },
  ];
  const enabled = providers.filter((provider) => provider.enabled);
  assertEquals(byHealth(enabled, NOW).map(({ id }) => id), ["bad", "keys", "slow", "good"]);
  assertEquals(problemsOf({ providers, models }, NOW), [
    {
      id: "bad",
      tone: "bad",
      text: "m: breaker open; 60 of 100 attempts failed, last 20 s ago with upstream_error (502)",
    },
    { id: "keys", tone: "warn", text: "1 of 2 keys suspended" },
    { id: "slow", tone: "warn", text: "p50 is 900 ms, usually 250 ms" },
  ]);
  assertEquals(problemsOf({ providers: [entry()] }, NOW), []);
});

Deno.test("failures, ages and histories are texts", () => {
  assertEquals(
    failureText({ ...recent, cause: "host:443 refused" }),
    "upstream_error (502): host:443 refused",
  );
  assertEquals(failureText({ error: "503", status: 503 }), "503");
  assertEquals(
    ["2026-11-25T02:59:01Z", "2026-11-25T02:30:00Z", "2026-11-24T23:00:00Z", "2026-11-25T03:00:09Z"]
      .map((time) => agoText(time, NOW)),
    ["59 s ago", "30 min ago", "4 h ago", "0 s ago"],
  );
  assertEquals(
    historyText([null, [10, 1], [2, 2]]),
    "24 hours: 3 of 12 attempts failed; 100 % in the worst hour",
  );
  assertEquals(historyText([null]), "No attempts in 24 hours");
  assertEquals([null, [0, 0], [100, 4], [100, 5], [2, 1]].map(hourTone), [
    null,
    null,
    "good",
    "warn",
    "bad",
  ]);
});
