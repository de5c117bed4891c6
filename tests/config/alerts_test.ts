/** `alerts` of config.yaml. */

import { assertEquals } from "@std/assert";
import { errorsOf, load } from "../support/sample_config.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const withAlerts = (alerts: string) =>
  `alerts: ${alerts}\nproviders: { p: { kind: mock, models: [m] } }`;

Deno.test("a configuration without alerts has none, and one with an empty section has defaults", () => {
  assertEquals(load("providers: { p: { kind: mock, models: [m] } }").alerts, undefined);
  const { webhook, rules, periodMs } = load(withAlerts("{}")).alerts ?? {};
  assertEquals([webhook, periodMs], [undefined, 3_600_000]);
  assertEquals(rules?.map(({ name, afterMs }) => [name, afterMs]), [
    ...[["failing_target", 0], ["budget", 0], ["stale_config", 60_000], ["store_down", 60_000]],
  ]);
});

Deno.test("rules are names or objects, and a secret is its bytes", () => {
  const webhook = `{ url: "https://hooks.test/x", secret: ${SECRET} }`;
  const alerts = load(withAlerts(
    `{ webhook: ${webhook}, period: 10m, rules: [no_traffic, { rule: budget, at: [100, 50] }, ` +
      "{ rule: store_down, after: 5m }] }",
  )).alerts;
  assertEquals(alerts?.webhook?.url, "https://hooks.test/x");
  assertEquals(alerts?.webhook?.secret.length, 24);
  assertEquals(alerts?.webhook?.allowPrivate, false);
  assertEquals(alerts?.periodMs, 600_000);
  assertEquals(alerts?.rules.map(({ name, afterMs, levels }) => [name, afterMs, levels]), [
    ["no_traffic", 1_800_000, [80, 100]],
    ["budget", 0, [50, 100]],
    ["store_down", 300_000, [80, 100]],
  ]);
});

const INVALID: readonly (readonly [string, string])[] = [
  [
    `{ webhook: { url: "http://x.test/", secret: ${SECRET} } }`,
    "alerts.webhook.url: must be https, unless 'allow_private' is true",
  ],
  [
    `{ webhook: { url: "https://u:p@x.test/", secret: ${SECRET} } }`,
    "alerts.webhook.url: must be an http or https URL without user name or password",
  ],
  ["{ rules: [budget, { rule: budget }] }", "alerts.rules[1]: is the second rule 'budget'"],
  [
    "{ rules: [{ rule: budget, after: 1m }] }",
    "alerts.rules[0].after: is not a setting of the rule 'budget'",
  ],
  [
    "{ rules: [{ rule: no_traffic, at: [5] }] }",
    "alerts.rules[0].at: is a setting of the rule 'budget' only",
  ],
];

for (const [alerts, expected] of INVALID) {
  Deno.test(`alerts: ${alerts} is refused`, () => {
    assertEquals(errorsOf(withAlerts(alerts)), [expected]);
  });
}

Deno.test("a secret without its prefix, too short or too long is refused, and not quoted", () => {
  for (
    const secret of [
      "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      "whsec_c2hvcnQ=",
      `whsec_${"A".repeat(90)}`,
    ]
  ) {
    const [error = ""] = errorsOf(
      withAlerts(`{ webhook: { url: "https://x.test/", secret: "${secret}" } }`),
    );
    assertEquals([error.split(": ")[0], error.includes(secret)], ["alerts.webhook.secret", false]);
  }
});
