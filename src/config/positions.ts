/**
 * Finds the lines and columns of configuration errors, using a second YAML parser that records
 * positions. It is loaded only when a configuration has errors.
 */

import {
  type Alias,
  type Document,
  type ErrorCode,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from "yaml";

/** The path of a member in config.yaml: property names and list indexes. */
export type Path = readonly PropertyKey[];

/** A position in a text. Both numbers count from 1. */
export interface Position {
  readonly line: number;
  /** Counted in UTF-16 code units. */
  readonly column: number;
}

/**
 * An error with its path as a list of steps, before it becomes part of a {@linkcode ConfigErrors}.
 */
export interface PlacedError {
  readonly path: Path;
  readonly message: string;
  /** Whether the error is about the last name in the path, not about its value. */
  readonly isOfName?: boolean;
  /** Set only for errors found in the text itself; all other positions follow from the path. */
  readonly position?: Position;
  /** Set for an error from the YAML parser, which does not report the path. */
  readonly yamlError?: "syntax" | "duplicate_keys";
}

/**
 * Adds its position to each error that has none. The YAML parser's error is replaced with the
 * second parser's errors, because only those have positions.
 */
export function locateErrors(errors: readonly PlacedError[], text: string): PlacedError[] {
  const source = new PositionedText(text);
  return errors.flatMap((error) => {
    if (error.yamlError === "syntax") return [source.syntaxError() ?? error];
    if (error.yamlError === "duplicate_keys") return source.duplicateKeys();
    const position = error.position ?? source.positionOf(error.path, error.isOfName);
    return [{ ...error, position }];
  });
}

/** The meaning of a syntax error. The parser's messages may quote the file, including secrets. */
const SYNTAX_ERRORS: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias must not have an anchor or a tag",
  BAD_ALIAS: "an anchor or an alias has no valid name",
  BAD_COLLECTION_TYPE: "a tag does not fit its value",
  BAD_DIRECTIVE: "invalid directive",
  BAD_DQ_ESCAPE: "invalid escape sequence in double quotes",
  BAD_INDENT: "wrong indentation",
  BAD_PROP_ORDER: "an anchor or a tag must follow the indicator",
  BAD_SCALAR_START: "a value that begins with this character must be quoted",
  BLOCK_AS_IMPLICIT_KEY: "a second ': ' in one line; quote the value, or start a new line",
  BLOCK_IN_FLOW: "an indented block must not be within braces or brackets",
  DUPLICATE_KEY: "duplicate key",
  IMPOSSIBLE: "the text cannot be read",
  KEY_OVER_1024_CHARS: "a key has more than 1024 characters",
  MISSING_CHAR: "a comma, colon, quote, space or closing bracket is missing",
  MULTILINE_IMPLICIT_KEY: "a key must be on one line, followed by ': '",
  MULTIPLE_ANCHORS: "a value must have at most one anchor",
  MULTIPLE_DOCS: "the file must be a single document",
  MULTIPLE_TAGS: "a value must have at most one tag",
  NON_STRING_KEY: "a key must be a string",
  RESOURCE_EXHAUSTION: "the text is nested too deeply",
  TAB_AS_INDENT: "a tab is used for indentation; indent with spaces",
  TAG_RESOLVE_FAILED: "unknown tag",
  UNEXPECTED_TOKEN: "unexpected text",
};

/** Parser errors that may be due to a missing closing quote or bracket. */
const UNCLOSED: ReadonlySet<ErrorCode> = new Set(["MISSING_CHAR", "BAD_INDENT"]);
const CLOSING = new Map([["[", "]"], ["{", "}"], ['"', '"'], ["'", "'"]]);
const UNOPENED = "a closing bracket without an opening one";

/** Whether a node begins with a quote or a bracket. */
function isDelimited(node: unknown): boolean {
  if (isCollection(node)) return node.flow === true;
  return isScalar(node) && /^QUOTE/.test(node.type ?? "");
}

const UNKNOWN_ALIAS = "an alias refers to an anchor that does not exist";

const START: Position = { line: 1, column: 1 };

/** The positions of one text. Finding one takes time proportional to the length of its path. */
class PositionedText {
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;
  /** The node that each alias refers to. */
  readonly #targets = new Map<Alias, Node>();
  readonly #unknownAliases: Alias[] = [];
  readonly #pairs = new Map<YAMLMap, ReadonlyMap<string, Pair>>();

  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.#document = parseDocument(text, {
      lineCounter: this.#lines,
      logLevel: "error",
      prettyErrors: false,
      schema: "core",
      uniqueKeys: false,
    });
    const anchors = new Map<string, Node>();
    visit(this.#document, {
      Node: (_, node) => {
        if (!isAlias(node)) {
          if (node.anchor !== undefined) anchors.set(node.anchor, node);
          return;
        }
        const target = anchors.get(node.source);
        if (target === undefined) this.#unknownAliases.push(node);
        else this.#targets.set(node, target);
      },
    });
  }

  /** The first syntax error; undefined when this parser finds none. */
  syntaxError(): PlacedError | undefined {
    const [error] = [...this.#document.errors, ...this.#document.warnings];
    if (error !== undefined) {
      const [at] = error.pos;
      const open = UNCLOSED.has(error.code) ? this.#unclosedBefore(at) : undefined;
      const reason = open?.reason ??
        (/^[\]}]/.test(this.#text.slice(at)) ? UNOPENED : SYNTAX_ERRORS[error.code]);
      return { path: [], message: `Invalid YAML: ${reason}`, position: this.#at(open?.at ?? at) };
    }
    const [alias] = this.#unknownAliases;
    if (alias === undefined) return undefined;
    const position = this.#startOf(alias) ?? START;
    return { path: [], message: `Invalid YAML: ${UNKNOWN_ALIAS}`, position };
  }

  /** The last unclosed quote or bracket before an error. */
  #unclosedBefore(error: number): { readonly at: number; readonly reason: string } | undefined {
    let found: { at: number; reason: string } | undefined;
    visit(this.#document, {
      Node: (_, node) => {
        const [at = 0, end = 0] = node.range ?? [];
        if (!isDelimited(node) || at >= error || end < error) return;
        const text = this.#text.slice(at, end);
        const [first = ""] = text;
        if (text.length > 1 && text.endsWith(CLOSING.get(first) ?? "")) return;
        const what = isCollection(node) ? "bracket" : "quote";
        found = { at, reason: `this ${what} is not closed: ${first}` };
      },
    });
    return found;
  }

  /** An error for each duplicate key in a mapping. */
  duplicateKeys(): PlacedError[] {
    const errors: PlacedError[] = [];
    const walk = (node: unknown, path: Path): void => {
      if (isSeq(node)) node.items.forEach((item, index) => walk(item, [...path, index]));
      if (!isMap(node)) return;
      const seen = new Set<string>();
      for (const pair of node.items) {
        const name = nameOf(pair);
        if (name === undefined) continue;
        const at = [...path, name];
        if (seen.has(name)) {
          const position = this.#startOf(pair.key) ?? START;
          errors.push({ path: at, message: "duplicate key", position });
        }
        seen.add(name);
        walk(pair.value, at);
      }
    };
    walk(this.#document.contents, []);
    return errors;
  }

  /**
   * The position of the value at a path, or of its name.
   *
   * A value that is not text on one line, such as a block, gets the position of its name. A missing
   * member gets the position of the object that should contain it.
   */
  positionOf(path: Path, isOfName = false): Position {
    let node: unknown = this.#document.contents;
    let found: Position | undefined;
    for (const [index, step] of path.entries()) {
      const container = isAlias(node) ? this.#targets.get(node) : node;
      const isLast = index === path.length - 1;
      if (isSeq(container)) {
        if (!(Number(step) in container.items)) break;
        node = container.items[Number(step)];
        found = this.#startOf(node) ?? found;
      } else if (isMap(container)) {
        const pair = this.#pairsOf(container).get(String(step));
        if (pair === undefined) break;
        node = pair.value;
        const name = this.#startOf(pair.key);
        found = (isLast && !isOfName && isInline(node) ? this.#startOf(node) : name) ?? name;
      } else break;
    }
    return found ?? START;
  }

  /** The members of a mapping by name. If a key is repeated, the last one applies. */
  #pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
    let pairs = this.#pairs.get(map);
    if (pairs === undefined) {
      pairs = new Map(map.items.map((pair) => [nameOf(pair) ?? "", pair]));
      this.#pairs.set(map, pairs);
    }
    return pairs;
  }

  #startOf(node: unknown): Position | undefined {
    return isNode(node) && node.range ? this.#at(node.range[0]) : undefined;
  }

  #at(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }
}

/** The name of a member; undefined for a key that is a list or a mapping. */
function nameOf({ key }: Pair): string | undefined {
  return isScalar(key) ? String(key.value) : undefined;
}

/** Whether a value begins at its position: it is neither empty nor an indented block. */
function isInline(node: unknown): boolean {
  if (!isNode(node) || !node.range || node.range[0] === node.range[1]) return false;
  return !isCollection(node) || node.flow === true;
}
