/** The pure modules of the console's frame: alerts, chords, and the search of the palette. */

import { assertEquals } from "@std/assert";
import { alertsOf } from "../../src/console/assets/lib/alerts.js";
import { namedEntries, search } from "../../src/console/assets/lib/palette_search.js";
import { chordOf } from "../../src/console/assets/lib/shortcuts.js";

const SINCE = "2026-11-29T01:00:00.000Z";

Deno.test("alerts are failing targets, open breakers, suspended keys and a stale configuration", () => {
  const model = (id: string, breaker: string) => ({ id, provider: "p", breaker });
  const provider = (id: string, resting_keys: number) => ({
    ...{ id, enabled: true, keys: 2, resting_keys },
  });
  const config = { valid: true };
  assertEquals(alertsOf({ config, models: [model("a", "closed")], providers: [] }), []);
  assertEquals(alertsOf({ providers: [provider("p", 1)] }), []);
  assertEquals(
    alertsOf({
      config: { valid: false },
      models: [
        model("a", "open"),
        { ...model("b", "open"), health: { state: "failing", since: SINCE } },
        { ...model("c", "half_open"), health: { state: "ok", since: SINCE } },
        { ...model("d", "closed"), health: { state: "silent", since: SINCE } },
        { ...model("e", "closed"), health: { state: "slow", since: SINCE } },
      ],
      providers: [provider("p", 2), { ...provider("q", 2), enabled: false }],
    }),
    [
      {
        text: "The configuration file is not valid: the gateway uses the previous one.",
        view: "config",
        since: null,
      },
      { text: "Open circuit breaker: a at p", view: "status", since: null },
      { text: "Failing: b at p", view: "status", since: SINCE },
      { text: "Silent: d at p", view: "status", since: SINCE },
      { text: "All keys are suspended: p", view: "status", since: null },
    ],
  );
});

Deno.test("alerts of the configuration are shown once, each with its view", () => {
  const alert = (rule: string, text: string) => ({ rule, object: "x", text, since: SINCE });
  const configured = [
    ...[alert("budget", "A budget"), alert("no_traffic", "No request")],
    ...[alert("stale_config", "Stale"), alert("failing_target", "b at p")],
    alert("store_down", "A store"),
  ];
  assertEquals(alertsOf({ alerts: configured, config: { valid: true }, providers: [] }), [
    { text: "A budget", view: "keys", since: SINCE },
    { text: "No request", view: "requests", since: SINCE },
    { text: "A store", view: "overview", since: SINCE },
  ]);
});

Deno.test("a chord is Alt, Shift and a letter or digit, whatever the layout writes", () => {
  const event = (members: Record<string, unknown>) => ({
    ...{ altKey: true, shiftKey: true, ctrlKey: false, metaKey: false, code: "KeyR" },
    ...members,
  });
  assertEquals(chordOf(event({ key: "®" })), "Alt+Shift+R");
  assertEquals(chordOf(event({ code: "Digit4" })), "Alt+Shift+4");
  for (const members of [{ altKey: false }, { ctrlKey: true }, { code: "F4" }, { metaKey: true }]) {
    assertEquals(chordOf(event(members)), undefined);
  }
});

Deno.test("the palette finds all words, the best first, among thousands in milliseconds", () => {
  const entries = ["Usage", "team-usage: requests", "x-usage: usage", "Reuse", "Status"]
    .map((text) => ({ text }));
  const found = (text: string) => search(entries, text).map(({ text }) => text);
  assertEquals(found("us"), [
    ...["Usage", "team-usage: requests", "x-usage: usage", "Reuse", "Status"],
  ]);
  assertEquals(found("usage req"), ["team-usage: requests"]);
  assertEquals(found("req none"), []);
  assertEquals(found(""), entries.map(({ text }) => text));
  const many = namedEntries({
    models: Array.from({ length: 500 }, (_, index) => `model-${index}`),
    keys: Array.from({ length: 1000 }, (_, index) => `team & co ${index}`),
    providers: Array.from({ length: 50 }, (_, index) => `provider-${index}`),
  }, true);
  assertEquals(many.length, 500 * 3 + 1050 * 2);
  assertEquals(search(many, "co 999 usage"), [
    { text: "team & co 999: usage", kind: "Key", address: "#/usage?key=team+%26+co+999" },
  ]);
  assertEquals(search(many, "e").length, 50);
});
