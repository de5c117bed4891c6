/** What the view of the state says is wrong now. */

import { assertEquals, assertMatch } from "@std/assert";
import {
  byHealth,
  failureText,
  healthOf,
  historyText,
  hourTone,
  problemsOf,
} from "../../src/console/assets/views/status/health.js";

import { agoText, evidenceText } from "../../src/console/assets/lib/target_health.js";

const NOW = Date.parse("2026-11-25T03:00:00Z");
const recent = { time: "2026-11-25T02:59:40Z", error: "upstream_error", status: 502, request: "r" };

const SUMS = {
  recent: { attempts: 58, failures: 41 },
  day: { attempts: 900, failures: 60 },
  last: { attempts: 8, failures: 7 },
};

function health(state: string, members: Record<string, unknown> = {}) {
  return {
    ...{ state, since: "2026-11-25T02:41:00Z", last_attempt: "2026-11-25T02:59:40Z", ...SUMS },
    ...{ incident: null, last_failure: recent, first_content_ms: 2310 },
    usual_first_content_ms: 840,
    ...members,
  };
}

function entry(members: Record<string, unknown> = {}) {
  return {
    ...{ id: "p", enabled: true, breaker: "closed", health: health("ok") },
    ...{ keys: 2, resting_keys: 0 },
    ...members,
  };
}

Deno.test("the health is the gateway's, unless breaker or keys forbid requests", () => {
  for (
    const [state, members] of [
      ["ok", {}],
      ["unused", { health: health("unused") }],
      ["unused", { health: null }],
      ["failing", { breaker: "open" }],
      // It is tried again: its attempts decide.
      ["ok", { breaker: "half_open" }],
      ["failing", { resting_keys: 2 }],
      ["ok", { keys: 0, resting_keys: 0 }],
      ["limited", { resting_keys: 1 }],
      ["degraded", { resting_keys: 1, health: health("degraded") }],
      ["silent", { health: health("silent") }],
      ["slow", { health: health("slow") }],
    ] as const
  ) {
    assertEquals(healthOf(entry(members)), state, JSON.stringify(members));
  }
});

Deno.test("each state has its evidence", () => {
  const failing = health("failing");
  assertEquals(evidenceText(failing, NOW), "41 of 58 failed in 10 min; 502");
  const few = health("failing", { recent: { attempts: 5, failures: 5 } });
  assertEquals(evidenceText(few, NOW), "last 7 of 8 failed; 502");
  assertEquals(
    evidenceText(health("silent", { last_attempt: "2026-11-25T02:36:00Z" }), NOW),
    "last 7 of 8 failed, 24 min ago",
  );
  assertEquals(
    evidenceText(health("slow"), NOW),
    "first content 2.31 s, usually 840 ms",
  );
  assertEquals(evidenceText(health("ok"), NOW), "60 of 900 failed in 24 h");
  // A service key sees no sums.
  assertEquals(evidenceText({ state: "failing", since: null }, NOW), "");
});

Deno.test("problems come first, with their reasons", () => {
  const incident = { attempts: 220, failures: 213, rescued: 180, since: "2026-11-25T02:41:00Z" };
  const providers = [
    entry({ id: "good" }),
    entry({ id: "slow", health: health("slow") }),
    entry({ id: "keys", resting_keys: 1 }),
    entry({ id: "bad", breaker: "open", health: health("failing", { incident }) }),
    { id: "off", enabled: false },
  ];
  const models = [
    { id: "m", provider: "bad", breaker: "open" },
    { id: "n", provider: "bad", breaker: "half_open" },
  ];
  const enabled = providers.filter((provider) => provider.enabled);
  assertEquals(byHealth(enabled).map(({ id }) => id), ["bad", "keys", "slow", "good"]);
  const problems = problemsOf({ providers, models }, NOW);
  assertEquals(problems.map(({ id, tone }) => [id, tone]), [
    ["bad", "bad"],
    ["keys", "warn"],
    ["slow", "warn"],
  ]);
  assertMatch(
    problems[0]?.text ?? "",
    /^failing since .+; 41 of 58 failed in 10 min; 502; 213 of 220 failed since then, 180 rescued by another attempt; m: breaker open$/,
  );
  assertEquals(problems[1]?.text, "1 of 2 keys suspended");
  assertEquals(problemsOf({ providers: [entry()] }, NOW), []);
});

Deno.test("failures, ages and histories are texts", () => {
  assertEquals(
    failureText({ ...recent, cause: "host:443 refused" }),
    "upstream_error (502): host:443 refused",
  );
  assertEquals(failureText({ error: "503", status: 503 }), "503");
  assertEquals(
    [
      "2026-11-25T02:59:01Z",
      "2026-11-25T02:30:00Z",
      "2026-11-24T23:00:00Z",
      "2026-11-25T03:00:09Z",
      "2026-11-15T16:00:00Z",
    ]
      .map((time) => agoText(time, NOW)),
    ["59 s ago", "30 min ago", "4 h ago", "0 s ago", "9 d ago"],
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
