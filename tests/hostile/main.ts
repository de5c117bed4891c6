/**
 * `deno task hostile`: attacks on a running gateway, each with a figure and its
 * bar. `--short` takes half a minute; `--only A1,B7` runs some; `--checkout DIR`
 * tries the sources of another directory. Exit code 1 if a figure is over its bar.
 */

import { parseArgs } from "@std/cli/parse-args";
import { fileURLToPath } from "node:url";
import { runAll } from "./runner.ts";
import { SCENARIOS } from "./scenarios.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");

const { short, only, checkout } = parseArgs(Deno.args, {
  boolean: ["short"],
  string: ["only", "checkout"],
}) as { short: boolean; only?: string; checkout?: string };

const wanted = only?.split(",");
const chosen = SCENARIOS.filter(({ name }) => {
  const [point] = name.split(" ");
  return wanted === undefined || wanted.includes(point ?? "");
});
const options = { short, checkout: Deno.realPathSync(checkout ?? ROOT) };
const passed = await runAll(chosen, options, (text) => {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
});
Deno.exit(passed ? 0 : 1);
