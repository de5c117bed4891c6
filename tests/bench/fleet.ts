/**
 * What a fleet of gateways asks of its stores, and what breaks first: `deno task fleet [replicas]
 * [keys]`, by default 10,000 and 100,000. It measures what each call costs a Valkey and a
 * PostgreSQL server of this machine, with that many replicas and keys in them, and multiplies that
 * by what the gateways of a fleet send.
 */

import process from "node:process";
import { newId } from "../../src/core/ids.ts";
import type { ServiceKey } from "../../src/config/keys.ts";
import { Limiter } from "../../src/governance/limiter.ts";
import { LocalCounters } from "../../src/governance/local_counters.ts";
import { PostgresConnection } from "../../src/governance/ledger/postgres_connection.ts";
import { PostgresUsageStore } from "../../src/governance/ledger/postgres_store.ts";
import { toRenewal } from "../../src/governance/shared_limits/commands.ts";
import { SCRIPTS } from "../../src/governance/shared_limits/scripts.ts";
import { SharedLimits } from "../../src/governance/shared_limits/shared_limits.ts";
import { EXCHANGE_KEYS, EXCHANGE_SCRIPTS } from "../../src/gateway/health_exchange/script.ts";
import { write } from "../../src/process/system/stdio.ts";
import { connect, openClient } from "../../src/memory/shared_store/client.ts";
import { HAS_POSTGRES } from "../support/postgres.ts";
import { emptyDatabase, stopPostgres } from "../support/postgres_store.ts";
import { usageRow } from "../support/usage_rows.ts";
import { startValkey, VALKEY } from "../support/valkey_server.ts";
import { PatientClock, rulesFor, valkeyStore } from "../support/shared_stores.ts";
import { type Costs, toReport } from "./fleet_model.ts";

const [REPLICAS = 10_000, KEYS = 100_000] = Deno.args.map(Number);
/** Calls of one kind that are measured, and how many of them are open at once. */
const CALLS = 5000;
const OPEN = 50;
const BATCH_ROWS = 100;

const TARGET = {
  model: { id: "m", facts: { prices: { input: 1, output: 1 } } },
  params: undefined,
};
const NO_RULES = { defaults: {}, models: new Map() };

/** Runs calls, some of them at the same time. */
async function repeat(calls: number, run: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: OPEN }, async () => {
    for (let index = next++; index < calls; index = next++) await run(index);
  }));
}

async function measureValkey(): Promise<Omit<Costs, "insertUs" | "countUs">> {
  await using server = await startValkey();
  const { signal } = new AbortController();
  const connection = await connect(rulesFor(server.port), signal);
  const info = async (section: string, member: RegExp) =>
    Number(
      member.exec(new TextDecoder().decode(await connection.call("INFO", section) as Uint8Array))
        ?.[1],
    );
  const cpuUs = async () =>
    1e6 *
    (await info("cpu", /used_cpu_user:([\d.]+)/) + await info("cpu", /used_cpu_sys:([\d.]+)/));
  /** Microseconds of the server's processor for each call, which other programs do not lengthen. */
  const measured = async (run: () => Promise<void>) => {
    const before = await cpuUs();
    await run();
    return (await cpuUs() - before) / CALLS;
  };
  const client = await openClient(
    { ...rulesFor(server.port) },
    { ...SCRIPTS, ...EXCHANGE_SCRIPTS },
    signal,
  );
  const renew = (index: number) => {
    const { keys, args } = toRenewal(`replica_${index}`);
    return client.run("renew", keys, args);
  };
  await repeat(REPLICAS, renew);
  const renewUs = await measured(() => repeat(CALLS, (index) => renew(index % REPLICAS)));
  for (let at = 0; at < 1000; at += 100) {
    const records = Array.from(
      { length: 100 },
      (_, index) => [`target_${at + index}`, "x".repeat(200)],
    );
    await client.run("exchange", EXCHANGE_KEYS, [0, 100, ...records.flat()]);
  }
  const [now = ""] = (await client.run("exchange", EXCHANGE_KEYS, [0, 0]) as Uint8Array[])
    .map((text) => new TextDecoder().decode(text));
  const pollUs = await measured(() =>
    repeat(CALLS, () => client.run("exchange", EXCHANGE_KEYS, [now, 0]))
  );
  const clock = new PatientClock();
  const store = valkeyStore(server.port, clock);
  const counters = new LocalCounters();
  const { promise: up, resolve } = Promise.withResolvers<void>();
  const limits = new SharedLimits({
    ...{ store, counters, clock, newId, replica: "measured", policy: () => "local" as const },
    metrics: {
      storeFailed: () => {},
      storeReplied: () => {},
      storeIsUp: (isUp) => isUp && resolve(),
      settlementsDropped: () => {},
    },
  });
  store.start();
  await up;
  const limiter = new Limiter(counters, clock, limits);
  const admit = async (index: number) => {
    const key = {
      name: `key_${index}`,
      models: undefined,
      limits: { requests_per_minute: 6000, tokens_per_minute: 1e7, concurrent: 100 },
      budget: { usd: 100, per: "month", unknownPrices: "allow" },
    };
    const admission = await limiter.admit({
      key: key as unknown as ServiceKey,
      targets: [TARGET] as never,
      estimate: () => ({ input: 100, maxOutput: 100 }),
    }, NO_RULES as never);
    admission?.settle({ tokens: 150, microUsd: 150 } as never);
  };
  const before = await info("memory", /used_memory:(\d+)/);
  await repeat(KEYS, admit);
  const keyBytes = (await info("memory", /used_memory:(\d+)/) - before) / KEYS;
  const requestUs = await measured(() => repeat(CALLS, (index) => admit(index * 17 % KEYS)));
  await limits.close();
  clock.close();
  client.close();
  connection.close();
  await Promise.all([client.ended, connection.ended]);
  return { renewUs, pollUs, requestUs, keyBytes };
}

/** Microseconds of processors for a batch of rows, and of a gateway and the server for counting one. */
async function measurePostgres(): Promise<Pick<Costs, "insertUs" | "countUs">> {
  const rules = await emptyDatabase();
  const store = new PostgresUsageStore(rules);
  await store.open();
  const other = new PostgresConnection(rules, undefined, 5000);
  const now = Date.now();
  const began = await serverCpuUs(other);
  const batches = 60;
  for (let batch = 0; batch < batches; batch++) {
    const rows = Array.from(
      { length: BATCH_ROWS },
      (_, index) => usageRow({ time: now, key: `key_${(batch * BATCH_ROWS + index) * 17 % KEYS}` }),
    );
    await store.write(rows, newId(""));
  }
  const own = process.cpuUsage();
  const written = await serverCpuUs(other);
  await store.summarize({ from: now - 1, to: now + 1, groupBy: [] });
  const { user, system } = process.cpuUsage(own);
  const counted = await serverCpuUs(other) - written + user + system;
  await Promise.all([store.close(), other.close()]);
  await stopPostgres();
  return { insertUs: (written - began) / batches, countUs: counted / (batches * BATCH_ROWS) };
}

/** The processor time of the connections of gateways, in microseconds. */
async function serverCpuUs(connection: PostgresConnection): Promise<number> {
  const rows = await connection.call((sql) =>
    sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'sluice'")
  );
  const ticks = rows.map(({ pid }) => {
    // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html (2026-11-26): utime and stime, 10 ms.
    const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, one) => sum + one, 0) * 10_000;
}

if (import.meta.main) {
  if (VALKEY === undefined || !HAS_POSTGRES) {
    write(Deno.stderr, "Valkey or Redis, and PostgreSQL, must be installed\n");
    Deno.exit(1);
  }
  const costs = { ...await measureValkey(), ...await measurePostgres() };
  write(Deno.stdout, `${toReport({ replicas: REPLICAS, keys: KEYS }, costs)}\n`);
}
