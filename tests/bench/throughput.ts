/** Measures requests per second, CPU time per request, and latency. */

import type { LoadResult } from "./load.ts";
import { cpuOf, memoryOf } from "./process_books.ts";
import { interleave, type Lane, type Samples, type Stage } from "./stage.ts";
import { startSluice } from "./subjects.ts";
import { startValkey, VALKEY } from "../support/valkey_server.ts";

export interface ThroughputSample extends LoadResult {
  /** Microseconds of the subject's CPU time. */
  readonly cpuPerRequest: number | undefined;
}

const CONNECTIONS = 32;
const SECONDS = 1;
/** The time limit for each requested round. */
const SECONDS_OF_ROUNDS = 25;
/**
 * Warm-up rounds, which do not count: workers are added, and after about 50,000 requests in each of
 * them nothing is compiled any more.
 */
const WARM_UP = 10;

/** Answers that are not streams, 32 connections. */
export function measureUnary(stage: Stage): Promise<Samples<ThroughputSample>> {
  const { pipe, sluice, portkey } = stage;
  const openai = { vendor: "openai" } as const;
  const anthropic = { vendor: "anthropic" } as const;
  return drive(stage, CONNECTIONS, [
    { name: "pipe", subject: pipe, ask: openai },
    { name: "sluice", subject: sluice, ask: openai },
    { name: "pipe anthropic", subject: pipe, ask: anthropic },
    { name: "sluice anthropic", subject: sluice, ask: anthropic },
    ...(typeof portkey === "string" ? [] : [{ name: "portkey", subject: portkey, ask: openai }]),
  ]);
}

/** Streams of 200 events in large packets, 32 connections. */
export function measureLargePackets(stage: Stage): Promise<Samples<ThroughputSample>> {
  const { loop, pipe, sluice } = stage;
  const openai = { vendor: "openai", stream: true } as const;
  const anthropic = { vendor: "anthropic", stream: true } as const;
  return drive(stage, CONNECTIONS, [
    { name: "pipe", subject: pipe, ask: openai },
    { name: "loop", subject: loop, ask: openai },
    { name: "sluice", subject: sluice, ask: openai },
    { name: "loop anthropic", subject: loop, ask: anthropic },
    { name: "sluice anthropic", subject: sluice, ask: anthropic },
  ]);
}

/** Streams as the formats of callers get them, 32 connections. */
export function measureFormats(stage: Stage): Promise<Samples<ThroughputSample>> {
  const { single: subject } = stage;
  const messages = { format: "messages", stream: true } as const;
  const gemini = { format: "gemini", stream: true } as const;
  return drive(stage, CONNECTIONS, [
    { name: "chat from openai", subject, ask: { vendor: "openai", stream: true } },
    { name: "messages from anthropic", subject, ask: { vendor: "anthropic", ...messages } },
    { name: "messages from openai", subject, ask: { vendor: "openai", ...messages } },
    { name: "gemini from gemini", subject, ask: { vendor: "gemini", ...gemini } },
    { name: "gemini from openai", subject, ask: { vendor: "openai", ...gemini } },
  ]);
}

/** One connection: the latency without other load. */
export function measureLatency(stage: Stage): Promise<Samples<ThroughputSample>> {
  const ask = { vendor: "openai" } as const;
  return drive(stage, 1, [
    { name: "pipe", subject: stage.pipe, ask },
    { name: "sluice", subject: stage.single, ask },
  ]);
}

/** Resident memory of one subject, in bytes. */
export interface Resident {
  readonly name: string;
  readonly readyMs: number;
  readonly idle: number | undefined;
  readonly loaded: number | undefined;
}

/** Workers: one in the main thread, one in a separate thread, two, and one that another joins. */
export async function measureWorkers(
  stage: Stage,
): Promise<{ samples: Samples<ThroughputSample>; memory: readonly Resident[] }> {
  const { directory, nursery, upstream } = stage;
  const ask = { vendor: "openai" } as const;
  const lanes: Lane[] = [];
  for (
    const [name, options] of [
      ["1, main thread", { workers: 1 }],
      ["1, supervised", { workers: 1, supervised: true }],
      ["2", { workers: 2 }],
      ["auto", { workers: "auto" }],
    ] as const
  ) {
    lanes.push({ name, subject: await startSluice(nursery, upstream, directory, options), ask });
  }
  const weigh = () => lanes.map(({ subject: { child } }) => memoryOf(child.pid));
  const idle = weigh();
  const samples = await drive(stage, CONNECTIONS, lanes);
  const loaded = weigh();
  for (const { subject } of lanes) await subject.child.stop();
  const memory = lanes.map(({ name, subject: { readyMs } }, index) => ({
    ...{ name, readyMs, idle: idle[index], loaded: loaded[index] },
  }));
  return { samples, memory };
}

/** Limits, kept in the process with a ledger in SQLite, or in a Valkey server. */
export async function measureLimits(
  stage: Stage,
): Promise<{ unary: Samples<ThroughputSample>; single: Samples<ThroughputSample> }> {
  const { directory, nursery, upstream } = stage;
  const ask = { vendor: "openai" } as const;
  const start = (name: string, sections: Record<string, unknown>) =>
    startSluice(nursery, upstream, directory, { workers: 1, limits: { name, sections } });
  // As new as the others: the process of the other measures has been compiled for longer.
  const none = await startSluice(nursery, upstream, directory, { workers: 1 });
  const memory = await start("memory", { store: `sqlite:${directory}/ledger.db` });
  const lanes: Lane[] = [
    { name: "no limits", subject: none, ask },
    { name: "memory, SQLite", subject: memory, ask },
  ];
  await using valkey = VALKEY === undefined ? undefined : await startValkey();
  if (valkey !== undefined) {
    const subject = await start("valkey", { shared_store: valkey.url });
    lanes.push({ name: "valkey", subject, ask });
  }
  const unary = await drive(stage, CONNECTIONS, lanes);
  const single = await drive(stage, 1, lanes);
  for (const { subject } of lanes) await subject.child.stop();
  return { unary, single };
}

/** Requests per second of each lane. */
export async function drive(
  stage: Stage,
  connections: number,
  lanes: readonly Lane[],
): Promise<Samples<ThroughputSample>> {
  const rounds = { count: stage.rounds + WARM_UP, seconds: SECONDS_OF_ROUNDS * stage.rounds };
  const samples = await interleave(lanes, rounds, async ({ subject, ask }) => {
    const { pid, port } = subject.child;
    const before = cpuOf(pid);
    const result = await stage.load.run(port, subject.toAsk(ask), connections, SECONDS);
    const after = cpuOf(pid);
    const known = before !== undefined && after !== undefined;
    const cpuPerRequest = known ? (after - before) * 1000 / result.requests : undefined;
    return { ...result, cpuPerRequest };
  });
  return new Map([...samples].map(([name, all]) => [name, all.slice(WARM_UP)]));
}
