/**
 * Edits to config.yaml made through forms. An edit replaces the characters of one value; everything
 * else is unchanged: comments, order, anchors, quotes and line endings.
 */

import { isDeepStrictEqual } from "node:util";
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { isObject } from "../../core/json/object.ts";
import { flow, type FormEdit, type FormPath } from "./changes.ts";
import {
  commentsEnd,
  EDIT_TEXT,
  endOf,
  endOfPair,
  FormError,
  isFixed,
  lineEndAt,
  parseForForms,
  startOf,
} from "./form_objects.ts";

/**
 * Applies edits one after another.
 *
 * @throws {FormError} if an edit would change anything outside its path
 */
export function applyEdits(text: string, edits: readonly FormEdit[]): string {
  return edits.reduce((current, edit) => {
    const document = parseForForms(current);
    const next = new TextEdit(current, document).apply(edit);
    // A value with an anchor is also used elsewhere.
    if (!isSameOutside(valuesOf(document), valuesAfter(next), edit.path)) {
      throw new FormError(`The change would affect other objects: ${EDIT_TEXT}`);
    }
    return next;
  }, text);
}

function valuesAfter(text: string): unknown {
  try {
    return valuesOf(parseForForms(text));
  } catch {
    throw cannotReplace();
  }
}

function valuesOf(document: Document): unknown {
  try {
    return document.toJS() ?? {};
  } catch {
    throw new FormError(`The text has too many aliases: ${EDIT_TEXT}`);
  }
}

/** Compares two values, except at the path. */
function isSameOutside(before: unknown, after: unknown, [step, ...rest]: FormPath): boolean {
  if (step === undefined) return true;
  if (Array.isArray(before) && Array.isArray(after)) {
    if (typeof step !== "number") return false;
    const isRemoved = before.length > after.length;
    return isDeepStrictEqual(before.slice(0, step), after.slice(0, step)) &&
      isDeepStrictEqual(before.slice(step + 1), after.slice(isRemoved ? step : step + 1)) &&
      (isRemoved || step >= before.length || isSameOutside(before[step], after[step], rest));
  }
  const [old, next] = [before ?? {}, after ?? {}];
  if (!isObject(old) || !isObject(next)) return isDeepStrictEqual(before, after);
  const { [step]: one, ...others } = old;
  const { [step]: other, ...nextOthers } = next;
  return isDeepStrictEqual(others, nextOthers) && isSameOutside(one, other, rest);
}

/** A map's pair with this name. */
function pairOf(map: YAMLMap, name: unknown): Pair<Scalar, Node> | undefined {
  const pair = map.items.find(({ key }) => isScalar(key) && String(key.value) === String(name));
  return pair as Pair<Scalar, Node> | undefined;
}

/** An edit to a text. */
class TextEdit {
  readonly #text: string;
  readonly #document: Document;
  readonly #lineEnd: string;

  constructor(text: string, document: Document) {
    this.#text = text;
    this.#document = document;
    this.#lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  }

  /** The edited text. */
  apply(edit: FormEdit): string {
    if ("remove" in edit) return this.#remove(edit.path);
    if ("items" in edit) return this.#arrange(edit.path, edit.items);
    return this.#set(edit.path, edit.value);
  }

  #set(path: FormPath, value: unknown): string {
    const { contents } = this.#document;
    if (contents === null || (isScalar(contents) && contents.value === null)) {
      const text = this.#text === "" || this.#text.endsWith("\n")
        ? this.#text
        : this.#text + this.#lineEnd;
      return text + this.#member(path[0], nested(path.slice(1), value), 0).trimStart() +
        this.#lineEnd;
    }
    let node: unknown = contents;
    for (const [index, step] of path.entries()) {
      const missing = () => nested(path.slice(index + 1), value);
      if (isMap(node)) {
        const pair = pairOf(node, step);
        if (pair === undefined) return this.#addMember(node, step, missing());
        if (isEmpty(pair.value)) return this.#fill(node, pair, missing());
        node = pair.value;
      } else if (isSeq(node)) {
        if (step === node.items.length) return this.#addItem(node, missing());
        node = node.items[Number(step)];
        if (!isNode(node)) throw new FormError("The list has no such entry");
      } else throw new FormError(`The value is not an object: ${EDIT_TEXT}`);
    }
    return this.#replaceValue(node, value);
  }

  #replaceValue(node: unknown, value: unknown): string {
    if (isFixed(node) || (isCollection(node) && node.flow !== true)) throw cannotReplace();
    const [start = 0, end = 0] = (node as Node).range ?? [];
    return this.#splice(start, end, isScalar(node) ? styled(value, node.type) : flow(value));
  }

  /** Adds a value to a name that has none. */
  #fill(map: YAMLMap, { key, value: node }: Pair<Scalar, Node>, value: unknown): string {
    if (isFixed(node)) throw cannotReplace();
    const keyEnd = key.range?.[1] ?? 0;
    const colon = /^[ \t]*:/.exec(this.#text.slice(keyEnd));
    if (colon === null) throw cannotReplace();
    const at = keyEnd + colon[0].length;
    const written = node?.range ? this.#text.slice(node.range[0], node.range[1]) : "";
    if (written !== "") return this.#splice(startOf(node), endOf(node), flow(value));
    if (map.flow === true || !isObject(value)) return this.#splice(at, at, ` ${flow(value)}`);
    const members = this.#block(value, this.#columnOf(startOf(key)) + 2);
    const end = lineEndAt(this.#text, at);
    return this.#splice(end, end, members);
  }

  #addMember(map: YAMLMap, name: unknown, value: unknown): string {
    if (map.flow === true) {
      const member = `${flow(String(name))}: ${flow(value)}`;
      const last = map.items.at(-1);
      if (last === undefined) return this.#splice(startOf(map), endOf(map), `{ ${member} }`);
      const end = endOfPair(last);
      return this.#splice(end, end, `, ${member}`);
    }
    const [first] = map.items;
    if (first === undefined) throw cannotReplace();
    const column = this.#columnOf(startOf(first.key));
    // Inserted after simple members, so that comments at the end of lists stay with the lists.
    const index = map.items.findIndex(({ value }) => isCollection(value) && value.flow !== true);
    const before = map.items[index > 0 ? index - 1 : map.items.length - 1] ?? first;
    return this.#insertAfter(endOfPair(before), column, this.#member(name, value, column));
  }

  #addItem(list: YAMLSeq, value: unknown): string {
    const last = list.items.at(-1);
    if (list.flow === true) {
      if (last === undefined) return this.#splice(startOf(list), endOf(list), `[${flow(value)}]`);
      return this.#splice(endOf(last), endOf(last), `, ${flow(value)}`);
    }
    const dash = this.#itemLines(list)[0];
    if (dash === undefined) throw cannotReplace();
    const entry = `${this.#lineEnd}${" ".repeat(dash.column)}- ${flow(value)}`;
    return this.#insertAfter(endOf(list), dash.column, entry);
  }

  /** Inserts lines after a value and after the comments that belong to it. */
  #insertAfter(at: number, column: number, lines: string): string {
    const end = commentsEnd(this.#text, at, column);
    // A block scalar includes its line break.
    if (end > 0 && this.#text[end - 1] === "\n") {
      return this.#splice(end, end, lines.slice(this.#lineEnd.length) + this.#lineEnd);
    }
    return this.#splice(end, end, lines);
  }

  #remove(path: FormPath): string {
    const step = path.at(-1);
    const parent = this.#document.getIn(path.slice(0, -1), true) as Node | undefined;
    const container = path.length === 1 ? this.#document.contents : parent;
    if (isSeq(container) && typeof step === "number") {
      const rest = container.items.map((_, index) => index).filter((index) => index !== step);
      return this.#arrangeList(container, rest);
    }
    if (!isMap(container)) throw cannotReplace();
    const pair = pairOf(container, step);
    if (pair === undefined) return this.#text;
    const index = container.items.indexOf(pair);
    const [before, after] = [container.items[index - 1], container.items[index + 1]];
    const [start, end] = [startOf(pair.key), endOfPair(pair)];
    if (container.flow === true) {
      if (before !== undefined) return this.#splice(endOfPair(before), end, "");
      if (after !== undefined) return this.#splice(start, startOf(after.key), "");
      return this.#splice(startOf(container), endOf(container), "{}");
    }
    const lineStart = this.#lineStartAt(start);
    if (before === undefined && after === undefined) {
      return this.#splice(start, end, this.#text[end - 1] === "\n" ? `{}${this.#lineEnd}` : "{}");
    }
    if (this.#text.slice(lineStart, start).trim() !== "") throw cannotReplace();
    return this.#splice(lineStart, this.#nextLineAt(end), "");
  }

  #arrange(path: FormPath, items: readonly (string | number)[]): string {
    const node = path.length === 0
      ? this.#document.contents
      : this.#document.getIn(path, true) as Node;
    if (isFixed(node)) throw cannotReplace();
    if (isSeq(node)) return this.#arrangeList(node, items);
    // A single string is equivalent to a list with one entry.
    const values = items.map((item) =>
      typeof item === "string" ? item : isScalar(node) ? node.value : ""
    );
    return this.#set(path, values.length === 1 ? values[0] : values);
  }

  #arrangeList(list: YAMLSeq, items: readonly (string | number)[]): string {
    const old = list.items as Node[];
    if (items.some((item) => typeof item === "number" && old[item] === undefined)) {
      throw new FormError("The list has no such entry");
    }
    if (list.flow === true) return this.#arrangeFlow(list, old, items);
    if (items.length === 0) throw new FormError(`The list needs an entry, or ${EDIT_TEXT}`);
    const lines = this.#itemLines(list);
    const [first, last] = [lines[0], lines.at(-1)];
    if (first === undefined || last === undefined) throw cannotReplace();
    const ended = (line: string) => line.endsWith("\n") ? line : line + this.#lineEnd;
    const next = items.map((item) => {
      if (typeof item === "string") {
        return `${" ".repeat(first.column)}- ${flow(item)}${this.#lineEnd}`;
      }
      const { start = 0, end = 0 } = lines[item] ?? {};
      return ended(this.#text.slice(start, end));
    }).join("");
    const isCut = !this.#text.slice(first.start, last.end).endsWith("\n");
    return this.#splice(first.start, last.end, isCut ? next.slice(0, -this.#lineEnd.length) : next);
  }

  #arrangeFlow(list: YAMLSeq, old: readonly Node[], items: readonly (string | number)[]): string {
    const { range } = list;
    if (range === undefined || range === null) throw cannotReplace();
    const texts = items.map((item) => {
      const node = typeof item === "number" ? old[item] : undefined;
      return node === undefined ? flow(item) : this.#text.slice(startOf(node), endOf(node));
    });
    const [first, second] = old;
    const last = old.at(-1);
    if (first === undefined || last === undefined || texts.length === 0) {
      return this.#splice(range[0], range[1], `[${texts.join(", ")}]`);
    }
    const gaps = old.slice(1).map((node, index) =>
      this.#text.slice(endOf(old[index]), startOf(node))
    );
    if (gaps.some((gap) => gap.includes("#"))) throw cannotReplace();
    const gap = second === undefined ? ", " : gaps[0];
    return this.#splice(startOf(first), endOf(last), texts.join(gap));
  }

  /** The lines of each list entry, with the comments before it. */
  #itemLines(list: YAMLSeq): { start: number; end: number; column: number }[] {
    let end = -1;
    return list.items.map((item) => {
      const at = startOf(item);
      const dash = this.#text.lastIndexOf("-", at - 1);
      const lineStart = this.#lineStartAt(dash);
      if (item === null || dash === -1 || this.#text.slice(lineStart, dash).trim() !== "") {
        throw cannotReplace();
      }
      const start = end === -1 ? this.#commentsBefore(lineStart) : end;
      end = this.#nextLineAt(endOf(item));
      return { start, end, column: dash - lineStart };
    });
  }

  /** The start of the comments directly above a line. */
  #commentsBefore(lineStart: number): number {
    let start = lineStart;
    while (start > 0) {
      const before = this.#lineStartAt(start - 1);
      if (!/^[ \t]*#/.test(this.#text.slice(before, start))) break;
      start = before;
    }
    return start;
  }

  /** A line of a member, or the lines of an object. */
  #member(name: unknown, value: unknown, column: number): string {
    const start = `${this.#lineEnd}${" ".repeat(column)}${flow(String(name))}:`;
    return isObject(value) && Object.keys(value).length > 0
      ? start + this.#block(value, column + 2)
      : `${start} ${flow(value)}`;
  }

  #block(value: Readonly<Record<string, unknown>>, column: number): string {
    return Object.entries(value).map(([name, member]) =>
      `${this.#lineEnd}${" ".repeat(column)}${flow(name)}: ${flow(member)}`
    ).join("");
  }

  #columnOf(index: number): number {
    return index - this.#lineStartAt(index);
  }

  #lineStartAt(index: number): number {
    return this.#text.lastIndexOf("\n", index - 1) + 1;
  }

  /** Where the line after a value starts. A block scalar ends there. */
  #nextLineAt(index: number): number {
    if (index > 0 && this.#text[index - 1] === "\n") return index;
    const next = this.#text.indexOf("\n", index);
    return next === -1 ? this.#text.length : next + 1;
  }

  #splice(start: number, end: number, text: string): string {
    return this.#text.slice(0, start) + text + this.#text.slice(end);
  }
}

function cannotReplace(): FormError {
  return new FormError(`The value has a form that can only be edited as text: ${EDIT_TEXT}`);
}

function isEmpty(node: unknown): boolean {
  return node === null || (isScalar(node) && node.value === null);
}

/** Adds the missing parents of a value. */
function nested(path: FormPath, value: unknown): unknown {
  return path.reduceRight<unknown>(
    (inner, step) => typeof step === "number" ? [inner] : Object.fromEntries([[step, inner]]),
    value,
  );
}

/** Writes a value with the quotes of the one that it replaces. */
function styled(value: unknown, type: Scalar["type"]): string {
  if (typeof value !== "string") return flow(value);
  if (type === "QUOTE_DOUBLE") return JSON.stringify(value);
  // Within single quotes, nothing is escaped.
  const isSimple = /^[\x20-\x7e]*$/.test(value);
  return type === "QUOTE_SINGLE" && isSimple ? `'${value.replaceAll("'", "''")}'` : flow(value);
}
