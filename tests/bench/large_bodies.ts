/**
 * Measures what requests of agents, images and many texts cost, beside programs that pass them on
 * as bytes, parse them, or write them anew.
 */

import { sleep } from "./children.ts";
import { type Column, compare, type Findings, toLines, toRaw } from "./findings.ts";
import { cpuOf } from "./process_books.ts";
import { type Ask, type AskOptions, toAgentAsk, toEmbeddingsAsk, toImageAsk } from "./requests.ts";
import { inStarts, type Run, type Stage, type Start } from "./stage.ts";
import { percentile } from "./statistics.ts";
import { type Passing, startFloor, type Subject } from "./subjects.ts";
import { sluiceOf } from "./throughput.ts";
import { statusOf, toRequestBytes, Wire } from "./wire.ts";

interface BodySample {
  readonly requests: number;
  /** Milliseconds of the subject's CPU time for each request. */
  readonly cpu: number | undefined;
  /** Milliseconds until the whole answer has come. */
  readonly p50: number;
}

const CALLERS = 4;
const SECONDS = 2;
const AGENT = 316_000;
const SMALL = 2000;
/** Milliseconds between two small requests: 40 in a second. */
const GAP = 25;

type ToAsk = (base: Ask) => Ask;
const agent: ToAsk = (base) => toAgentAsk(base, AGENT);
const small: ToAsk = (base) => toAgentAsk(base, SMALL);
const OPENAI = { vendor: "openai" } as const;
const ANTHROPIC = { vendor: "anthropic" } as const;

/** A lane: whom it asks for what, and whether requests come one after the other, or at a pace. */
interface BodyLane {
  readonly subject: string;
  readonly ask: AskOptions;
  readonly toAsk: ToAsk;
  readonly gap?: number;
}

const LANES = {
  "agent, parsed": { subject: "parsed", ask: OPENAI, toAsk: agent },
  "agent, written anew": { subject: "written", ask: OPENAI, toAsk: agent },
  "agent, passed": { subject: "sluice", ask: OPENAI, toAsk: agent },
  "agent, converted": { subject: "sluice", ask: ANTHROPIC, toAsk: agent },
  "256 embeddings, bytes": { subject: "bytes", ask: OPENAI, toAsk: toEmbeddingsAsk },
  "256 embeddings": { subject: "sluice", ask: OPENAI, toAsk: toEmbeddingsAsk },
  "image of 4 MB, parsed": { subject: "parsed", ask: OPENAI, toAsk: toImageAsk },
  "image of 4 MB": { subject: "sluice", ask: OPENAI, toAsk: toImageAsk },
  "2 kB, 40/s, parsed": { subject: "parsed", ask: OPENAI, toAsk: small, gap: GAP },
  "2 kB, 40/s": { subject: "sluice", ask: OPENAI, toAsk: small, gap: GAP },
} as const satisfies Record<string, BodyLane>;

const COLUMNS: readonly Column<BodySample>[] = [
  ["CPU ms/request", ({ cpu }) => cpu, 2],
  ["p50 ms", ({ p50 }) => p50, 2],
  ["requests", ({ requests }) => requests, 0],
];

/** Requests with large bodies, and small ones of a gateway with little to do. */
export async function measureLarge(stage: Stage): Promise<Findings> {
  const { nursery, upstream } = stage;
  const passing = (way: Passing): [string, Start] => [
    way,
    () => startFloor(nursery, upstream, way),
  ];
  const subjects = new Map<string, Start>([
    ...(["bytes", "parsed", "written"] as const).map(passing),
    ["sluice", sluiceOf(stage, { workers: 1 })],
  ]);
  const lanes = new Map<string, BodyLane>(Object.entries(LANES));
  const run: Run<BodySample> = (subject, { name }, seconds) => {
    const lane = lanes.get(name);
    if (lane === undefined) throw new RangeError(`There is no lane '${name}'`);
    return post(subject, lane, seconds);
  };
  const listed = [...lanes].map(([name, { ask, subject }]) => ({ name, ask, subject }));
  const starts = await inStarts(stage, subjects, listed, SECONDS, run);
  const over = (name: keyof typeof LANES, floor: keyof typeof LANES) =>
    compare(starts, name, floor, ({ cpu }) => cpu);
  return {
    goals: {
      passed: over("agent, passed", "agent, parsed"),
      written: over("agent, converted", "agent, written anew"),
      embeddings: over("256 embeddings", "256 embeddings, bytes"),
      image: over("image of 4 MB", "image of 4 MB, parsed"),
      small: over("2 kB, 40/s", "2 kB, 40/s, parsed"),
    },
    details: [{
      title: "Bodies: 316 kB of an agent, 256 texts, an image of 4 MB, 2 kB at 40 in a second",
      lines: toLines(starts, "agent, parsed", COLUMNS),
    }],
    raw: toRaw(starts),
  };
}

async function post(
  { child, toAsk: toBase }: Subject,
  { ask: options, toAsk, gap }: BodyLane,
  seconds: number,
): Promise<BodySample> {
  const { path, headers, body } = toAsk(toBase(options));
  const bytes = toRequestBytes(path, headers, body);
  const before = cpuOf(child.pid);
  const end = performance.now() + seconds * 1000;
  const times: number[] = [];
  const call = async (_: unknown, caller: number) => {
    const wire = await Wire.open(child.port);
    const every = gap === undefined ? 0 : gap * CALLERS;
    for (let due = performance.now() + caller * (gap ?? 0); due < end; due += every) {
      if (gap !== undefined) await sleep(Math.max(0, due - performance.now()));
      const began = performance.now();
      if (began >= end) break;
      await wire.write(bytes);
      const answer = await wire.next();
      if (answer === undefined || statusOf(answer) !== 200) {
        throw new Error(
          `A large body was not answered: ${answer?.head ?? "closed"} ${answer?.body}`,
        );
      }
      times.push(performance.now() - began);
    }
    wire.close();
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  const after = cpuOf(child.pid);
  const known = before !== undefined && after !== undefined && times.length > 0;
  return {
    requests: times.length,
    cpu: known ? (after - before) / times.length : undefined,
    p50: percentile(times, 0.5),
  };
}
