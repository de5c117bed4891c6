/** A key with many requests in the queue of a vendor's limit, and another key with few. */

import { toAnswer, toCompletion } from "./answers.ts";
import { call } from "./caller.ts";
import { SERVICE_KEY } from "./gateway_process.ts";
import { HELLO, toProvider } from "./providers.ts";
import { RawVendor } from "./raw_vendor.ts";
import type { Scenario } from "./trial.ts";

const OTHER_KEY = "sk-hostile-other-key";
const KEYS = [{ name: "hostile", key: SERVICE_KEY }, { name: "other", key: OTHER_KEY }];
const BUSY = 64;
const FEW = 3;
/** The vendor's bucket: so many requests a second, and as many at once. */
const PER_SECOND = 8;
/** Both keys have every second turn, so the few need 0.75 s; a probe may be refused. */
const MAX_MS = 4000;
/** Over twice what the line takes at this rate: a busy machine learns the rate late. */
const MAX_WAIT_MS = 30_000;

/** The few are served among the many. */
export const queue: Scenario = {
  name: "queue",
  seconds: 30,
  async run(trial) {
    let level = PER_SECOND;
    let filledAt = performance.now();
    const hello = toAnswer(200, toCompletion("Hello."));
    const vendor = trial.own(
      new RawVendor((_, connection) => {
        const now = performance.now();
        level = Math.min(PER_SECOND, level + (now - filledAt) * PER_SECOND / 1000);
        filledAt = now;
        if (level >= 1) level--;
        else {
          const ms = Math.ceil((1 - level) * 1000 / PER_SECOND);
          const error = { message: "Too many requests", code: "rate_limit_exceeded" };
          return connection.send(toAnswer(429, { error }, { "retry-after-ms": `${ms}` }));
        }
        return connection.send(hello);
      }),
    );
    const gateway = await trial.start({
      config: {
        server: { keys: KEYS },
        routing: { queue: { max_wait: `${MAX_WAIT_MS}ms` } },
        providers: toProvider(vendor.url),
      },
    });
    const ask = (key: string) =>
      call(gateway.port, HELLO, {
        headers: { authorization: `Bearer ${key}` },
        patience: MAX_WAIT_MS,
      });
    const busy = Array.from({ length: BUSY }, () => ask(SERVICE_KEY));
    // The bucket is empty, and the others of the busy key wait.
    await Promise.race(busy);
    const few = await Promise.all(Array.from({ length: FEW }, () => ask(OTHER_KEY)));
    const longest = Math.max(...few.map(({ ms }) => ms));
    const all = [...few, ...await Promise.all(busy)];
    const refused = all.filter(({ status }) => status !== 200).length;
    trial.report(
      `${FEW} requests behind ${BUSY} of another key, at ${PER_SECOND} a second`,
      `within ${MAX_MS} ms; 0 refused`,
      `${longest.toFixed(0)} ms; ${refused} refused`,
      longest <= MAX_MS && refused === 0,
    );
  },
};
