/** A log in an unread pipe. */

import { toRequestBytes, Wire } from "../bench/wire.ts";
import { exchange } from "./caller.ts";
import { type GatewayProcess, SERVICE_KEY } from "./gateway_process.ts";
import { residentOf } from "./process_limits.ts";
import { HELLO, toProvider } from "./providers.ts";
import { createHelloVendor, RawVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";
import { within } from "./within.ts";

const REQUESTS = 2000;
const SHORT_REQUESTS = 800;
const PATIENCE_MS = 2000;
const STOP_MS = 5000;

/** Neither standard output nor standard error is read. */
export const unreadLog: Scenario = {
  name: "unread log",
  seconds: 90,
  async run(trial) {
    const vendor = trial.own(createHelloVendor());
    await attack(trial, vendor, "answered", 200);
    // Errors may be written to standard error.
    const broken = trial.own(new RawVendor(() => Promise.resolve(false)));
    await attack(trial, broken, "failed", undefined);
  },
};

async function attack(
  trial: Trial,
  vendor: RawVendor,
  what: string,
  wanted: number | undefined,
): Promise<void> {
  const gateway = await trial.start({
    config: { providers: toProvider(vendor.url) },
    output: "unread",
  });
  const count = trial.short ? SHORT_REQUESTS : REQUESTS;
  const answered = await countAnswers(gateway, count, wanted);
  const bar = `all of ${count} answered`;
  trial.report(`requests that are ${what}`, bar, String(answered), answered === count);
  const begun = performance.now();
  gateway.signal("SIGTERM");
  const status = await within(STOP_MS, gateway.ended);
  const measured = status === undefined
    ? "still runs"
    : `${(performance.now() - begun).toFixed(0)} ms, code ${status.code}`;
  trial.report(
    `SIGTERM after requests that are ${what}`,
    `ends in ${STOP_MS} ms with code 0`,
    measured,
    status?.code === 0,
  );
}

/** Sends requests one by one until one is not answered; returns their number. */
async function countAnswers(
  gateway: GatewayProcess,
  most: number,
  wanted: number | undefined,
): Promise<number> {
  const headers = { authorization: `Bearer ${SERVICE_KEY}` };
  const ask = toRequestBytes("/v1/chat/completions", headers, JSON.stringify(HELLO));
  let wire = await Wire.open(gateway.port);
  try {
    for (let count = 0; count < most; count++) {
      const { status, head } = await exchange(wire, ask, PATIENCE_MS);
      if (status === 0 || (wanted !== undefined && status !== wanted)) return count;
      if (!head.includes("\r\nconnection: close")) continue;
      wire.close();
      wire = await Wire.open(gateway.port);
    }
    return most;
  } finally {
    wire.close();
  }
}

/** The number of concurrent requests, each of which is a line in the log. */
const WRITERS = 8;
const FLOOD_MS = 15_000;
const CHUNK = 500;
const MAX_MEMORY = 96 * 2 ** 20;
const RESUME_MS = 1500;
/** Counters of dropped lines. */
const DROPPED = /^sluice_\S*log\S* ([1-9]\d*)$/m;

/** A log that exceeds the queue of the gateway. */
export const floodedLog: Scenario = {
  name: "flooded log",
  seconds: 40,
  async run(trial) {
    if (trial.short) return trial.skip("", "takes longer than the short form has");
    const gateway = await trial.start({
      config: { providers: toProvider("http://127.0.0.1:9") },
      output: "unread",
    });
    const before = residentOf(gateway.pid).now;
    const end = performance.now() + FLOOD_MS * trial.patience;
    let dropped: string | undefined;
    let sent = 0;
    while (dropped === undefined && performance.now() < end) {
      await Promise.all(Array.from({ length: WRITERS }, () => flood(gateway)));
      sent += WRITERS * CHUNK;
      dropped = DROPPED.exec(await gateway.metrics())?.[0];
    }
    const memory = residentOf(gateway.pid).peak - before;
    trial.report(
      "lines that were dropped",
      "are counted",
      dropped ?? `none of ${sent}`,
      dropped !== undefined,
    );
    const megabytes = (memory / 2 ** 20).toFixed(0);
    const bar = `at most ${MAX_MEMORY / 2 ** 20} MB more`;
    trial.report("memory", bar, `${megabytes} MB more`, memory <= MAX_MEMORY);
    const text = await gateway.resumeReading(RESUME_MS);
    const line = text.split("\n").find((one) => /drop|lost/i.test(one));
    trial.report(
      "once it is read again",
      "a line about it",
      line?.slice(0, 80) ?? "no line",
      line !== undefined,
    );
  },
};

/** Sends requests for an unknown model one by one. */
async function flood(gateway: GatewayProcess): Promise<void> {
  const headers = { authorization: `Bearer ${SERVICE_KEY}`, "x-request-id": "r".repeat(128) };
  const body = JSON.stringify({ ...HELLO, model: "x".repeat(1000) });
  const ask = toRequestBytes("/v1/chat/completions", headers, body);
  const wire = await Wire.open(gateway.port);
  try {
    for (let count = 0; count < CHUNK; count++) {
      if ((await exchange(wire, ask, PATIENCE_MS)).status === 0) throw new Error("No answer");
    }
  } finally {
    wire.close();
  }
}
