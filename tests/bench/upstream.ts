/**
 * The scripted vendors in a separate process. They answer at the pace of the requested model.
 *
 * Arguments: the port to listen on; with TLS it listens on the next one.
 *
 * `GET /state` returns what is open; `GET /quiesce` closes idle connections. To `CONNECT` they
 * answer as a proxy whose other end they are themselves.
 */

import { fileURLToPath } from "node:url";
import {
  CERTIFICATE,
  closingOf,
  deltaOf,
  DELTAS,
  HEADERS,
  ID,
  MODELS,
  openingOf,
  type Pace,
  toStream,
  toUnary,
  toVectors,
  type Vendor,
} from "./vendor_answers.ts";
import { Wire } from "./wire.ts";

/** The answer of `GET /state`, without the requesting connection. */
export interface UpstreamState {
  readonly connections: number;
  /** Connections with an answer that has not ended. */
  readonly busy: number;
  readonly requests: number;
}

/** Milliseconds between the events of a stream that drips. */
const PACE = 50;
/** Streams are spread over the interval, so that they do not all send at once. */
const SLOTS = 50;
/** Milliseconds before an answer of a slow model which is not a stream. */
const SLOW_UNARY = 200;
/** Bytes in a large packet. */
const PACKET = 16 * 1024;

const encoder = new TextEncoder();

/** Events of a stream of mixed length, and the longest pause between two of them in milliseconds. */
const MIN_EVENTS = 5;
const MAX_EVENTS = 500;
const MAX_PAUSE = 30;

interface Line {
  readonly wire: Wire;
  busy: boolean;
}

/** A slow stream. */
interface Drip {
  readonly line: Line;
  readonly vendor: Vendor;
  sent: number;
}

/** Writes one event to each open stream every 50 ms, at a different time for each stream. */
class DripWheel {
  readonly #slots = Array.from({ length: SLOTS }, () => new Set<Drip>());
  readonly #homes = new Map<Line, { readonly drip: Drip; readonly slot: Set<Drip> }>();
  #next = 0;
  #turn = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  add(line: Line, vendor: Vendor): void {
    const slot = this.#slots[this.#next++ % SLOTS];
    if (slot === undefined) return;
    const drip: Drip = { line, vendor, sent: 0 };
    slot.add(drip);
    this.#homes.set(line, { drip, slot });
    if (this.#timer !== undefined) return;
    this.#turn = turnNow();
    this.#timer = setInterval(() => this.#tick(), PACE / SLOTS);
  }

  remove(line: Line): void {
    const home = this.#homes.get(line);
    if (home === undefined) return;
    home.slot.delete(home.drip);
    this.#homes.delete(line);
    if (this.#homes.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Serves every slot that became due since the last tick. */
  #tick(): void {
    const now = turnNow();
    this.#turn = Math.max(this.#turn, now - SLOTS);
    while (this.#turn < now) {
      this.#turn++;
      for (const drip of this.#slots[this.#turn % SLOTS] ?? []) this.#push(drip);
    }
  }

  #push(drip: Drip): void {
    const { line, vendor } = drip;
    const last = drip.sent++ === DELTAS;
    const text = last ? closingOf(vendor) : deltaOf(vendor, ` word @${epoch()}@`, drip.sent);
    if (last) {
      this.remove(line);
      line.busy = false;
    }
    line.wire.write(encoder.encode(toChunk(text) + (last ? "0\r\n\r\n" : "")))
      .catch(() => this.remove(line));
  }
}

/** Writes a stream of random length at random times. */
async function writeMixed({ wire }: Line, vendor: Vendor): Promise<void> {
  await wire.write(ANSWERS[vendor].opening);
  // Most streams are short, a few are long.
  const events = Math.round(MIN_EVENTS * (MAX_EVENTS / MIN_EVENTS) ** Math.random());
  for (let index = 0; index < events; index++) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_PAUSE));
    const text = deltaOf(vendor, ` word @${epoch()}@`, index);
    await wire.write(encoder.encode(toChunk(text)));
  }
  await wire.write(encoder.encode(`${toChunk(closingOf(vendor))}0\r\n\r\n`));
}

function turnNow(): number {
  return Math.floor(performance.now() / (PACE / SLOTS));
}

/** The time of a clock that all processes share, in milliseconds. */
function epoch(): string {
  return (performance.timeOrigin + performance.now()).toFixed(3);
}

function toHead(vendor: Vendor, framing: Record<string, string | number>): string {
  const headers = Object.entries({ ...HEADERS[vendor], ...framing });
  return `HTTP/1.1 200 OK\r\n${
    headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  }\r\n`;
}

function toChunk(text: string): string {
  return `${encoder.encode(text).length.toString(16)}\r\n${text}\r\n`;
}

function toWhole(vendor: Vendor, body = toUnary(vendor)): Uint8Array {
  const framing = {
    "content-type": "application/json",
    "content-length": encoder.encode(body).length,
  };
  return encoder.encode(toHead(vendor, framing) + body);
}

const STREAMED = { "content-type": "text/event-stream; charset=utf-8" };
const CHUNKED = { ...STREAMED, "transfer-encoding": "chunked" };

function toPackets(vendor: Vendor): Uint8Array {
  const body = encoder.encode(toStream(vendor));
  const parts = [encoder.encode(toHead(vendor, CHUNKED))];
  for (let at = 0; at < body.length; at += PACKET) {
    const packet = body.subarray(at, at + PACKET);
    parts.push(encoder.encode(`${packet.length.toString(16)}\r\n`), packet, encoder.encode("\r\n"));
  }
  return concat([...parts, encoder.encode("0\r\n\r\n")]);
}

/** The packets of a stream whose events have an ID that no other stream has. */
class ColdPackets {
  readonly #bytes: Uint8Array;
  readonly #positions: number[] = [];
  #streams = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    const text = new TextDecoder("latin1").decode(bytes);
    for (let at = text.indexOf(ID); at !== -1; at = text.indexOf(ID, at + ID.length)) {
      this.#positions.push(at + ID.length);
    }
  }

  next(): Uint8Array {
    const bytes = this.#bytes.slice();
    const digits = encoder.encode(String(this.#streams++ % COLD_IDS).padStart(COLD_DIGITS, "0"));
    for (const end of this.#positions) bytes.set(digits, end - COLD_DIGITS);
    return bytes;
  }
}

const COLD_DIGITS = 8;
const COLD_IDS = 10 ** COLD_DIGITS;

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function toOpening(vendor: Vendor): Uint8Array {
  return encoder.encode(toHead(vendor, CHUNKED) + toChunk(openingOf(vendor)));
}

const ANSWERS = {
  openai: { whole: toWhole("openai"), packets: toPackets("openai"), opening: toOpening("openai") },
  anthropic: {
    whole: toWhole("anthropic"),
    packets: toPackets("anthropic"),
    opening: toOpening("anthropic"),
  },
  gemini: { whole: toWhole("gemini"), packets: toPackets("gemini"), opening: toOpening("gemini") },
} as const satisfies Record<Vendor, unknown>;

let vectors: Uint8Array | undefined;

/** The answer to a request for embeddings. It is made when it is first asked for. */
function vectorsAnswer(): Uint8Array {
  return vectors ??= toWhole("openai", toVectors());
}

const COLD = {
  openai: new ColdPackets(ANSWERS.openai.packets),
  anthropic: new ColdPackets(ANSWERS.anthropic.packets),
  gemini: new ColdPackets(ANSWERS.gemini.packets),
} as const satisfies Record<Vendor, unknown>;

const lines = new Set<Line>();
const wheel = new DripWheel();
let requests = 0;

async function serve(line: Line): Promise<void> {
  const { wire } = line;
  for (let message = await wire.next(); message !== undefined; message = await wire.next()) {
    if (message.head.startsWith("get ")) {
      await wire.write(control(message.head, line));
      continue;
    }
    if (message.head.startsWith("connect ")) {
      await wire.write(encoder.encode("HTTP/1.1 200 Connected\r\n\r\n"));
      continue;
    }
    requests++;
    if (/^post [^ ]*\/embeddings /.test(message.head)) {
      await wire.write(vectorsAnswer());
      continue;
    }
    const vendor = vendorOf(message.head);
    const streamed = message.body.includes('"stream":true') || STREAMED_PATH.test(message.head);
    const pace = paceOf(message.body, vendor);
    line.busy = true;
    if (streamed && (pace === "slow" || pace === "idle")) {
      await wire.write(ANSWERS[vendor].opening);
      if (pace === "slow") wheel.add(line, vendor);
      else await wire.write(encoder.encode(toChunk(deltaOf(vendor, "Once", 1))));
      continue;
    }
    if (pace === "slow") await new Promise((resolve) => setTimeout(resolve, SLOW_UNARY));
    if (!streamed) await wire.write(ANSWERS[vendor].whole);
    else if (pace === "mixed") await writeMixed(line, vendor);
    else await wire.write(pace === "cold" ? COLD[vendor].next() : ANSWERS[vendor].packets);
    line.busy = false;
  }
}

const STREAMED_PATH = /^post [^ ]*:streamgeneratecontent/i;

/** The vendor whose API a request is for. */
function vendorOf(head: string): Vendor {
  if (/^post [^ ]*\/messages /.test(head)) return "anthropic";
  return /^post [^ ]*:(?:stream)?generatecontent/i.test(head) ? "gemini" : "openai";
}

/** The pace of the requested model. */
function paceOf(body: string, vendor: Vendor): Pace {
  const model = /"model":"([^"]*)"/.exec(body)?.[1];
  const paces = Object.entries(MODELS[vendor]) as [Pace, string][];
  return paces.find(([, name]) => name === model)?.[0] ?? "fast";
}

function control(head: string, asking: Line): Uint8Array {
  const others = [...lines].filter((line) => line !== asking);
  if (head.startsWith("get /quiesce")) {
    for (const line of others) if (!line.busy) line.wire.close();
  }
  const state: UpstreamState = {
    connections: others.length,
    busy: others.filter((line) => line.busy).length,
    requests,
  };
  const body = JSON.stringify(state);
  return encoder.encode(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
}

async function listen(listener: Deno.Listener<Deno.TcpConn | Deno.TlsConn>): Promise<void> {
  for await (const connection of listener) {
    const line: Line = { wire: new Wire(connection), busy: false };
    lines.add(line);
    // Callers that disconnect are expected here.
    serve(line).catch(() => {}).finally(() => {
      wheel.remove(line);
      lines.delete(line);
      line.wire.close();
    });
  }
}

if (import.meta.main) {
  const address = { hostname: "127.0.0.1", port: Number(Deno.args[0]) };
  const read = (file: string) =>
    Deno.readTextFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)));
  const [cert, key] = [read(CERTIFICATE), read(CERTIFICATE.replace(".pem", ".key.pem"))];
  const tls = Deno.listenTls({ ...address, port: address.port + 1, cert, key });
  await Promise.all([listen(Deno.listen(address)), listen(tls)]);
}
