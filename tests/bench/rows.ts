/** The table: what is asked of Sluice, what was measured, and how the two compare. */

/** One line of the table, before anything is measured. */
export interface Goal {
  readonly title: string;
  readonly unit: "x" | "µs" | "ms";
  /** Whether a larger figure is a better one. */
  readonly more: boolean;
  readonly atLeast: number;
  readonly stretch: number;
  readonly digits: number;
}

const over = (title: string, atLeast: number, stretch: number): Goal => ({
  ...{ title, atLeast, stretch },
  ...{ unit: "x", more: true, digits: 2 },
});

const under = (
  title: string,
  unit: Goal["unit"],
  atLeast: number,
  stretch: number,
  digits = 2,
): Goal => ({ title, unit, atLeast, stretch, digits, more: false });

/** What is asked, in the order in which it is printed. */
const GOALS = {
  unary: over("unary, OpenAI dialect: requests/s over pipe", 0.6, 0.8),
  unaryPortkey: over("unary, OpenAI dialect: requests/s over Portkey", 8, 15),
  unaryAnthropic: over("unary, through anthropic: requests/s over pipe", 0.55, 0.75),
  large: over("200 events in large packets, dialect: streams/s over loop", 0.7, 1),
  largeAnthropic: over("200 events in large packets, anthropic: streams/s over loop", 0.35, 0.6),
  drip: under("dripping, dialect: CPU per event over loop", "x", 1.15, 0.75),
  dripAnthropic: under("dripping, anthropic: CPU per event over loop", "x", 1.35, 0.9),
  delay: under("dripping, dialect: delay of an event, p99, over loop", "ms", 2, 0),
  delayAnthropic: under("dripping, anthropic: delay of an event, p99, over loop", "ms", 2, 0),
  weight: under("memory per open stream over loop", "x", 1.3, 0.8),
  latency: under("added latency, 1 connection, p50, over pipe", "µs", 120, 60, 0),
  body: under("10 MB body, dialect: /healthz p99 meanwhile", "ms", 100, 30, 1),
  bodyAnthropic: under("10 MB body, anthropic: /healthz p99 meanwhile", "ms", 100, 30, 1),
  growth: under("memory after all requests over after 20,000", "x", 1.1, 1),
  start: under("start to first 200, modules cached", "ms", 300, 150, 0),
} as const satisfies Record<string, Goal>;

export type GoalName = keyof typeof GOALS;

/** What was measured for one goal. */
export interface Measured {
  /** The figure that counts; undefined when it was not measured. */
  readonly value: number | undefined;
  /** What it is the median of. */
  readonly rounds?: readonly number[];
  /** What a reader must know, or why there is no figure. */
  readonly note?: string;
}

export type Verdict = "stretch" | "met" | "missed" | "not measured";

/** One line of the table. */
export interface Row extends Goal, Measured {
  readonly name: GoalName;
  readonly verdict: Verdict;
}

/** The rows of what was measured. */
export function toRows(measured: ReadonlyMap<GoalName, Measured>): Row[] {
  return Object.entries(GOALS).flatMap(([key, goal]) => {
    const name = key as GoalName;
    const result = measured.get(name);
    return result === undefined ? [] : [{ name, ...goal, ...result, verdict: judge(goal, result) }];
  });
}

/** Cells in columns: the first one to the left, figures to the right. */
export function toTable(lines: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const line of lines) {
    line.forEach((cell, column) => widths[column] = Math.max(widths[column] ?? 0, cell.length));
  }
  return lines.map((line) =>
    line.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    }).join("  ").trimEnd() + "\n"
  ).join("");
}

/** The rows as text. */
export function printRows(rows: readonly Row[]): string {
  const notes = rows.filter((row) => row.note !== undefined)
    .map((row) => `  ${row.title}: ${row.note}\n`);
  const lines = rows.map((row) => [
    row.title,
    row.value === undefined ? "–" : format(row, row.value),
    bound(row, row.atLeast),
    bound(row, row.stretch),
    row.verdict,
  ]);
  return toTable([["measure", "measured", "at least", "stretch", "verdict"], ...lines]) +
    (notes.length > 0 ? `\n${notes.join("")}` : "");
}

function judge({ more, atLeast, stretch }: Goal, { value }: Measured): Verdict {
  if (value === undefined || Number.isNaN(value)) return "not measured";
  const reaches = (bound: number) => more ? value >= bound : value <= bound;
  if (reaches(stretch)) return "stretch";
  return reaches(atLeast) ? "met" : "missed";
}

function format({ unit, digits }: Goal, value: number): string {
  return unit === "x" ? value.toFixed(digits) : `${value.toFixed(digits)} ${unit}`;
}

function bound(goal: Goal, value: number): string {
  const digits = Number.isInteger(value) ? 0 : 2;
  return `${goal.more ? "≥" : "≤"} ${format({ ...goal, digits }, value)}`;
}
