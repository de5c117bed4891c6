/** The gateway's counters and histograms print what those of prom-client do. */

import { assertEquals } from "@std/assert";
import promCounter from "prom-client/lib/counter.js";
import promHistogram from "prom-client/lib/histogram.js";
import type * as client from "prom-client";
import { chatCompletions } from "../../src/apis/chat_completions/format.ts";
import { RequestRecord } from "../../src/gateway/request_record.ts";
import { Registry } from "../../src/telemetry/prom_client.ts";
import { Meter } from "../../src/telemetry/series.ts";
import { attemptState } from "../support/attempt_state.ts";
import { createTestMetrics } from "../support/gateway.ts";
import { Samples } from "../support/samples.ts";
import { printSum } from "../../src/telemetry/process_metrics.ts";

const PromCounter: typeof client.Counter = promCounter;
const PromHistogram: typeof client.Histogram = promHistogram;

const TEXTS = ["", "a", 'a "quoted"\nname\\', "日本"];
const BOUNDS = [0.1, 0.25, 1];
/** On, below and above each bound. */
const VALUES = [0, 0.05, 0.1, 0.1000001, 0.25, 0.5, 1, 1.5, 1e9];

/** A metric of the gateway, and the same of prom-client. */
function registries() {
  const [own, theirs] = [new Registry(), new Registry()];
  const registers = [theirs];
  const meter = new Meter(own);
  const counter = meter.counter("c", "C", ["one", "two"]);
  const promCounter = new PromCounter({
    ...{ name: "c", help: "C", labelNames: ["one", "two"], registers },
  });
  const histogram = meter.histogram("h", "H", BOUNDS, ["one"]);
  const promHistogram = new PromHistogram({
    ...{ name: "h", help: "H", labelNames: ["one"], buckets: BOUNDS, registers },
  });
  const plain = meter.counter("p", "P");
  const promPlain = new PromCounter({ name: "p", help: "P", registers });
  const times = meter.histogram("t", "T", BOUNDS);
  const promTimes = new PromHistogram({ name: "t", help: "T", buckets: BOUNDS, registers });
  return {
    registries: [own, theirs] as const,
    count(amount: number, one: string, two: string) {
      counter.add(amount, one, two);
      promCounter.inc({ one, two }, amount);
      plain.add(amount);
      promPlain.inc(amount);
    },
    observe(value: number, one: string) {
      histogram.of(one).observe(value);
      promHistogram.observe({ one }, value);
      times.of().observe(value);
      promTimes.observe(value);
    },
  };
}

Deno.test("the text of counters and histograms is that of prom-client, value for value", async () => {
  const { count, observe, registries: [own, theirs] } = registries();
  assertEquals(await own.metrics(), await theirs.metrics());
  for (const one of TEXTS) {
    for (const two of TEXTS) count(TEXTS.indexOf(two) + 0.5, one, two);
    for (const value of VALUES) observe(value, one);
    assertEquals(await own.metrics(), await theirs.metrics());
  }
});

Deno.test("values of several workers are added as those of prom-client are", async () => {
  const [first, second] = [registries(), registries()];
  for (const value of VALUES) first.observe(value, "a");
  second.observe(0.2, "a");
  second.observe(0.2, "b");
  second.count(2, "a", "b");
  const sums = [0, 1].map(async (side) =>
    await printSum(
      await Promise.all(
        [first, second].map(({ registries }) =>
          (registries[side] ?? new Registry()).getMetricsAsJSON()
        ),
      ),
    )
  );
  assertEquals(await sums[0], await sums[1]);
});

Deno.test("a unit divides sums, and moves bounds", async () => {
  const registry = new Registry();
  new Meter(registry).counter("c", "C", [], 1000).add(2500);
  const histogram = new Meter(registry).histogram("h", "H", BOUNDS, [], 1000);
  for (const value of [100, 101, 250]) histogram.of().observe(value);
  const samples = new Samples(await registry.metrics());
  assertEquals([samples.sum("c"), samples.sum("h_sum")], [2.5, 0.451]);
  assertEquals(samples.all("h_bucket").map(([{ le }, value]) => [le, value]), [
    ...[["0.1", 1], ["0.25", 3], ["1", 3], ["+Inf", 3]],
  ]);
});

Deno.test("a series that is kept for later is not printed before its first value", async () => {
  const registry = new Registry();
  const series = new Meter(registry).histogram("h", "H", BOUNDS, ["one"]).of("a");
  assertEquals(new Samples(await registry.metrics()).all("h_count"), []);
  series.observe(1);
  assertEquals(new Samples(await registry.metrics()).all("h_count"), [[{ one: "a" }, 1]]);
});

type Metrics = ReturnType<typeof createTestMetrics>;

/** Counts an answered request to a model. */
function ask(metrics: Metrics, upstream: string, members: Partial<RequestRecord>): void {
  const record = new RequestRecord(
    ...["req_1", new AbortController().signal, 0, chatCompletions, () => {}] as const,
  );
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const attempt = attemptState({ upstream, outcome: "done", usage, hasAnswered: true });
  Object.assign(record, { isModelRequest: true, attempt, status: 200, ...members });
  record.endedAttempts.push(attempt);
  metrics.record(record.close(0, 0));
}

const key = (name: string) => ({ name }) as unknown as RequestRecord["serviceKey"];

Deno.test("requests are counted whatever their number, and whatever keys a reload makes", async () => {
  const metrics = createTestMetrics(() => 1);
  const first = key("one");
  // More than are kept, so that all are found again.
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 700; index++) ask(metrics, `m${index}`, { serviceKey: first });
    for (let index = 0; index < 700; index++) ask(metrics, "m0", { serviceKey: key("one") });
    for (let index = 0; index < 700; index++) ask(metrics, `m${index}`, { serviceKey: key("two") });
  }
  const samples = new Samples(await metrics.print());
  assertEquals(samples.sum("sluice_requests_total"), 4200);
  assertEquals(samples.sum("sluice_requests_total", { model: "m0" }), 2 * (1 + 700 + 1));
  assertEquals(samples.sum("sluice_tokens_total", { model: "m699", kind: "input" }), 12);
  assertEquals(samples.sum("sluice_key_requests_total", { key: "one" }), 2800);
  assertEquals(samples.sum("sluice_key_tokens_total", { key: "_other", kind: "output" }), 2800);
});

Deno.test("requests of one plan count by all labels, and those of a replaced plan stay", async () => {
  const metrics = createTestMetrics(() => 10);
  const toPlan = () => ({}) as unknown as RequestRecord["plan"];
  const [plan, replaced] = [toPlan(), toPlan()];
  const [one, two] = [key("one"), key("two")];
  ask(metrics, "m", { plan: replaced, serviceKey: one });
  const others: readonly Partial<RequestRecord>[] = [
    { status: 206 },
    { route: "/v1/messages" },
    { columns: { alias: "a" } },
    { outcome: "client_gone" },
    { isModelRequest: false },
  ];
  for (const serviceKey of [one, two, one]) {
    ask(metrics, "other", { plan, serviceKey });
    for (const members of others) {
      // Each directly after one that differs only in its label.
      ask(metrics, "m", { plan, serviceKey });
      ask(metrics, "m", { plan, serviceKey, ...members });
    }
  }
  const samples = new Samples(await metrics.print());
  const sum = (labels: Record<string, string>) => samples.sum("sluice_requests_total", labels);
  assertEquals([sum({}), sum({ model: "other" }), sum({ status: "206" })], [34, 3, 3]);
  assertEquals([sum({ route: "/v1/messages" }), sum({ alias: "a" })], [3, 3]);
  assertEquals(sum({ error_class: "client_gone" }), 3);
  assertEquals(sum({ format: chatCompletions.name }), 31);
  const ofKey = (labels: Record<string, string>) =>
    samples.sum("sluice_key_requests_total", labels);
  assertEquals([ofKey({ key: "one" }), ofKey({ key: "two" })], [21, 10]);
  assertEquals(ofKey({ key: "two", error_class: "client_gone" }), 1);
});
