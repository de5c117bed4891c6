/** Wrong keys and unknown models at a gateway with many keys and models. */

import { call } from "./caller.ts";
import { SERVICE_KEY } from "./gateway_process.ts";
import { HELLO } from "./providers.ts";
import type { Scenario } from "./trial.ts";

const KEYS = 10_000;
const MODELS = 5000;
const REQUESTS = 200;
/** Of one request, with the connection of the caller, in milliseconds. */
const MAX_MS = 50;

/** Neither a wrong key nor an unknown model costs time in proportion to all keys and models. */
export const wrongKeys: Scenario = {
  name: "lookup",
  seconds: 40,
  async run(trial) {
    const models = ["m1*", "*9"];
    const keys = Array.from({ length: KEYS }, (_, index) => ({
      ...{ name: `key-${index}`, key: `sk-${String(index).padStart(30, "0")}`, models },
    }));
    const gateway = await trial.start({
      config: {
        server: { keys: [{ name: "hostile", key: SERVICE_KEY }, ...keys] },
        providers: {
          mock: {
            kind: "mock",
            models: Array.from({ length: MODELS }, (_, index) => `m${index}`),
          },
        },
      },
    });
    const limit = MAX_MS * trial.patience;
    for (
      const [about, toRequest, expected] of [
        ["wrong keys", (index: number) => [HELLO, `sk-wrong-${index}`], 401],
        ["unknown models", (index: number) => [{ ...HELLO, model: `x${index}` }, SERVICE_KEY], 404],
      ] as const
    ) {
      const began = performance.now();
      let others = 0;
      for (let index = 0; index < REQUESTS; index++) {
        const [body, key] = toRequest(index);
        const headers = { authorization: `Bearer ${key}` };
        const { status } = await call(gateway.port, body, { headers });
        if (status !== expected) others++;
      }
      const ms = (performance.now() - began) / REQUESTS;
      trial.report(
        `${REQUESTS} ${about}, ${KEYS} keys, ${MODELS} models`,
        `${expected}, at most ${limit} ms each`,
        `${others} others, ${ms.toFixed(1)} ms each`,
        others === 0 && ms <= limit,
      );
    }
  },
};
