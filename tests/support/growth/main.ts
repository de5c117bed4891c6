/**
 * Measures how the work of the gateway grows with the inputs of a group of cases, in a process that
 * does nothing else. The argument names the group. Prints the result as JSON.
 */

import { cpuUsage } from "node:process";
import { GROUPS } from "./cases.ts";
import { findFastGrowth } from "./measure.ts";
import { PLANTED } from "./planted.ts";

/** The result of a group of cases. */
export interface Judged {
  readonly cases: number;
  /** A line for each case that grows too fast. */
  readonly found: readonly string[];
  readonly cpuSeconds: number;
}

if (import.meta.main) {
  const [group = "", option] = Deno.args;
  const casesOf = group === "planted" ? () => PLANTED : GROUPS[group];
  if (casesOf === undefined) throw new TypeError(`There is no group '${group}'`);
  const before = cpuSeconds();
  const found: string[] = [];
  let cases = 0;
  for (const { name, size, make } of casesOf(option === "--full")) {
    cases++;
    const growth = findFastGrowth(make, size);
    if (growth !== undefined) found.push(`${name}: ${growth}`);
  }
  const judged: Judged = { cases, found, cpuSeconds: cpuSeconds() - before };
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(judged)));
}

function cpuSeconds(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1e6;
}
