/** Requests a second, CPU per request, and latency: whatever the load itself tells. */

import type { LoadResult } from "./load.ts";
import { cpuOf } from "./process_books.ts";
import { interleave, type Lane, type Samples, type Stage } from "./stage.ts";

export interface ThroughputSample extends LoadResult {
  /** Microseconds of the subject's own CPU time. */
  readonly cpuPerRequest: number | undefined;
}

const CONNECTIONS = 32;
const SECONDS = 1;
/** What the rounds may take, for each that was asked for. */
const SECONDS_OF_ROUNDS = 8;

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

/** One connection: what a request waits for, with nobody else there. */
export function measureLatency(stage: Stage): Promise<Samples<ThroughputSample>> {
  const ask = { vendor: "openai" } as const;
  return drive(stage, 1, [
    { name: "pipe", subject: stage.pipe, ask },
    { name: "sluice", subject: stage.sluice, ask },
  ]);
}

/** The first round warms everything up and does not count. */
async function drive(
  stage: Stage,
  connections: number,
  lanes: readonly Lane[],
): Promise<Samples<ThroughputSample>> {
  const rounds = { count: stage.rounds + 1, seconds: SECONDS_OF_ROUNDS * stage.rounds };
  const samples = await interleave(lanes, rounds, async ({ subject, ask }) => {
    const { pid, port } = subject.child;
    const before = cpuOf(pid);
    const result = await stage.load.run(port, subject.toAsk(ask), connections, SECONDS);
    const after = cpuOf(pid);
    const known = before !== undefined && after !== undefined;
    const cpuPerRequest = known ? (after - before) * 1000 / result.requests : undefined;
    return { ...result, cpuPerRequest };
  });
  return new Map([...samples].map(([name, [, ...counted]]) => [name, counted]));
}
