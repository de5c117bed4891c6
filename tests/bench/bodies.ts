/** Measures how long other requests wait while a large body is processed. */

import { sleep } from "./children.ts";
import { type Column, type Findings, medianOf, toLines, toRaw } from "./findings.ts";
import { toImageAsk } from "./requests.ts";
import type { Measured } from "./rows.ts";
import { inStarts, type Stage } from "./stage.ts";
import { percentile } from "./statistics.ts";
import type { Subject } from "./subjects.ts";
import { sluiceOf } from "./throughput.ts";
import type { Vendor } from "./vendor_answers.ts";
import { statusOf, toRequestBytes, Wire } from "./wire.ts";

interface BodySample {
  /** Milliseconds that `/healthz` took. */
  readonly healthP50: number;
  readonly healthP99: number;
  readonly healthMax: number;
  /** Requests with a large body in that time, and the median milliseconds of one. */
  readonly posts: number;
  readonly postP50: number;
}

const SIZE = 10 * 1024 * 1024;
const PICTURES = 4;
const SECONDS = 1;
const PING_EVERY = 5;
/** Connections that are opened at the start; more are opened when all of them wait. */
const PINGERS = 16;

const COLUMNS: readonly Column<BodySample>[] = [
  ["/healthz p99 ms", ({ healthP99 }) => healthP99, 1],
  ["p50 ms", ({ healthP50 }) => healthP50, 1],
  ["max ms", ({ healthMax }) => healthMax, 1],
  ["posts", ({ posts }) => posts, 0],
  ["post p50 ms", ({ postP50 }) => postP50, 0],
];

/** Callers send 10 MB of images one after the other while `/healthz` is requested every 5 ms. */
export async function measureLargeBodies(stage: Stage): Promise<Findings> {
  const subjects = new Map([["sluice", sluiceOf(stage, { workers: 1 })]]);
  const lanes = (["openai", "anthropic"] as const).map((vendor) => ({
    ...{ name: vendor, subject: "sluice", ask: { vendor } },
  }));
  const starts = await inStarts(
    stage,
    subjects,
    lanes,
    SECONDS,
    (subject, { ask }, seconds) => measureOne(subject, ask.vendor, seconds),
  );
  const waits = (name: Vendor): Measured => ({
    value: medianOf(starts, name, ({ healthP99 }) => healthP99),
  });
  return {
    goals: { body: waits("openai"), bodyConverted: waits("anthropic") },
    details: [{
      title: "10 MB bodies, one after another",
      lines: toLines(starts, "openai", COLUMNS),
    }],
    raw: toRaw(starts),
  };
}

async function measureOne(
  { child: { port }, toAsk }: Subject,
  vendor: Vendor,
  seconds: number,
): Promise<BodySample> {
  const ask = toImageAsk(toAsk({ vendor }), SIZE, PICTURES);
  const bytes = toRequestBytes(ask.path, ask.headers, ask.body);
  const end = performance.now() + seconds * 1000;
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
