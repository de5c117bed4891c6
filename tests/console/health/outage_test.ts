/** The health of targets over a scripted outage, through whole gateways and a restart. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { HealthBoard } from "../../../src/console/health/health_board.ts";
import { readLedger } from "../../../src/process/stores/health.ts";
import type { LedgerRow } from "../../../src/governance/ledger/row.ts";
import { MemoryUsageStore } from "../../../src/governance/ledger/memory_store.ts";
import { hurry } from "../../support/elapse.ts";
import { createTestGateway, type TestGateway } from "../../support/gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";

const ADMIN_KEY = "sk-test-admin-key";
const MINUTE_MS = 60_000;

/** What each vendor answers now, by host. */
interface Vendors {
  [host: string]: { readonly status: number; readonly message?: string };
}

function completion() {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

function createOutage(vendors: Vendors, server: Record<string, unknown> = {}) {
  const store = new MemoryUsageStore();
  const provider = (host: string) => ({
    ...{ kind: "openai_compatible", api_key: "sk-vendor", retries: 0, models: ["m"] },
    base_url: `http://${host}/v1`,
  });
  const gateway = createTestGateway({
    config: {
      server: { console: "on", admin_keys: [{ name: "ops", key: ADMIN_KEY }], ...server },
      providers: { first: provider("first.test"), other: provider("other.test") },
    },
    usage: store,
    fetch(input) {
      const { host } = new URL(input);
      const { message, status } = vendors[host] ?? { status: 200 };
      const body = status === 200 ? completion() : { error: { message: message ?? "Broken" } };
      return Promise.resolve(Response.json(body, { status }));
    },
  });
  return { gateway, store };
}

function ask({ call }: TestGateway, model: string, times: number): Promise<Response[]> {
  const body = { model, messages: [{ role: "user", content: "Hi" }] };
  return Promise.all(
    Array.from({ length: times }, async () => {
      const response = await call("/v1/chat/completions", body);
      await response.body?.cancel();
      return response;
    }),
  );
}

async function readHealth(gateway: TestGateway) {
  const response = await gateway.call("/v1/admin/health", undefined, {
    authorization: `Bearer ${ADMIN_KEY}`,
  });
  assertEquals(response.status, 200);
  return await response.json();
}

/** The entry of a provider's target. */
async function healthOf(gateway: TestGateway, provider: string) {
  const { targets } = await readHealth(gateway);
  return targets.find((target: { provider: string }) => target.provider === provider);
}

Deno.test("a target is 'failing' until it succeeds, and 'silent' without traffic, whatever other targets do", async () => {
  const vendors: Vendors = { "first.test": { status: 500, message: "Overheated" } };
  const { gateway, store } = createOutage(vendors);
  const { clock } = gateway;
  const began = clock.wallTime();
  await ask(gateway, "m@first", 8);
  await ask(gateway, "m@other", 8);
  const first = await healthOf(gateway, "first");
  assertEquals(first.state, "failing");
  assertEquals(Date.parse(first.since), began);
  assertEquals(first.last, { attempts: 8, failures: 8 });
  assertEquals(first.incident.failures, 8);
  assertEquals((await healthOf(gateway, "other")).state, "ok");

  // Another provider fails in hundreds of requests.
  clock.advance(MINUTE_MS);
  vendors["other.test"] = { status: 500 };
  await ask(gateway, "m@other", 300);
  assertEquals((await healthOf(gateway, "first")).state, "failing");
  assertEquals((await healthOf(gateway, "first")).since, first.since);
  assertEquals((await healthOf(gateway, "other")).state, "failing");

  // Eleven minutes without traffic: no success shows that it works again.
  clock.advance(11 * MINUTE_MS);
  const silent = await healthOf(gateway, "first");
  assertEquals(silent.state, "silent");
  assertEquals(silent.since, first.last_attempt);
  assertEquals(silent.last, { attempts: 8, failures: 8 });
  assertEquals(silent.incident.since, first.since);

  // After a restart, the states are restored from the ledger.
  const board = await restarted(store, clock);
  const known = board.report().targets;
  assertEquals(
    Object.fromEntries(known.map(({ provider, state }) => [provider, state])),
    { first: "silent", other: "silent" },
  );
  assertEquals(known[0]?.incident?.since, began);

  // A failure after the pause belongs to the same incident; a success ends it.
  await ask(gateway, "m@first", 1);
  const again = await healthOf(gateway, "first");
  assertEquals([again.state, again.since], ["failing", first.since]);
  vendors["first.test"] = { status: 200 };
  clock.advance(11 * MINUTE_MS);
  await ask(gateway, "m@first", 1);
  const healthy = await healthOf(gateway, "first");
  assertEquals([healthy.state, Date.parse(healthy.since)], ["ok", clock.wallTime()]);
  assertEquals(healthy.incident, null);
});

/** The board of a process that starts now, with the rows of the ledger. */
async function restarted(store: MemoryUsageStore, clock: ManualClock): Promise<HealthBoard> {
  const board = new HealthBoard({ clock, keepsTexts: () => true });
  const reading = readLedger(board, store, clock);
  assert(board.report().isReading);
  await hurry(clock, reading, 2);
  assert(!board.report().isReading);
  return board;
}

Deno.test("at startup the last day is read from the ledger, before attempts that end while it is read", async () => {
  const clock = new ManualClock();
  const store = new MemoryUsageStore();
  const now = clock.wallTime();
  const row = (id: string, time: number, status: number): LedgerRow => ({
    ...{ id, time, key: "k", tags: [], model: "m", provider: "p", upstream: "m", format: "chat" },
    ...{ status, attempts: 1, ms: 5, input: 1, cachedInput: 0, cacheWrite: 0, output: 1 },
    ...{ reasoning: 0, source: "vendor" },
    error: status === 200 ? undefined : "upstream_error",
  });
  const rows = Array.from(
    { length: 1200 },
    (_, index) => row(`r${index}`, now - 86_000_000 + index * 1000, index % 2 === 0 ? 200 : 502),
  );
  await store.write([row("old", now - 90_000_000, 502), ...rows]);
  const board = new HealthBoard({ clock, keepsTexts: () => true });
  const reading = readLedger(board, store, clock);
  for (let index = 0; index < 5; index++) {
    board.access.add(row(`live${index}`, now, 502), []);
  }
  assertEquals(board.report().targets, []);
  await hurry(clock, reading, 2);
  const [target] = board.report().targets;
  assertEquals(target?.day, { attempts: 1205, failures: 605 });
  assertEquals([target?.state, target?.last.failures], ["failing", 7]);
  const [history] = board.history().targets;
  assertEquals(history?.cells.reduce((sum, [, attempts]) => sum + attempts, 0), 1205);
});

Deno.test("the history has a change when the breaker of a target opens, closes or is reset", async () => {
  const vendors: Vendors = { "first.test": { status: 500 } };
  const { gateway } = createOutage(vendors);
  const { clock } = gateway;
  const began = clock.wallTime();
  const changes = async () => (await readHealth(gateway)).changes;
  const change = (ms: number, text: string) => ({
    ...{ time: new Date(began + ms).toISOString(), kind: "breakers" },
    text: `first/m: breaker ${text}`,
  });
  await ask(gateway, "m@first", 4);
  assertEquals(await changes(), []);
  await ask(gateway, "m@first", 1);
  assertEquals(await changes(), [change(0, "opened")]);

  // A probe that fails extends the open period.
  clock.advance(MINUTE_MS);
  await ask(gateway, "m@first", 1);
  assertEquals(await changes(), [change(0, "opened")]);

  vendors["first.test"] = { status: 200 };
  clock.advance(MINUTE_MS);
  await ask(gateway, "m@first", 2);
  assertEquals(await changes(), [change(0, "opened"), change(2 * MINUTE_MS, "closed")]);

  vendors["first.test"] = { status: 500 };
  await ask(gateway, "m@first", 5);
  clock.advance(1000);
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  const reset = await gateway.call("/v1/admin/providers/first/reset", {}, headers);
  assertEquals(reset.status, 200);
  assertEquals((await changes()).slice(2), [
    change(2 * MINUTE_MS, "opened"),
    change(2 * MINUTE_MS + 1000, "closed"),
  ]);
});

Deno.test("breakers of several workers make one change, and many never displace the configuration's", () => {
  const clock = new ManualClock();
  const board = new HealthBoard({ clock, keepsTexts: () => true });
  board.changed("config", "The configuration was loaded");
  const target = { provider: "p", model: "m" };
  board.switched({ ...target, isOpen: false });
  for (let index = 0; index < 500; index++) {
    clock.advance(1000);
    for (const isOpen of [true, true, false, false]) board.switched({ ...target, isOpen });
  }
  const { changes } = board.history();
  assertEquals(changes.length, 201);
  assertEquals(changes[0]?.kind, "config");
  assertEquals(changes.slice(-2).map(({ text, time }) => [text, time]), [
    ["p/m: breaker opened", clock.wallTime()],
    ["p/m: breaker closed", clock.wallTime()],
  ]);
});

Deno.test("client errors and disconnects are not failures of a target", async () => {
  const vendors: Vendors = { "first.test": { status: 400, message: "Bad prompt" } };
  const { gateway } = createOutage(vendors);
  await ask(gateway, "m@first", 30);
  assertEquals(await healthOf(gateway, "first"), undefined);
  vendors["first.test"] = { status: 200 };
  await ask(gateway, "m@first", 1);
  assertEquals((await healthOf(gateway, "first")).day, { attempts: 1, failures: 0 });
});

Deno.test("the vendor's message is shown to admins and with the key's request, unless 'console_vendor_errors' is off", async () => {
  const message = "Key sk-abcdefghijklmnop is over https://billing.test/pay from 10.1.2.3:443";
  const vendors: Vendors = { "first.test": { status: 503, message } };
  for (const isOn of [true, false]) {
    const { gateway } = createOutage(vendors, { console_vendor_errors: isOn ? "on" : "off" });
    const [response] = await ask(gateway, "m@first", 1);
    const { last_failure: last } = await healthOf(gateway, "first");
    const id = response?.headers.get("x-request-id") ?? "";
    assertEquals(last.request, id);
    const own = await (await gateway.call(`/v1/requests/${id}`)).json();
    if (!isOn) {
      assertEquals([last.vendor_text, own.attempts[0].vendor_text], [null, undefined]);
      continue;
    }
    assertMatch(last.vendor_text, /Key \[secret\] is over \[url\] from \[address\]/);
    assertEquals(own.attempts[0].vendor_text, last.vendor_text);
  }
});

Deno.test("without the console, GET /v1/admin/health is a 404", async () => {
  const { gateway } = createOutage({}, { console: "off" });
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  const response = await gateway.call("/v1/admin/health", undefined, headers);
  assertEquals(response.status, 404);
  await response.body?.cancel();
});

Deno.test("the last failure of a rescued request leads to its row, which ended later", async () => {
  const { gateway, store } = createOutage({});
  const time = gateway.clock.wallTime() - 1000;
  const target = { upstream: "m", startedMs: 0, ms: 40 };
  const row: LedgerRow = {
    ...{ id: "req_rescued", time, key: "default", tags: [], model: "m", provider: "other" },
    ...{ upstream: "m", format: "chat_completions", status: 200, error: undefined, attempts: 2 },
    ...{ ms: 900, input: 1, cachedInput: 0, cacheWrite: 0, output: 1, reasoning: 0 },
    source: "vendor",
    attemptRows: [
      { ...target, provider: "first", status: 502, error: "upstream_error", next: "next_target" },
      { ...target, provider: "other", status: 200, startedMs: 41, ms: 859 },
    ],
  };
  await store.write([row]);
  const board = await restarted(store, gateway.clock);
  const failure = board.report().targets.find(({ provider }) => provider === "first")?.lastFailure;
  assertEquals([failure?.time, failure?.ended], [time - 860, time]);
  const found = async (ended: number | undefined) => {
    const query = `?time=${encodeURIComponent(new Date(ended ?? 0).toISOString())}`;
    const response = await gateway.call(`/v1/admin/requests/req_rescued${query}`, undefined, {
      authorization: `Bearer ${ADMIN_KEY}`,
    });
    await response.body?.cancel();
    return response.status;
  };
  assertEquals([await found(failure?.time), await found(failure?.ended)], [404, 200]);
});

Deno.test("a provider that is no longer enabled is not reported, and its failures alert nobody", async () => {
  const vendors: Vendors = { "first.test": { status: 500 }, "other.test": { status: 500 } };
  const { gateway, store } = createOutage(vendors);
  await ask(gateway, "m@first", 8);
  await ask(gateway, "m@other", 8);
  gateway.clock.advance(1000);
  let enabled = ["first", "other"];
  const { clock } = gateway;
  const board = new HealthBoard({ clock, keepsTexts: () => true, providers: () => enabled });
  await hurry(clock, readLedger(board, store, clock), 2);
  const seen = () =>
    [board.report().targets, board.bad(), board.history().targets]
      .map((targets) => targets.map(({ provider }) => provider).sort());
  assertEquals(seen(), [["first", "other"], ["first", "other"], ["first", "other"]]);
  enabled = ["other"];
  assertEquals(seen(), [["other"], ["other"], ["other"]]);
});
