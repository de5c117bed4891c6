/** Control characters from outside, with a log on a terminal. */

import { sleep } from "../bench/children.ts";
import { toAnswer } from "./answers.ts";
import { call } from "./caller.ts";
import { HELLO, toProvider } from "./providers.ts";
import { RawVendor } from "./raw_vendor.ts";
import type { Scenario } from "./trial.ts";

/** Colors, a title and a move of the cursor, with C0 and with C1, and DEL. */
const CONTROLS = "\x1b[31m\x1b]0;title\x07\x9b2J\x85\x7f\x08\x00";
const LOG_MS = 500;

/** None of them reaches the terminal. */
export const terminal: Scenario = {
  name: "terminal log",
  seconds: 15,
  async run(trial) {
    if (!await hasScript()) return trial.skip("", "needs the program 'script'");
    const vendor = trial.own(
      new RawVendor((_, connection) => {
        const error = { message: CONTROLS, type: CONTROLS, param: CONTROLS, code: CONTROLS };
        return connection.send(toAnswer(400, { error }));
      }),
    );
    const model = { id: CONTROLS, upstream: CONTROLS };
    const gateway = await trial.start({
      config: { providers: toProvider(vendor.url, { models: ["m", model] }) },
      output: "terminal",
    });
    await sleep(LOG_MS);
    const begun = gateway.terminal.length;
    await call(gateway.port, HELLO);
    await call(gateway.port, { ...HELLO, model: CONTROLS });
    await call(gateway.port, { ...HELLO, model: `unknown${CONTROLS}` });
    await call(gateway.port, { ...HELLO, seed: 1, [CONTROLS]: 1, service_tier: CONTROLS });
    await call(gateway.port, "{}", { path: `/v1/${encodeURIComponent(CONTROLS)}` });
    await sleep(LOG_MS);
    const text = gateway.terminal.slice(begun);
    // The terminal ends lines with both; UTF-8 has C1 as 0xC2 and itself.
    // deno-lint-ignore no-control-regex
    const found = text.replaceAll("\r\n", "").match(/[\x00-\x1f\x7f]|\xc2[\x80-\x9f]/g) ?? [];
    const lines = text.split("\r\n").length - 1;
    const names = [...new Set(found)].map((character) =>
      `0x${(character.charCodeAt(character.length - 1)).toString(16)}`
    );
    const measured = `${found.length} in ${lines} lines: ${names.join(" ")}`;
    trial.report(
      "control characters",
      "0, in some lines",
      measured,
      found.length === 0 && lines > 3,
    );
  },
};

async function hasScript(): Promise<boolean> {
  try {
    const { success } = await new Deno.Command("script", { args: ["--version"] }).output();
    return success;
  } catch {
    return false;
  }
}
