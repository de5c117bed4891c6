/** A vendor's TLS port that accepts connections and sends nothing. */

import { eventually } from "../bench/children.ts";
import { call } from "./caller.ts";
import { descriptorsOf } from "./process_limits.ts";
import { HELLO, toProvider } from "./providers.ts";
import { RawVendor } from "./raw_vendor.ts";
import type { Scenario } from "./trial.ts";

const ATTEMPTS = 60;
const SHORT_ATTEMPTS = 20;
const AT_ONCE = 10;
const SETTLE_MS = 15_000;
const SHORT_SETTLE_MS = 5000;
const TIMEOUT = "300ms";
/** File descriptors that the runtime may open meanwhile. */
const SLACK = 2;

/** Aborted handshakes leave no open connection. */
export const silentTls: Scenario = {
  name: "silent TLS port",
  seconds: 40,
  async run(trial) {
    const vendor = trial.own(new RawVendor(() => Promise.resolve(), { onConnect: () => false }));
    const url = `https://127.0.0.1:${vendor.port}`;
    const timeout = { first_token: TIMEOUT, idle: TIMEOUT, total: TIMEOUT };
    const gateway = await trial.start({ config: { providers: toProvider(url, { timeout }) } });
    await call(gateway.port, HELLO);
    await eventually(() => vendor.open === 0, 1000);
    const before = descriptorsOf(gateway.pid) ?? 0;
    const statuses = new Set<number>();
    const attempts = trial.short ? SHORT_ATTEMPTS : ATTEMPTS;
    for (let at = 0; at < attempts; at += AT_ONCE) {
      const all = Array.from({ length: AT_ONCE }, () => call(gateway.port, HELLO));
      for (const { status } of await Promise.all(all)) statuses.add(status);
    }
    const bar = "504, or 503 once the breaker is open";
    const isWithin = [...statuses].every((status) => status === 504 || status === 503);
    trial.report(`${attempts} attempts`, bar, [...statuses].join(", "), isWithin);
    const settle = trial.short ? SHORT_SETTLE_MS : SETTLE_MS;
    const left = () => (descriptorsOf(gateway.pid) ?? Infinity) - before;
    await eventually(() => left() <= SLACK, settle);
    const measured = `${left()}, of ${vendor.connections} connections`;
    trial.report(
      `descriptors left ${settle / 1000} s later`,
      `at most ${SLACK}`,
      measured,
      left() <= SLACK,
    );
  },
};
