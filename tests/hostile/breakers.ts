/** One caller must not open a breaker, since others would then get another model. */

import { sleep } from "../bench/children.ts";
import { toRequestBytes, Wire } from "../bench/wire.ts";
import { toAnswer, toCompletion } from "./answers.ts";
import { call } from "./caller.ts";
import { type GatewayProcess, SERVICE_KEY, VENDOR_KEY } from "./gateway_process.ts";
import { RawVendor } from "./raw_vendor.ts";
import type { Scenario } from "./trial.ts";

/** More failures than open a breaker. */
const TIMES = 12;
const CHAIN = { model: "chain", messages: [{ role: "user", content: "Hi" }] };
const MARKED = { model: "first", messages: [{ role: "user", content: "MARK" }] };

interface Attack {
  readonly name: string;
  readonly run: (gateway: GatewayProcess) => Promise<void>;
}

const ATTACKS: readonly Attack[] = [
  {
    name: "deadlines of 20 ms",
    async run({ port }) {
      await call(port, MARKED, { headers: { "x-sluice-deadline-ms": "20" } });
    },
  },
  {
    name: "callers who hang up",
    async run({ port }) {
      const headers = { authorization: `Bearer ${SERVICE_KEY}` };
      const wire = await Wire.open(port);
      await wire.write(toRequestBytes("/v1/chat/completions", headers, JSON.stringify(MARKED)));
      await sleep(20);
      wire.close();
    },
  },
  {
    name: "requests that are refused",
    async run({ port }) {
      const messages = [{ role: "user", content: "REFUSE" }];
      await call(port, { model: "first", messages });
    },
  },
];

/** The breaker of the first target of a chain stays closed. */
export const breakers: Scenario = {
  name: "breaker",
  seconds: 20,
  async run(trial) {
    for (const { name, run } of ATTACKS) {
      const vendor = trial.own(
        new RawVendor(async ({ body }, connection) => {
          if (body.includes("REFUSE")) {
            const error = { message: "Refused", type: "invalid_request_error" };
            return await connection.send(toAnswer(400, { error }));
          }
          if (body.includes("MARK")) await sleep(200);
          await connection.send(toAnswer(200, toCompletion("Hello.")));
        }),
      );
      const provider = (model: string) => ({
        ...{ kind: "openai_compatible", base_url: vendor.url, api_key: VENDOR_KEY, retries: 0 },
        models: [model],
      });
      const gateway = await trial.start({
        config: {
          providers: { a: provider("first"), b: provider("second") },
          aliases: { chain: ["first", "second"] },
        },
      });
      for (let count = 0; count < TIMES; count++) await run(gateway);
      const { status, head } = await call(gateway.port, CHAIN);
      const model = /\r\nx-sluice-model: ?(\w+)/.exec(head)?.[1] ?? "none";
      const isWithin = status === 200 && model === "first";
      trial.report(
        `${TIMES} ${name}: others`,
        "200 from first",
        `${status} from ${model}`,
        isWithin,
      );
    }
  },
};
