/** Measures the time to the first answer, and the memory after many requests. */

import { sleep } from "./children.ts";
import {
  compare,
  figure,
  type Findings,
  NO_PROC,
  type PartOptions,
  toLines,
  toRaw,
} from "./findings.ts";
import type { LoadResult } from "./load.ts";
import { memoryOf } from "./process_books.ts";
import type { Samples, Stage } from "./stage.ts";
import { median } from "./statistics.ts";
import { startFloor, startSluice } from "./subjects.ts";

interface GrowthSample {
  /** Requests after which memory was read. */
  readonly early: number;
  readonly late: number;
  /** Bytes of resident memory; undefined if the system does not report it. */
  readonly earlyBytes: number | undefined;
  readonly lateBytes: number | undefined;
  /** The same once the process is idle. */
  readonly restBytes: number | undefined;
}

const CONNECTIONS = 32;
const SETTLE = 300;
/** The time until an idle process has ended the workers that were added, and given memory back. */
const REST = 100_000;
const EARLY = 20_000;
/** Up to this many requests have a time limit. */
const FEW = 60_000;
/**
 * The time limit in seconds. On a busy machine fewer requests are sent; the result says how many.
 */
const TIME_FOR_FEW = 16;
const TIME_FOR_MANY = 240;
const STARTS = 7;
/** How long a new process is left alone, as by a load balancer that waits until it is ready. */
const FRESH_REST = 2000;
const WINDOW_SECONDS = 2;

/** Milliseconds from the start of the process to the first 200, for each start. */
export async function measureStart(stage: Stage): Promise<Findings> {
  const { directory, nursery, upstream } = stage;
  const times = { loop: [] as number[], sluice: [] as number[] };
  for (let round = 0; round < STARTS; round++) {
    const sluice = await startSluice(nursery, upstream, directory);
    times.sluice.push(sluice.readyMs);
    await sluice.child.stop();
    const loop = await startFloor(nursery, upstream, "bytes");
    times.loop.push(loop.readyMs);
    await loop.child.stop();
  }
  const lines = Object.entries(times).map(([name, own]) => [name, figure(median(own), 0)]);
  return {
    goals: { start: { value: median(times.sluice) } },
    details: [{ title: "Start to first 200", lines: [["", "ms"], ...lines] }],
    raw: times,
  };
}

/** The first two seconds under load of new processes, and two seconds when they are warm. */
export async function measureFresh(stage: Stage): Promise<Findings> {
  const { directory, load, nursery, starts: count, upstream, warmUp } = stage;
  const starts: Samples<LoadResult>[] = [];
  for (let start = 0; start < count; start++) {
    const { child, toAsk } = await startSluice(nursery, upstream, directory);
    const ask = toAsk({ vendor: "openai" });
    const run = (seconds: number) => load.run(child.port, ask, CONNECTIONS, seconds);
    await sleep(FRESH_REST);
    const first = await run(WINDOW_SECONDS);
    if (warmUp > 0) await run(warmUp);
    starts.push(new Map([[FIRST, [first]], [LATER, [await run(WINDOW_SECONDS)]]]));
    await child.stop();
  }
  const rate = ({ perSecond }: LoadResult) => perSecond;
  return {
    goals: { fresh: compare(starts, FIRST, LATER, rate) },
    details: [{
      title: "New processes, chat completions, JSON, 32 connections",
      lines: toLines(starts, LATER, [
        ["requests/s", rate, 0],
        ["p50 µs", ({ p50 }) => p50, 0],
        ["p99 µs", ({ p99 }) => p99, 0],
      ]),
    }],
    raw: toRaw(starts),
  };
}

const [FIRST, LATER] = ["first 2 s", "warm"] as const;

/** Memory of a new process after 20,000 requests, after all of them, and at rest. */
export async function measureGrowth(stage: Stage, { requests }: PartOptions): Promise<Findings> {
  const sample = await grow(stage, requests);
  const { early, late, earlyBytes, lateBytes, restBytes } = sample;
  const known = earlyBytes !== undefined && lateBytes !== undefined;
  const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`;
  return {
    goals: {
      growth: known
        ? {
          value: lateBytes / earlyBytes,
          note: `${megabytes(earlyBytes)} after ${early} requests, ` +
            `${megabytes(lateBytes)} after ${late}`,
        }
        : { value: undefined, note: NO_PROC },
      rest: { value: restBytes && restBytes / 2 ** 20 },
    },
    details: [],
    raw: sample,
  };
}

async function grow(stage: Stage, requests: number): Promise<GrowthSample> {
  const { directory, load, nursery, upstream } = stage;
  const { child, toAsk } = await startSluice(nursery, upstream, directory);
  const ask = toAsk({ vendor: "openai" });
  let done = 0;
  const end = performance.now() + (requests > FEW ? TIME_FOR_MANY : TIME_FOR_FEW) * 1000;
  const until = async (count: number) => {
    while (done < count && performance.now() < end) {
      done += (await load.run(child.port, ask, CONNECTIONS, 1)).requests;
    }
    await sleep(SETTLE);
    return { count: done, bytes: memoryOf(child.pid) };
  };
  const early = await until(Math.min(EARLY, requests / 2));
  const late = await until(requests);
  await sleep(REST);
  const restBytes = memoryOf(child.pid);
  await child.stop();
  return {
    early: early.count,
    late: late.count,
    earlyBytes: early.bytes,
    lateBytes: late.bytes,
    restBytes,
  };
}
