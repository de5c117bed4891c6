/** When alerts begin and end, and which of them are sent. */

import { assertEquals, assertMatch } from "@std/assert";
import { Alerts, type AlertsOptions } from "../../src/alerts/alerts.ts";
import type { Condition } from "../../src/alerts/conditions.ts";
import type { AlertRules } from "../../src/config/alerts.ts";
import { logLine } from "../../src/telemetry/log_schema.ts";
import { turn } from "../support/elapse.ts";
import { ManualClock } from "../support/manual_clock.ts";

const RULES: AlertRules = { webhook: undefined, rules: [], periodMs: 3_600_000 };
const MINUTE_MS = 60_000;

function condition(members: Partial<Condition> = {}): Condition {
  return {
    ...{ id: "store_down:store", rule: "store_down", object: "store", text: "It fails" },
    ...{ afterMs: 0, periodMs: RULES.periodMs },
    ...members,
  };
}

/** Alerts whose conditions a test sets. */
class Rig {
  readonly clock = new ManualClock();
  conditions: readonly Condition[] = [];
  rules: AlertRules | undefined = RULES;
  readonly bodies: { type: string; data: Record<string, string> }[] = [];
  readonly lines: Record<string, unknown>[] = [];
  readonly counted: string[] = [];
  readonly open: number[] = [];
  readonly bugs: unknown[] = [];
  read = () => Promise.resolve(this.conditions);
  readonly alerts: Alerts;

  constructor(claims?: AlertsOptions["claims"]) {
    let ids = 0;
    this.alerts = new Alerts({
      clock: this.clock,
      rules: () => this.rules,
      read: () => this.read(),
      claims,
      webhook: {
        send: ({ body }) => void this.bodies.push(JSON.parse(body)),
        close: () => Promise.resolve(),
      },
      metrics: {
        sent: (rule, state) => void this.counted.push(`${rule} ${state}`),
        open: (all) => void this.open.push(all.length),
      },
      log: (message, level, members) => {
        const time = new Date(this.clock.wallTime()).toISOString();
        this.lines.push({ time, level, message, ...members });
      },
      newId: (prefix) => `${prefix}${++ids}`,
      onBug: (thrown) => this.bugs.push(thrown),
    });
  }

  /** The states of the alerts that were sent. */
  get types(): readonly string[] {
    return this.bodies.map(({ type }) => type);
  }

  /** Lets time pass, with all readings. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 15_000) {
      this.clock.advance(15_000);
      await turn();
    }
  }
}

Deno.test("an alert is sent when its condition begins and when it ends, once each", async () => {
  const rig = new Rig();
  await rig.pass(MINUTE_MS);
  assertEquals(rig.bodies, []);
  rig.conditions = [condition()];
  await rig.pass(5 * MINUTE_MS);
  assertEquals(rig.types, ["alert.firing"]);
  assertEquals(rig.alerts.open.map(({ object }) => object), ["store"]);
  rig.conditions = [];
  await rig.pass(5 * MINUTE_MS);
  assertEquals(rig.types, ["alert.firing", "alert.resolved"]);
  const [{ data: firing = {} } = {}, { data: resolved = {} } = {}] = rig.bodies;
  assertEquals([firing.rule, firing.object, firing.text], ["store_down", "store", "It fails"]);
  assertEquals(resolved.text, "Resolved: It fails");
  assertEquals(resolved.since, firing.since);
  assertMatch(firing.since ?? "", /^\d{4}-.*Z$/);
  assertEquals(rig.counted, ["store_down firing", "store_down resolved"]);
  assertEquals(rig.alerts.open, []);
  assertEquals(rig.open.at(-1), 0);
  await rig.alerts.close();
  assertEquals(rig.clock.pending, 0);
});

Deno.test("each alert is a line of the log with the event, at the level 'warn'", async () => {
  const rig = new Rig();
  rig.conditions = [condition()];
  await rig.pass(15_000);
  rig.conditions = [];
  await rig.pass(15_000);
  for (const line of rig.lines) logLine.parse(line);
  assertEquals(
    rig.lines.map(({ level, event, state, message }) => [level, event, state, message]),
    [
      ["warn", "alert", "firing", "alert: It fails"],
      ["warn", "alert", "resolved", "alert: Resolved: It fails"],
    ],
  );
  await rig.alerts.close();
});

Deno.test("a condition must hold for the time of its rule; a shorter one is not sent", async () => {
  const rig = new Rig();
  rig.conditions = [condition({ afterMs: MINUTE_MS })];
  await rig.pass(30_000);
  rig.conditions = [];
  await rig.pass(30_000);
  assertEquals(rig.types, []);
  rig.conditions = [condition({ afterMs: MINUTE_MS })];
  await rig.pass(MINUTE_MS + 15_000);
  assertEquals(rig.types, ["alert.firing"]);
  await rig.alerts.close();
});

Deno.test("a condition that comes and goes is sent once in the period", async () => {
  const rig = new Rig();
  for (let round = 0; round < 10; round++) {
    rig.conditions = [condition()];
    await rig.pass(MINUTE_MS);
    rig.conditions = [];
    await rig.pass(MINUTE_MS);
  }
  assertEquals(rig.types, ["alert.firing", "alert.resolved"]);
  rig.conditions = [condition()];
  await rig.pass(50 * MINUTE_MS);
  // It holds at the end of the period, so that it is sent again.
  assertEquals(rig.types, ["alert.firing", "alert.resolved", "alert.firing"]);
  await rig.alerts.close();
});

Deno.test("a long alert is sent once", async () => {
  const rig = new Rig();
  rig.conditions = [condition()];
  await rig.pass(70 * MINUTE_MS);
  assertEquals(rig.types, ["alert.firing"]);
  await rig.alerts.close();
});

Deno.test("where replicas share a store, the store decides which of them sends", async () => {
  const calls: string[] = [];
  let reply: boolean | undefined = false;
  const rig = new Rig({
    claim: (id) => {
      calls.push(`claim ${id}`);
      return Promise.resolve(reply);
    },
    release: (id) => {
      calls.push(`release ${id}`);
      return Promise.resolve(reply);
    },
    close: () => Promise.resolve(void calls.push("close")),
  });
  rig.conditions = [condition()];
  await rig.pass(15_000);
  rig.conditions = [];
  await rig.pass(15_000);
  assertEquals([rig.types, calls], [[], ["claim store_down:store", "release store_down:store"]]);
  reply = true;
  rig.conditions = [condition({ id: "x" })];
  await rig.pass(15_000);
  assertEquals(rig.types, ["alert.firing"]);
  // The store has failed: what was sent is not sent again.
  reply = undefined;
  await rig.pass(MINUTE_MS);
  assertEquals(rig.types, ["alert.firing"]);
  rig.conditions = [];
  await rig.pass(15_000);
  assertEquals(rig.types, ["alert.firing", "alert.resolved"]);
  await rig.alerts.close();
  assertEquals(calls.at(-1), "close");
});

Deno.test("without rules open alerts end silently, and a failure does not end the alerts", async () => {
  const rig = new Rig();
  rig.conditions = [condition()];
  await rig.pass(15_000);
  rig.rules = undefined;
  await rig.pass(15_000);
  assertEquals([rig.types, rig.alerts.open], [["alert.firing"], []]);
  rig.rules = RULES;
  rig.read = () => Promise.reject(new Error("broken"));
  await rig.pass(30_000);
  assertEquals(rig.bugs.length, 2);
  rig.read = () => Promise.resolve([condition({ id: "y" })]);
  await rig.pass(15_000);
  assertEquals(rig.types, ["alert.firing", "alert.firing"]);
  await rig.alerts.close();
  assertEquals(rig.clock.pending, 0);
});
