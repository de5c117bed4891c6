/** The table of goals and results. */

/** A goal: one line of the table. */
export interface Goal {
  readonly title: string;
  readonly unit: "x" | "µs" | "ms" | "MiB";
  /** Whether a larger value is better. */
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

/** All goals, in the order of the table. */
const GOALS = {
  unary: over("unary, OpenAI dialect: requests/s over pipe", 0.65, 0.85),
  unaryPortkey: over("unary, OpenAI dialect: requests/s over Portkey", 8, 15),
  unaryAnthropic: over("unary, through anthropic: requests/s over pipe", 0.55, 0.8),
  large: over("200 events in large packets, dialect: streams/s over loop", 0.7, 1),
  largeAnthropic: over("200 events in large packets, anthropic: streams/s over loop", 0.5, 1),
  cold: over("200 events with new IDs, dialect: streams/s over loop", 0.7, 1),
  coldAnthropic: over("200 events with new IDs, anthropic: streams/s over loop", 0.5, 1),
  first: under("first stream of a new process, over loop", "ms", 20, 10, 1),
  idle: under("memory of 1,000 idle streams over loop", "x", 1.3, 0.8),
  mixed: under("mixed traffic: delay of an event, p99, over loop", "ms", 2, 0),
  messages: under("Messages stream, native: CPU over chat through openai", "x", 1, 0.8),
  messagesConverted: under("Messages stream, converted: CPU over chat", "x", 1.6, 1.2),
  gemini: under("Gemini stream, native: CPU over Messages, native", "x", 1, 0.8),
  geminiConverted: under("Gemini stream, converted: CPU over chat", "x", 1.6, 1.2),
  drip: under("dripping, dialect: CPU per event over loop", "x", 0.75, 0.5),
  dripAnthropic: under("dripping, anthropic: CPU per event over loop", "x", 0.75, 0.5),
  delay: under("dripping, dialect: delay of an event, p99, over loop", "ms", 2, 0),
  delayAnthropic: under("dripping, anthropic: delay of an event, p99, over loop", "ms", 2, 0),
  weight: under("memory per open stream over loop", "x", 1.3, 0.8),
  latency: under("added latency, 1 connection, p50, over pipe", "µs", 120, 60, 0),
  limits: over("limits in memory and a ledger in SQLite: requests/s over none", 0.93, 0.97),
  valkey: over("limits in a Valkey server: requests/s over none", 0.8, 0.9),
  body: under("10 MB body, dialect: /healthz p99 meanwhile", "ms", 100, 30, 1),
  bodyAnthropic: under("10 MB body, anthropic: /healthz p99 meanwhile", "ms", 100, 30, 1),
  growth: under("memory after all requests over after 20,000", "x", 1.1, 1),
  rest: under("memory at rest after load", "MiB", 140, 120, 0),
  fresh: over("first 2 s of a new process, unary: requests/s over later ones", 0.85, 1),
  freshDelay: under("first 2 s of a new process, unary: p99 over later ones", "x", 2, 1.2),
  start: under("start to first 200, modules cached", "ms", 300, 150, 0),
} as const satisfies Record<string, Goal>;

export type GoalName = keyof typeof GOALS;

/** The result of one goal. */
export interface Measured {
  /** The measured value; undefined when it was not measured. */
  readonly value: number | undefined;
  /** The values whose median it is. */
  readonly rounds?: readonly number[];
  /** A remark, or why there is no value. */
  readonly note?: string;
}

export type Grade = "stretch" | "met" | "missed" | "not measured";

/** A line of the table. */
export interface Row extends Goal, Measured {
  readonly name: GoalName;
  readonly grade: Grade;
}

/** The rows of the measured goals. */
export function toRows(measured: ReadonlyMap<GoalName, Measured>): Row[] {
  return Object.entries(GOALS).flatMap(([key, goal]) => {
    const name = key as GoalName;
    const result = measured.get(name);
    return result === undefined ? [] : [{ name, ...goal, ...result, grade: judge(goal, result) }];
  });
}

/** Formats cells in columns: the first one left-aligned, the others right-aligned. */
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
    row.grade,
  ]);
  return toTable([["measure", "measured", "at least", "stretch", "grade"], ...lines]) +
    (notes.length > 0 ? `\n${notes.join("")}` : "");
}

function judge({ more, atLeast, stretch }: Goal, { value }: Measured): Grade {
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
