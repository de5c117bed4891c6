/** Measures many slow streams: the cost of an event, its delay, and the memory of a stream. */

import { type Child, sleep } from "./children.ts";
import { cpuOf, memoryOf } from "./process_books.ts";
import { percentile } from "./statistics.ts";
import { interleave, type Lane, type Samples, type Stage } from "./stage.ts";
import { startProgram, startSluice, type Subject } from "./subjects.ts";
import { Caller } from "./callers.ts";
import { toRequestBytes } from "./wire.ts";
import type { AskOptions } from "./requests.ts";

export interface DripSample {
  readonly events: number;
  /** Microseconds of the subject's CPU time. */
  readonly cpuPerEvent: number | undefined;
  /** Milliseconds from the upstream's write to the caller's read. */
  readonly delayP50: number;
  readonly delayP99: number;
}

export interface WeightSample {
  /** Bytes of resident memory. */
  readonly perStream: number | undefined;
}

const STREAMS = 300;
const WARM_UP = 400;
const MEASURED = 1500;
/** Rounds are short and many, since other load of the machine is bursty. */
const MORE_ROUNDS = 1;
/** The time limit for each requested round. */
const SECONDS_OF_ROUNDS = 14;
const SECONDS_OF_WEIGHING = 7.5;
/** The number of streams before the memory of a new process is read. */
const FIRST_STREAMS = 30;
const SETTLE = 300;
const HELD = 1200;

/** CPU per event and delay, with 300 streams open and an event every 50 ms each. */
export function measureDripping(stage: Stage): Promise<Samples<DripSample>> {
  const { loop, pipe, single: sluice } = stage;
  const openai = { vendor: "openai", stream: true, pace: "slow" } as const;
  const anthropic = { vendor: "anthropic", stream: true, pace: "slow" } as const;
  const lanes: Lane[] = [
    { name: "pipe", subject: pipe, ask: openai },
    { name: "loop", subject: loop, ask: openai },
    { name: "sluice", subject: sluice, ask: openai },
    { name: "loop anthropic", subject: loop, ask: anthropic },
    { name: "sluice anthropic", subject: sluice, ask: anthropic },
  ];
  const rounds = {
    count: stage.rounds + MORE_ROUNDS,
    seconds: SECONDS_OF_ROUNDS * (stage.rounds + MORE_ROUNDS),
  };
  return interleave(lanes, rounds, ({ subject, ask }) => drip(subject, ask));
}

/** Memory per open stream, in new processes. */
export async function measureWeight(stage: Stage): Promise<Samples<WeightSample>> {
  const { directory, nursery, upstream } = stage;
  const ask = { vendor: "openai", stream: true, pace: "slow" } as const;
  const lanes: Lane[] = [
    { name: "loop", subject: stage.loop, ask },
    { name: "sluice", subject: stage.sluice, ask },
  ];
  const rounds = { count: stage.rounds, seconds: SECONDS_OF_WEIGHING * stage.rounds };
  return await interleave(lanes, rounds, async ({ name }) => {
    const fresh = name === "loop"
      ? await startProgram(nursery, "loop", upstream)
      : await startSluice(nursery, upstream, directory);
    return await weigh(fresh, ask);
  });
}

async function drip({ child, toAsk }: Subject, options: AskOptions): Promise<DripSample> {
  const ask = toAsk(options);
  await using caller = new Caller(child.port, toRequestBytes(ask.path, ask.headers, ask.body));
  await caller.open(STREAMS);
  await sleep(WARM_UP);
  caller.delays.length = 0;
  const before = cpuOf(child.pid);
  await sleep(MEASURED);
  const after = cpuOf(child.pid);
  const delays = [...caller.delays];
  const known = before !== undefined && after !== undefined;
  return {
    events: delays.length,
    cpuPerEvent: known ? (after - before) * 1000 / delays.length : undefined,
    delayP50: percentile(delays, 0.5),
    delayP99: percentile(delays, 0.99),
  };
}

async function weigh({ child, toAsk }: Subject, options: AskOptions): Promise<WeightSample> {
  const ask = toAsk(options);
  const bytes = toRequestBytes(ask.path, ask.headers, ask.body);
  {
    await using first = new Caller(child.port, bytes);
    await first.open(FIRST_STREAMS);
    await sleep(SETTLE);
  }
  await sleep(SETTLE);
  const before = memoryOf(child.pid);
  const after = await memoryWhileOpen(child, bytes);
  await child.stop();
  const known = before !== undefined && after !== undefined;
  return { perStream: known ? (after - before) / STREAMS : undefined };
}

async function memoryWhileOpen(child: Child, request: Uint8Array): Promise<number | undefined> {
  await using caller = new Caller(child.port, request);
  await caller.open(STREAMS);
  await sleep(HELD);
  return memoryOf(child.pid);
}
