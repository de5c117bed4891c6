/** The delivery of alerts: signatures, attempts, and what ends them. */

import { assertEquals, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { deliver, DeliveryError, headersOf, Webhook } from "../../src/alerts/webhook.ts";
import type { WebhookRules } from "../../src/config/alerts.ts";
import { TransportError } from "../../src/core/transport_error.ts";
import { PrivateAddressError } from "../../src/upstream/http1/dial.ts";
import type { Fetch, FetchInit } from "../../src/upstream/transport.ts";
import { shortTurns, turn } from "../support/elapse.ts";
import { ManualClock } from "../support/manual_clock.ts";

const RULES: WebhookRules = {
  url: "https://hooks.test/alerts",
  secret: new Uint8Array(32).fill(1),
  allowPrivate: false,
};
const MESSAGE = { id: "msg_1", body: '{"type":"alert.firing"}' };
const DAY_MS = 86_400_000;

/** A webhook whose answers a test sets: a status, or an error. */
class Rig {
  readonly clock = new ManualClock();
  readonly sent: { url: string; init: FetchInit; at: number }[] = [];
  readonly results: string[] = [];
  readonly logged: string[] = [];
  rules: WebhookRules | undefined = RULES;
  answer: () => number | Promise<number> = () => 200;
  readonly fetch: Fetch = async (url, init) => {
    this.sent.push({ url, init, at: this.clock.now() });
    const status = await this.answer();
    const ok = status < 300;
    return { status, ok, headers: new Headers(), body: null };
  };
  readonly webhook = new Webhook({
    clock: this.clock,
    fetch: this.fetch,
    rules: () => this.rules,
    random: () => 0,
    onResult: (result, count) => void this.results.push(`${count} ${result}`),
    log: (text) => void this.logged.push(text),
  });

  async pass(ms: number, step = 1000): Promise<void> {
    for (let passed = 0; passed < ms; passed += step) {
      this.clock.advance(step);
      await shortTurns();
    }
  }
}

Deno.test("the headers are those of Standard Webhooks", () => {
  // The example of the specification, version 1.0.0.
  const secret = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64");
  const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: '{"test": 2432232314}' };
  const headers = headersOf(message, { secret }, 1_614_265_330_999);
  assertEquals(headers["webhook-id"], message.id);
  assertEquals(headers["webhook-timestamp"], "1614265330");
  assertEquals(
    headers["webhook-signature"],
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  );
});

Deno.test("a failed delivery is tried eight times over a day, with one ID and new signatures", async () => {
  const rig = new Rig();
  rig.answer = () => 503;
  rig.webhook.send(MESSAGE);
  await turn();
  for (const seconds of [5, 300, 1800, 7200, 18_000, 28_800, 28_800, 86_400]) {
    await rig.pass(seconds * 1000, seconds * 1000);
  }
  assertEquals(rig.sent.length, 8);
  const first = rig.sent[0]?.at ?? 0;
  assertEquals(rig.sent.map(({ at }) => Math.round((at - first) / 1000)), [
    ...[0, 5, 305, 2105, 9305, 27_305, 56_105, 84_905],
  ]);
  const headers = rig.sent.map(({ init }) => init.headers);
  assertEquals(new Set(headers.map((all) => all["webhook-id"])), new Set(["msg_1"]));
  assertEquals(new Set(headers.map((all) => all["webhook-timestamp"])).size, 8);
  for (const { "webhook-timestamp": time, "webhook-signature": signature } of headers) {
    const hmac = createHmac("sha256", RULES.secret).update(`msg_1.${time}.${MESSAGE.body}`);
    assertEquals(signature, `v1,${hmac.digest("base64")}`);
  }
  assertEquals(rig.results, ["1 failed"]);
  assertEquals([rig.webhook.size, rig.clock.pending], [0, 0]);
  assertEquals(
    rig.logged.at(-1),
    "an alert was not delivered: the webhook responded with status 503 (attempt 8 of 8)",
  );
});

Deno.test("a later attempt that succeeds ends the delivery", async () => {
  const rig = new Rig();
  const statuses = [500, 302, 204];
  rig.answer = () => statuses.shift() ?? 500;
  rig.webhook.send(MESSAGE);
  await rig.pass(400_000);
  assertEquals([rig.sent.length, rig.results, rig.webhook.size], [3, ["1 delivered"], 0]);
});

Deno.test("after 410 nothing is sent until the URL changes", async () => {
  const rig = new Rig();
  rig.answer = () => 410;
  rig.webhook.send(MESSAGE);
  rig.webhook.send({ ...MESSAGE, id: "msg_2" });
  await turn();
  rig.webhook.send({ ...MESSAGE, id: "msg_3" });
  await rig.pass(DAY_MS, 60_000);
  assertEquals([rig.sent.length, rig.results], [1, ["2 dropped", "1 dropped"]]);
  rig.rules = { ...RULES, url: "https://other.test/" };
  rig.answer = () => 200;
  rig.webhook.send({ ...MESSAGE, id: "msg_4" });
  await turn();
  assertEquals(rig.sent.map(({ url }) => url), [RULES.url, "https://other.test/"]);
});

Deno.test("at most 1,000 alerts wait; others are dropped and counted", async () => {
  const rig = new Rig();
  rig.answer = () => new Promise<number>(() => {});
  for (let index = 0; index < 1002; index++) {
    rig.webhook.send({ ...MESSAGE, id: `msg_${index}` });
  }
  assertEquals([rig.webhook.size, rig.results], [1000, ["1 dropped", "1 dropped"]]);
  await turn();
});

Deno.test("the end of the gateway ends the timer and the attempt", async () => {
  const rig = new Rig();
  rig.answer = () => 500;
  rig.webhook.send(MESSAGE);
  await turn();
  assertEquals(rig.clock.pending, 1);
  await rig.webhook.close();
  assertEquals([rig.clock.pending, rig.logged.at(-1)], [0, "undelivered alerts: 1"]);
  rig.webhook.send(MESSAGE);
  assertEquals(rig.sent.length, 1);
});

Deno.test("deliver() says why an alert is not delivered, without addresses", async () => {
  const deps = (thrown: unknown) => ({
    clock: new ManualClock(),
    fetch: () => Promise.reject(thrown),
  });
  const messageFor = async (thrown: unknown) =>
    (await assertRejects(() => deliver(MESSAGE, RULES, deps(thrown)), DeliveryError)).message;
  const cause = new PrivateAddressError("the host has a private address");
  assertEquals(
    [
      await messageFor(new TransportError("refused", "connection refused", "10.0.0.1:80")),
      await messageFor(new TransportError("unknown", "x", "10.0.0.1:80", { cause })),
    ],
    [
      "cannot connect to the webhook: connection refused",
      "the host of the webhook has a private address; 'allow_private: true' allows it",
    ],
  );
});

Deno.test("deliver() gives up after 15 seconds", async () => {
  const clock = new ManualClock();
  const fetch: Fetch = (_, { signal }) =>
    new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    );
  const delivered = deliver(MESSAGE, RULES, { clock, fetch });
  clock.advance(15_000);
  const { message } = await assertRejects(() => delivered, DeliveryError);
  assertEquals(message, "the webhook did not answer in time");
  assertEquals(clock.pending, 0);
});
