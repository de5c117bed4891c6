/** Callers without a key that hold every file descriptor. */

import { eventually, sleep } from "../bench/children.ts";
import { toRequestBytes, Wire } from "../bench/wire.ts";
import { call, exchange } from "./caller.ts";
import { Crowd } from "./crowd.ts";
import { type GatewayProcess, SERVICE_KEY } from "./gateway_process.ts";
import { descriptorsOf } from "./process_limits.ts";
import { HELLO, toProvider } from "./providers.ts";
import { createHelloVendor } from "./raw_vendor.ts";
import type { Scenario } from "./trial.ts";

const DESCRIPTORS = 128;
const CROWD = 400;
const HOLD_MS = 1500;
const RECOVERY_MS = 5000;
const PATIENCE_MS = 2000;
const MAX_CONNECTIONS = 40;

const ASK = toRequestBytes(
  "/v1/chat/completions",
  { authorization: `Bearer ${SERVICE_KEY}` },
  JSON.stringify(HELLO),
);

/** A3: idle connections up to the limit of descriptors. */
export const descriptors: Scenario = {
  name: "A3 descriptors",
  seconds: 25,
  async run(trial) {
    const vendor = trial.own(createHelloVendor());
    const gateway = await trial.start({
      config: { providers: toProvider(vendor.url) },
      maxDescriptors: DESCRIPTORS,
    });
    // It has its connection, and the gateway one to the vendor.
    using wire = await openWire(gateway.port);
    await exchange(wire, ASK, PATIENCE_MS);
    {
      using crowd = new Crowd();
      await crowd.add(gateway.port, CROWD);
      await sleep(HOLD_MS);
      const held = descriptorsOf(gateway.pid);
      trial.report(
        `${CROWD} idle connections, limit ${DESCRIPTORS}`,
        "the process runs",
        gateway.isRunning ? `runs with ${held} descriptors` : "the process has ended",
        gateway.isRunning,
      );
      const { status } = await exchange(wire, ASK, PATIENCE_MS);
      trial.report("a caller who is connected", "200", String(status), status === 200);
    }
    const begun = performance.now();
    const isBack = await answersWithin(gateway, RECOVERY_MS);
    const measured = isBack ? `${(performance.now() - begun).toFixed(0)} ms` : "no answer";
    trial.report("a new caller, once they close", `200 in ${RECOVERY_MS} ms`, measured, isBack);
    const said = `${gateway.stderr}${gateway.stdout}`;
    const line = said.split("\n").find((text) => /descriptor|open files|connections/i.test(text));
    const isTold = gateway.isRunning && line !== undefined;
    trial.report("the log", "a line", line?.slice(0, 60) ?? "no line", isTold);
    const metrics = isBack ? await gateway.metrics() : "";
    const name = /^\S*(?:descriptor|refused|accept|connection)\S* [1-9]\d*$/m.exec(metrics)?.[0];
    trial.report("the metrics", "a figure that is not 0", name ?? "none", name !== undefined);
  },
};

/** A3: `server.max_connections` under the same attack. */
export const connections: Scenario = {
  name: "A3 max_connections",
  seconds: 25,
  async run(trial) {
    const vendor = trial.own(createHelloVendor());
    const gateway = await trial.start({
      config: {
        server: { max_connections: MAX_CONNECTIONS },
        providers: toProvider(vendor.url),
      },
    });
    using wire = await openWire(gateway.port);
    await exchange(wire, ASK, PATIENCE_MS);
    const before = descriptorsOf(gateway.pid) ?? 0;
    {
      using crowd = new Crowd();
      await crowd.add(gateway.port, CROWD);
      await sleep(HOLD_MS);
      const held = (descriptorsOf(gateway.pid) ?? 0) - before;
      trial.report(
        `${CROWD} idle connections`,
        `at most ${MAX_CONNECTIONS} held`,
        String(held),
        gateway.isRunning && held <= MAX_CONNECTIONS,
      );
      const { status } = await exchange(wire, ASK, PATIENCE_MS);
      trial.report("a caller who is connected", "200", String(status), status === 200);
    }
    const isBack = await answersWithin(gateway, RECOVERY_MS);
    trial.report("a new caller, once they close", "200", isBack ? "200" : "no answer", isBack);
  },
};

async function answersWithin(gateway: GatewayProcess, ms: number): Promise<boolean> {
  return await eventually(async () => {
    if (!gateway.isRunning) return false;
    const reply = await call(gateway.port, HELLO, { patience: PATIENCE_MS }).catch(() => undefined);
    return reply?.status === 200;
  }, ms);
}

async function openWire(port: number): Promise<Wire & Disposable> {
  const wire = await Wire.open(port);
  return Object.assign(wire, { [Symbol.dispose]: () => wire.close() });
}
