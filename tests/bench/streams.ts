/** Measures streams that nothing has prepared, streams without events, and mixed traffic. */

import { Caller } from "./callers.ts";
import { type Child, sleep } from "./children.ts";
import { cpuOf, memoryOf } from "./process_books.ts";
import type { AskOptions } from "./requests.ts";
import { interleave, type Lane, type Samples, type Stage } from "./stage.ts";
import { percentile } from "./statistics.ts";
import { startProgram, startSluice, type Subject } from "./subjects.ts";
import { drive, type ThroughputSample } from "./throughput.ts";
import { LAST_CHUNK, statusOf, toRequestBytes, Wire } from "./wire.ts";

const CONNECTIONS = 32;

/** Streams of 200 events in large packets, whose IDs are new; the access log goes to a file. */
export async function measureCold(stage: Stage): Promise<Samples<ThroughputSample>> {
  const { directory, loop, nursery, upstream } = stage;
  const logged = await startSluice(nursery, upstream, directory, {
    log: `${directory}/access.log`,
  });
  const openai = { vendor: "openai", stream: true, pace: "cold" } as const;
  const anthropic = { vendor: "anthropic", stream: true, pace: "cold" } as const;
  const samples = await drive(stage, CONNECTIONS, [
    { name: "loop", subject: loop, ask: openai },
    { name: "sluice", subject: logged, ask: openai },
    { name: "loop anthropic", subject: loop, ask: anthropic },
    { name: "sluice anthropic", subject: logged, ask: anthropic },
  ]);
  await logged.child.stop();
  return samples;
}

const STARTS = 5;

/** Milliseconds of the first stream of new processes. */
export async function measureFirst(
  stage: Stage,
): Promise<Record<"loop" | "sluice", readonly number[]>> {
  const { directory, nursery, upstream } = stage;
  const times = { loop: [] as number[], sluice: [] as number[] };
  for (let round = 0; round < STARTS; round++) {
    const loop = await startProgram(nursery, "loop", upstream);
    times.loop.push(await timeOfStream(loop));
    const sluice = await startSluice(nursery, upstream, directory);
    times.sluice.push(await timeOfStream(sluice));
    await Promise.all([loop.child.stop(), sluice.child.stop()]);
  }
  return times;
}

async function timeOfStream({ child, toAsk }: Subject): Promise<number> {
  const { path, headers, body } = toAsk({ vendor: "openai", stream: true });
  const wire = await Wire.open(child.port);
  try {
    const began = performance.now();
    await wire.write(toRequestBytes(path, headers, body));
    const answer = await wire.next();
    if (answer === undefined || statusOf(answer) !== 200) throw new Error("A stream was refused");
    return performance.now() - began;
  } finally {
    wire.close();
  }
}

export interface IdleSample {
  /** CPU time of the process in a second, in milliseconds. */
  readonly cpuPerSecond: number | undefined;
  /** Bytes of resident memory. */
  readonly perStream: number | undefined;
}

const IDLE_STREAMS = 1000;
const SETTLE_MS = 1500;
const IDLE_MS = 4000;

/** 1,000 open streams without events, in new processes. */
export async function measureIdle(stage: Stage): Promise<Samples<IdleSample>> {
  const { directory, nursery, upstream } = stage;
  const ask = { vendor: "openai", stream: true, pace: "idle" } as const;
  const lanes: Lane[] = [
    { name: "loop", subject: stage.loop, ask },
    { name: "sluice", subject: stage.sluice, ask },
  ];
  return await interleave(lanes, { count: 1, seconds: 40 }, async ({ name }) => {
    const subject = name === "loop"
      ? await startProgram(nursery, "loop", upstream)
      : await startSluice(nursery, upstream, directory);
    const sample = await idle(subject, ask);
    await subject.child.stop();
    return sample;
  });
}

async function idle({ child, toAsk }: Subject, options: AskOptions): Promise<IdleSample> {
  const memory = memoryOf(child.pid);
  await using caller = callerOf(child, toAsk(options));
  await caller.open(IDLE_STREAMS);
  await sleep(SETTLE_MS);
  const before = cpuOf(child.pid);
  await sleep(IDLE_MS);
  const after = cpuOf(child.pid);
  const loaded = memoryOf(child.pid);
  const isKnown = memory !== undefined && loaded !== undefined;
  return {
    cpuPerSecond: before === undefined || after === undefined
      ? undefined
      : (after - before) / (IDLE_MS / 1000),
    perStream: isKnown ? (loaded - memory) / IDLE_STREAMS : undefined,
  };
}

function callerOf(child: Child, ask: ReturnType<Subject["toAsk"]>): Caller {
  return new Caller(child.port, toRequestBytes(ask.path, ask.headers, ask.body));
}

export interface MixedSample {
  readonly streams: number;
  readonly answers: number;
  readonly events: number;
  /** Milliseconds from the upstream's write to the caller's read. */
  readonly delayP50: number;
  readonly delayP99: number;
}

const MIXED_CALLERS = 60;
const MIXED_MS = 3000;
const STREAM_SHARE = 0.7;

/** 70 % streams of 5 to 500 events at random times, and 30 % other answers. */
export function measureMixed(stage: Stage): Promise<Samples<MixedSample>> {
  const ask = { vendor: "openai", pace: "mixed" } as const;
  const lanes: Lane[] = [
    { name: "loop", subject: stage.loop, ask },
    { name: "sluice", subject: stage.sluice, ask },
  ];
  const rounds = { count: stage.rounds, seconds: 12 * stage.rounds };
  return interleave(lanes, rounds, ({ subject }) => mix(subject, ask));
}

async function mix({ child, toAsk }: Subject, options: AskOptions): Promise<MixedSample> {
  const bytesOf = (stream: boolean) => {
    const { path, headers, body } = toAsk({ ...options, stream });
    return toRequestBytes(path, headers, body);
  };
  const [streamed, whole] = [bytesOf(true), bytesOf(false)];
  const end = performance.now() + MIXED_MS;
  const delays: number[] = [];
  let [streams, answers] = [0, 0];
  const call = async () => {
    const wire = await Wire.open(child.port);
    try {
      while (performance.now() < end) {
        if (Math.random() < STREAM_SHARE) {
          await wire.write(streamed);
          if (!await readEvents(wire, delays, end)) return;
          streams++;
        } else {
          await wire.write(whole);
          const answer = await wire.next();
          if (answer === undefined || statusOf(answer) !== 200) throw new Error("No answer");
          answers++;
        }
      }
    } finally {
      wire.close();
    }
  };
  await Promise.all(Array.from({ length: MIXED_CALLERS }, call));
  return {
    ...{ streams, answers, events: delays.length },
    delayP50: percentile(delays, 0.5),
    delayP99: percentile(delays, 0.99),
  };
}

const latin1 = new TextDecoder("latin1");

/** Reads a stream and its delays. Returns false if the time was over before its end. */
async function readEvents(wire: Wire, delays: number[], end: number): Promise<boolean> {
  // The end of what was received before: the last chunk may arrive in parts.
  let tail = "";
  for (let isFirst = true;; isFirst = false) {
    const packet = await wire.packet();
    if (packet === undefined) throw new Error("A stream ended too early");
    const now = performance.timeOrigin + performance.now();
    const text = latin1.decode(packet);
    if (isFirst && !text.startsWith("HTTP/1.1 200 ")) throw new Error("A stream was refused");
    const parts = text.split("@");
    for (let at = 1; at < parts.length; at += 2) delays.push(now - Number(parts[at]));
    tail = (tail + text).slice(-LAST_CHUNK.length);
    if (tail === LAST_CHUNK) return true;
    if (performance.now() > end) return false;
  }
}
