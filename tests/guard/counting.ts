/** Counts what requests take, in numbers that do not depend on the speed of the machine. */

import inspector from "node:inspector";
import type { GuardCase } from "./cases.ts";

/** The counts of one request, or of one event of a stream. */
export interface Counts {
  readonly promises: number;
  /** Bytes allocated on the heap. */
  readonly bytes: number;
  /** Calls of functions of `src`. */
  readonly calls: number;
  /** The functions of `src` that are called. */
  readonly functions: number;
  /** Calls of functions of the runtime that are written in JavaScript. */
  readonly runtime_calls: number;
}

/** The requests before the counting, so that V8 has compiled what they run. */
const WARM_UP = 1500;
/** The requests of a count of promises or calls. */
const REQUESTS = 50;
/** The rounds of the allocation, of which the least counts, and the requests in each. */
const ROUNDS = 5;
const REQUESTS_IN_ROUND = 20;

interface RuntimeCore {
  setPromiseHooks(...hooks: ((() => void) | undefined)[]): void;
}

const core: RuntimeCore = Reflect.get(Reflect.get(Deno, Reflect.get(Deno, "internal")), "core");
/** Collects garbage; exists by `--expose-gc`. */
export const collect: () => void = Reflect.get(globalThis, "gc");

type Ask = GuardCase["ask"];

/** A function of V8's precise coverage. */
export interface CoveredFunction {
  readonly functionName: string;
  readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[];
}

/** A script of V8's precise coverage. */
export interface CoveredScript {
  readonly scriptId: string;
  readonly url: string;
  readonly functions: readonly CoveredFunction[];
}

/** V8's inspector of this process. */
export class Inspector {
  readonly #session = new inspector.Session();

  constructor() {
    this.#session.connect();
  }

  /** Calls a method of the DevTools protocol. */
  post<Result>(method: string, params: Record<string, unknown> = {}): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#session.post(method, params, (error, result) => {
        if (error) reject(error);
        else resolve(result as Result);
      });
    });
  }

  /** The functions that run meanwhile, and how often. */
  async cover(run: () => Promise<void>): Promise<readonly CoveredScript[]> {
    await this.post("Profiler.takePreciseCoverage");
    await run();
    return (await this.post<{ result: CoveredScript[] }>("Profiler.takePreciseCoverage")).result;
  }
}

async function repeat(ask: Ask, settle: () => void, times: number): Promise<void> {
  for (let index = 0; index < times; index++) await ask();
  settle();
}

async function countPromises(ask: Ask, settle: () => void): Promise<number> {
  let count = 0;
  core.setPromiseHooks(() => void count++, undefined, undefined, undefined);
  await repeat(ask, settle, REQUESTS);
  core.setPromiseHooks(undefined, undefined, undefined, undefined);
  return count / REQUESTS;
}

async function countBytes(ask: Ask, settle: () => void): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    collect();
    const before = Deno.memoryUsage().heapUsed;
    await repeat(ask, settle, REQUESTS_IN_ROUND);
    least = Math.min(least, Deno.memoryUsage().heapUsed - before);
  }
  return least / REQUESTS_IN_ROUND;
}

/** Whether a script belongs to `src`. @returns its path there */
export function pathOf({ url }: CoveredScript): string | undefined {
  return url.startsWith(SOURCES) ? url.slice(SOURCES.length) : undefined;
}

const SOURCES = new URL("../../src/", import.meta.url).href;

async function countCalls(
  inspector: Inspector,
  ask: Ask,
  settle: () => void,
): Promise<Pick<Counts, "calls" | "functions" | "runtime_calls">> {
  const scripts = await inspector.cover(() => repeat(ask, settle, REQUESTS));
  const counts = { calls: 0, functions: 0, runtime_calls: 0 };
  for (const script of scripts) {
    const isOwn = pathOf(script) !== undefined;
    if (!isOwn && !script.url.startsWith("ext:")) continue;
    for (const { ranges: [whole] } of script.functions) {
      // Rounded for each function: a timer that fires meanwhile does not count.
      const calls = Math.round((whole?.count ?? 0) / REQUESTS);
      if (!isOwn) counts.runtime_calls += calls;
      else {
        counts.calls += calls;
        if (calls > 0) counts.functions++;
      }
    }
  }
  return counts;
}

/** What {@linkcode countAllocation} counts. */
export type Allocation = Pick<Counts, "promises" | "bytes">;

/** Counts promises and bytes of all cases. It comes first: what has run before changes both. */
export async function countAllocation(
  cases: readonly GuardCase[],
): Promise<ReadonlyMap<string, Allocation>> {
  const counted = new Map<string, Allocation>();
  for (const { name, ask, without, settle, units } of cases) {
    for (const request of [ask, without]) await repeat(request, settle, WARM_UP / Math.sqrt(units));
    const promises = await countPromises(ask, settle) - await countPromises(without, settle);
    const bytes = await countBytes(ask, settle) - await countBytes(without, settle);
    counted.set(name, {
      promises: Math.round(promises / units),
      bytes: Math.round(bytes / units),
    });
  }
  return counted;
}

/** Counts the calls of all cases. It comes last: V8 discards its optimized code for the coverage. */
export async function countAllCalls(
  cases: readonly GuardCase[],
  allocated: ReadonlyMap<string, Allocation>,
  inspector: Inspector,
): Promise<ReadonlyMap<string, Counts>> {
  await inspector.post("Profiler.enable");
  await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const counted = new Map<string, Counts>();
  for (const { name, ask, without, settle, units } of cases) {
    const { promises = 0, bytes = 0 } = allocated.get(name) ?? {};
    const { functions, ...all } = await countCalls(inspector, ask, settle);
    const less = await countCalls(inspector, without, settle);
    counted.set(name, {
      ...{ promises, bytes, functions },
      calls: Math.round((all.calls - less.calls) / units),
      runtime_calls: Math.round((all.runtime_calls - less.runtime_calls) / units),
    });
  }
  return counted;
}
