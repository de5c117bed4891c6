/**
 * The clients that people use, in front of strict vendors: `deno task clients`. It is no part of
 * the test suite, since the clients weigh 1.5 GB. Arguments choose clients, kinds of vendors and
 * runs, such as `deno task clients Codex gemini "an abort"`. npm and uv install the clients, unless
 * variables such as `CODEX` name executables.
 */

import { PROGRAMS } from "./programs.ts";
import { type RunOptions, RUNS } from "./runs.ts";
import { VENDOR_APIS } from "./vendor_api.ts";

const CHOICES = [
  PROGRAMS.map(({ title }) => title),
  VENDOR_APIS.map(({ kind }) => kind),
  Object.keys(RUNS),
];

/** Whether the arguments choose these names: of each list, all if none is named. */
function isChosen(...names: readonly string[]): boolean {
  return names.every((name, at) => {
    const chosen = CHOICES[at]?.filter((one) => Deno.args.includes(one)) ?? [];
    return chosen.length === 0 || chosen.includes(name);
  });
}

/** Runs one test in a new home folder; returns whether it passed. */
async function passes(
  name: string,
  test: (options: RunOptions) => Promise<void>,
  options: Omit<RunOptions, "home">,
): Promise<boolean> {
  const home = await Deno.makeTempDir();
  const start = performance.now();
  let failure: unknown;
  try {
    await test({ ...options, home });
  } catch (thrown) {
    failure = thrown;
  } finally {
    await Deno.remove(home, { recursive: true });
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  // deno-lint-ignore no-console
  console.log(`${name} (${seconds} s): ${failure === undefined ? "ok" : `FAILED: ${failure}`}`);
  return failure === undefined;
}

const unknown = Deno.args.filter((argument) => !CHOICES.flat().includes(argument));
if (unknown.length > 0) {
  throw new TypeError(`Unknown: ${unknown.join(", ")}; known are ${CHOICES.flat().join(", ")}`);
}
let failures = 0;
for (const program of PROGRAMS) {
  for (const api of VENDOR_APIS) {
    for (const [what, test] of Object.entries(RUNS)) {
      if (!isChosen(program.title, api.kind, what)) continue;
      const lacksSearch = program.search === undefined || api.search === undefined;
      if (what === "a web search" && lacksSearch) continue;
      const name = `${program.title} ${program.version}, ${api.kind}, ${what}`;
      if (!await passes(name, test, { program, api })) failures++;
    }
  }
}
if (failures > 0) Deno.exit(1);
