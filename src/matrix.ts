/** The support tables of all adapters, for reading: as JSON, as text, as Markdown. */

import type { Adapter } from "./providers/adapter.ts";
import {
  CONTENT_KINDS,
  type ContentSupport,
  PARAMETERS,
  type Support,
} from "./providers/support.ts";

/** One kind's row, as `GET /v1/providers` prints it. */
export interface KindSupport {
  readonly kind: string;
  readonly parameters: Readonly<Record<string, Support>>;
  readonly content: Readonly<Record<string, ContentSupport>>;
  /** Fields beyond the known ones that go through: `"all"`, or these. */
  readonly extensions: "all" | Readonly<Record<string, Support>>;
  /** What may be sent that the caller did not send, and why. */
  readonly adds: Readonly<Record<string, string>>;
}

export function toMatrix(adapters: readonly Adapter[]): KindSupport[] {
  return adapters.map(({ kind, supports, adds }) => ({ kind, ...supports, adds }));
}

/** The matrix as a Markdown table, with the notes below it. */
export function toMarkdown(adapters: readonly Adapter[]): string {
  const head = ["", ...adapters.map(({ kind }) => kind)];
  const rows = [
    ...PARAMETERS.map((name) => [
      `\`${name}\``,
      ...adapters.map(({ supports }) => cell(supports.parameters[name])),
    ]),
    ...CONTENT_KINDS.map((name) => [
      `_${name.replaceAll("_", " ")}_`,
      ...adapters.map(({ supports }) => cell(supports.content[name])),
    ]),
    ["_other fields_", ...adapters.map(({ supports }) => extensionCell(supports.extensions))],
  ];
  const table = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  return [...table, "", ...notesOf(adapters)].join("\n");
}

/** The matrix for a terminal: aligned columns, no markup. */
export function toText(adapters: readonly Adapter[]): string {
  const rows = toMarkdown(adapters).split("\n").filter((line) => line.startsWith("| "))
    .map((line) => line.slice(2, -2).replaceAll("`", "").replaceAll("_", "_").split(" | "))
    .filter((row) => !row.every((text) => text === "---"));
  return aligned(rows);
}

/** Rows as columns of equal width. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((text, column) => widths[column] = Math.max(widths[column] ?? 0, text.length));
  }
  return rows.map((row) =>
    row.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  ").trimEnd()
  ).join("\n");
}

function cell(support: Support | ContentSupport): string {
  switch (support.verdict) {
    case "native":
      return "yes";
    case "renamed":
      return `as \`${support.to}\``;
    default:
      return support.verdict;
  }
}

function extensionCell(extensions: Adapter["supports"]["extensions"]): string {
  if (extensions === "all") return "pass through";
  const names = Object.keys(extensions).map((name) => `\`${name}\``);
  return names.length === 0 ? "ignored" : names.join(", ");
}

function notesOf(adapters: readonly Adapter[]): string[] {
  return adapters.flatMap(({ kind, supports, adds }) => {
    const entries = [
      ...Object.entries(supports.parameters),
      ...Object.entries(supports.content),
      ...(supports.extensions === "all" ? [] : Object.entries(supports.extensions)),
    ];
    const notes = entries.flatMap(([name, { note }]) =>
      note === undefined ? [] : `\`${name}\`: ${note}`
    );
    const added = Object.entries(adds).map(([name, why]) => `adds \`${name}\`: ${why}`);
    const all = [...notes, ...added];
    return all.length === 0 ? [] : [`- **${kind}**: ${all.join("; ")}.`];
  });
}
