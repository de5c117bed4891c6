/** Edits JSON with comments and trailing commas. */

import {
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { type Edit, SettingsError, type TextFormat } from "./edits.ts";

export const jsonText: TextFormat = {
  parse(text) {
    const root = parseRoot(text);
    return root && getNodeValue(root);
  },
  edit: (text, edits) => edits.reduce(applyEdit, text),
};

function parseRoot(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error === undefined) return root;
  const line = text.slice(0, error.offset).split("\n").length;
  throw new SettingsError(
    `it is not valid JSON: ${printParseErrorCode(error.error)} in line ${line}`,
  );
}

function applyEdit(text: string, { path, value }: Edit): string {
  const root = parseRoot(text);
  const layout = layoutOf(text);
  if (root === undefined) {
    // The file is empty or contains only comments.
    const start = text.trim() === "" ? "" : text.trimEnd() + layout.eol;
    return start + print(value, "", layout) + layout.eol;
  }
  const existing = nodeAt(root, path);
  if (existing !== undefined) {
    if (value === undefined) return remove(text, memberOf(existing));
    const { offset, length } = existing;
    const printed = print(value, indentAt(text, offset), layout);
    return text.slice(0, offset) + printed + text.slice(offset + length);
  }
  const parent = nodeAt(root, path.slice(0, -1));
  const name = path.at(-1);
  if (parent === undefined || name === undefined) throw new TypeError("No container to edit");
  return insert(text, parent, name, value, layout);
}

function nodeAt(root: Node, path: Edit["path"]): Node | undefined {
  let found: Node | undefined = root;
  for (const name of path) {
    const children: readonly Node[] = found.children ?? [];
    // If a name occurs twice, the last one applies.
    found = typeof name === "number"
      ? children[name]
      : children.findLast(({ children: [key] = [] }) => key?.value === name)?.children?.[1];
    if (found === undefined) return undefined;
  }
  return found;
}

/** A child of an object or list: a value, or a name and its value. */
function memberOf(node: Node): Node {
  return node.parent?.type === "property" ? node.parent : node;
}

/** The format of a file. */
interface Layout {
  readonly eol: string;
  readonly indent: string;
}

function layoutOf(text: string): Layout {
  const [, indent = "  "] = /^([ \t]+)["{[]/m.exec(text) ?? [];
  return { eol: text.includes("\r\n") ? "\r\n" : "\n", indent };
}

/** The whitespace at the start of the line that contains a position. */
function indentAt(text: string, position: number): string {
  const start = text.lastIndexOf("\n", position - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, position))?.[0] ?? "";
}

function print(value: unknown, indent: string, layout: Layout): string {
  return JSON.stringify(value, null, layout.indent).replaceAll("\n", layout.eol + indent);
}

/** Adds a member after the last one. */
function insert(
  text: string,
  parent: Node,
  name: string | number,
  value: unknown,
  layout: Layout,
): string {
  const key = typeof name === "string" ? `${JSON.stringify(name)}: ` : "";
  const outer = indentAt(text, parent.offset);
  const last = parent.children?.at(-1);
  const end = parent.offset + parent.length - 1;
  if (last === undefined) {
    const inner = outer + layout.indent;
    const member = inner + key + print(value, inner, layout);
    const before = text.slice(0, end).trimEnd();
    return before + layout.eol + member + layout.eol + outer + text.slice(end);
  }
  if (!text.slice(parent.offset, last.offset).includes("\n")) {
    const at = last.offset + last.length;
    const after = skipTrivia(text, at);
    const comma = text[after] === "," ? after : undefined;
    const member = key + JSON.stringify(value);
    return comma === undefined
      ? `${text.slice(0, at)}, ${member}${text.slice(at)}`
      : `${text.slice(0, comma + 1)} ${member}${text.slice(comma)}`;
  }
  const inner = indentAt(text, last.offset);
  const member = layout.eol + inner + key + print(value, inner, layout);
  const at = last.offset + last.length;
  const comma = skipTrivia(text, at);
  if (text[comma] === ",") {
    const place = endOfComment(text, comma + 1);
    return `${text.slice(0, place)}${member},${text.slice(place)}`;
  }
  const place = endOfComment(text, at);
  return `${text.slice(0, at)},${text.slice(at, place)}${member}${text.slice(place)}`;
}

/** Removes a member with its comma, and its line if nothing else is on it. */
function remove(text: string, node: Node): string {
  let [start, end] = [node.offset, node.offset + node.length];
  const comma = skipTrivia(text, end);
  let before = text;
  if (text[comma] === ",") end = comma + 1;
  else {
    const siblings = node.parent?.children ?? [];
    const previous = siblings[siblings.indexOf(node) - 1];
    const last = previous && skipTrivia(text, previous.offset + previous.length);
    if (last !== undefined) {
      before = text.slice(0, last) + text.slice(last + 1);
      [start, end] = [start - 1, end - 1];
    }
  }
  const head = before.slice(0, start);
  const tail = before.slice(end);
  const isWholeLine = /(?:^|\n)[ \t]*$/.test(head) && /^[ \t]*(?:\r?\n|$)/.test(tail);
  return isWholeLine
    ? head.replace(/[ \t]*$/, "") + tail.replace(/^[ \t]*\r?\n?/, "")
    : head + tail.replace(/^ +/, "");
}

/** The position after whitespace and comments. */
function skipTrivia(text: string, from: number): number {
  TRIVIA.lastIndex = from;
  return from + (TRIVIA.exec(text)?.[0].length ?? 0);
}

const TRIVIA = /(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;

/** The position after a comment on the rest of the line, which belongs to the member before it. */
function endOfComment(text: string, from: number): number {
  COMMENT.lastIndex = from;
  return from + (COMMENT.exec(text)?.[0].length ?? 0);
}

const COMMENT = /[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/(?=[ \t]*\r?\n))/y;
