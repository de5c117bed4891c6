/** Parses YAML 1.2, and finds common mistakes in text that is not valid YAML. */

import { parse } from "@std/yaml";
import type { Steps } from "../core/steps.ts";
import type { PlacedError, Position } from "./config_errors.ts";
import { parsePieces } from "./yaml_pieces.ts";

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

/** Shorter texts are read as a whole, in UTF-16 units. */
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
 * Finds values without the quotes that they need, in a text that is not valid YAML: a
 * reference within braces or brackets, or a value that begins with '@', '`' or '*'. The
 * parser reports the text after them instead.
 */
export function findUnquoted(text: string): PlacedError[] {
  let depth = 0;
  return text.split("\n").flatMap((line, index) => {
    // The columns stay the same.
    const code = line.replace(QUOTED, (quoted) => '"'.repeat(quoted.length)).replace(COMMENT, "");
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

const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;
const COMMENT = /(?:^|\s)#.*$/;
/** A reference, a bracket, or a character that an unquoted value cannot begin with. */
const TOKEN = /\$\{[^}]*\}|[[\]{}]|(?<=^|[\s[{,])(?:[@`]|\*(?!\w))/g;

function unquoted(position: Position, what: string): PlacedError {
  return { path: [], message: `Quote ${what}`, position };
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
function toSyntaxError(thrown: unknown): PlacedError {
  const [first = ""] = thrown instanceof Error ? thrown.message.split("\n") : [];
  const message = `Invalid YAML: ${first.replace(/:$/, "")}`;
  return { path: [], message, yamlError: "syntax" };
}
