/** Parses YAML 1.2 in steps, and finds common mistakes in text that is not valid YAML. */

import { parse } from "@std/yaml";
import type { Steps } from "../core/steps.ts";
import { isObject } from "../core/json/object.ts";
import type { PlacedError, Position } from "./positions.ts";

// Splits long lists and mappings in a YAML text into pieces, because the parser cannot pause. Only
// simple texts are split, without anchors, tags, several documents, or multi-line values.

/** The minimum number of entries to split, and the number of lines per piece. */
const MIN_ENTRIES = 200;
const PIECE_LINES = 400;
/** A placeholder for an entry that is parsed separately. */
const PLACEHOLDER = "%piece% ";

/** A line with content. */
interface Line {
  readonly text: string;
  readonly indent: number;
  readonly isItem: boolean;
  /** Whether it is a name whose value is on the following lines. */
  readonly opens: boolean;
}

/** A list or a mapping that is parsed in pieces. */
interface Block {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a text in steps. Exported for tests.
 *
 * @param parse parses a part of the text; throws when it is not valid
 * @returns undefined for a text that must be parsed as a whole
 */
export function* parsePieces(
  text: string,
  parse: (text: string) => unknown,
): Steps<{ readonly value: unknown } | undefined> {
  const lines = yield* readLines(text);
  if (lines === undefined) return undefined;
  const blocks = yield* findBlocks(lines);
  if (blocks.length === 0) return undefined;
  try {
    const values: unknown[] = [];
    const rest: string[] = [];
    let from = 0;
    for (const { start, end } of blocks) {
      rest.push(...textsOf(lines, from, start));
      const first = lines[start];
      const entry = `"${PLACEHOLDER}${values.length}"`;
      rest.push(`${" ".repeat(first?.indent ?? 0)}${first?.isItem ? "- " : `${entry}: `}${entry}`);
      const value = yield* parseBlock(lines, start, end, parse);
      if (value === undefined) return undefined;
      values.push(value);
      from = end;
    }
    rest.push(...textsOf(lines, from, lines.length));
    const skeleton = rest.join("\n");
    yield;
    return { value: filled(parse(skeleton), values) };
  } catch {
    // Parsing the whole text produces the right message.
    return undefined;
  }
}

function textsOf(lines: readonly Line[], from: number, to: number): string[] {
  return lines.slice(from, to).map(({ text }) => text);
}

const TRAILING_COMMENT = /(?:^|\s)#.*$/;
const QUOTED_SCALAR = /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/g;
/** Constructs that affect other lines: anchors, tags, directives, documents, multi-line values. */
const UNPLAIN = /(?:^|[\s[{,])[&*!|>%@`?]|^(?:---|\.\.\.)|["'\t]|[|>][+-]?\d?$/;
const OPENS = /^(?:- +)?[\w.-]+:$/;

/** The lines with content, without comments; undefined if a line cannot be read on its own. */
function* readLines(text: string): Steps<readonly Line[] | undefined> {
  if (text.includes(PLACEHOLDER)) return undefined;
  const lines: Line[] = [];
  let count = 0;
  for (const line of text.split(/\r?\n/)) {
    if (++count % PIECE_LINES === 0) yield;
    const code = /["'#]/.test(line)
      ? line.replace(QUOTED_SCALAR, '""').replace(TRAILING_COMMENT, "").trimEnd()
      : line.trimEnd();
    const content = code.trimStart();
    if (content === "") continue;
    if (UNPLAIN.test(content.replaceAll('""', "_")) || !isClosed(content)) return undefined;
    lines.push({
      text: line,
      indent: code.length - content.length,
      isItem: content === "-" || content.startsWith("- "),
      opens: OPENS.test(content),
    });
  }
  return lines;
}

/** Whether each bracket and brace is closed on the same line. */
function isClosed(content: string): boolean {
  let depth = 0;
  for (const [bracket] of content.matchAll(/[[\]{}]/g)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
  }
  return depth === 0;
}

/** The outermost blocks with many entries. */
function* findBlocks(lines: readonly Line[]): Steps<readonly Block[]> {
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index++) {
    if (index % PIECE_LINES === 0) yield;
    const [opening, first] = [lines[index], lines[index + 1]];
    if (!opening?.opens || first === undefined) continue;
    const own = opening.indent + (opening.isItem ? 1 : 0);
    const isInline = first.indent === opening.indent && first.isItem && !opening.isItem;
    if (first.indent <= own && !isInline) continue;
    let end = index + 1;
    let entries = 0;
    for (let line = lines[end]; line !== undefined; line = lines[++end]) {
      if (end % PIECE_LINES === 0) yield;
      if (line.indent < first.indent) break;
      if (line.indent > first.indent) continue;
      if (line.isItem === first.isItem) entries++;
      else if (isInline) break;
      else if (first.isItem) return [];
    }
    if (entries < MIN_ENTRIES) continue;
    blocks.push({ start: index + 1, end });
    index = end - 1;
  }
  return blocks;
}

/** Parses the entries of a block; undefined if a name occurs twice. */
function* parseBlock(
  lines: readonly Line[],
  start: number,
  end: number,
  parse: (text: string) => unknown,
): Steps<unknown> {
  const { indent = 0, isItem = false } = lines[start] ?? {};
  // A list may have the same indentation as the name before it.
  const isWithin = (line: Line) => line.indent > indent || line.isItem !== isItem;
  const items: unknown[] = [];
  const members = new Map<string, unknown>();
  for (let from = start; from < end;) {
    let to = Math.min(from + PIECE_LINES, end);
    for (let line = lines[to]; to < end && line && isWithin(line);) line = lines[++to];
    const piece = parse(textsOf(lines, from, to).join("\n"));
    if (Array.isArray(piece)) { for (const item of piece) items.push(item); }
    else if (!isObject(piece)) return undefined;
    else {
      for (const [name, value] of Object.entries(piece)) {
        if (members.has(name)) return undefined;
        members.set(name, value);
      }
    }
    from = to;
    yield;
  }
  return isItem ? items : Object.fromEntries(members);
}

/** Replaces placeholders with the values of the pieces. */
function filled(value: unknown, values: readonly unknown[]): unknown {
  if (Array.isArray(value)) {
    const [only] = value;
    return value.length === 1 && isPlaceholder(only)
      ? values[indexOf(only)]
      : value.map((item) => filled(item, values));
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  const [first] = entries;
  return entries.length === 1 && first !== undefined && isPlaceholder(first[0])
    ? values[indexOf(first[0])]
    : Object.fromEntries(entries.map(([name, member]) => [name, filled(member, values)]));
}

function isPlaceholder(value: unknown): value is string {
  return typeof value === "string" && value.startsWith(PLACEHOLDER);
}

function indexOf(placeholder: string): number {
  return Number(placeholder.slice(PLACEHOLDER.length));
}

/** The parsed content of a text. */
interface Document {
  /** Undefined when the text cannot be parsed. */
  readonly value: unknown;
  readonly errors: readonly PlacedError[];
}

/** Parses one document. A duplicate key is an error, but the rest is still parsed. */
export function readYaml(text: string): Document {
  try {
    const value = load(text, false);
    // For an empty file, validation reports the missing members too.
    return value === null ? { value: {}, errors: [EMPTY] } : { value, errors: [] };
  } catch {
    try {
      return { value: load(text, true), errors: [DUPLICATE_KEYS] };
    } catch (thrown) {
      return { value: undefined, errors: [toSyntaxError(thrown)] };
    }
  }
}

/** The minimum length of a text that is split, in UTF-16 units. */
export const LONG_TEXT = 32_768;

/** The same in steps. */
export function* readYamlInSteps(text: string): Steps<Document> {
  const found = text.length < LONG_TEXT
    ? undefined
    : yield* parsePieces(text, (part) => load(part, false));
  yield;
  return found === undefined ? readYaml(text) : { value: found.value, errors: [] };
}

const EMPTY: PlacedError = {
  path: [],
  message: "The file is empty; 'sluice init' prints a complete config.yaml",
};

const DUPLICATE_KEYS: PlacedError = {
  path: [],
  message: "Duplicate keys",
  yamlError: "duplicate_keys",
};

/**
 * Finds the first line that is indented with a tab. The parser treats such a line as not indented
 * and reports an error elsewhere.
 */
export function findTab(text: string): PlacedError[] {
  const lines = text.split("\n");
  const index = lines.findIndex((line) => /^ *\t\s*[^\s#]/.test(line));
  if (index === -1) return [];
  const position = { line: index + 1, column: (lines[index] ?? "").indexOf("\t") + 1 };
  return [{ path: [], message: "The line begins with a tab; indent with spaces", position }];
}

/**
 * Finds values without the quotes that they need, in a text that is not valid YAML: a reference
 * within braces or brackets, or a value that begins with '@', '`' or '*'. The parser would report
 * the text after them instead.
 */
export function findUnquoted(text: string): PlacedError[] {
  let depth = 0;
  return text.split("\n").flatMap((line, index) => {
    // Columns do not change.
    const code = line.replace(QUOTED_SCALAR, (quoted) => '"'.repeat(quoted.length)).replace(
      TRAILING_COMMENT,
      "",
    );
    const errors: PlacedError[] = [];
    for (const { 0: found, index: start } of code.matchAll(TOKEN)) {
      const position = { line: index + 1, column: start + 1 };
      if (/^[[{]$/.test(found)) depth++;
      else if (/^[\]}]$/.test(found)) depth = Math.max(0, depth - 1);
      else if (!found.startsWith("$")) {
        errors.push(unquoted(position, `a value that begins with '${found.slice(-1)}'`));
      } else if (depth > 0) {
        const how = `: "${withoutDefault(found)}"`;
        errors.push(unquoted(position, `a reference within braces or brackets${how}`));
      }
    }
    return errors;
  });
}

/** A reference, a bracket, or a character that an unquoted value cannot begin with. */
const TOKEN = /\$\{[^}]*\}|[[\]{}]|(?<=^|[\s[{,])(?:[@`]|\*(?!\w))/g;

function unquoted(position: Position, what: string): PlacedError {
  return { path: [], message: `Quote ${what}`, position };
}

/** Hides a reference's default, which may be a secret. */
function withoutDefault(reference: string): string {
  return reference.replace(/:-.*(?=\}$)/, ":-…");
}

function load(text: string, allowDuplicateKeys: boolean): unknown {
  // The core schema keeps dates as text: model IDs may look like dates.
  return parse(text, { schema: "core", allowDuplicateKeys });
}

/**
 * Uses only the first line of the parser's message: the others quote the file, including secrets.
 */
function toSyntaxError(thrown: unknown): PlacedError {
  const [first = ""] = thrown instanceof Error ? thrown.message.split("\n") : [];
  const message = `Invalid YAML: ${first.replace(/:$/, "")}`;
  return { path: [], message, yamlError: "syntax" };
}
