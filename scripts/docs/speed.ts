/** The page about speed: the results of a run of the bench, from `speed.json`. */

import { TITLES } from "../../tests/bench/rows.ts";
import results from "./speed.json" with { type: "json" };

/** The date, the command, the machine, the tables of the run, and what it did not measure. */
export function toSpeedMarkdown(): string {
  const { command, date, load_average_after, machine, rows, tables } = results;
  const measured = new Set(rows.map(({ title }) => title));
  const missing = TITLES.filter((title) => !measured.has(title));
  return [
    `- Date: ${date.slice(0, 10)}`,
    `- Command: \`${command.replace(/ --out \S+/, "")}\``,
    `- Machine: ${machine.cores} cores of an ${machine.cpu}, ${machine.memory_gib} GiB, ` +
    `${machine.os.split("-")[0]}, Deno ${machine.deno}`,
    `- Load average before and after: ${machine.load_average_before}; ${load_average_after}`,
    "",
    toTable(["measure", "measured", "goal", "reached"], rows.map(toCells)),
    "",
    ...tables.flatMap(({ lines: [head = [], ...lines], title }) => [
      `### ${title}`,
      "",
      toTable(head, lines),
      "",
    ]),
    `Not measured in this run: ${missing.join("; ")}.`,
  ].join("\n");
}

function toCells({ bar, more, title, unit, value }: typeof results.rows[number]): string[] {
  const suffix = unit === "x" ? "" : ` ${unit}`;
  const isReached = more ? value >= bar : value <= bar;
  return [
    title,
    `${value.toFixed(unit === "x" ? 2 : 0)}${suffix}`,
    `${more ? "≥" : "≤"} ${bar}${suffix}`,
    isReached ? "yes" : "no",
  ];
}

function toTable(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}
