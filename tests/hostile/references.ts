/** Small requests that refer to large stored answers, as often as they can. */

import { toAnswer, toCompletion } from "./answers.ts";
import { call } from "./caller.ts";
import { VENDOR_KEY } from "./gateway_process.ts";
import { isWithinMemory, maxGapOf, measure, watch } from "./held.ts";
import { RawVendor } from "./raw_vendor.ts";
import type { Scenario } from "./trial.ts";

const MB = 1_000_000;
const PATH = "/v1/responses";
const REFERENCES = 400;
/** One answer, and what the request adds to it. */
const MAX_SENT = 4 * MB;

/** `item_reference` to one long answer, and turns that follow a long conversation. */
export const references: Scenario = {
  name: "references",
  seconds: 30,
  alone: true,
  async run(trial) {
    const maxGap = maxGapOf(trial);
    let sent = 0;
    let answer = toAnswer(200, toCompletion("x".repeat(MB)));
    const vendor = trial.own(
      new RawVendor(async ({ body }, connection) => {
        sent = Math.max(sent, body.length);
        await connection.send(answer);
      }),
    );
    const provider = {
      ...{ kind: "openai_compatible", base_url: vendor.url, api_key: VENDOR_KEY },
      models: ["m"],
    };
    const watched = await watch(trial, { config: { providers: { v: provider } } });
    const stored = await call(watched.gateway.port, { model: "m", input: "Hi" }, { path: PATH });
    const id = /"id":"(msg_[^"]+)"/.exec(stored.body)?.[1];
    if (id === undefined) {
      throw new TypeError(`No message was stored: ${stored.body.slice(0, 200)}`);
    }
    sent = 0;
    answer = toAnswer(200, toCompletion("Hello."));
    const reference = { type: "item_reference", id };
    const input = [...Array(REFERENCES).fill(reference), { role: "user", content: "Hi" }];
    const held = await measure(watched, { model: "m", input }, maxGap, { path: PATH });
    trial.report(
      `${REFERENCES} references to one answer of 1 MB`,
      `gap ${maxGap} ms, ${MAX_SENT / MB} MB sent, memory 8 times`,
      `${held.status}; ${held.gap.toFixed(0)} ms, ${(sent / MB).toFixed(0)} MB, ` +
        `${(held.memory / MB).toFixed(0)} MB`,
      held.status !== 0 && held.status !== 500 && held.gap <= maxGap && sent <= MAX_SENT &&
        isWithinMemory(held, MB),
    );
  },
};
