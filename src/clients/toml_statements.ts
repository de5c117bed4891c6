/** Finds the statements of TOML: the headers of tables, and keys with their values. */

/** A header, or a key with its value. */
export interface Statement {
  readonly isHeader: boolean;
  /** The names that lead to the table or to the value. */
  readonly path: readonly string[];
  /** The start of its first line. */
  readonly start: number;
  /** Where the value starts. */
  readonly valueStart: number;
  /** Behind the header or the value, before a comment. */
  readonly end: number;
}

/** A name, bare or quoted; names may be joined by dots. */
const NAME = String.raw`(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')`;
const NAMES = String.raw`${NAME}(?:[ \t]*\.[ \t]*${NAME})*`;
const HEADER = new RegExp(String.raw`[ \t]*\[\[?[ \t]*(${NAMES})[ \t]*\]\]?`, "y");
const KEY = new RegExp(String.raw`[ \t]*(${NAMES})[ \t]*=[ \t]*`, "y");
const NAME_IN_PATH = new RegExp(NAME, "g");
/** What a value consists of: strings, comments in lists, brackets, and other characters. */
const PIECE =
  /"""(?:[^\\]|\\[^])*?"""+|'''[^]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[{]|[\]}]|\s+|[^\s"'#[\]{}]+|[^]/y;

/** Reads the statements of a valid text in their order. Keys of tables have the path of the table. */
export function readStatements(text: string): readonly Statement[] {
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

/** The text of a quoted name; escapes that JSON lacks stay as they are, and match no name. */
function parsedString(name: string): string {
  try {
    return String(JSON.parse(name));
  } catch {
    return name;
  }
}

/** The position behind a value, which may have several lines in brackets and strings. */
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
