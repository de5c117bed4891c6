import { assertEquals } from "@std/assert";
import { ERROR_KINDS, type ErrorKind } from "../../src/core/errors.ts";
import { errorClassOf } from "../../src/telemetry/metric_values.ts";
import {
  createTestGateway,
  createTestMetrics,
  SERVICE_KEY,
  VENDOR_KEY,
} from "../support/gateway.ts";
import { Samples, scrape } from "../support/samples.ts";
import { failing, sayHello, ScriptedVendor } from "../support/scripted_vendor.ts";
import { chatCompletions } from "../../src/apis/chat_completions/format.ts";
import { RequestRecord } from "../../src/gateway/request_record.ts";
import { attemptState } from "../support/attempt_state.ts";

const CHAT = "/v1/chat/completions";
const MESSAGES = [{ role: "user", content: "Hi" }];
const USAGE = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
const TARGET = { provider: "one", model: "up" };

/** A gateway with three priced keys, of which two have a label. */
function gatewayWithKeys(vendor: ScriptedVendor, metricKeys = 2, price: number | null = 10) {
  const prices = price === null ? {} : { prices: { input: price, output: price } };
  const names = ["default", "b", "c"];
  return createTestGateway({
    config: {
      server: {
        keys: names.map((name) => ({
          name,
          key: name === "default" ? SERVICE_KEY : `sk-${name}`,
          ...(name === "b" && { budget: { usd: 5, per: "day" } }),
        })),
      },
      telemetry: { metric_keys: metricKeys },
      providers: {
        one: {
          kind: "openai",
          api_key: VENDOR_KEY,
          models: [{ id: "m", upstream: "up", ...prices }],
        },
      },
      aliases: { "fast-*": "m" },
    },
    fetch: vendor.fetch,
  });
}

const billing = () =>
  new ScriptedVendor(async (sent) =>
    Response.json({ ...await sayHello(sent).json(), usage: USAGE })
  );

Deno.test("cost is counted by target and key, and keys beyond the maximum share a label", async () => {
  const gateway = gatewayWithKeys(billing());
  for (const key of [SERVICE_KEY, "sk-b", "sk-b", "sk-c"]) {
    const headers = { authorization: `Bearer ${key}` };
    await (await gateway.call(CHAT, { model: "m", messages: MESSAGES }, headers)).text();
  }
  const samples = await scrape(gateway);
  assertEquals(samples.all("sluice_cost_usd_total"), [[TARGET, 0.044]]);
  assertEquals(samples.all("sluice_key_cost_usd_total"), [
    [{ key: "default" }, 0.011],
    [{ key: "b" }, 0.022],
    [{ key: "_other" }, 0.011],
  ]);
  assertEquals(samples.all("sluice_key_requests_total"), [
    [{ key: "default" }, 1],
    [{ key: "b" }, 2],
    [{ key: "_other" }, 1],
  ]);
  assertEquals(samples.sum("sluice_key_tokens_total", { key: "b", kind: "input" }), 2000);
  assertEquals(samples.sum("sluice_key_tokens_total", { key: "b", kind: "output" }), 200);
  assertEquals(samples.all("sluice_budget_usd"), [[{ key: "b", per: "day" }, 5]]);
  assertEquals(samples.all("sluice_budget_spent_usd"), [[{ key: "b", per: "day" }, 0.022]]);
  // A day later nothing of the new budget is spent.
  gateway.clock.advance(86_400_000);
  const next = await scrape(gateway);
  assertEquals(next.all("sluice_budget_spent_usd"), []);
  // A scrape changes no counter.
  assertEquals(next.all("sluice_key_cost_usd_total"), samples.all("sluice_key_cost_usd_total"));
});

Deno.test("without labels of keys all share one, and without a price the cost is missing", async () => {
  const gateway = gatewayWithKeys(billing(), 0, null);
  await (await gateway.call(CHAT, { model: "m", messages: MESSAGES })).text();
  const samples = await scrape(gateway);
  assertEquals(samples.all("sluice_key_requests_total"), [[{ key: "_other" }, 1]]);
  assertEquals(samples.all("sluice_unpriced_attempts_total"), [[TARGET, 1]]);
  assertEquals(samples.all("sluice_cost_usd_total"), []);
  assertEquals(samples.all("sluice_key_cost_usd_total"), []);
});

Deno.test("an alias with a wildcard is one label, and a failure has its class", async () => {
  const gateway = gatewayWithKeys(failing(503, ""));
  for (const model of ["fast-1", "fast-2"]) {
    await (await gateway.call(CHAT, { model, messages: MESSAGES })).text();
  }
  await (await gateway.call(CHAT, { model: "m" })).text();
  await (await gateway.call("/v1/messages", { model: "m" }, { "x-api-key": SERVICE_KEY })).text();
  const samples = await scrape(gateway);
  const counted = samples.all("sluice_requests_total")
    .map(([{ format, alias, error_class }, count]) => [format, alias, error_class, count]);
  assertEquals(counted, [
    ["chat_completions", "fast-*", "unavailable", 2],
    ["chat_completions", undefined, "request", 1],
    ["messages", undefined, "request", 1],
  ]);
  assertEquals(samples.all("sluice_key_requests_total"), [
    [{ key: "default", error_class: "unavailable" }, 2],
    [{ key: "default", error_class: "request" }, 2],
  ]);
});

Deno.test("every kind of error has a class: a failed target, a limit, the request or the gateway", () => {
  const classes = new Map<string, ErrorKind[]>();
  for (const kind of Object.keys(ERROR_KINDS) as ErrorKind[]) {
    const name = errorClassOf({
      error: { kind, code: null, cause: undefined, message: "" },
      outcome: "failed",
    });
    classes.set(name, [...classes.get(name) ?? [], kind]);
  }
  assertEquals(classes.get("gateway"), ["limits_unavailable", "internal", "overloaded"]);
  assertEquals(classes.get("limit"), [
    ...["limit_exceeded", "model_limit_exceeded", "budget_exceeded", "price_unknown"],
    ...["over_max_price", "too_many_tokens"],
  ]);
  assertEquals(classes.get("unavailable"), ["upstream_error", "upstream_unavailable"]);
  assertEquals(classes.get("client_gone"), ["client_gone"]);
  const error = { kind: "upstream_error", code: null, cause: undefined, message: "" } as const;
  assertEquals(errorClassOf({ error, outcome: "client_gone" }), "client_gone");
  assertEquals(errorClassOf({ error: undefined, outcome: "done" }), "");
});

Deno.test("models that clients choose freely share a label of the cost, too", async () => {
  const metrics = createTestMetrics();
  for (let index = 0; index < 1000; index++) metrics.record(unpriced(`m${index}`));
  for (const upstream of ["m7", "new", "newer"]) metrics.record(unpriced(upstream));
  const counted = new Samples(await metrics.print()).all("sluice_unpriced_attempts_total");
  assertEquals(counted.length, 1001);
  assertEquals([counted[7], counted[1000]], [
    [{ provider: "p", model: "m7" }, 2],
    [{ provider: "p", model: "other" }, 2],
  ]);
});

/** A request to a model without a price. */
function unpriced(upstream: string): RequestRecord {
  const { signal } = new AbortController();
  const record = new RequestRecord("req_1", signal, 0, chatCompletions, () => {});
  const attempt = attemptState({ upstream, outcome: "done", usage: USAGE, hasAnswered: true });
  record.isModelRequest = true;
  record.attempt = attempt;
  record.endedAttempts.push(attempt);
  return record.close(0, 0);
}
