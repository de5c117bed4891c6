/** Reads YAML 1.2 and says what is wrong with it by line. */

import { parse } from "@std/yaml";
import type { PlacedFault } from "./config_errors.ts";

/** What a text holds. */
export interface Document {
  /** Undefined when it cannot be read at all. */
  readonly value: unknown;
  readonly faults: readonly PlacedFault[];
}

/** Reads one document. A name that is given twice is a fault, and the rest is read none the less. */
export function readYaml(text: string): Document {
  try {
    const value = load(text, false);
    // An empty file lacks what is required, which is told beside this.
    return value === null ? { value: {}, faults: [EMPTY] } : { value, faults: [] };
  } catch (error) {
    const duplicate = faultOf(error, text);
    try {
      return { value: load(text, true), faults: [duplicate] };
    } catch (worse) {
      return { value: undefined, faults: [faultOf(worse, text)] };
    }
  }
}

const EMPTY: PlacedFault = {
  path: [],
  message: "The file is empty; 'sluice init' prints a complete one",
};

/**
 * The first line that a tab indents. The parser takes it for one that is not
 * indented at all, so what it finds wrong is elsewhere.
 */
export function findTab(text: string): PlacedFault[] {
  const line = text.split("\n").findIndex((one) => /^ *\t\s*[^\s#]/.test(one));
  if (line === -1) return [];
  return [{ path: [], message: `Line ${line + 1} begins with a tab; indent with spaces` }];
}

/**
 * Lines of a text that is no YAML whose values need quotes: a reference within
 * braces or brackets, or a value that begins with '@', '`' or '*'. The parser
 * reports what follows them.
 */
export function findUnquoted(text: string): PlacedFault[] {
  let depth = 0;
  return text.split("\n").flatMap((line, index) => {
    const bare = line.replace(QUOTED, '""').replace(COMMENT, "");
    const faults: PlacedFault[] = [];
    for (const [found] of bare.matchAll(TOKEN)) {
      if (/^[[{]$/.test(found)) depth++;
      else if (/^[\]}]$/.test(found)) depth = Math.max(0, depth - 1);
      else if (!found.startsWith("$")) {
        faults.push(unquoted(index, `a value that begins with '${found.slice(-1)}'`));
      } else if (depth > 0) {
        faults.push(
          unquoted(index, "a reference within braces or brackets", `: "${withoutDefault(found)}"`),
        );
      }
    }
    return faults;
  });
}

const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;
const COMMENT = /(?:^|\s)#.*$/;
/** A reference, a bracket, or a character that no plain value may begin with. */
const TOKEN = /\$\{[^}]*\}|[[\]{}]|(?<=^|[\s[{,])(?:[@`]|\*(?!\w))/g;

function unquoted(index: number, what: string, how = ""): PlacedFault {
  return { path: [], message: `Line ${index + 1}: quote ${what}${how}` };
}

/** A default may be a secret. */
function withoutDefault(reference: string): string {
  return reference.replace(/:-.*(?=\}$)/, ":-…");
}

function load(text: string, allowDuplicateKeys: boolean): unknown {
  // The core schema reads a date as the text it is: model IDs may look like dates.
  return parse(text, { schema: "core", allowDuplicateKeys });
}

/** Only the first line of the parser's message: the others quote the file, secrets and all. */
function faultOf(error: unknown, text: string): PlacedFault {
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

/** The key that a block mapping repeats; in a flow mapping the place is not certain enough. */
function keyAt(text: string, line: number, column: number): string {
  const [, indent = "", key] = /^(\s*)["']?([^"'\s{}[\]]+?)["']?\s*:/.exec(
    text.split("\n")[line - 1] ?? "",
  ) ?? [];
  return key === undefined || column > indent.length + 1 ? "" : ` '${key}'`;
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
