/** Measures the first stream of a process, streams without events, and mixed traffic. */

import { Caller } from "./callers.ts";
import { type Child, sleep } from "./children.ts";
import { cpuOf, memoryOf } from "./process_books.ts";
import type { AskOptions } from "./requests.ts";
import { type Column, compare, figure, type Findings, toLines, toRaw } from "./findings.ts";
import { inStarts, type Run, type Samples, type Stage, type Start } from "./stage.ts";
import { difference, median, percentile } from "./statistics.ts";
import { startFloor, startSluice, type Subject } from "./subjects.ts";
import { sluiceOf } from "./throughput.ts";
import { LAST_CHUNK, statusOf, toRequestBytes, Wire } from "./wire.ts";

const STARTS = 5;

/** Milliseconds of the first stream of new processes. */
export async function measureFirst(stage: Stage): Promise<Findings> {
  const { directory, nursery, upstream } = stage;
  const times = { loop: [] as number[], sluice: [] as number[] };
  for (let round = 0; round < STARTS; round++) {
    const loop = await startFloor(nursery, upstream, "bytes");
    times.loop.push(await timeOfStream(loop));
    const sluice = await startSluice(nursery, upstream, directory);
    times.sluice.push(await timeOfStream(sluice));
    await Promise.all([loop.child.stop(), sluice.child.stop()]);
  }
  const added = median(times.sluice) - median(times.loop);
  const lines = Object.entries(times).map(([name, own]) => [name, figure(median(own))]);
  return {
    goals: { first: { value: added } },
    details: [{ title: "The first stream of a new process", lines: [["", "ms"], ...lines] }],
    raw: times,
  };
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

interface IdleSample {
  /** CPU time of the process in a second, in milliseconds. */
  readonly cpuPerSecond: number | undefined;
  /** Bytes of resident memory. */
  readonly perStream: number | undefined;
}

const IDLE_STREAMS = 1000;
const SETTLE_MS = 1500;
const IDLE_MS = 4000;

/** 1,000 open streams without events, in new processes. */
export async function measureIdle(stage: Stage): Promise<Findings> {
  const { directory, nursery, upstream } = stage;
  const ask = { vendor: "openai", stream: true, pace: "idle" } as const;
  const samples = new Map<string, IdleSample[]>();
  for (const name of ["loop", "sluice"]) {
    const subject = name === "loop"
      ? await startFloor(nursery, upstream, "bytes")
      : await startSluice(nursery, upstream, directory);
    samples.set(name, [await idle(subject, ask)]);
    await subject.child.stop();
  }
  const starts: readonly Samples<IdleSample>[] = [samples];
  const weight = ({ perStream }: IdleSample) => perStream;
  const lines = toLines(starts, "loop", [
    ["kB each", ({ perStream }) => perStream && perStream / 1024, 1],
    ["CPU ms/s", ({ cpuPerSecond }) => cpuPerSecond, 1],
  ]);
  return {
    goals: { idle: compare(starts, "sluice", "loop", weight) },
    details: [{ title: "1,000 open streams without events", lines }],
    raw: toRaw(starts),
  };
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

interface MixedSample {
  readonly streams: number;
  readonly answers: number;
  readonly events: number;
  /** Milliseconds from the upstream's write to the caller's read. */
  readonly delayP50: number;
  readonly delayP99: number;
}

const MIXED_CALLERS = 60;
const MIXED_SECONDS = 3;
const STREAM_SHARE = 0.7;

const MIXED: readonly Column<MixedSample>[] = [
  ["delay p99 ms", ({ delayP99 }) => delayP99, 2],
  ["p50 ms", ({ delayP50 }) => delayP50, 2],
  ["events", ({ events }) => events, 0],
  ["other answers", ({ answers }) => answers, 0],
];

/** 70 % streams of 5 to 500 events at random times, and 30 % other answers. */
export async function measureMixed(stage: Stage): Promise<Findings> {
  const subjects = new Map<string, Start>([
    ["loop", () => startFloor(stage.nursery, stage.upstream, "bytes")],
    ["sluice", sluiceOf(stage)],
  ]);
  const ask = { vendor: "openai", pace: "mixed" } as const;
  const lanes = [...subjects.keys()].map((name) => ({ name, subject: name, ask }));
  const starts = await inStarts(stage, subjects, lanes, MIXED_SECONDS, mix);
  const delay = ({ delayP99 }: MixedSample) => delayP99;
  return {
    goals: { mixed: compare(starts, "sluice", "loop", delay, difference) },
    details: [{
      title: "60 callers: 70 % streams of 5 to 500 events at random times, 30 % other answers",
      lines: toLines(starts, "loop", MIXED),
    }],
    raw: toRaw(starts),
  };
}

const mix: Run<MixedSample> = async ({ child, toAsk }, { ask: options }, seconds) => {
  const bytesOf = (stream: boolean) => {
    const { path, headers, body } = toAsk({ ...options, stream });
    return toRequestBytes(path, headers, body);
  };
  const [streamed, whole] = [bytesOf(true), bytesOf(false)];
  const end = performance.now() + seconds * 1000;
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
};

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
