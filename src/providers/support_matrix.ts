/** The support tables of all adapters as JSON, text and Markdown. */

import type { Adapter } from "../contract/adapter.ts";
import type { FieldSupport } from "../contract/operation_api.ts";
import type { ContentSupport, Support } from "../contract/support.ts";
import { type CatalogueRow, listCatalogue } from "./shared/catalogue.ts";
import type { AdditionTable } from "../contract/vendor_request.ts";

/** The support level of a parameter, or of a type of content. */
type AnySupport = Support | ContentSupport | FieldSupport;

/** How an operation is presented in the matrix. */
export interface OperationSupport {
  /** The member of a kind with its tables, and their title. Absent for the first operation. */
  readonly group?: { readonly member: string; readonly title: string };
  /** The fields of its requests, in row order. */
  readonly parameters: readonly string[];
  /** The member for types of content in JSON, and these types. */
  readonly contentMember: string;
  readonly contents: readonly string[];
  /** The tables of a kind; undefined if it does not support the operation. */
  tablesOf(adapter: Adapter): SupportTables | undefined;
  /** Whether nearly all kinds share a level, so that no note shows it. */
  isUsual(support: AnySupport): boolean;
}

/** The tables of one kind for one operation. */
interface SupportTables {
  readonly parameters: SupportTable;
  readonly contents: SupportTable;
  /** Other fields: `"all"` are sent unchanged, or only the fields in this table. */
  readonly extensions: "all" | SupportTable;
  /** Fields that may be sent although the caller did not send them, and the reason. */
  readonly adds: AdditionTable;
}

type SupportTable = Readonly<Record<string, AnySupport>>;

/** How a kind handles one parameter or one type of content, as in `GET /v1/providers`. */
interface PrintedSupport {
  readonly verdict: AnySupport["level"];
  /** The vendor's name for a renamed parameter. */
  readonly to?: string;
  readonly note?: string;
}

/** The support of one kind, as in `GET /v1/providers`. */
interface KindSupport {
  readonly kind: string;
  readonly operations: readonly string[];
  /**
   * The tables of the first operation, and an object for each of the other operations of the kind.
   */
  readonly [member: string]: unknown;
}

/** How a kind without the first operation handles its fields. */
const NO_TABLES: SupportTables = { parameters: {}, contents: {}, extensions: {}, adds: {} };

/** The kinds as `GET /v1/providers` shows them. */
export function toMatrix(
  adapters: readonly Adapter[],
  supports: readonly OperationSupport[],
): KindSupport[] {
  return adapters.map((adapter) => {
    const { kind } = adapter;
    const operations = supports.filter((support) => support.tablesOf(adapter) !== undefined)
      .map(({ group }) => group?.member ?? "chat");
    const members = supports.map((support) => {
      const tables = support.tablesOf(adapter);
      const { group, contentMember } = support;
      if (group === undefined) return printedTables(tables ?? NO_TABLES, contentMember);
      return tables && { [group.member]: printedTables(tables, contentMember) };
    });
    return Object.assign({ kind, operations }, ...members);
  });
}

function printedTables(
  { parameters, contents, extensions, adds }: SupportTables,
  contentMember: string,
) {
  return {
    parameters: printed(parameters),
    [contentMember]: printed(contents),
    extensions: extensions === "all" ? extensions : printed(extensions),
    adds,
  };
}

function printed(table: SupportTable): Record<string, PrintedSupport> {
  return Object.fromEntries(
    Object.entries(table).map(([name, { level, ...others }]) => [
      name,
      {
        verdict: level,
        ...("to" in others && { to: others.to }),
        ...("note" in others && { note: others.note }),
      },
    ]),
  );
}

/**
 * How the kinds that support an operation handle its fields: Markdown tables of a few kinds each,
 * with notes below. Used by `deno task docs`. Exported for tests.
 */
export function toMarkdown(adapters: readonly Adapter[], support: OperationSupport): string {
  const kinds = kindsOf(adapters, support);
  const tables = inGroups(kinds).map((group) => toTable(toRows(group, support)));
  const notes = kinds.flatMap((kind) => noteOf(kind, support));
  return [...tables, notes.join("\n")].join("\n\n");
}

function toTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** The matrix for a terminal: aligned columns, a few kinds at a time. */
export function toText(
  adapters: readonly Adapter[],
  supports: readonly OperationSupport[],
): string {
  const plain = (text: string) => text.replaceAll(/[`_](.*?)[`_]$/g, "$1");
  return supports.flatMap((support) => {
    const { group: { title = undefined } = {} } = support;
    const groups = inGroups(kindsOf(adapters, support));
    const tables = groups.map((group) =>
      aligned(toRows(group, support).map((row) => row.map(plain)))
    );
    return title === undefined ? tables : [title, ...tables];
  }).join("\n\n");
}

/** A kind that supports an operation. */
interface KindTables extends SupportTables {
  readonly kind: string;
}

function kindsOf(adapters: readonly Adapter[], support: OperationSupport): KindTables[] {
  return adapters.flatMap((adapter) => {
    const tables = support.tablesOf(adapter);
    return tables === undefined ? [] : { kind: adapter.kind, ...tables };
  });
}

/** The number of kinds in one table. */
const GROUP = 7;

function inGroups(kinds: readonly KindTables[]): KindTables[][] {
  const groups: KindTables[][] = [];
  for (let at = 0; at < kinds.length; at += GROUP) groups.push(kinds.slice(at, at + GROUP));
  return groups;
}

function toRows(
  kinds: readonly KindTables[],
  { parameters, contents }: OperationSupport,
): string[][] {
  const labels = [
    "",
    ...parameters.map((name) => `\`${name}\``),
    ...contents.map((name) => `_${name.replaceAll("_", " ")}_`),
    "_other fields_",
  ];
  const columns = kinds.map((tables) => [
    tables.kind,
    ...parameters.map((name) => cell(tables.parameters[name])),
    ...contents.map((name) => cell(tables.contents[name])),
    extensionCell(tables.extensions),
  ]);
  return labels.map((label, row) => [label, ...columns.map((column) => column[row] ?? "")]);
}

/** Formats rows with aligned columns. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((text, column) => widths[column] = Math.max(widths[column] ?? 0, text.length));
  }
  return rows.map((row) =>
    row.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  ").trimEnd()
  ).join("\n");
}

function cell(support: AnySupport | undefined): string {
  return support?.level === "native" ? "yes" : support?.level ?? "";
}

function extensionCell(extensions: SupportTables["extensions"]): string {
  if (extensions === "all") return "yes";
  return Object.keys(extensions).length === 0 ? "ignored" : "some";
}

/** One line with the notes of a kind; empty without notes. */
function noteOf(
  { kind, parameters, contents, extensions, adds }: KindTables,
  { isUsual }: OperationSupport,
): string[] {
  const entries = [
    ...Object.entries(parameters),
    ...Object.entries(contents),
    ...(extensions === "all" ? [] : Object.entries(extensions)),
  ];
  const notes = entries.flatMap(([name, support]) => {
    if (isUsual(support)) return [];
    const as = support.level === "renamed" ? [`as \`${support.to}\``] : [];
    const words = [...as, ...(support.note === undefined ? [] : [support.note])];
    return words.length === 0 ? [] : `\`${name}\`: ${words.join("; ")}`;
  });
  const added = Object.entries(adds).map(([name, why]) => `adds \`${name}\`: ${why}`);
  const all = [...notes, ...added];
  return all.length === 0 ? [] : [`- **${kind}**: ${all.join("; ")}.`];
}

/**
 * Lists all models, or those whose facts were last checked before a given time.
 *
 * @param before milliseconds since 1970
 */
export function listFacts(before = Infinity): CatalogueRow[] {
  return listCatalogue().filter(({ checked }) => Date.parse(checked) < before);
}

/** The facts as a table for a terminal. */
export function toFactsText(models: readonly CatalogueRow[]): string {
  if (models.length === 0) return "No facts found.";
  const head = ["VENDOR", "MODEL", "CONTEXT", "OUTPUT", "USD/MTOK", "CHECKED", "SOURCE"];
  return aligned([head, ...models.map(toRow)]);
}

function toRow(row: CatalogueRow): string[] {
  const { price_input_per_mtok: input, price_output_per_mtok: output, unit_prices: units } = row;
  const ofUnits = Object.entries(units ?? {}).map(([name, price]) => `${price} ${name}`);
  return [
    row.vendor,
    row.id,
    String(row.context_window ?? "?"),
    String(row.max_output_tokens ?? "?"),
    ofUnits.length > 0 ? ofUnits.join(", ") : `${input ?? "?"}/${output ?? "?"}`,
    row.checked,
    row.source,
  ];
}
