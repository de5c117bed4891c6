/** Two gateways over one real limits store: budgets that are raced, and limits of fallback models. */

import { assertEquals } from "@std/assert";
import type { ServiceKey } from "../../src/config/keys.ts";
import { SystemClock } from "../../src/core/clock.ts";
import { newId } from "../../src/core/ids.ts";
import { Limiter } from "../../src/governance/limiter.ts";
import { LocalCounters } from "../../src/governance/local_counters.ts";
import { Batch } from "../../src/governance/shared_limits/batch.ts";
import {
  type ScriptName,
  SCRIPTS,
  type StoreReply,
} from "../../src/governance/shared_limits/scripts.ts";
import { SharedLimits } from "../../src/governance/shared_limits/shared_limits.ts";
import { openClient } from "../../src/memory/shared_store/client.ts";
import type { ScriptClient } from "../../src/memory/shared_store/connection.ts";
import { until } from "../support/elapse.ts";
import { createGatewayOn, type TestGateway } from "../support/gateway.ts";
import { ScriptedVendor } from "../support/scripted_vendor.ts";
import { PatientClock, rulesFor, valkeyStore } from "../support/shared_stores.ts";
import { CHAT, MESSAGES } from "../support/stage.ts";
import { NEEDS_VALKEY, startValkey, VALKEY } from "../support/valkey_server.ts";
import type { AppliedLimits } from "../../src/governance/counters.ts";

const ignore = VALKEY === undefined;
const HEADERS = { authorization: "Bearer sk-limited" };

/** Answers with 100,000 tokens, or fails as the model `m` does. */
const vendor = () =>
  new ScriptedVendor(({ body }) =>
    body.model === "m" ? new Response("{}", { status: 500 }) : Response.json({
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "second",
      choices: [{
        index: 0,
        message: { role: "assistant", content: "Hi" },
        finish_reason: "stop",
      }],
      usage: { prompt_tokens: 0, completion_tokens: 100_000, total_tokens: 100_000 },
    })
  );

interface Replica extends AsyncDisposable {
  readonly gateway: TestGateway<SystemClock>;
  readonly vendor: ScriptedVendor;
  /** Waits until what has been used is in the store. */
  settled(): Promise<void>;
}

async function startReplica(
  port: number,
  key: Record<string, unknown>,
  sections: Record<string, unknown> = {},
  scripted = vendor(),
): Promise<Replica> {
  const clock = new PatientClock();
  const { promise: up, resolve } = Promise.withResolvers<void>();
  const counters = new LocalCounters();
  const shared = valkeyStore(port, clock);
  const store = new SharedLimits({
    ...{ store: shared, counters, clock, newId, replica: newId("") },
    policy: () => "local",
    metrics: {
      storeFailed: () => {},
      storeReplied: () => {},
      storeIsUp: (isUp) => isUp && resolve(),
      settlementsDropped: () => {},
    },
  });
  shared.start();
  const gateway = createGatewayOn(clock, {
    config: {
      server: { keys: [{ name: "limited", key: "sk-limited", ...key }] },
      providers: {
        v: {
          kind: "openai_compatible",
          base_url: "http://vendor.test/v1",
          retries: 0,
          models: [{ id: "m" }, {
            id: "second",
            max_output_tokens: 100_000,
            prices: { input: 1, output: 10 },
          }],
        },
      },
      aliases: { chain: ["m", "second"] },
      ...sections,
    },
    fetch: scripted.fetch,
    limiter: new Limiter(counters, clock, store),
  });
  await up;
  return {
    gateway,
    vendor: scripted,
    settled: () => until(() => store.isEmpty),
    async [Symbol.asyncDispose]() {
      await store.close();
      clock.close();
    },
  };
}

/** Asks all replicas in turn at the same time. Returns the number of requests by status. */
async function race(replicas: readonly Replica[], count: number, model: string) {
  const statuses = new Map<number, number>();
  await Promise.all(Array.from({ length: count }, async (_, index) => {
    const replica = replicas[index % replicas.length];
    const response = await replica?.gateway.call(CHAT, { model, messages: MESSAGES }, HEADERS);
    await response?.body?.cancel();
    const status = response?.status ?? 0;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }));
  for (const replica of replicas) await replica.settled();
  return Object.fromEntries(statuses);
}

for (const model of ["second", "chain"]) {
  Deno.test({
    name: `replicas do not spend a budget twice, whichever is first: ${model}${NEEDS_VALKEY}`,
    ignore,
    async fn() {
      await using valkey = await startValkey();
      for (const [usd, answered] of [[1, 1], [5.5, 5]] as const) {
        const key = { name: `limited-${usd}`, budget: { usd, per: "day" } };
        const start = () => startReplica(valkey.port, key);
        await using one = await start();
        await using other = await start();
        const replicas = [one, other];
        const statuses = await race(replicas, 60, model);
        assertEquals(statuses, { 200: answered, 429: 60 - answered }, `${usd} USD`);
        // What is left is less than the cost of one request: it may pass, alone.
        const rest = usd > answered ? { 200: 1, 429: 9 } : { 429: 10 };
        assertEquals(await race(replicas, 10, model), rest);
        assertEquals(await race(replicas, 10, model), { 429: 10 });
      }
    },
  });
}

Deno.test({
  name: `replicas share the limits of a model that requests fall back to${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    const limits = { models: { second: { requests_per_minute: 7 } } };
    const key = { limits: { requests_per_minute: 100 } };
    await using one = await startReplica(valkey.port, key, { limits });
    await using other = await startReplica(valkey.port, key, { limits });
    assertEquals(await race([one, other], 20, "chain"), { 200: 7, 429: 13 });
    const sent = [one, other].flatMap(({ vendor }) => vendor.sent);
    assertEquals(sent.filter(({ body }) => body.model === "second").length, 7);
    // Nothing is sent if the only model refuses, and nothing counts for the key.
    assertEquals(await race([one, other], 20, "second"), { 429: 20 });
    const left = await one.gateway.call(CHAT, { model: "m", messages: MESSAGES }, HEADERS);
    await left.body?.cancel();
    assertEquals(left.headers.get("x-ratelimit-remaining-requests"), "79");
  },
});

Deno.test({
  name: `what was sent and cut by a deadline counts for a budget of all replicas${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    const key = { budget: { usd: 0.05, per: "day" } };
    const start = () => {
      const silent = new ScriptedVendor((_, signal) =>
        new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))
      );
      return startReplica(valkey.port, key, {}, silent);
    };
    await using one = await start();
    await using other = await start();
    // 20,000 tokens cost 2 cents.
    const messages = [{ role: "user", content: "word ".repeat(20_000) }];
    const headers = { ...HEADERS, "x-sluice-deadline-ms": "100" };
    const statuses: number[] = [];
    for (const { gateway, settled } of [one, other, one, other, one]) {
      const body = { model: "second", messages, max_tokens: 1 };
      const response = await gateway.call(CHAT, body, headers);
      await response.body?.cancel();
      statuses.push(response.status);
      await settled();
    }
    assertEquals(statuses, [504, 504, 504, 429, 429]);
    assertEquals([one.vendor.sent.length, other.vendor.sent.length], [2, 1]);
  },
});

Deno.test({
  name: `the budget in headers is that of all replicas, without what is reserved${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    const key = { budget: { usd: 4, per: "day" } };
    const message = {
      ...{ id: "msg_1", type: "message", role: "assistant", model: "second", stop_sequence: null },
      ...{ content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn" },
      usage: { input_tokens: 0, output_tokens: 100_000 },
    };
    const sections = {
      providers: {
        v: {
          ...{ kind: "anthropic", api_key: "k", base_url: "http://vendor.test/v1" },
          models: [{ id: "second", prices: { input: 1, output: 10 } }],
        },
      },
      aliases: {},
    };
    const start = () => {
      const scripted = new ScriptedVendor(() => Response.json(message));
      return startReplica(valkey.port, key, sections, scripted);
    };
    await using one = await start();
    await using other = await start();
    const shares: (string | null)[] = [];
    for (const { gateway, settled } of [one, other, one]) {
      const body = { model: "second", messages: MESSAGES, max_tokens: 100_000 };
      const response = await gateway.call("/v1/messages", body, HEADERS);
      assertEquals(response.status, 200, await response.text());
      shares.push(response.headers.get("anthropic-ratelimit-unified-5h-utilization"));
      await settled();
    }
    assertEquals(shares, ["0", "0.25", "0.5"]);
  },
});

Deno.test({
  name:
    `what a killed replica had reserved is not shown after its lease, without a request${NEEDS_VALKEY}`,
  ignore,
  async fn() {
    await using valkey = await startValkey();
    // A replica that renews no lease.
    const killed: ScriptClient<ScriptName, string | number, StoreReply> = await openClient(
      rulesFor(valkey.port),
      SCRIPTS,
      new AbortController().signal,
    );
    const [clock, counters] = [new SystemClock(), new LocalCounters()];
    const { promise: up, resolve } = Promise.withResolvers<void>();
    const shared = valkeyStore(valkey.port, clock);
    const store = new SharedLimits({
      ...{ store: shared, counters, clock, newId, replica: newId("") },
      policy: () => "local",
      metrics: {
        storeFailed: () => {},
        storeReplied: () => {},
        storeIsUp: (isUp) => isUp && resolve(),
        settlementsDropped: () => {},
      },
    });
    shared.start();
    await up;
    const limiter = new Limiter(counters, clock, store);
    const key = {
      ...{ name: "limited", models: undefined },
      budget: { usd: 100, per: "total" },
    } as ServiceKey;
    const rules = { defaults: {}, models: new Map() };
    const admit = async () => {
      const targets = [{
        model: { id: "m", facts: { prices: { input: 1, output: 1 } } },
        ...{ params: undefined },
      }];
      const estimate = () => ({ input: 5000, maxOutput: 5000 });
      const admission = await limiter.admit({ key, targets, estimate }, rules);
      admission?.settle({ tokens: 10_000, microUsd: 10_000 });
    };
    const spent = () => limiter.budgetOf(key, undefined)?.spent;
    await admit();
    const budget = { name: "budget:total:key:limited", slot: 0, period: 0, owner: "key 'limited'" };
    const limits: AppliedLimits = {
      ...{ id: "key:limited", concurrency: [], buckets: [] },
      budget: { ...budget, usd: 100, per: "total" },
    };
    const reserved = { tokens: 0, microUsd: 76_800_000 };
    const batch = new Batch([], [{ id: "lost", limits, reserved }], clock.wallTime());
    const { keys, args } = batch.toCall(3_000_000);
    await killed.run("batch", keys, args);
    await admit();
    await until(() => store.isEmpty);
    assertEquals(spent(), 76.82);
    await until(() => spent() === 0.02, 20_000);
    killed.close();
    await killed.ended;
    await store.close();
    clock.close();
  },
});

/** Each answer costs 0.34 dollars. */
const CONFIG = {
  server: {
    keys: [{
      ...{ name: "app", key: "sk-app" },
      end_users: { budget: { usd: 0.5, per: "day" } },
    }],
    end_users: { ids: "plain" },
  },
  providers: {
    p: {
      ...{ kind: "groq", api_key: "k" },
      models: [{ id: "m", prices: { input: 10_000, output: 10_000 }, max_output_tokens: 4 }],
    },
  },
};

Deno.test({
  name: `replicas share the limits and budgets of end users${NEEDS_VALKEY}`,
  ignore: VALKEY === undefined,
  async fn() {
    await using valkey = await startValkey();
    const startReplica = async () => {
      const { promise: up, resolve } = Promise.withResolvers<void>();
      const [clock, counters] = [new PatientClock(), new LocalCounters()];
      const shared = valkeyStore(valkey.port, clock);
      const store = new SharedLimits({
        ...{ store: shared, counters, clock, newId, replica: newId("") },
        policy: () => "local",
        metrics: {
          storeFailed: () => {},
          storeReplied: () => {},
          storeIsUp: (isUp) => isUp && resolve(),
          settlementsDropped: () => {},
        },
      });
      shared.start();
      const limiter = new Limiter(counters, clock, store);
      const { fetch } = new ScriptedVendor();
      const gateway = createGatewayOn(clock, { config: CONFIG, fetch, limiter });
      const statusOf = async (user: string) => {
        const body = { model: "m", messages: MESSAGES, max_tokens: 4, user };
        const response = await gateway.call(CHAT, body, { authorization: "Bearer sk-app" });
        await response.text();
        return response.status;
      };
      await up;
      const close = async () => {
        await store.close();
        clock.close();
      };
      const settled = () => until(() => store.isEmpty);
      return { statusOf, settled, close };
    };
    const [one, other] = [await startReplica(), await startReplica()];
    const found: number[] = [];
    for (
      const [replica, user] of [[one, "ada"], [other, "ada"], [one, "ada"], [one, "bob"]] as const
    ) {
      found.push(await replica.statusOf(user));
      await replica.settled();
    }
    assertEquals(found, [200, 200, 429, 200]);
    await one.close();
    await other.close();
  },
});
