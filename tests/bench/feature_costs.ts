/** What each feature costs where it is on, beside the same gateway where it is off. */

import { startValkey, VALKEY } from "../support/valkey_server.ts";
import { HAS_POSTGRES } from "../support/postgres.ts";
import { sharedPostgres, stopPostgres } from "../support/postgres_store.ts";
import { compare, type Findings, THROUGHPUT, toLines, toRaw } from "./findings.ts";
import type { Measured } from "./rows.ts";
import type { Stage, Start } from "./stage.ts";
import type { SluiceOptions } from "./subjects.ts";
import { drive, lanesOf, rate, sluiceOf } from "./throughput.ts";

/** Limits that are never reached. */
const LIMITS = {
  limits: { requests_per_minute: "900M", tokens_per_minute: "900M", concurrent: 10_000 },
};
const BUDGET = { budget: { usd: 100_000_000, per: "month" } };
const CONNECTIONS = 32;
const OFF = "off";
const ALL_LIMITS = "limits, budget, SQLite";
const SHARED = "limits, budget, Valkey";
const TRACES = "OTLP";
const AFFINITY = "affinity";

/** The options of each line of the table that needs no server. */
function optionsOf({ directory, upstream }: Stage): Record<string, SluiceOptions> {
  let databases = 0;
  const sqlite = () => ({ store: `sqlite:${directory}/ledger-${++databases}.db` });
  return {
    [OFF]: {},
    limits: { key: LIMITS },
    budget: { key: BUDGET },
    "ledger, SQLite": { sections: sqlite() },
    [ALL_LIMITS]: { key: { ...LIMITS, ...BUDGET }, sections: sqlite() },
    "cache hit": { sections: { routing: { cache: { ttl: "1h", temperature: "any" } } } },
    hedge: { sections: { routing: { hedge: {} } }, second: true },
    [AFFINITY]: { sections: { routing: { affinity: {} } }, second: true },
    [TRACES]: {
      env: {
        OTEL_DENO: "true",
        OTEL_DENO_CONSOLE: "ignore",
        OTEL_METRICS_EXPORTER: "none",
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${upstream.port}`,
      },
    },
  };
}

/** Chat completions, JSON, 32 connections: a table of features. */
export async function measureFeatures(stage: Stage): Promise<Findings> {
  const subjects = new Map<string, Start>(
    Object.entries(optionsOf(stage)).map(([name, options]) => [
      name,
      sluiceOf(stage, { workers: 1, ...options }),
    ]),
  );
  await using valkey = VALKEY === undefined ? undefined : await startValkey();
  if (valkey !== undefined) {
    const sections = { shared_store: valkey.url };
    subjects.set(SHARED, sluiceOf(stage, { workers: 1, key: { ...LIMITS, ...BUDGET }, sections }));
  }
  if (HAS_POSTGRES) {
    const store = await (await sharedPostgres()).createDatabase(`bench_${Deno.pid}`);
    subjects.set("ledger, PostgreSQL", sluiceOf(stage, { workers: 1, sections: { store } }));
  }
  try {
    const lanes = lanesOf(subjects, { vendor: "openai" }).map((lane) =>
      lane.name === AFFINITY ? { ...lane, ask: { ...lane.ask, session: "bench" } } : lane
    );
    const starts = await drive(stage, CONNECTIONS, subjects, lanes);
    const over = (name: string, missing: string): Measured =>
      subjects.has(name)
        ? compare(starts, name, OFF, rate)
        : { value: undefined, note: `no ${missing} is installed` };
    return {
      goals: {
        limits: over(ALL_LIMITS, ""),
        valkey: over(SHARED, "valkey-server"),
        otlp: over(TRACES, ""),
      },
      details: [{
        title: "Features on against off, 32 connections, one worker",
        lines: toLines(starts, OFF, THROUGHPUT),
      }],
      raw: toRaw(starts),
    };
  } finally {
    await stopPostgres();
  }
}
