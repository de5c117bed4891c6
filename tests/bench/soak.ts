/**
 * `deno task soak`: sends many requests of every kind to one Sluice process. Memory must not grow,
 * and at the end no connection may be open, neither at Sluice nor upstream.
 */

import { parseArgs } from "@std/cli/parse-args";
import { ask, type Child, eventually, sleep } from "./children.ts";
import { freePort } from "../support/free_port.ts";
import { type HeapUsage, PROBE_PORT } from "./probe.ts";
import { connectionsOf, cpuOf, memoryOf } from "./process_books.ts";
import { print, runSession, type Session } from "./session.ts";
import type { AskOptions } from "./requests.ts";
import { median } from "./statistics.ts";
import { askUpstream, cacheModules, startSluice, startUpstream, type Subject } from "./subjects.ts";
import { statusOf, toRequestBytes, Wire } from "./wire.ts";
import type { Vendor } from "./vendor_answers.ts";

/** The length of a soak test. */
interface Plan {
  readonly requests: number;
  /** Seconds after which no further request is sent. */
  readonly seconds: number;
  /** The share of requests that are the warm-up. */
  readonly warmUp: number;
}

const FULL: Plan = { requests: 200_000, seconds: 1200, warmUp: 0.1 };
const SHORT: Plan = { requests: 15_000, seconds: 14, warmUp: 0.4 };

const PROBE = new URL("./probe.ts", import.meta.url).href;
const CONNECTIONS = 48;
/** How often memory is read, each time after a garbage collection. */
const READINGS = 60;
const SHOWN = 15;
const MOST_GROWTH = 1.1;
const CROWDS = 12;
const CROWD = 200;
const CROWD_MS = 150;
/** The time until ended connections must be closed. */
const SETTLE = 15_000;
const IDLE_SECONDS = 1;
/** The CPU time that an idle process may use, in milliseconds per second. */
const MOST_IDLE_CPU = 50;
/** The time limit of the other steps. */
const OVERHEAD = 60_000;

const KINDS = ["unary", "stream", "aborted stream", "torn stream", "aborted unary"] as const;
type Kind = typeof KINDS[number];
type Requests = Readonly<Record<SoakVendor, Readonly<Record<Kind, Uint8Array>>>>;
type SoakVendor = Exclude<Vendor, "gemini">;

/** The memory at one time, in bytes. */
interface Reading {
  readonly sent: number;
  /** The live memory in the heap. */
  readonly live: number;
  /** The resident memory, if the system reports it. */
  readonly resident: number | undefined;
}

/** The sent requests and the memory readings. */
interface Tally {
  sent: number;
  readonly done: Record<Kind, number>;
  readonly memory: Reading[];
}

async function soak(plan: Plan, { nursery, directory }: Session): Promise<number> {
  await cacheModules();
  const upstream = await startUpstream(nursery);
  const port = freePort();
  const sluice = await startSluice(nursery, upstream, directory, {
    workers: 1,
    flags: [`--preload=${PROBE}`],
    env: { [PROBE_PORT]: String(port) },
  });
  const start = performance.now();
  const tally = await drive(sluice, plan, port);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const counts = KINDS.map((kind) => `${tally.done[kind]} ${kind}`).join(", ");
  print(`${tally.sent} requests in ${seconds} s: ${counts}\n`);
  await leaveAtOnce(sluice);
  const faults = [
    ...checkMemory(tally, plan, "live"),
    ...checkMemory(tally, plan, "resident"),
    ...await checkConnections(sluice.child, upstream),
    ...await checkIdle(sluice.child),
    ...await checkEnd(sluice.child),
  ];
  for (const fault of faults) print(`failed: ${fault}\n`);
  if (faults.length === 0) print("passed\n");
  return faults.length === 0 ? 0 : 1;
}

async function drive(sluice: Subject, plan: Plan, probe: number): Promise<Tally> {
  const requests = toRequests(sluice);
  const tally: Tally = {
    sent: 0,
    done: { unary: 0, stream: 0, "aborted stream": 0, "torn stream": 0, "aborted unary": 0 },
    memory: [],
  };
  const end = performance.now() + plan.seconds * 1000;
  const every = Math.ceil(plan.requests / READINGS);
  const line = async () => {
    let wire = await Wire.open(sluice.child.port);
    while (tally.sent < plan.requests && performance.now() < end) {
      const index = tally.sent++;
      const kind = kindOf(index);
      if (
        !await send(wire, kind, requests[index % 2 === 0 ? "openai" : "anthropic"][kind], index)
      ) {
        wire.close();
        wire = await Wire.open(sluice.child.port);
      }
      tally.done[kind]++;
      if (index % every === 0) tally.memory.push(await read(index, sluice.child, probe));
    }
    wire.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, line));
  return tally;
}

function toRequests({ toAsk }: Subject): Requests {
  const of = (vendor: Vendor, options: Omit<AskOptions, "vendor">) => {
    const ask = toAsk({ vendor, ...options });
    return toRequestBytes(ask.path, ask.headers, ask.body);
  };
  const all = (vendor: Vendor) => ({
    unary: of(vendor, {}),
    stream: of(vendor, { stream: true }),
    "aborted stream": of(vendor, { stream: true, pace: "slow" }),
    "torn stream": of(vendor, { stream: true }),
    "aborted unary": of(vendor, { pace: "slow" }),
  });
  return { openai: all("openai"), anthropic: all("anthropic") };
}

const ABORTED = ["aborted stream", "torn stream", "aborted unary"] as const;

function kindOf(index: number): Kind {
  if (index % 3 === 0) return "unary";
  if (index % 3 === 1) return "stream";
  return ABORTED[Math.floor(index / 6) % ABORTED.length] ?? "aborted stream";
}

async function read(sent: number, { pid }: Child, probe: number): Promise<Reading> {
  const { heapUsed } = JSON.parse((await ask(probe, "/")).body) as HeapUsage;
  return { sent, live: heapUsed, resident: memoryOf(pid) };
}

/** Sends a request; returns false when its connection cannot be reused. */
async function send(wire: Wire, kind: Kind, bytes: Uint8Array, index: number): Promise<boolean> {
  await wire.write(bytes);
  if (kind === "aborted unary") {
    // Disconnects before the answer: at once, or while the vendor computes.
    await sleep(index % 4);
    return false;
  }
  if (kind === "aborted stream" || kind === "torn stream") {
    // Disconnects during the stream: while events arrive, or between events.
    if (await wire.packet() === undefined) throw new Error("A stream was not answered");
    if (kind === "aborted stream" && index % 4 === 0) await sleep(60);
    return false;
  }
  const answer = await wire.next();
  if (answer === undefined || statusOf(answer) !== 200) {
    throw new Error(
      `A request was not answered: ${answer?.head ?? "closed"} ${answer?.body ?? ""}`,
    );
  }
  if (kind === "stream" && !answer.tail.includes("[DONE]")) {
    throw new Error(`A stream was not complete: ${answer.tail}`);
  }
  return true;
}

/** Many callers that disconnect while a busy process writes to them. */
async function leaveAtOnce(sluice: Subject): Promise<void> {
  const requests = toRequests(sluice);
  for (let crowd = 0; crowd < CROWDS; crowd++) {
    const bytes = requests[crowd % 2 === 0 ? "openai" : "anthropic"]["torn stream"];
    const wires = await Promise.all(
      Array.from({ length: CROWD }, () => Wire.open(sluice.child.port)),
    );
    const readAll = async (wire: Wire) => {
      await wire.write(bytes);
      while (await wire.packet() !== undefined);
    };
    // Each one ends with its close.
    const reading = wires.map((wire) => readAll(wire).catch(() => {}));
    await sleep(CROWD_MS);
    for (const wire of wires) wire.close();
    await Promise.all(reading);
  }
  print(`${CROWDS} crowds of ${CROWD} left in the middle of their streams\n`);
}

/** Compares the first and the last third of the readings, without the warm-up. */
function checkMemory(
  { memory, sent }: Tally,
  { warmUp }: Plan,
  kind: "live" | "resident",
): string[] {
  const readings = memory.flatMap((reading) => {
    const bytes = reading[kind];
    return bytes === undefined ? [] : [{ sent: reading.sent, megabytes: bytes / 2 ** 20 }];
  });
  const counted = readings.filter((reading) => reading.sent >= sent * warmUp)
    .map(({ megabytes }) => megabytes);
  const third = Math.floor(counted.length / 3);
  if (third === 0) {
    print(`${kind} memory: there are too few readings\n`);
    return [];
  }
  const [first, last] = [median(counted.slice(0, third)), median(counted.slice(-third))];
  const growth = last / first;
  const step = Math.ceil(readings.length / SHOWN);
  const shown = readings.filter((_, index) => index % step === 0);
  print(
    `${kind} memory in MB: ${shown.map(({ megabytes }) => megabytes.toFixed(1)).join(" ")}\n` +
      `  behind the first ${warmUp * 100} %: ${first.toFixed(1)} in the first third, ` +
      `${last.toFixed(1)} in the last: ${growth.toFixed(3)} (at most ${MOST_GROWTH})\n`,
  );
  if (growth <= MOST_GROWTH) return [];
  return [`${kind} memory grew by the factor ${growth.toFixed(3)}`];
}

/**
 * Open answers must end; then the upstream closes idle connections. It does so repeatedly, because
 * a connection for a caller who has left may be opened a moment later.
 */
async function checkConnections(sluice: Child, upstream: Child): Promise<string[]> {
  await eventually(async () => (await askUpstream(upstream)).busy === 0, SETTLE);
  const { busy } = await askUpstream(upstream);
  const kept = await askUpstream(upstream, "/quiesce");
  await eventually(async () => {
    const { connections } = await askUpstream(upstream, "/quiesce");
    return connections === 0 && (connectionsOf(sluice.pid)?.length ?? 0) === 0;
  }, SETTLE);
  const { connections } = await askUpstream(upstream);
  const held = connectionsOf(sluice.pid);
  print(
    `at the end: ${busy} open answers upstream, ${kept.connections} connections kept for reuse ` +
      `and ${connections} left when those were closed; ${
        held?.length ?? "unknown"
      } held by Sluice\n`,
  );
  return [
    ...(busy === 0 ? [] : [`${busy} answers are still open upstream`]),
    ...(connections === 0 ? [] : [`${connections} connections are still open upstream`]),
    ...(held ?? []).map((connection) => `Sluice still holds ${connection}`),
  ];
}

/** A leaked timer or loop would use CPU time. */
async function checkIdle({ pid }: Child): Promise<string[]> {
  const before = cpuOf(pid);
  await sleep(IDLE_SECONDS * 1000);
  const after = cpuOf(pid);
  if (before === undefined || after === undefined) return [];
  const used = (after - before) / IDLE_SECONDS;
  print(`idle: ${used} ms of CPU a second (at most ${MOST_IDLE_CPU})\n`);
  return used <= MOST_IDLE_CPU ? [] : [`the idle process uses ${used} ms of CPU a second`];
}

/** A request that never ends would block the shutdown. */
async function checkEnd(child: Child): Promise<string[]> {
  const start = performance.now();
  const { code, signal } = await child.stop();
  print(`SIGTERM: exited after ${(performance.now() - start).toFixed(0)} ms with ${code}\n`);
  return code === 0 ? [] : [`the process ended with ${signal ?? code}: a request never ended`];
}

if (import.meta.main) {
  const { short, requests } = parseArgs(Deno.args, {
    boolean: ["short"],
    string: ["requests"],
  }) as { short: boolean; requests?: string };
  const plan = short ? SHORT : FULL;
  const asked = { ...plan, requests: Number(requests ?? plan.requests) };
  await runSession(asked.seconds * 1000 + OVERHEAD, (session) => soak(asked, session));
}
