/**
 * `deno task hostile`: attacks on a running gateway, each with a figure and its
 * bar. `--short` takes half a minute; `--only A1,B7` runs some; `--checkout DIR`
 * tries the sources of another directory; `--patience 3` lets a busy machine take
 * three times as long. Exit code 1 if a figure is over its bar.
 */

import { parseArgs } from "@std/cli/parse-args";
import { fileURLToPath } from "node:url";
import { GatewayProcess } from "./gateway_process.ts";
import { runAll } from "./runner.ts";
import { SCENARIOS } from "./scenarios.ts";

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
const options = {
  short,
  patience: Number(patience),
  checkout: Deno.realPathSync(checkout ?? ROOT),
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, async () => {
    await GatewayProcess.endAll();
    Deno.exit(INTERRUPTED);
  });
}
// What a scenario left behind when its time was over may still fail.
globalThis.addEventListener("unhandledrejection", (event) => event.preventDefault());
const passed = await runAll(chosen, options, (text) => {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
});
Deno.exit(passed ? 0 : 1);
