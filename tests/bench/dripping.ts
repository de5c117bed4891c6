/** Measures many slow streams: the cost of an event and its delay. */

import { sleep } from "./children.ts";
import { type Column, compare, type Findings, toLines, toRaw } from "./findings.ts";
import { cpuOf } from "./process_books.ts";
import { difference, percentile } from "./statistics.ts";
import { inStarts, type Run, type Stage, type Start } from "./stage.ts";
import { startFloor } from "./subjects.ts";
import { Caller } from "./callers.ts";
import { sluiceOf } from "./throughput.ts";
import { toRequestBytes } from "./wire.ts";

interface DripSample {
  readonly events: number;
  /** Microseconds of the subject's CPU time. */
  readonly cpuPerEvent: number | undefined;
  /** Milliseconds from the upstream's write to the caller's read. */
  readonly delayP50: number;
  readonly delayP99: number;
}

const STREAMS = 100;
const WARM_UP = 400;
const SECONDS = 2;

const COLUMNS: readonly Column<DripSample>[] = [
  ["CPU µs/event", ({ cpuPerEvent }) => cpuPerEvent, 1],
  ["delay p50 ms", ({ delayP50 }) => delayP50, 2],
  ["p99 ms", ({ delayP99 }) => delayP99, 2],
  ["events", ({ events }) => events, 0],
];

/** CPU per event and delay, with 100 streams open and an event every 50 ms each. */
export async function measureEvents(stage: Stage): Promise<Findings> {
  const subjects = new Map<string, Start>([
    ["loop", () => startFloor(stage.nursery, stage.upstream, "bytes")],
    ["sluice", sluiceOf(stage, { workers: 1 })],
  ]);
  const lanes = (["openai", "anthropic"] as const).flatMap((vendor) =>
    [...subjects.keys()].map((subject) => ({
      name: vendor === "openai" ? subject : `${subject}, ${vendor}`,
      subject,
      ask: { vendor, stream: true, pace: "slow" } as const,
    }))
  );
  const starts = await inStarts(stage, subjects, lanes, SECONDS, drip);
  const cpu = (sample: DripSample) => sample.cpuPerEvent;
  const delay = (sample: DripSample) => sample.delayP99;
  return {
    goals: {
      events: compare(starts, "sluice", "loop", cpu),
      eventsConverted: compare(starts, "sluice, anthropic", "loop, anthropic", cpu),
      delay: compare(starts, "sluice", "loop", delay, difference),
    },
    details: [{
      title: `${STREAMS} streams, an event every 50 ms each`,
      lines: toLines(starts, "loop", COLUMNS),
    }],
    raw: toRaw(starts),
  };
}

/** A stream ends after ten seconds, so that a longer time has several rounds. */
const LONGEST = 8;

const drip: Run<DripSample> = async (subject, lane, seconds) => {
  const { child, toAsk } = subject;
  const ask = toAsk(lane.ask);
  const time = Math.min(seconds, LONGEST);
  await using caller = new Caller(child.port, toRequestBytes(ask.path, ask.headers, ask.body));
  await caller.open(STREAMS);
  await sleep(WARM_UP);
  caller.delays.length = 0;
  const before = cpuOf(child.pid);
  await sleep(time * 1000);
  const after = cpuOf(child.pid);
  const delays = [...caller.delays];
  if (seconds > time) {
    await caller[Symbol.asyncDispose]();
    return await drip(subject, lane, seconds - time);
  }
  const known = before !== undefined && after !== undefined;
  return {
    events: delays.length,
    cpuPerEvent: known ? (after - before) * 1000 / delays.length : undefined,
    delayP50: percentile(delays, 0.5),
    delayP99: percentile(delays, 0.99),
  };
};
