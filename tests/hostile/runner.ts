/** Runs scenarios with their time limits and prints the table. */

import { type Figure, type Scenario, Trial, type TrialOptions } from "./trial.ts";
import { within } from "./within.ts";

/** The time limits of a run, which are well over the times on an idle machine. */
const SHORT_SECONDS = 120;
const LONG_SECONDS = 300;

const CLEAN_UP_MS = 5000;

/** The number of concurrent scenarios, of those that may run concurrently. */
const LANES = 5;

/**
 * Runs scenarios, first those that may run concurrently, and prints the table.
 *
 * @returns whether every result is within its limit.
 */
export async function runAll(
  scenarios: readonly Scenario[],
  options: TrialOptions,
  print: (text: string) => void,
): Promise<boolean> {
  const begun = performance.now();
  const seconds = (options.short ? SHORT_SECONDS : LONG_SECONDS) * options.patience;
  const end = begun + seconds * 1000;
  const results = new Map<Scenario, readonly Figure[]>();
  const run = async (scenario: Scenario) => {
    results.set(scenario, await runOne(scenario, options, end));
  };
  const waiting = scenarios.filter(({ alone }) => !alone);
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  for (const scenario of scenarios.filter(({ alone }) => alone)) await run(scenario);
  const figures = scenarios.flatMap((scenario) => results.get(scenario) ?? []);
  print(
    `Gap: the longest that another caller waited, the least of up to 5 attempts. Memory: the\n`,
  );
  print(
    `peak over that before, as a factor of the size, and 48 MB beyond that for small sizes.\n\n`,
  );
  print(toRow(["scenario", "bar", "measured", "result"]));
  for (const { scenario, bar, measured, result } of figures) {
    print(toRow([scenario, bar, measured, result]));
  }
  const failed = figures.filter(({ result }) => result === "FAIL").length;
  const took = ((performance.now() - begun) / 1000).toFixed(0);
  print(`\n${figures.length} figures, ${failed} over their bar, in ${took} s\n`);
  return failed === 0;
}

/** Runs one scenario. Results that are missing after its time limit are failures. */
async function runOne(scenario: Scenario, options: TrialOptions, end: number): Promise<Figure[]> {
  const { name } = scenario;
  const left = end - performance.now();
  const limit = Math.min(scenario.seconds * 1000 * options.patience, left);
  if (limit <= 0) {
    return [{ scenario: name, bar: "", measured: "not run: time is over", result: "FAIL" }];
  }
  const trial = new Trial(name, options);
  const running = scenario.run(trial).then(() => true);
  let fault: string | undefined;
  try {
    const isDone = await within(limit, running);
    if (!isDone) fault = `not finished after ${(limit / 1000).toFixed(0)} s`;
  } catch (thrown) {
    fault = String(thrown instanceof Error ? thrown.message : thrown).replaceAll(/\s+/g, " ");
  }
  // Code that runs after the time limit finds everything closed.
  running.catch(() => {});
  await within(CLEAN_UP_MS, trial[Symbol.asyncDispose]());
  if (fault === undefined) return trial.figures;
  return [...trial.figures, { scenario: name, bar: "", measured: fault, result: "FAIL" }];
}

/** Widths of the columns in characters; longer cells move the rest of the row. */
const WIDTHS = [58, 44, 44];

function toRow(cells: readonly string[]): string {
  return cells.map((cell, at) => cell.padEnd(WIDTHS[at] ?? 0)).join("  ") + "\n";
}
