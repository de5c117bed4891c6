/** Figures of the nightly run: they take longer, or depend on the machine. */

import process from "node:process";
import { fileURLToPath } from "node:url";
import { addressOf, startSluice } from "../support/process.ts";
import type { GuardCase } from "./cases.ts";
import { collect } from "./counting.ts";

/** The figures. Null where this machine cannot measure it. */
export interface Figures {
  /** CPU time of a request, divided by that of the least that any gateway does. */
  readonly cpu_ratio: number;
  /** Modules that are loaded at the start. */
  readonly modules: number;
  /** Memory of a process that was busy and is idle, in MiB. */
  readonly resident_mib: number | null;
  /** System calls of the process for each request. */
  readonly system_calls: number | null;
  /** Bytes that each request leaves behind, in steps of 100. */
  readonly kept_bytes: number;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const KEY = "sk-guard";
const BODY = JSON.stringify({
  model: "gpt-5.4-mini",
  messages: [{ role: "user", content: "Hello! What can you do for me?" }],
});
const ANSWER = JSON.stringify({
  ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "gpt-5.4-mini" },
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
});

/** The rounds of the CPU time, of which the least counts, and the requests in each. */
const ROUNDS = 500;
const REQUESTS_IN_ROUND = 20;
/** Its rounds take about as long, so that another process interrupts both as often. */
const FLOORS_IN_ROUND = 400;
/** Requests between two looks at the heap: a listener of 16 bytes each is 80 kB. */
const KEPT_REQUESTS = 5000;
const LOAD_REQUESTS = 2000;
const TRACED_REQUESTS = 300;
/** The gateway returns memory when it is idle: the least in this time counts. */
const IDLE_MS = 8000;

let sink = 0;

/** Parses both bodies, writes one, and answers. */
async function floor(): Promise<void> {
  const request = JSON.parse(BODY);
  const answer = JSON.parse(ANSWER);
  sink += JSON.stringify(request).length + answer.usage.total_tokens;
  const response = new Response(ANSWER, { status: 200 });
  response.headers.set("content-type", "application/json");
  await Promise.resolve();
  sink += response.status;
}

async function cpuOf(run: () => Promise<unknown>, times: number): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < times; index++) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

async function measureCpuRatio({ ask, settle }: GuardCase): Promise<number> {
  const least = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round++) {
    least[0] = Math.min(least[0] ?? 0, await cpuOf(ask, REQUESTS_IN_ROUND));
    least[1] = Math.min(least[1] ?? 0, await cpuOf(floor, FLOORS_IN_ROUND));
    settle();
  }
  const [own = 0, limit = 1] = least;
  return Number((own / limit).toFixed(1));
}

async function measureKept({ ask, settle }: GuardCase): Promise<number> {
  const run = async () => {
    for (let index = 0; index < KEPT_REQUESTS; index++) await ask();
    settle();
    collect();
    return Deno.memoryUsage().heapUsed;
  };
  const before = await run();
  return Math.max(0, Math.round((await run() - before) / KEPT_REQUESTS / 100) * 100);
}

/** What `deno info` prints of a module. */
interface ModuleInfo {
  readonly specifier: string;
  readonly dependencies?: readonly { code?: { specifier?: string }; isDynamic?: boolean }[];
}

async function countModules(): Promise<number> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "src/main.ts"],
    cwd: ROOT,
    stderr: "null",
  }).output();
  const { modules, roots } = JSON.parse(new TextDecoder().decode(stdout)) as {
    readonly modules: readonly ModuleInfo[];
    readonly roots: readonly string[];
  };
  const all = new Map(modules.map((one) => [one.specifier, one]));
  const loaded = new Set(roots);
  for (const name of loaded) {
    for (const { code, isDynamic } of all.get(name)?.dependencies ?? []) {
      if (!isDynamic && code?.specifier !== undefined) loaded.add(code.specifier);
    }
  }
  return loaded.size;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function residentMib(pid: number): number | null {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
  } catch {
    return null;
  }
}

async function leastResident(pid: number): Promise<number | null> {
  let least = residentMib(pid);
  for (const end = Date.now() + IDLE_MS; least !== null && Date.now() < end; await pause(200)) {
    least = Math.min(least, residentMib(pid) ?? least);
  }
  return least;
}

/** @param send sends this many requests */
async function countSystemCalls(
  pid: number,
  send: (requests: number) => Promise<void>,
): Promise<number | null> {
  const trace = (() => {
    try {
      return new Deno.Command("strace", {
        args: ["-f", "-c", "-p", String(pid)],
        stdout: "null",
        stderr: "piped",
      }).spawn();
    } catch {
      return undefined;
    }
  })();
  if (trace === undefined) return null;
  // It prints a line for each thread when it has attached to it, and then its table.
  const reader = trace.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader.read()).value ?? "";
  if (!text.includes("attached")) return null;
  await send(TRACED_REQUESTS);
  trace.kill("SIGINT");
  for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
  await trace.status;
  const calls = /^\s*100\.00\s+\S+\s+(?:\S+\s+)?(\d+)\s+(?:\d+\s+)?total$/m.exec(text)?.[1];
  return calls === undefined ? null : Number((Number(calls) / TRACED_REQUESTS).toFixed(1));
}

async function measureProcess(): Promise<Pick<Figures, "resident_mib" | "system_calls">> {
  const headers = { "content-type": "application/json" };
  await using vendor = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (ask) => {
      await ask.text();
      return new Response(ANSWER, { headers });
    },
  );
  const { port } = vendor.addr;
  const config = JSON.stringify({
    server: { port: 0, workers: 1, keys: [{ name: "own", key: KEY }] },
    providers: {
      vendor: {
        ...{ kind: "openai", api_key: "k", base_url: `http://127.0.0.1:${port}/v1` },
        models: ["gpt-5.4-mini"],
      },
    },
  });
  await using running = startSluice([], { files: { "config.yaml": config } });
  const url = await addressOf(running);
  const send = async (requests: number) => {
    for (let index = 0; index < requests; index++) {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { ...headers, authorization: `Bearer ${KEY}` },
        body: BODY,
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(text);
    }
  };
  await send(LOAD_REQUESTS);
  const resident_mib = await leastResident(running.pid);
  return { resident_mib, system_calls: await countSystemCalls(running.pid, send) };
}

/** Measures all figures. @param plain the case whose CPU time and memory are measured */
export async function measureFigures(plain: GuardCase): Promise<Figures> {
  return {
    cpu_ratio: await measureCpuRatio(plain),
    modules: await countModules(),
    ...await measureProcess(),
    kept_bytes: await measureKept(plain),
  };
}
