/** Measures the time to the first answer, and the memory after many requests. */

import { sleep } from "./children.ts";
import type { LoadResult } from "./load.ts";
import { memoryOf } from "./process_books.ts";
import type { Stage } from "./stage.ts";
import { startProgram, startSluice } from "./subjects.ts";

export interface GrowthSample {
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
/** The number of new processes whose first requests are measured. */
const FRESH = 3;
/** How long a new process is left alone, as by a load balancer that waits until it is ready. */
const FRESH_REST = 2000;
const WINDOW_SECONDS = 2;
/** How long it is loaded between the first window and the one to compare with. */
const STEADY_SECONDS = 10;

/** Milliseconds from the start of the process to the first 200, for each start. */
export async function measureStart(
  stage: Stage,
): Promise<Record<"pipe" | "sluice", readonly number[]>> {
  const { directory, nursery, upstream } = stage;
  const times = { pipe: [] as number[], sluice: [] as number[] };
  for (let round = 0; round < STARTS; round++) {
    const sluice = await startSluice(nursery, upstream, directory);
    times.sluice.push(sluice.readyMs);
    await sluice.child.stop();
    const pipe = await startProgram(nursery, "pipe", upstream);
    times.pipe.push(pipe.readyMs);
    await pipe.child.stop();
  }
  return times;
}

/** The first two seconds under load of new processes, and two seconds later on. */
export async function measureFresh(
  stage: Stage,
): Promise<ReadonlyMap<string, readonly LoadResult[]>> {
  const { directory, load, nursery, upstream } = stage;
  const samples = { "first 2 s": [] as LoadResult[], "after 12 s": [] as LoadResult[] };
  for (let round = 0; round < FRESH; round++) {
    const { child, toAsk } = await startSluice(nursery, upstream, directory);
    const ask = toAsk({ vendor: "openai" });
    const run = (seconds: number) => load.run(child.port, ask, CONNECTIONS, seconds);
    await sleep(FRESH_REST);
    samples["first 2 s"].push(await run(WINDOW_SECONDS));
    await run(STEADY_SECONDS);
    samples["after 12 s"].push(await run(WINDOW_SECONDS));
    await child.stop();
  }
  return new Map(Object.entries(samples));
}

/** Memory of a new Sluice process after 20,000 requests and after all of them. */
export async function measureGrowth(stage: Stage, requests: number): Promise<GrowthSample> {
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
