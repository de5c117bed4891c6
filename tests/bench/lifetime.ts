/** Measures the time to the first answer, and the memory after many requests. */

import { sleep } from "./children.ts";
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
