/** Generates load: consecutive requests on several connections for some seconds. */

import type { Ask } from "./requests.ts";
import { percentile } from "./statistics.ts";
import { statusOf, toRequestBytes, Wire } from "./wire.ts";

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** Latency in microseconds. */
  readonly p50: number;
  readonly p99: number;
}

export interface Load {
  readonly name: string;
  /**
   * @param seconds a whole number
   * @throws {Error} when an answer was not 200.
   */
  run(port: number, ask: Ask, connections: number, seconds: number): Promise<LoadResult>;
}

/** Uses `wrk` if it is on PATH, else sockets, which need more CPU time. */
export async function findLoad(directory: string, ownSockets: boolean): Promise<Load> {
  if (!ownSockets && await hasWrk()) return { name: "wrk", run: wrkIn(directory) };
  return { name: "own sockets", run: runOwn };
}

async function hasWrk(): Promise<boolean> {
  try {
    await new Deno.Command("wrk", { args: ["--version"], stdout: "null", stderr: "null" }).output();
    return true;
  } catch {
    return false;
  }
}

function wrkIn(directory: string): Load["run"] {
  let scripts = 0;
  return async (port, ask, connections, seconds) => {
    const script = `${directory}/load-${++scripts}.lua`;
    Deno.writeTextFileSync(script, toScript(ask));
    const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "-s", script];
    const { stdout, stderr, success } = await new Deno.Command("wrk", {
      args: [...args, `http://127.0.0.1:${port}${ask.path}`],
    }).output();
    const text = new TextDecoder().decode(stdout);
    if (!success) throw new Error(`wrk failed: ${new TextDecoder().decode(stderr)}`);
    return readReport(text);
  };
}

function toScript({ headers, body }: Ask): string {
  const lines = Object.entries(headers).map(([name, value]) =>
    `wrk.headers["${name}"] = "${value}"`
  );
  return ['wrk.method = "POST"', `wrk.body = [==[${body}]==]`, ...lines].join("\n");
}

function readReport(text: string): LoadResult {
  const faults = /Non-2xx.*|Socket errors:.*/.exec(text)?.[0];
  const requests = /(\d+) requests in/.exec(text)?.[1];
  const rate = /Requests\/sec: +([\d.]+)/.exec(text)?.[1];
  if (faults !== undefined || requests === undefined || rate === undefined) {
    throw new Error(`The load was not answered as it should be: ${faults ?? text}`);
  }
  return {
    requests: Number(requests),
    perSecond: Number(rate),
    p50: readLatency(text, "50%"),
    p99: readLatency(text, "99%"),
  };
}

const MICROSECONDS: Readonly<Record<string, number>> = { us: 1, ms: 1000, s: 1_000_000 };

function readLatency(text: string, share: string): number {
  const [, value, unit = ""] = new RegExp(`\\s${share} +([\\d.]+)(us|ms|s)`).exec(text) ?? [];
  return Number(value) * (MICROSECONDS[unit] ?? NaN);
}

async function runOwn(
  port: number,
  ask: Ask,
  connections: number,
  seconds: number,
): Promise<LoadResult> {
  const bytes = toRequestBytes(ask.path, ask.headers, ask.body);
  const start = performance.now();
  const end = start + seconds * 1000;
  const latencies: number[] = [];
  const line = async () => {
    const wire = await Wire.open(port);
    for (let sent = performance.now(); sent < end;) {
      await wire.write(bytes);
      const answer = await wire.next();
      if (answer === undefined || statusOf(answer) !== 200) {
        throw new Error(`The load was not answered as it should be: ${answer?.head ?? "closed"}`);
      }
      const now = performance.now();
      latencies.push((now - sent) * 1000);
      sent = now;
    }
    wire.close();
  };
  await Promise.all(Array.from({ length: connections }, line));
  const took = (performance.now() - start) / 1000;
  return {
    requests: latencies.length,
    perSecond: latencies.length / took,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}
