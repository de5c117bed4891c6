/** Callers without a key that use up all file descriptors. */

import { connect } from "node:net";
import { eventually, sleep } from "../bench/children.ts";
import { toRequestBytes, Wire } from "../bench/wire.ts";
import { call, exchange } from "./caller.ts";
import { Crowd } from "./crowd.ts";
import { type GatewayProcess, SERVICE_KEY } from "./gateway_process.ts";
import { descriptorsOf } from "./process_limits.ts";
import { HELLO, toProvider } from "./providers.ts";
import { createHelloVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";
import { within } from "./within.ts";

const DESCRIPTORS = 128;
const CROWD = 400;
const HOLD_MS = 1500;
const RECOVERY_MS = 5000;
const PATIENCE_MS = 2000;
const MAX_CONNECTIONS = 40;
const PER_ADDRESS = 20;

const ASK = toRequestBytes(
  "/v1/chat/completions",
  { authorization: `Bearer ${SERVICE_KEY}` },
  JSON.stringify(HELLO),
);

/** Idle connections up to the limit of descriptors. */
export const descriptors: Scenario = {
  name: "descriptors",
  seconds: 40,
  async run(trial) {
    for (const workers of trial.short ? [1] : [1, 2]) await exhaust(trial, workers);
  },
};

async function exhaust(trial: Trial, workers: number): Promise<void> {
  const vendor = trial.own(createHelloVendor());
  const gateway = await trial.start({
    config: { server: { workers }, providers: toProvider(vendor.url) },
    maxDescriptors: DESCRIPTORS,
  });
  const suffix = workers === 1 ? "" : `, ${workers} workers`;
  const report = (what: string, ...figure: [bar: string, measured: string, isWithin: boolean]) =>
    trial.report(`${what}${suffix}`, ...figure);
  // The caller has its connection, and the gateway has one to the vendor.
  using wire = await openWire(gateway.port);
  await exchange(wire, ASK, PATIENCE_MS);
  {
    using crowd = new Crowd();
    await crowd.add(gateway.port, CROWD);
    await sleep(HOLD_MS);
    const held = descriptorsOf(gateway.pid);
    report(
      `${CROWD} idle connections, limit ${DESCRIPTORS}`,
      "the process runs",
      gateway.isRunning ? `runs with ${held} descriptors` : "the process has ended",
      gateway.isRunning,
    );
    // Its connection may have been closed while it was idle.
    const { status } = await exchange(wire, ASK, PATIENCE_MS);
    const isServed = status === 200 || await answersWithin(gateway, PATIENCE_MS);
    const how = status === 200 ? "served" : "served on a new connection";
    report("a caller who was connected", "served", isServed ? how : "not served", isServed);
  }
  const begun = performance.now();
  const isBack = await answersWithin(gateway, RECOVERY_MS);
  const measured = isBack ? `${(performance.now() - begun).toFixed(0)} ms` : "no answer";
  report("a new caller, once they close", `200 in ${RECOVERY_MS} ms`, measured, isBack);
  const said = `${gateway.stderr}${gateway.stdout}`;
  const line = said.split("\n").find((text) => /descriptor|open files|connections/i.test(text));
  const isTold = gateway.isRunning && line !== undefined;
  report("the log", "a line", line?.slice(0, 60) ?? "no line", isTold);
  const metrics = isBack ? await gateway.metrics() : "";
  const name = REFUSALS.exec(metrics)?.[0];
  report("the metrics", "a figure that is not 0", name ?? "none", name !== undefined);
}

/** A counter of refused connections. */
const REFUSALS = /^\S*(?:descriptor|refused|accept|rejected)\S* [1-9]\d*$/m;

/** `server.max_connections` under the same attack. */
export const connections: Scenario = {
  name: "max_connections",
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
      const meanwhile = await askFrom("127.0.0.1", gateway.port);
      trial.report("a new caller meanwhile", "200", String(meanwhile), meanwhile === 200);
    }
    const isBack = await answersWithin(gateway, RECOVERY_MS);
    trial.report("a new caller, once they close", "200", isBack ? "200" : "no answer", isBack);
  },
};

/** One address cannot use up the connections of another. */
export const addresses: Scenario = {
  name: "max_connections_per_address",
  seconds: 20,
  async run(trial) {
    const vendor = trial.own(createHelloVendor());
    const server = { max_connections: MAX_CONNECTIONS, max_connections_per_address: PER_ADDRESS };
    const gateway = await trial.start({ config: { server, providers: toProvider(vendor.url) } });
    const before = descriptorsOf(gateway.pid) ?? 0;
    using crowd = new Crowd();
    // They are not idle: each is sending a body.
    const head = new TextDecoder().decode(ASK).replace(
      /content-length: \d+/,
      "content-length: 9999",
    );
    await crowd.add(gateway.port, CROWD, head);
    await sleep(HOLD_MS);
    const held = (descriptorsOf(gateway.pid) ?? 0) - before;
    const bar = `at most ${PER_ADDRESS} held`;
    trial.report(`${CROWD} half bodies`, bar, String(held), held <= PER_ADDRESS);
    const status = await askFrom("127.0.0.2", gateway.port);
    trial.report("a caller of another address", "200", String(status), status === 200);
  },
};

/** Sends a request from one of the addresses of this machine; 0 when there is no answer. */
async function askFrom(localAddress: string, port: number): Promise<number> {
  const socket = connect({ host: "127.0.0.1", port, localAddress });
  try {
    const { promise, resolve } = Promise.withResolvers<number>();
    socket.on(
      "data",
      (bytes: Uint8Array) => resolve(Number(new TextDecoder().decode(bytes).slice(9, 12))),
    );
    socket.on("error", () => resolve(0));
    socket.on("close", () => resolve(0));
    socket.write(ASK);
    return await within(PATIENCE_MS, promise) ?? 0;
  } finally {
    socket.destroy();
  }
}

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
