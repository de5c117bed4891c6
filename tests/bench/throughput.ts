/** Measures requests per second, CPU time per request, and latency, beside the floor. */

import { compare, type Findings, THROUGHPUT, toLines, toRaw } from "./findings.ts";
import type { LoadResult } from "./load.ts";
import { cpuOf } from "./process_books.ts";
import type { AskOptions } from "./requests.ts";
import { inStarts, type Lane, type Samples, type Stage, type Start } from "./stage.ts";
import { type SluiceOptions, startFloor, startPortkey, startSluice } from "./subjects.ts";

export interface ThroughputSample extends LoadResult {
  /** Microseconds of the subject's CPU time. */
  readonly cpuPerRequest: number | undefined;
}

const CONNECTIONS = 32;
const SECONDS = 1;

export const cpu = ({ cpuPerRequest }: ThroughputSample) => cpuPerRequest;
export const rate = ({ perSecond }: ThroughputSample) => perSecond;
const p50 = (sample: ThroughputSample) => sample.p50;

const CHAT = { vendor: "openai" } as const;

/** Sluice with its options, for {@linkcode inStarts}. */
export function sluiceOf(stage: Stage, options: SluiceOptions = {}): Start {
  const { directory, flags, nursery, upstream } = stage;
  return () => startSluice(nursery, upstream, directory, { flags, ...options });
}

function floorOf({ nursery, upstream }: Stage): Start {
  return () => startFloor(nursery, upstream);
}

/** Answers that are not streams, 32 connections. */
export async function measureChat(stage: Stage): Promise<Findings> {
  const subjects = new Map([
    ["floor", floorOf(stage)],
    ["sluice", sluiceOf(stage, { workers: 1 })],
    ["sluice, auto", sluiceOf(stage, { workers: "auto" })],
  ]);
  const starts = await drive(stage, CONNECTIONS, subjects, [
    ...lanesOf(subjects, CHAT),
    { name: "sluice to anthropic", subject: "sluice", ask: { vendor: "anthropic" } },
  ]);
  return {
    goals: {
      chatCpu: compare(starts, "sluice", "floor", cpu),
      chatRate: compare(starts, "sluice, auto", "floor", rate),
      converted: compare(starts, "sluice to anthropic", "sluice", cpu),
    },
    details: [{
      title: "Chat completions, JSON, 32 connections",
      lines: toLines(starts, "floor", THROUGHPUT),
    }],
    raw: toRaw(starts),
  };
}

/** One connection: the latency without other load. */
export async function measureLatency(stage: Stage): Promise<Findings> {
  const subjects = new Map([
    ["floor", floorOf(stage)],
    ["sluice", sluiceOf(stage, { workers: 1 })],
  ]);
  const starts = await drive(stage, 1, subjects, lanesOf(subjects, CHAT));
  return {
    goals: { latency: compare(starts, "sluice", "floor", p50) },
    details: [{
      title: "Chat completions, JSON, 1 connection",
      lines: toLines(starts, "floor", THROUGHPUT),
    }],
    raw: toRaw(starts),
  };
}

/** One worker and two. */
export async function measureWorkers(stage: Stage): Promise<Findings> {
  const subjects = new Map([
    ["1 worker", sluiceOf(stage, { workers: 1 })],
    ["2 workers", sluiceOf(stage, { workers: 2 })],
  ]);
  const starts = await drive(stage, CONNECTIONS, subjects, lanesOf(subjects, CHAT));
  return {
    goals: { workers: compare(starts, "2 workers", "1 worker", cpu) },
    details: [{
      title: "Workers, 32 connections (load and vendor run on the same cores)",
      lines: toLines(starts, "1 worker", THROUGHPUT),
    }],
    raw: toRaw(starts),
  };
}

/** The vendor over HTTP, over TLS with a certificate of a private CA, and through a proxy. */
export async function measureRoutes(stage: Stage): Promise<Findings> {
  const subjects = new Map([
    ["http", sluiceOf(stage, { workers: 1 })],
    ["private CA", sluiceOf(stage, { workers: 1, route: "private_ca" })],
    ["proxy", sluiceOf(stage, { workers: 1, route: "proxy" })],
  ]);
  const starts = await drive(stage, CONNECTIONS, subjects, lanesOf(subjects, CHAT));
  return {
    goals: {
      privateCa: compare(starts, "private CA", "http", cpu),
      proxy: compare(starts, "proxy", "http", cpu),
    },
    details: [{
      title: "Ways to the vendor, 32 connections",
      lines: toLines(starts, "http", THROUGHPUT),
    }],
    raw: toRaw(starts),
  };
}

/** Portkey's gateway, which is installed if it is not there. */
export async function measurePortkey(stage: Stage): Promise<Findings> {
  const { nursery, upstream } = stage;
  const found = await startPortkey(nursery, upstream);
  if (typeof found === "string") {
    const note = `Portkey was left out: ${found}`;
    return { goals: { portkey: { value: undefined, note } }, details: [], raw: note };
  }
  await found.child.stop();
  const subjects = new Map<string, Start>([
    ["sluice", sluiceOf(stage)],
    ["portkey", async () => {
      const started = await startPortkey(nursery, upstream);
      if (typeof started === "string") throw new Error(started);
      return started;
    }],
  ]);
  const starts = await drive(stage, CONNECTIONS, subjects, lanesOf(subjects, CHAT));
  return {
    goals: { portkey: compare(starts, "sluice", "portkey", rate) },
    details: [{
      title: "Portkey, chat completions, JSON, 32 connections",
      lines: toLines(starts, "portkey", THROUGHPUT),
    }],
    raw: toRaw(starts),
  };
}

/** Streams of 200 events in large packets, 32 connections. */
export async function measurePackets(stage: Stage): Promise<Findings> {
  const subjects = new Map<string, Start>([
    ["loop", () => startFloor(stage.nursery, stage.upstream, "bytes")],
    ["sluice", sluiceOf(stage, { workers: 1, log: `${stage.directory}/access.log` })],
  ]);
  const stream = { stream: true, pace: "cold" } as const;
  const messages = { stream: true, format: "messages" } as const;
  const gemini = { stream: true, format: "gemini" } as const;
  const lane = (name: string, ask: AskOptions, subject = "sluice") => ({ name, subject, ask });
  const starts = await drive(stage, CONNECTIONS, subjects, [
    lane("loop", { vendor: "openai", ...stream }, "loop"),
    lane("loop anthropic", { vendor: "anthropic", ...stream }, "loop"),
    lane("chat from openai", { vendor: "openai", ...stream }),
    lane("chat from anthropic", { vendor: "anthropic", ...stream }),
    lane("messages from anthropic", { vendor: "anthropic", ...messages }),
    lane("messages from openai", { vendor: "openai", ...messages }),
    lane("gemini from gemini", { vendor: "gemini", ...gemini }),
    lane("gemini from openai", { vendor: "openai", ...gemini }),
  ]);
  const over = (name: string, other: string) => compare(starts, name, other, cpu);
  return {
    goals: {
      packets: compare(starts, "chat from openai", "loop", rate),
      packetsConverted: compare(starts, "chat from anthropic", "loop anthropic", rate),
      messages: over("messages from anthropic", "chat from openai"),
      messagesConverted: over("messages from openai", "chat from openai"),
      gemini: over("gemini from gemini", "messages from anthropic"),
      geminiConverted: over("gemini from openai", "chat from openai"),
    },
    details: [{
      title: "Streams of 200 events in large packets, 32 connections, access log in a file",
      lines: toLines(starts, "loop", THROUGHPUT),
    }],
    raw: toRaw(starts),
  };
}

/** A lane for each subject, all with the same request. */
export function lanesOf(subjects: ReadonlyMap<string, Start>, ask: AskOptions): Lane[] {
  return [...subjects.keys()].map((name) => ({ name, subject: name, ask }));
}

/** Requests per second of each lane, in each start. */
export function drive(
  stage: Stage,
  connections: number,
  subjects: ReadonlyMap<string, Start>,
  lanes: readonly Lane[],
): Promise<readonly Samples<ThroughputSample>[]> {
  return inStarts(stage, subjects, lanes, SECONDS, async ({ child, toAsk }, { ask }, seconds) => {
    const before = cpuOf(child.pid);
    const result = await stage.load.run(child.port, toAsk(ask), connections, seconds);
    const after = cpuOf(child.pid);
    const known = before !== undefined && after !== undefined && result.requests > 0;
    const cpuPerRequest = known ? (after - before) * 1000 / result.requests : undefined;
    return { ...result, cpuPerRequest };
  });
}
