/** Many requests at once against what a budget has left. */

import { toAnswer, toCompletion } from "./answers.ts";
import { call } from "./caller.ts";
import { SERVICE_KEY } from "./gateway_process.ts";
import { HELLO, toProvider } from "./providers.ts";
import { RawVendor } from "./raw_vendor.ts";
import type { Scenario } from "./trial.ts";

const REQUESTS = 60;
/** The output of one answer, which costs 1 USD. */
const TOKENS = 100_000;

/** A budget of one request admits one, also through a chain whose first target is cheap. */
export const budgets: Scenario = {
  name: "budget",
  seconds: 30,
  async run(trial) {
    for (const model of ["m", "chain"]) {
      let sent = 0;
      const vendor = trial.own(
        new RawVendor(async ({ body }, connection) => {
          if (body.includes('"first"')) return await connection.send(toAnswer(500, {}));
          sent++;
          const usage = { prompt_tokens: 0, completion_tokens: TOKENS, total_tokens: TOKENS };
          await connection.send(toAnswer(200, { ...toCompletion("Hi"), usage }));
        }),
      );
      const budget = { usd: 1, per: "day" };
      const cheap = { id: "first", max_output_tokens: 1, prices: { input: 0.01, output: 0.01 } };
      const priced = { id: "m", max_output_tokens: TOKENS, prices: { input: 1, output: 10 } };
      const gateway = await trial.start({
        config: {
          server: { keys: [{ name: "hostile", key: SERVICE_KEY, budget }] },
          providers: toProvider(vendor.url, { models: [cheap, priced] }),
          aliases: { chain: ["first", "m"] },
        },
      });
      const ask = () => call(gateway.port, { ...HELLO, model }, { patience: 10_000 });
      const replies = await Promise.all(Array.from({ length: REQUESTS }, ask));
      const refused = replies.filter(({ status }) => status === 429).length;
      const later = await ask();
      trial.report(
        `${REQUESTS} requests of 1 USD at once, 1 USD left, ${model}`,
        "1 reaches the vendor, others 429",
        `${sent} sent, ${refused} refused, then ${later.status}`,
        sent === 1 && refused === REQUESTS - 1 && later.status === 429,
      );
    }
  },
};
