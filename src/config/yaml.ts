/** Parses YAML 1.2 and reports errors with their lines. */

import { parse } from "@std/yaml";
import type { PlacedError } from "./config_errors.ts";

/** The parsed content of a text. */
export interface Document {
  /** Undefined when the text cannot be parsed. */
  readonly value: unknown;
  readonly errors: readonly PlacedError[];
}

/** Parses one document. A duplicate key is an error, but the rest is parsed nevertheless. */
export function readYaml(text: string): Document {
  try {
    const value = load(text, false);
    // For an empty file, validation also reports the missing members.
    return value === null ? { value: {}, errors: [EMPTY] } : { value, errors: [] };
  } catch (error) {
    const firstError = toPlacedError(error, text);
    try {
      return { value: load(text, true), errors: [firstError] };
    } catch (syntaxError) {
      return { value: undefined, errors: [toPlacedError(syntaxError, text)] };
    }
  }
}

const EMPTY: PlacedError = {
  path: [],
  message: "The file is empty; 'sluice init' prints a complete config.yaml",
};

/**
 * Finds the first line that is indented with a tab. The parser treats such a line as
 * not indented and reports an error at another place.
 */
export function findTab(text: string): PlacedError[] {
  const line = text.split("\n").findIndex((text) => /^ *\t\s*[^\s#]/.test(text));
  if (line === -1) return [];
  return [{ path: [], message: `Line ${line + 1} begins with a tab; indent with spaces` }];
}

/**
 * Finds values without the quotes that they need, in a text that is not valid YAML: a
 * reference within braces or brackets, or a value that begins with '@', '`' or '*'. The
 * parser reports the text after them instead.
 */
export function findUnquoted(text: string): PlacedError[] {
  let depth = 0;
  return text.split("\n").flatMap((line, index) => {
    const code = line.replace(QUOTED, '""').replace(COMMENT, "");
    const errors: PlacedError[] = [];
    for (const [found] of code.matchAll(TOKEN)) {
      if (/^[[{]$/.test(found)) depth++;
      else if (/^[\]}]$/.test(found)) depth = Math.max(0, depth - 1);
      else if (!found.startsWith("$")) {
        errors.push(unquoted(index, `a value that begins with '${found.slice(-1)}'`));
      } else if (depth > 0) {
        errors.push(
          unquoted(index, "a reference within braces or brackets", `: "${withoutDefault(found)}"`),
        );
      }
    }
    return errors;
  });
}

const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;
const COMMENT = /(?:^|\s)#.*$/;
/** A reference, a bracket, or a character that an unquoted value cannot begin with. */
const TOKEN = /\$\{[^}]*\}|[[\]{}]|(?<=^|[\s[{,])(?:[@`]|\*(?!\w))/g;

function unquoted(index: number, what: string, how = ""): PlacedError {
  return { path: [], message: `Line ${index + 1}: quote ${what}${how}` };
}

/** Hides the default of a reference, which may be a secret. */
function withoutDefault(reference: string): string {
  return reference.replace(/:-.*(?=\}$)/, ":-…");
}

function load(text: string, allowDuplicateKeys: boolean): unknown {
  // The core schema keeps dates as text: model IDs may look like dates.
  return parse(text, { schema: "core", allowDuplicateKeys });
}

/** Uses only the first line of the parser's message: the others quote the file with its secrets. */
function toPlacedError(error: unknown, text: string): PlacedError {
  const [first = ""] = error instanceof Error ? error.message.split("\n") : [];
  const [, what = "cannot be read", line, column] =
    /^(.*) at line (\d+), column (-?\d+):?$/.exec(first) ?? [];
  if (line === undefined) return { path: [], message: `Invalid YAML: ${what}` };
  if (/duplicated key/.test(what)) {
    const key = keyAt(text, Number(line), Number(column));
    return { path: [], message: `Duplicate key${key} at line ${line}` };
  }
  return { path: [], message: `Invalid YAML: ${lower(what)} at line ${line}, column ${column}` };
}

/** The duplicate key of a block mapping; in a flow mapping its position is not reliable. */
function keyAt(text: string, line: number, column: number): string {
  const [, indent = "", key] = /^(\s*)["']?([^"'\s{}[\]]+?)["']?\s*:/.exec(
    text.split("\n")[line - 1] ?? "",
  ) ?? [];
  return key === undefined || column > indent.length + 1 ? "" : ` '${key}'`;
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
