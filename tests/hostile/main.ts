/**
 * `deno task hostile`: attacks on a running gateway, each with a result and a limit. `--short`
 * takes at most a minute and a half; `--only queue,passed` runs some; `--checkout DIR` tests the
 * sources of another directory; `--patience 3` triples the time limits for a busy machine. Exit
 * code 1 if a limit is exceeded.
 */

import { parseArgs } from "@std/cli/parse-args";
import { fileURLToPath } from "node:url";
import { GatewayProcess } from "./gateway_process.ts";
import { runAll } from "./runner.ts";
import { SCENARIOS } from "./scenarios.ts";
import type { TrialOptions } from "./trial.ts";

const INTERRUPTED = 130;
const ROOT = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");

const { short, only, checkout, patience = "1" } = parseArgs(Deno.args, {
  boolean: ["short"],
  string: ["only", "checkout", "patience"],
}) as { short: boolean; only?: string; checkout?: string; patience?: string };

const wanted = only?.split(",");
const chosen = SCENARIOS.filter(({ name }) => {
  const [point] = name.split(" ");
  return wanted === undefined || wanted.includes(point ?? "");
});
if (chosen.length === 0) throw new TypeError(`No scenario is named '${only}'`);
const directory = Deno.realPathSync(checkout ?? ROOT);
const options: TrialOptions = {
  short,
  patience: Number(patience),
  start: (options) => GatewayProcess.start(directory, options),
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, async () => {
    await GatewayProcess.endAll();
    Deno.exit(INTERRUPTED);
  });
}
// A scenario that was ended by its time limit may still cause errors.
globalThis.addEventListener("unhandledrejection", (event) => event.preventDefault());
const passed = await runAll(chosen, options, (text) => {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
});
Deno.exit(passed ? 0 : 1);
