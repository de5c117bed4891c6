/** The table of bars and results. */

/** A bar: one line of the table. */
interface Goal {
  readonly title: string;
  readonly unit: "x" | "ms" | "MiB";
  /** Whether a larger value is better. */
  readonly more: boolean;
  readonly bar: number;
}

const over = (title: string, bar: number): Goal => ({ title, bar, unit: "x", more: true });

const under = (title: string, bar: number, unit: Goal["unit"] = "x"): Goal => ({
  ...{ title, bar, unit },
  more: false,
});

/** All bars, in the order of the table. */
const GOALS = {
  chatCpu: under("chat, JSON: CPU over the floor", 1.3),
  chatRate: over("chat, JSON, workers auto: requests/s over the floor on one", 0.75),
  converted: under("chat to Anthropic, JSON: CPU over chat", 1.3),
  latency: under("one connection: latency p50 over the floor", 1.3),
  workers: under("two workers: CPU over one", 1.1),
  privateCa: under("vendor with a private CA: CPU over HTTP", 1.2),
  proxy: under("vendor through a proxy: CPU over HTTP", 1.2),
  fresh: over("first 2 s of a new process: requests/s over later ones", 0.85),
  limits: over("limits, budget and SQLite: requests/s over none", 0.95),
  valkey: over("limits and budget in Valkey: requests/s over none", 0.85),
  otlp: over("traces over OTLP: requests/s over none", 0.8),
  passed: under("316 kB of an agent, passed: CPU over parsing it", 1.3),
  written: under("316 kB of an agent, converted: CPU over writing it anew", 1.4),
  embeddings: under("256 embeddings: CPU over passing bytes", 1.5),
  image: under("image of 4 MB: CPU over parsing it", 1.3),
  small: under("2 kB, 40 in a second: CPU over parsing it", 1.5),
  events: under("slow streams: CPU of an event over a loop", 1.2),
  eventsConverted: under("slow streams, converted: CPU of an event over a loop", 1.2),
  delay: under("slow streams: delay of an event, p99, more than a loop", 2, "ms"),
  packets: over("200 events in large packets: streams/s over a loop", 0.7),
  packetsConverted: over("200 events in large packets, converted: streams/s over a loop", 0.5),
  messages: under("Messages stream, native: CPU over chat", 1),
  messagesConverted: under("Messages stream, converted: CPU over chat", 1.6),
  gemini: under("Gemini stream, native: CPU over Messages, native", 1),
  geminiConverted: under("Gemini stream, converted: CPU over chat", 1.6),
  first: under("first stream of a new process, more than a loop", 20, "ms"),
  idle: under("memory of 1,000 idle streams over a loop", 1.3),
  mixed: under("mixed traffic: delay of an event, p99, more than a loop", 2, "ms"),
  body: under("10 MB body, passed: /healthz p99 meanwhile", 100, "ms"),
  bodyConverted: under("10 MB body, converted: /healthz p99 meanwhile", 100, "ms"),
  growth: under("memory after all requests over after 20,000", 1.1),
  rest: under("memory at rest after load", 140, "MiB"),
  start: under("start to first 200, modules cached", 300, "ms"),
  portkey: over("chat, JSON: requests/s over Portkey", 8),
} as const satisfies Record<string, Goal>;

export type GoalName = keyof typeof GOALS;

/** The title of each bar. */
export const TITLES: readonly string[] = Object.values(GOALS).map(({ title }) => title);

/** The result of one measurement. */
export interface Measured {
  /** The measured value; undefined when it was not measured. */
  readonly value: number | undefined;
  /** The values whose median it is: of starts, or of rounds. */
  readonly starts?: readonly number[];
  /** A remark, or why there is no value. */
  readonly note?: string;
}

/** A line of the table. */
export interface Row extends Goal, Measured {
  readonly name: GoalName;
  readonly grade: "pass" | "fail" | "not measured";
}

/** The rows of what was measured. */
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
    format(row, row.value),
    (row.starts ?? []).map((value) => format(row, value)).join(" "),
    `${row.more ? "≥" : "≤"} ${row.bar}${row.unit === "x" ? "" : ` ${row.unit}`}`,
    row.grade,
  ]);
  return toTable([["measure", "measured", "starts", "bar", "grade"], ...lines]) +
    (notes.length > 0 ? `\n${notes.join("")}` : "");
}

function judge({ more, bar }: Goal, { value }: Measured): Row["grade"] {
  if (value === undefined || Number.isNaN(value)) return "not measured";
  return (more ? value >= bar : value <= bar) ? "pass" : "fail";
}

function format({ unit }: Goal, value: number | undefined): string {
  if (value === undefined) return "–";
  return unit === "x" ? value.toFixed(2) : `${value.toFixed(1)} ${unit}`;
}
