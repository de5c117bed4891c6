/** The support tables of all adapters, for reading: as JSON, as text, as Markdown. */

import type { Adapter } from "./contract/adapter.ts";
import {
  BEYOND_OPENAI,
  CONTENT_KINDS,
  type ContentSupport,
  PARAMETERS,
  type Support,
} from "./contract/support.ts";

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

/** The matrix as Markdown tables, a few kinds in each, with the notes below them. */
export function toMarkdown(adapters: readonly Adapter[]): string {
  const tables = inGroups(adapters).map((group) => {
    const [head = [], ...rows] = toRows(group);
    const lines = [head, head.map(() => "---"), ...rows];
    return lines.map((row) => `| ${row.join(" | ")} |`).join("\n");
  });
  return [...tables, notesOf(adapters).join("\n")].join("\n\n");
}

/** The matrix for a terminal: aligned columns, a few kinds at a time. */
export function toText(adapters: readonly Adapter[]): string {
  const plain = (text: string) => text.replaceAll(/[`_](.*?)[`_]$/g, "$1");
  return inGroups(adapters)
    .map((group) => aligned(toRows(group).map((row) => row.map(plain))))
    .join("\n\n");
}

/** As many kinds as fit beside each other. */
const GROUP = 7;

function inGroups(adapters: readonly Adapter[]): Adapter[][] {
  const groups: Adapter[][] = [];
  for (let at = 0; at < adapters.length; at += GROUP) groups.push(adapters.slice(at, at + GROUP));
  return groups;
}

function toRows(adapters: readonly Adapter[]): string[][] {
  return [
    ["", ...adapters.map(({ kind }) => kind)],
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

function cell({ verdict }: Support | ContentSupport): string {
  return verdict === "native" ? "yes" : verdict;
}

function extensionCell(extensions: Adapter["supports"]["extensions"]): string {
  if (extensions === "all") return "yes";
  return Object.keys(extensions).length === 0 ? "ignored" : "some";
}

/** Verdicts that nearly all tables share say nothing of one kind. */
const DEFAULTS = new Set<unknown>(Object.values(BEYOND_OPENAI));

function notesOf(adapters: readonly Adapter[]): string[] {
  return adapters.flatMap(({ kind, supports, adds }) => {
    const entries = [
      ...Object.entries(supports.parameters),
      ...Object.entries(supports.content),
      ...(supports.extensions === "all" ? [] : Object.entries(supports.extensions)),
    ];
    const notes = entries.flatMap(([name, support]) => {
      if (DEFAULTS.has(support)) return [];
      const as = support.verdict === "renamed" ? [`as \`${support.to}\``] : [];
      const words = [...as, ...(support.note === undefined ? [] : [support.note])];
      return words.length === 0 ? [] : `\`${name}\`: ${words.join("; ")}`;
    });
    const added = Object.entries(adds).map(([name, why]) => `adds \`${name}\`: ${why}`);
    const all = [...notes, ...added];
    return all.length === 0 ? [] : [`- **${kind}**: ${all.join("; ")}.`];
  });
}
