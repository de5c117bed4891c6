/**
 * Edits TOML: keys at the top level or in tables with a header. Other layouts, such as inline
 * tables, are rejected when the result is checked.
 */

import { parse } from "@std/toml/parse";
import { type Edit, SettingsError, type TextFormat } from "./edits.ts";

/** A header, or a key with its value. */
interface Statement {
  readonly isHeader: boolean;
  /** The names that lead to the table or to the value. */
  readonly path: readonly string[];
  /** The start of its first line. */
  readonly start: number;
  /** Where the value starts. */
  readonly valueStart: number;
  /** The end of the header or the value, before a comment. */
  readonly end: number;
}

/** A name, bare or quoted; names may be joined by dots. */
const NAME = String.raw`(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')`;
const NAMES = String.raw`${NAME}(?:[ \t]*\.[ \t]*${NAME})*`;
const HEADER = new RegExp(String.raw`[ \t]*\[\[?[ \t]*(${NAMES})[ \t]*\]\]?`, "y");
const KEY = new RegExp(String.raw`[ \t]*(${NAMES})[ \t]*=[ \t]*`, "y");
const NAME_IN_PATH = new RegExp(NAME, "g");
/** The tokens of a value: strings, comments in lists, brackets, and other characters. */
const PIECE =
  /"""(?:[^\\]|\\[^])*?"""+|'''[^]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[{]|[\]}]|\s+|[^\s"'#[\]{}]+|[^]/y;

/**
 * Reads the statements of a valid text in order. The path to a key in a table includes the table's
 * path.
 */
function readStatements(text: string): readonly Statement[] {
  const statements: Statement[] = [];
  let table: readonly string[] = [];
  for (let start = 0; start < text.length;) {
    const header = matchAt(HEADER, text, start);
    const key = header === null ? matchAt(KEY, text, start) : null;
    const [whole = "", names = ""] = header ?? key ?? [];
    let end = start + whole.length;
    if (header !== null) {
      table = pathOf(names);
      statements.push({ isHeader: true, path: table, start, valueStart: end, end });
    } else if (key !== null) {
      const valueStart = end;
      end = endOfValue(text, valueStart);
      const path = [...table, ...pathOf(names)];
      statements.push({ isHeader: false, path, start, valueStart, end });
    }
    const newline = text.indexOf("\n", end);
    start = newline === -1 ? text.length : newline + 1;
  }
  return statements;
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

function pathOf(names: string): readonly string[] {
  return [...names.matchAll(NAME_IN_PATH)].map(([name]) => {
    if (name.startsWith("'")) return name.slice(1, -1);
    return name.startsWith('"') ? parsedString(name) : name;
  });
}

/** The text of a quoted name; escapes that JSON does not support are kept, and match no name. */
function parsedString(name: string): string {
  try {
    return String(JSON.parse(name));
  } catch {
    return name;
  }
}

/** The position after a value, which may have several lines in brackets and strings. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let end = from;
  for (let position = from; position < text.length;) {
    const [piece = ""] = matchAt(PIECE, text, position) ?? [];
    if (piece === "") return end;
    const isSpace = /^\s/.test(piece);
    const isComment = piece.startsWith("#");
    if (depth === 0 && (isComment || (isSpace && piece.includes("\n")))) return end;
    if (piece === "[" || piece === "{") depth++;
    else if (piece === "]" || piece === "}") depth--;
    position += piece.length;
    if (!isSpace && !isComment) end = position;
  }
  return end;
}

export const tomlText: TextFormat = {
  parse: (text) => text.trim() === "" ? undefined : parse(text),
  edit(text, edits) {
    const edited = edits.reduce(applyEdit, text);
    const eol = text.includes("\r\n") ? "\r\n" : "\n";
    return eol === "\n" ? edited : edited.replaceAll(/\r?\n/g, eol);
  },
};

function applyEdit(text: string, { path, value }: Edit): string {
  const names = path.map(String);
  if (value === undefined) return remove(text, names);
  return isTable(value) ? setTable(text, names, value) : setKey(text, names, value);
}

type Table = Readonly<Record<string, unknown>>;

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets the keys of a table, and removes its other keys. */
function setTable(text: string, path: readonly string[], table: Table): string {
  const stale = readStatements(text).filter(({ isHeader, path: own }) =>
    !isHeader && own.length === path.length + 1 && startsWith(own, path) &&
    !Object.hasOwn(table, own.at(-1) ?? "")
  );
  // From last to first, so that positions stay valid.
  let edited = path.length === 0
    ? text
    : stale.reverse().reduce((all, statement) => cut(all, statement), text);
  // Keys come before tables, which would otherwise contain them.
  for (const isNested of [false, true]) {
    for (const [name, value] of Object.entries(table)) {
      if (isTable(value) === isNested) {
        edited = applyEdit(edited, { path: [...path, name], value });
      }
    }
  }
  return edited;
}

function setKey(text: string, path: readonly string[], value: unknown): string {
  const statements = readStatements(text);
  const existing = statements.find((one) => !one.isHeader && isSamePath(one.path, path));
  if (existing !== undefined) {
    return text.slice(0, existing.valueStart) + print(value) + text.slice(existing.end);
  }
  const line = `${printKey(path.slice(-1))} = ${print(value)}\n`;
  const table = path.slice(0, -1);
  const place = endOfTable(text, statements, table);
  if (place !== undefined) {
    const before = text.slice(0, place);
    const isOpen = before !== "" && !before.endsWith("\n");
    const needsGap = table.length === 0 && /^[ \t]*[[#]/.test(text.slice(place));
    return `${before}${isOpen ? "\n" : ""}${line}${needsGap ? "\n" : ""}${text.slice(place)}`;
  }
  if (statements.some((one) => !one.isHeader && startsWith(table, one.path))) {
    throw new SettingsError(`'${printKey(table)}' is not a table with a header`);
  }
  const start = text.trim() === "" ? "" : `${text.replace(/\s*$/, "")}\n\n`;
  return `${start}[${printKey(table)}]\n${line}`;
}

/** The position after the last key of a table and its comment; undefined without the table. */
function endOfTable(
  text: string,
  statements: readonly Statement[],
  table: readonly string[],
): number | undefined {
  const header = statements.findLastIndex(({ isHeader, path }) =>
    isHeader && isSamePath(path, table)
  );
  if (header === -1 && table.length > 0) return undefined;
  const rest = statements.slice(header + 1);
  const next = rest.findIndex(({ isHeader }) => isHeader);
  const last = (next === -1 ? rest : rest.slice(0, next)).at(-1) ?? statements[header];
  if (last !== undefined) return endOfLine(text, last.end);
  // The first table is preceded only by comments, which belong to it.
  return 0;
}

/** Removes a key, or a table with the tables below it. */
function remove(text: string, path: readonly string[]): string {
  let isInTable = false;
  const removed = readStatements(text).filter(({ isHeader, path: own }) => {
    if (isHeader) isInTable = startsWith(own, path);
    return isInTable || startsWith(own, path);
  });
  const edited = removed.reverse().reduce((all, statement) => cut(all, statement), text);
  return removed.some(({ isHeader }) => isHeader) ? edited.replace(/\n\n+$/, "\n") : edited;
}

/** Removes the lines of a statement. */
function cut(text: string, { start, end }: Statement): string {
  return text.slice(0, start) + text.slice(endOfLine(text, end));
}

function endOfLine(text: string, position: number): number {
  const newline = text.indexOf("\n", position);
  return newline === -1 ? text.length : newline + 1;
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((name, index) => path[index] === name);
}

function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && startsWith(one, other);
}

/** JSON's strings, numbers, booleans and lists are valid TOML. */
function print(value: unknown): string {
  return JSON.stringify(value);
}

function printKey(path: readonly string[]): string {
  return path.map((name) => /^[\w-]+$/.test(name) ? name : JSON.stringify(name)).join(".");
}
