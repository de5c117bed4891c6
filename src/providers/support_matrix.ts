/** The support tables of all adapters as JSON, text and Markdown. */

import type { Adapter, OperationName } from "./contract/adapter.ts";
import {
  EMBEDDINGS_PARAMETERS,
  type EmbeddingsApi,
  type EmbeddingsSupport,
  INPUT_KINDS,
} from "./contract/embeddings.ts";
import {
  BEYOND_OPENAI,
  CONTENT_KINDS,
  type ContentSupport,
  PARAMETERS,
  type Support,
} from "./contract/support.ts";

/** How a kind handles one parameter or one type of content, as in `GET /v1/providers`. */
interface PrintedSupport {
  readonly verdict: AnySupport["level"];
  /** The vendor's name for a renamed parameter. */
  readonly to?: string;
  readonly note?: string;
}

/** The support of one kind, as in `GET /v1/providers`. */
export interface KindSupport {
  readonly kind: string;
  readonly operations: readonly OperationName[];
  readonly parameters: Readonly<Record<string, PrintedSupport>>;
  readonly content: Readonly<Record<string, PrintedSupport>>;
  /** Unknown fields that are passed through: `"all"`, or a list. */
  readonly extensions: "all" | Readonly<Record<string, PrintedSupport>>;
  /** Fields that may be sent although the caller did not send them, and why. */
  readonly adds: Readonly<Record<string, string>>;
  /** Absent for a kind without embeddings. */
  readonly embeddings?: PrintedEmbeddings;
}

/** What a kind does with embeddings. */
interface PrintedEmbeddings {
  readonly parameters: Readonly<Record<string, PrintedSupport>>;
  readonly inputs: Readonly<Record<string, PrintedSupport>>;
  readonly extensions: "all" | Readonly<Record<string, PrintedSupport>>;
  readonly adds: Readonly<Record<string, string>>;
}

type AnySupport = Support | ContentSupport | EmbeddingsSupport;

/** What a kind that does not chat does with the parameters of chat. */
const NO_CHAT = { parameters: {}, content: {}, extensions: {}, adds: {} };

/** What `GET /v1/providers` prints of the kinds. */
export function toMatrix(adapters: readonly Adapter[]): KindSupport[] {
  return adapters.map((adapter) => {
    const { kind, embeddings } = adapter;
    return {
      kind,
      operations: operationsOf(adapter),
      ...(isChat(adapter) ? printedChat(adapter) : NO_CHAT),
      ...(embeddings && { embeddings: printedEmbeddings(embeddings) }),
    };
  });
}

function printedChat({ supports: { parameters, content, extensions }, adds }: Adapter) {
  return {
    parameters: printed(parameters),
    content: printed(content),
    extensions: extensions === "all" ? extensions : printed(extensions),
    adds,
  };
}

function printedEmbeddings(
  { supports: { parameters, inputs, extensions }, adds }: EmbeddingsApi,
): PrintedEmbeddings {
  return {
    parameters: printed(parameters),
    inputs: printed(inputs),
    extensions: extensions === "all" ? extensions : printed(extensions),
    adds,
  };
}

function operationsOf({ operations = ["chat"] }: Adapter): readonly OperationName[] {
  return operations;
}

function isChat(adapter: Adapter): boolean {
  return operationsOf(adapter).includes("chat");
}

function printed(
  table: Readonly<Record<string, AnySupport>>,
): Record<string, PrintedSupport> {
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
 * The matrix as Markdown tables with a few kinds each, and the notes below.
 * Exported for `deno task docs`.
 */
export function toMarkdown(adapters: readonly Adapter[]): string {
  const chats = adapters.filter(isChat);
  const tables = inGroups(chats).map((group) => toTable(toRows(group)));
  return [...tables, notesOf(chats).join("\n")].join("\n\n");
}

/**
 * What the kinds that have embeddings do with their fields, as {@linkcode toMarkdown} writes it.
 * Exported for `deno task docs`.
 */
export function toEmbeddingsMarkdown(adapters: readonly Adapter[]): string {
  const kinds = adapters.filter(({ embeddings }) => embeddings !== undefined);
  const tables = inGroups(kinds).map((group) => toTable(toEmbeddingsRows(group)));
  return [...tables, embeddingsNotesOf(kinds).join("\n")].join("\n\n");
}

function toTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** The matrix for a terminal: aligned columns, a few kinds at a time. */
export function toText(adapters: readonly Adapter[]): string {
  const plain = (text: string) => text.replaceAll(/[`_](.*?)[`_]$/g, "$1");
  const toPlain = (rows: readonly (readonly string[])[]) =>
    aligned(rows.map((row) => row.map(plain)));
  const kinds = adapters.filter(({ embeddings }) => embeddings !== undefined);
  return [
    ...inGroups(adapters.filter(isChat)).map((group) => toPlain(toRows(group))),
    "Embeddings",
    ...inGroups(kinds).map((group) => toPlain(toEmbeddingsRows(group))),
  ].join("\n\n");
}

/** The number of kinds in one table. */
const GROUP = 7;

function inGroups(adapters: readonly Adapter[]): Adapter[][] {
  const groups: Adapter[][] = [];
  for (let at = 0; at < adapters.length; at += GROUP) groups.push(adapters.slice(at, at + GROUP));
  return groups;
}

function toRows(adapters: readonly Adapter[]): string[][] {
  const columns = adapters.map(({ kind, supports: { parameters, content, extensions } }) => [
    kind,
    ...PARAMETERS.map((name) => cell(parameters[name])),
    ...CONTENT_KINDS.map((name) => cell(content[name])),
    extensionCell(extensions),
  ]);
  return toRowsOf([labelsOf(PARAMETERS, CONTENT_KINDS), ...columns]);
}

function toEmbeddingsRows(adapters: readonly Adapter[]): string[][] {
  const columns = adapters.flatMap(({ kind, embeddings }) => {
    if (embeddings === undefined) return [];
    const { parameters, inputs, extensions } = embeddings.supports;
    return [[
      kind,
      ...EMBEDDINGS_PARAMETERS.map((name) => cell(parameters[name])),
      ...INPUT_KINDS.map((name) => cell(inputs[name])),
      extensionCell(extensions),
    ]];
  });
  return toRowsOf([labelsOf(EMBEDDINGS_PARAMETERS, INPUT_KINDS), ...columns]);
}

/** The first column of a table. */
function labelsOf(parameters: readonly string[], kinds: readonly string[]): string[] {
  return [
    "",
    ...parameters.map((name) => `\`${name}\``),
    ...kinds.map((name) => `_${name.replaceAll("_", " ")}_`),
    "_other fields_",
  ];
}

function toRowsOf([first = [], ...others]: readonly (readonly string[])[]): string[][] {
  return first.map((label, row) => [label, ...others.map((column) => column[row] ?? "")]);
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

function cell({ level }: AnySupport): string {
  return level === "native" ? "yes" : level;
}

function extensionCell(extensions: Adapter["supports"]["extensions"]): string {
  if (extensions === "all") return "yes";
  return Object.keys(extensions).length === 0 ? "ignored" : "some";
}

/** Support levels that nearly all kinds share are not shown. */
const DEFAULTS = new Set<unknown>(Object.values(BEYOND_OPENAI));

function notesOf(adapters: readonly Adapter[]): string[] {
  return adapters.flatMap(({ kind, supports, adds }) => {
    const entries = [
      ...Object.entries(supports.parameters),
      ...Object.entries(supports.content),
      ...(supports.extensions === "all" ? [] : Object.entries(supports.extensions)),
    ];
    return noteOf(kind, entries.filter(([, support]) => !DEFAULTS.has(support)), adds);
  });
}

function embeddingsNotesOf(adapters: readonly Adapter[]): string[] {
  return adapters.flatMap(({ kind, embeddings }) => {
    if (embeddings === undefined) return [];
    const { supports: { parameters, inputs, extensions }, adds } = embeddings;
    const entries = [
      ...Object.entries(parameters),
      ...Object.entries(inputs),
      ...(extensions === "all" ? [] : Object.entries(extensions)),
    ];
    return noteOf(kind, entries.filter(([, { note = "" }]) => !USUAL_NOTES.has(note)), adds);
  });
}

/** Notes that say nothing of one kind. */
const USUAL_NOTES = new Set([
  "models that have several lengths",
  "no such field",
  "text only",
  "the gateway encodes the numbers",
]);

/** One line with the notes of a kind; none where there are no notes. */
function noteOf(
  kind: string,
  entries: readonly (readonly [string, AnySupport])[],
  adds: Adapter["adds"],
): string[] {
  const notes = entries.flatMap(([name, support]) => {
    const as = support.level === "renamed" ? [`as \`${support.to}\``] : [];
    const words = [...as, ...(support.note === undefined ? [] : [support.note])];
    return words.length === 0 ? [] : `\`${name}\`: ${words.join("; ")}`;
  });
  const added = Object.entries(adds).map(([name, why]) => `adds \`${name}\`: ${why}`);
  const all = [...notes, ...added];
  return all.length === 0 ? [] : [`- **${kind}**: ${all.join("; ")}.`];
}
