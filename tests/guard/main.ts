/**
 * `deno task guard`: counts what requests take, and fails where it has grown. `--update` writes the
 * committed counts, `--full` also measures what takes longer or depends on the machine.
 */

import { createCases, PLAIN } from "./cases.ts";
import { countAllCalls, countAllocation, type Counts, Inspector } from "./counting.ts";
import { measureFigures } from "./figures.ts";
import { type Committed, judgeCounts, judgeFigures, judgePath } from "./judging.ts";
import { takePath } from "./path.ts";

const FILE = new URL("./counts.json", import.meta.url);
/** Elsewhere V8 may allocate otherwise. */
const UNITS: (keyof Counts)[] = ["promises", "calls", "functions", "runtime_calls"];
if (Deno.build.os === "linux" && Deno.build.arch === "x86_64") UNITS.push("bytes");

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

function printCounts(counted: ReadonlyMap<string, Counts>): void {
  const units = ["promises", "bytes", "calls", "functions", "runtime_calls"] as const;
  const row = (name: string, cells: readonly (string | number)[]) =>
    print(name.padEnd(24) + cells.map((cell) => String(cell).padStart(14)).join(""));
  row("", units);
  for (const [name, counts] of counted) row(name, units.map((unit) => counts[unit]));
}

const full = Deno.args.includes("--full");
const committed: Committed = JSON.parse(Deno.readTextFileSync(FILE));
const { cases, clock } = createCases();
const plain = cases.find(({ name }) => name === PLAIN);
if (plain === undefined) throw new TypeError("The plain request is not among the cases");
const allocated = await countAllocation(cases);
const figures = full ? await measureFigures(plain) : undefined;
const inspector = new Inspector();
const counted = await countAllCalls(cases, allocated, inspector);
const path = await takePath(plain, inspector);
clock.close();

printCounts(counted);
const { files, functions, classes, async_functions } = path;
print(
  `path: ${files.length} files, ${functions} functions, ${classes.length} classes, ` +
    `${async_functions.length} async functions`,
);
if (figures !== undefined) print(`full: ${JSON.stringify(figures)}`);
if (Deno.args.includes("--update")) {
  const counts = Object.fromEntries(counted);
  const written: Committed = { counts, path, figures: figures ?? committed.figures };
  Deno.writeTextFileSync(FILE, `${JSON.stringify(written, null, 2)}\n`);
  Deno.exit(0);
}
const complaints = [
  ...judgeCounts(counted, committed.counts, UNITS),
  ...judgePath(path, committed.path),
  ...figures === undefined ? [] : judgeFigures(figures, committed.figures),
];
for (const complaint of complaints) print(`GREW ${complaint}`);
Deno.exit(complaints.length === 0 ? 0 : 1);
