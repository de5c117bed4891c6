/** Measures how long other requests wait while a large body is processed. */

import { sleep } from "./children.ts";
import { toLargeAsk } from "./requests.ts";
import { interleave, type Samples, type Stage } from "./stage.ts";
import { percentile } from "./statistics.ts";
import type { Vendor } from "./vendor_answers.ts";
import { statusOf, toRequestBytes, Wire } from "./wire.ts";

export interface BodySample {
  /** Milliseconds that `/healthz` took. */
  readonly healthP50: number;
  readonly healthP99: number;
  readonly healthMax: number;
  /** Requests with a large body in that time, and the median milliseconds of one. */
  readonly posts: number;
  readonly postP50: number;
}

const SIZE = 10 * 1024 * 1024;
/** The length of a round: rounds are short and many, since the machine sometimes stalls. */
const SECONDS = 0.6;
/** The time limit of all rounds. */
const LIMIT = 15;
const PING_EVERY = 5;
/** Connections that are opened at the start; more are opened when all of them wait. */
const PINGERS = 16;

/** Callers send 10 MB of images one after the other while `/healthz` is requested every 5 ms. */
export function measureLargeBodies(
  { single: sluice, rounds }: Stage,
): Promise<Samples<BodySample>> {
  const lanes = (["openai", "anthropic"] as const).map((vendor) => ({
    name: vendor === "openai" ? "sluice" : `sluice ${vendor}`,
    subject: sluice,
    ask: { vendor },
  }));
  const { port } = sluice.child;
  return interleave(
    lanes,
    { count: 2 * rounds - 1, seconds: LIMIT },
    ({ ask }) => measureOne(port, ask.vendor),
  );
}

async function measureOne(port: number, vendor: Vendor): Promise<BodySample> {
  const ask = toLargeAsk(vendor, SIZE);
  const bytes = toRequestBytes(ask.path, ask.headers, ask.body);
  const end = performance.now() + SECONDS * 1000;
  const [posts, pings] = await Promise.all([post(port, bytes, end), ping(port, end)]);
  return {
    healthP50: percentile(pings, 0.5),
    healthP99: percentile(pings, 0.99),
    healthMax: percentile(pings, 1),
    posts: posts.length,
    postP50: percentile(posts, 0.5),
  };
}

async function post(port: number, bytes: Uint8Array, end: number): Promise<number[]> {
  const wire = await Wire.open(port);
  const times: number[] = [];
  for (let start = performance.now(); start < end; start = performance.now()) {
    await wire.write(bytes);
    const answer = await wire.next();
    if (answer === undefined || statusOf(answer) !== 200) {
      throw new Error(`A large body was not answered: ${answer?.head ?? "closed"} ${answer?.body}`);
    }
    times.push(performance.now() - start);
  }
  wire.close();
  return times;
}

/** Each request is sent on schedule, whether or not the one before was answered. */
async function ping(port: number, end: number): Promise<number[]> {
  const bytes = toRequestBytes("/healthz", {}, "");
  const free: Wire[] = await Promise.all(Array.from({ length: PINGERS }, () => Wire.open(port)));
  const waits: Promise<number>[] = [];
  const one = async (wire: Wire) => {
    const start = performance.now();
    await wire.write(bytes);
    if (await wire.next() === undefined) throw new Error("/healthz was not answered");
    free.push(wire);
    return performance.now() - start;
  };
  for (let due = performance.now(); due < end; due += PING_EVERY) {
    await sleep(Math.max(0, due - performance.now()));
    const wire = free.pop() ?? await Wire.open(port);
    waits.push(one(wire));
  }
  const times = await Promise.all(waits);
  for (const wire of free) wire.close();
  return times;
}
