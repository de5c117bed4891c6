/** A log that goes into a pipe which nobody reads. */

import { sleep } from "../bench/children.ts";
import { toRequestBytes, Wire } from "../bench/wire.ts";
import { exchange } from "./caller.ts";
import { type GatewayProcess, SERVICE_KEY } from "./gateway_process.ts";
import { HELLO, toProvider } from "./providers.ts";
import { createHelloVendor, RawVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";

const REQUESTS = 2000;
const PATIENCE_MS = 2000;
const STOP_MS = 5000;

/** A5: neither standard output nor standard error is read. */
export const unreadLog: Scenario = {
  name: "A5 unread log",
  seconds: 30,
  async run(trial) {
    const vendor = trial.own(createHelloVendor());
    await attack(trial, vendor, "answered", 200);
    // What goes wrong may be told on standard error.
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
  const answered = await countAnswers(gateway, wanted);
  const bar = `all of ${REQUESTS} answered`;
  trial.report(`requests that are ${what}`, bar, String(answered), answered === REQUESTS);
  const begun = performance.now();
  gateway.signal("SIGTERM");
  const status = await Promise.race([gateway.ended, sleep(STOP_MS)]);
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

/** Sends requests one by one until one is not answered; gives how many were. */
async function countAnswers(gateway: GatewayProcess, wanted: number | undefined): Promise<number> {
  const headers = { authorization: `Bearer ${SERVICE_KEY}` };
  const ask = toRequestBytes("/v1/chat/completions", headers, JSON.stringify(HELLO));
  let wire = await Wire.open(gateway.port);
  try {
    for (let count = 0; count < REQUESTS; count++) {
      const { status, head } = await exchange(wire, ask, PATIENCE_MS);
      if (status === 0 || (wanted !== undefined && status !== wanted)) return count;
      if (!head.includes("\r\nconnection: close")) continue;
      wire.close();
      wire = await Wire.open(gateway.port);
    }
    return REQUESTS;
  } finally {
    wire.close();
  }
}
