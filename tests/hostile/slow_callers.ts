/** Callers that start a request and stall. */

import { sleep } from "../bench/children.ts";
import { toRequestBytes, Wire } from "../bench/wire.ts";
import { call, closes, exchange } from "./caller.ts";
import { Crowd } from "./crowd.ts";
import { type GatewayProcess, SERVICE_KEY } from "./gateway_process.ts";
import { HELLO, toProvider } from "./providers.ts";
import { createHelloVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";

const MAX_IN_FLIGHT = 20;
const SLOW = 22;
const BODY_TIMEOUT_MS = 500;
/** The whole body must arrive within this many times the timeout of a pause. */
const WHOLE_BODY = 8;
const SLACK_MS = 2500;
const DRIP_MS = 200;
/** A small body may be read in one call, so that its progress is not visible. */
const LARGE_BODY = 200_000;
const OTHERS = 20;
const HEAD_TIMEOUT_MS = 1000;
/** An answer is given time to reach its caller before the connection is closed. */
const CLOSE_MS = 4000;
const PATIENCE_MS = 3000;
const HALF_HEADS = 300;
const IDLE = 500;

const KEY = { authorization: `Bearer ${SERVICE_KEY}` };

/** Bodies that arrive byte by byte. */
export const slowBodies: Scenario = {
  name: "slow bodies",
  seconds: 25,
  async run(trial) {
    const gateway = await startGateway(trial);
    const begun = performance.now();
    const longest = WHOLE_BODY * BODY_TIMEOUT_MS + SLACK_MS * trial.patience;
    const slow = Array.from({ length: SLOW }, () => drip(gateway.port, longest));
    await sleep(DRIP_MS);
    const served = await countServed(gateway, OTHERS);
    trial.report(
      `${SLOW} of them at max_in_flight ${MAX_IN_FLIGHT}: others`,
      `${OTHERS} of ${OTHERS} served`,
      `${served} served`,
      served === OTHERS,
    );
    const ends = await Promise.all(slow);
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    const timed = ends.filter(({ status }) => status === 408).length;
    const closed = ends.filter(({ isClosed }) => isClosed).length;
    trial.report(
      `a body of a byte each ${DRIP_MS} ms, body_timeout ${BODY_TIMEOUT_MS} ms`,
      `408 in ${longest} ms`,
      `${timed} of ${SLOW}, the last after ${seconds} s`,
      timed === SLOW,
    );
    trial.report("after 408", `closed in ${CLOSE_MS} ms`, `${closed} of ${SLOW}`, closed === SLOW);
  },
};

/** A connection with `connection: close` is closed, although its body was not read. */
export const closing: Scenario = {
  name: "closing",
  seconds: 20,
  async run(trial) {
    const gateway = await startGateway(trial);
    const attempts = [
      { status: 401, head: toHead(5_000_000, {}) },
      { status: 413, head: toHead(100_000_000, KEY) },
    ];
    for (const { status, head } of attempts) {
      const wire = await Wire.open(gateway.port);
      const reply = await exchange(wire, head, PATIENCE_MS);
      const isClosed = await closes(wire, CLOSE_MS);
      wire.close();
      const says = /\r\nconnection: close/.test(reply.head) ? "says close" : "says nothing";
      const measured = `${reply.status}, ${says}, ${isClosed ? "closed" : "left open"}`;
      const isWithin = reply.status === status && isClosed;
      trial.report(
        `${status} with its body unread`,
        `closed in ${CLOSE_MS} ms`,
        measured,
        isWithin,
      );
    }
  },
};

/** Incomplete heads and silent connections. */
export const idle: Scenario = {
  name: "idle callers",
  seconds: 45,
  async run(trial) {
    const gateway = await startGateway(trial);
    const pinger = trial.ping(gateway);
    using heads = new Crowd();
    await heads.add(
      gateway.port,
      HALF_HEADS,
      "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n",
    );
    using silent = new Crowd();
    await silent.add(gateway.port, IDLE);
    await pinger.read();
    const served = await countServed(gateway, OTHERS);
    const { longest } = await pinger.read();
    trial.report(
      `${HALF_HEADS} half heads, ${IDLE} idle: others`,
      `${OTHERS} of ${OTHERS} served`,
      `${served} served, gap ${longest.toFixed(0)} ms`,
      served === OTHERS,
    );
    if (trial.short) return;
    const wait = 35_000;
    const [half, none] = await Promise.all([heads.closedWithin(wait), silent.closedWithin(wait)]);
    const open = `${HALF_HEADS - half} half heads, ${IDLE - none} idle`;
    trial.note(`still open after ${wait / 1000} s`, open);
  },
};

/** Heads that arrive byte by byte, and callers that are idle between requests. */
export const slowHeads: Scenario = {
  name: "slow heads",
  seconds: 15,
  async run(trial) {
    const vendor = trial.own(createHelloVendor());
    const limit = `${HEAD_TIMEOUT_MS}ms`;
    const server = { head_timeout: limit, idle_timeout: limit };
    const gateway = await trial.start({ config: { server, providers: toProvider(vendor.url) } });
    using slow = new Crowd();
    await slow.add(gateway.port, SLOW, "POST /v1/chat/completions HTTP/1.1\r\nx-a: ");
    using resting = new Crowd();
    await resting.add(gateway.port, SLOW, "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
    const timer = setInterval(() => slow.send("a"), DRIP_MS);
    try {
      const wait = HEAD_TIMEOUT_MS + SLACK_MS;
      const [heads, rests] = await Promise.all([
        slow.closedWithin(wait),
        resting.closedWithin(wait),
      ]);
      const bar = `closed in ${wait} ms`;
      trial.report("a byte at a time", bar, `${heads} of ${SLOW} closed`, heads === SLOW);
      trial.report("rests after an answer", bar, `${rests} of ${SLOW} closed`, rests === SLOW);
    } finally {
      clearInterval(timer);
    }
  },
};

async function startGateway(trial: Trial): Promise<GatewayProcess> {
  const vendor = trial.own(createHelloVendor());
  const server = { max_in_flight: MAX_IN_FLIGHT, body_timeout: `${BODY_TIMEOUT_MS}ms` };
  return await trial.start({ config: { server, providers: toProvider(vendor.url) } });
}

async function countServed(gateway: GatewayProcess, count: number): Promise<number> {
  let served = 0;
  for (let at = 0; at < count; at++) {
    const reply = await call(gateway.port, HELLO, { patience: PATIENCE_MS }).catch(() => undefined);
    if (reply?.status === 200) served++;
    await sleep(50);
  }
  return served;
}

/** A head that announces a body of this size, and the body's first byte. */
function toHead(size: number, headers: Readonly<Record<string, string>>): Uint8Array {
  const text = new TextDecoder().decode(toRequestBytes("/v1/chat/completions", headers, "{"));
  return new TextEncoder().encode(text.replace("content-length: 1", `content-length: ${size}`));
}

/** Sends a body byte by byte until it is answered. */
async function drip(
  port: number,
  longest: number,
): Promise<{ readonly status: number; readonly isClosed: boolean }> {
  const wire = await Wire.open(port);
  const answer = exchange(wire, toHead(LARGE_BODY, KEY), longest);
  let isOver = false;
  void answer.then(() => isOver = true);
  const byte = new TextEncoder().encode(" ");
  while (!isOver) {
    await sleep(DRIP_MS);
    await wire.write(byte).catch(() => {});
  }
  const { status } = await answer;
  const isClosed = status !== 0 && await closes(wire, CLOSE_MS);
  wire.close();
  return { status, isClosed };
}
