/** Alerts of a whole gateway, and `sluice alerts test`. */

import { logLine } from "../../src/telemetry/log_schema.ts";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { AlertClaims } from "../../src/alerts/claims.ts";
import type { SharedStore } from "../../src/memory/shared_store/shared_store.ts";
import { valkeyStore } from "../support/shared_stores.ts";
import { NEEDS_VALKEY, startValkey, VALKEY } from "../support/valkey_server.ts";
import { untilReply } from "../support/elapse.ts";
import { runSluice, startSluice, withPreloaded } from "../support/process.ts";

const KEY = new Uint8Array(32).fill(7);
const SECRET = `whsec_${Buffer.from(KEY).toString("base64")}`;

interface Received {
  readonly headers: Headers;
  readonly body: string;
}

/** An endpoint that keeps what it gets. */
class Receiver implements AsyncDisposable {
  /** By ID: a message whose response was late is sent again. */
  readonly #received = new Map<string, Received>();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor(status = 204) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        const { headers } = request;
        this.#received.set(headers.get("webhook-id") ?? "", {
          headers,
          body: await request.text(),
        });
        return new Response(null, { status });
      },
    );
  }

  get received(): readonly Received[] {
    return [...this.#received.values()];
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/alerts`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

function assertSigned({ headers, body }: Received): void {
  const content = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
  const signature = createHmac("sha256", KEY).update(content).digest("base64");
  assertEquals(headers.get("webhook-signature"), `v1,${signature}`);
}

const config = (url: string, members = "allow_private: true", workers = 1) => `
server: { port: 0, workers: ${workers}, metrics: public, console: off, keys: [{ name: app, key: sk-app }] }
log: { format: json, stream: stderr }
alerts:
  webhook: { url: "${url}", secret: "${SECRET}", ${members} }
  rules: [{ rule: stale_config, after: 0s }, failing_target]
providers: { mock: { kind: mock, models: [mock-echo] } }
`;

for (const workers of [1, 2]) {
  Deno.test(`${workers} workers: an alert begins and ends once, signed, in the log and as a metric`, async () => {
    await using receiver = new Receiver();
    const text = config(receiver.url, undefined, workers);
    await using gateway = startSluice([], {
      files: { "config.yaml": text },
      program: withPreloaded("fast_time.ts"),
    });
    await gateway.logged("listens on");
    gateway.write("config.yaml", `${text}unknown: true\n`);
    await untilReply(() => receiver.received.length >= 1);
    gateway.write("config.yaml", text);
    await untilReply(() => receiver.received.length >= 2);
    for (const one of receiver.received) assertSigned(one);
    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    assertEquals(bodies.map(({ type }) => type), ["alert.firing", "alert.resolved"]);
    assertEquals(bodies[0].data.rule, "stale_config");
    // The log is written in the background; the last line may not be complete yet.
    const alertLines = () =>
      gateway.stderr().split("\n").slice(0, -1)
        .filter((line) => line.includes('"event":"alert"')).map((line) => JSON.parse(line));
    await untilReply(() => alertLines().length >= 2);
    const lines = alertLines();
    for (const line of lines) logLine.parse(line);
    assertEquals(lines.map(({ level, state }) => [level, state]), [
      ["warn", "firing"],
      ["warn", "resolved"],
    ]);
    const [, origin] = /listens on (http:\/\/127\.0\.0\.1:\d+)/.exec(gateway.stderr()) ?? [];
    let metrics = "";
    await untilReply(async () => {
      metrics = await (await fetch(`${origin}/metrics`)).text();
      return metrics.includes('sluice_alert_deliveries_total{result="delivered"} 2');
    });
    assertStringIncludes(
      metrics,
      'sluice_alerts_total{rule="stale_config",state="firing"} 1',
    );
  });
}

Deno.test("'sluice alerts test' sends one signed alert", async () => {
  await using receiver = new Receiver();
  const files = { "config.yaml": config(receiver.url) };
  const { code, stdout } = await runSluice(["alerts", "test"], { files });
  assertEquals([code, stdout], [0, "The webhook accepted the alert: status 204\n"]);
  assertEquals(receiver.received.length, 1);
  for (const one of receiver.received) {
    assertSigned(one);
    assertEquals(JSON.parse(one.body).type, "alert.test");
    assertMatch(one.headers.get("webhook-id") ?? "", /^msg_[\w-]{24}$/);
  }
});

Deno.test("'sluice alerts test' says why an alert is not delivered", async () => {
  await using receiver = new Receiver(500);
  const failed = async (text: string) => {
    const { code, stderr } = await runSluice(["alerts", "test"], {
      files: { "config.yaml": text },
    });
    assertEquals(code, 1);
    return stderr;
  };
  assertStringIncludes(
    await failed(config(receiver.url)),
    "The alert was not delivered: the webhook responded with status 500",
  );
  const url = receiver.url.replace("http:", "https:");
  assertStringIncludes(
    await failed(config(url, "allow_private: false")),
    "the host of the webhook has a private address",
  );
  assertStringIncludes(
    await failed("providers: { mock: { kind: mock, models: [mock-echo] } }"),
    "config.yaml has no 'alerts.webhook'",
  );
  assertEquals(receiver.received.length, 1);
});

const ignore = VALKEY === undefined;
const PERIOD_MS = 60_000;

/** Replicas that are connected to a store. */
async function replicas(port: number, holdMs: number) {
  const stores: SharedStore[] = [];
  const claims = ["a", "b"].map((replica) => {
    const store = valkeyStore(port);
    stores.push(store);
    const claim = new AlertClaims(store, replica, holdMs);
    store.start();
    return claim;
  });
  const [one, other] = claims as [AlertClaims, AlertClaims];
  for (const claim of claims) {
    await untilReply(async () => await claim.hasTraffic(false) !== undefined);
  }
  return { one, other, close: () => Promise.all(claims.map((claim) => claim.close())) };
}

Deno.test({
  name: `the first replica sends an alert, and the last one its end${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using server = await startValkey();
    const { one, other, close } = await replicas(server.port, 60_000);
    try {
      assertEquals(await one.claim("x", PERIOD_MS), true);
      assertEquals(await other.claim("x", PERIOD_MS), false);
      assertEquals(await one.claim("x", PERIOD_MS), false);
      assertEquals(await other.claim("{y}", PERIOD_MS), true);
      assertEquals(await one.release("x"), false);
      assertEquals(await other.release("x"), true);
      assertEquals(await other.release("x"), false);
      // It has been sent in this period.
      assertEquals(await one.claim("x", PERIOD_MS), false);
      assertEquals(await one.release("x"), false);
    } finally {
      await close();
    }
  },
});

Deno.test({
  name: `a replica that has ended does not keep an alert open, and a period ends${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using server = await startValkey();
    const { one, other, close } = await replicas(server.port, 1);
    try {
      assertEquals(await one.claim("x", PERIOD_MS), true);
      assertEquals(await other.claim("x", PERIOD_MS), false);
      await untilReply(async () => await other.release("x") === true);
      assertEquals(await one.claim("y", 500), true);
      await untilReply(async () => await one.release("y") === true);
      await untilReply(async () => await other.claim("y", 500) === true);
    } finally {
      await close();
    }
  },
});

Deno.test({
  name: `the traffic of one replica is known to the others${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using server = await startValkey();
    const { one, other, close } = await replicas(server.port, 60_000);
    try {
      assertEquals([await one.hasTraffic(false), await other.hasTraffic(false)], [false, false]);
      assertEquals([await one.hasTraffic(true), await other.hasTraffic(false)], [true, true]);
    } finally {
      await close();
    }
  },
});
