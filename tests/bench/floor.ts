/**
 * The floor of a gateway: a program for chat completions that does what every request needs, and no
 * more, behind the runtime's server. It has a key, a plan per model, the checks of a request and of
 * an answer, connections to the vendor with a time limit, headers that say who has answered, a line
 * of the access log, histograms and rows of a ledger. Arguments: its port, the upstream's.
 */

import { SERVICE_KEY } from "./requests.ts";
import { MODELS } from "./vendor_answers.ts";

/** What is the same for all requests of a model. */
interface Plan {
  /** The vendor's request up to its length. */
  readonly head: string;
  readonly model: string;
  /** The constant part of the log line. */
  readonly log: string;
  readonly durations: Float64Array;
  readonly tokens: Float64Array;
}

interface Row {
  readonly id: string;
  readonly model: string;
  readonly at: number;
  readonly ms: number;
  readonly input: number;
  readonly output: number;
}

interface Answer {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly status: number;
}

const [port, upstream] = Deno.args.map(Number);
const TIME_LIMIT = 300_000;
const SWEEP = 1000;
const SETTLE = 10;
const BUCKETS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];
const ROOM = 64 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const plans = new Map(Object.values(MODELS.openai).map((model) => [model, toPlan(model)]));
const keys = new Map([[`Bearer ${SERVICE_KEY}`, { name: "bench", plans }]]);

function toPlan(model: string): Plan {
  const head = [
    ...["POST /chat/completions HTTP/1.1", `host: 127.0.0.1:${upstream}`],
    ...["authorization: Bearer sk-bench-vendor-key", "content-type: application/json"],
    ...["accept-encoding: identity", "user-agent: floor", "content-length: "],
  ].join("\r\n");
  const log = `"method":"POST","route":"/v1/chat/completions","key":"bench","model":"${model}",` +
    `"provider":"openai","upstream_model":"${model}","status":200,"attempts":1,`;
  return {
    ...{ head, model, log },
    durations: new Float64Array(BUCKETS.length + 3),
    tokens: new Float64Array(2),
  };
}

/** A kept connection to the vendor. */
class VendorLine {
  readonly #connection: Deno.TcpConn;
  readonly #buffer = new Uint8Array(ROOM);
  /** When the open request began; 0 without one. */
  askedAt = 0;

  constructor(connection: Deno.TcpConn) {
    connection.setNoDelay(true);
    this.#connection = connection;
  }

  close(): void {
    this.#connection.close();
  }

  async ask(plan: Plan, body: Uint8Array): Promise<Answer> {
    const buffer = this.#buffer;
    const { written } = encoder.encodeInto(`${plan.head}${body.length}\r\n\r\n`, buffer);
    buffer.set(body, written);
    const length = written + body.length;
    for (let at = 0; at < length;) {
      at += await this.#connection.write(buffer.subarray(at, length));
    }
    let [end, from, until] = [0, 0, Infinity];
    let status = 0;
    while (end < until) {
      const count = await this.#connection.read(buffer.subarray(end));
      if (count === null) throw new Error("The vendor has closed");
      end += count;
      if (from > 0) continue;
      const text = decoder.decode(buffer.subarray(0, end));
      const cut = text.indexOf("\r\n\r\n");
      if (cut === -1) continue;
      from = cut + 4;
      status = Number(text.slice(9, 12));
      until = from + Number(/\r\ncontent-length: *(\d+)/i.exec(text.slice(0, cut))?.[1]);
    }
    return { status, body: buffer.slice(from, end) };
  }
}

const idle: VendorLine[] = [];
const open = new Set<VendorLine>();

async function takeLine(): Promise<VendorLine> {
  const kept = idle.pop();
  if (kept !== undefined) return kept;
  return new VendorLine(await Deno.connect({ hostname: "127.0.0.1", port: upstream ?? 0 }));
}

setInterval(() => {
  const now = performance.now();
  for (const line of open) if (now - line.askedAt > TIME_LIMIT) line.close();
}, SWEEP);

let lines = "";
const rows: Row[] = [];
let settling = false;

/** Counts a request, and writes its log line and its row a little later, with others. */
function settle(row: Row, plan: Plan): void {
  let bucket = BUCKETS.findIndex((bound) => row.ms <= bound);
  if (bucket === -1) bucket = BUCKETS.length;
  plan.durations[bucket]! += 1;
  plan.durations[BUCKETS.length + 1]! += row.ms;
  plan.durations[BUCKETS.length + 2]! += 1;
  plan.tokens[0]! += row.input;
  plan.tokens[1]! += row.output;
  lines += `{"time":"${new Date(row.at).toISOString()}","level":"info","id":"${row.id}",` +
    `${plan.log}"ms":${row.ms.toFixed(1)},"input":${row.input},"output":${row.output}}\n`;
  rows.push(row);
  if (settling) return;
  settling = true;
  setTimeout(() => {
    settling = false;
    Deno.stdout.writeSync(encoder.encode(lines));
    lines = "";
    rows.length = 0;
  }, SETTLE);
}

let requests = 0;

async function answer(request: Request): Promise<Response> {
  const began = performance.now();
  const key = keys.get(request.headers.get("authorization") ?? "");
  if (key === undefined) return refuse(401, "Unknown key");
  const bytes = await request.bytes();
  const body = JSON.parse(decoder.decode(bytes));
  const plan = key.plans.get(body.model);
  if (plan === undefined) return refuse(404, "Unknown model");
  if (!Array.isArray(body.messages)) return refuse(400, "'messages' must be a list");
  const id = `req_${(requests++).toString(36).padStart(16, "0")}`;
  // Written anew: a member that is given twice means the same to both readers.
  const sent = encoder.encode(JSON.stringify(body));
  const line = await takeLine();
  line.askedAt = performance.now();
  open.add(line);
  const answered = await line.ask(plan, sent);
  open.delete(line);
  idle.push(line);
  const arrived = performance.now();
  const completion = JSON.parse(decoder.decode(answered.body));
  if (answered.status !== 200 || !Array.isArray(completion.choices)) {
    return refuse(502, "No answer");
  }
  const input = Number(completion.usage?.prompt_tokens ?? 0);
  const output = Number(completion.usage?.completion_tokens ?? 0);
  const now = performance.now();
  settle({ id, model: plan.model, at: Date.now(), ms: now - began, input, output }, plan);
  const headers = new Headers();
  headers.set("content-type", "application/json");
  headers.set("x-request-id", id);
  headers.set("x-sluice-provider", "openai");
  headers.set("x-sluice-model", plan.model);
  headers.set("x-sluice-attempts", "1");
  headers.set("x-sluice-overhead-ms", (now - arrived + line.askedAt - began).toFixed(2));
  headers.set("x-content-type-options", "nosniff");
  headers.set("cache-control", "no-store");
  return new Response(answered.body, { headers });
}

function refuse(status: number, message: string): Response {
  return Response.json({ error: { message } }, { status });
}

Deno.serve(
  { hostname: "127.0.0.1", port: port ?? 0, onListen: () => {} },
  (request) => request.method === "GET" ? new Response("ok") : answer(request),
);
