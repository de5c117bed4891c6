/** The config.yaml objects that forms show: their lines, and the values that can be changed. */

import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseAllDocuments,
  parseDocument,
  type YAMLMap,
} from "yaml";
import { shortened } from "../../core/text.ts";
import type { FormField, FormItem, FormObject, FormPath } from "./changes.ts";

/** Thrown if a form cannot make a change. The message gives the reason. */
export class FormError extends Error {
  override readonly name = "FormError";
}

export const EDIT_TEXT = "change the text instead";

const MAX_ENTRY_CHARS = 200;
/** The depth to which the members of an object are listed. */
const MAX_DEPTH = 2;

const SECTIONS: readonly FormPath[] = [
  ["providers"],
  ["aliases"],
  ["server", "keys"],
  ["limits"],
  ["limits", "models"],
];

/** Lists a text's objects. @throws {FormError} if the text is not valid. */
export function listFormObjects(text: string): FormObject[] {
  const document = parseForForms(text);
  const lineOf = lineCounter(text);
  const toObject = (path: FormPath, name: string, node: unknown, start: number): FormObject => {
    const end = Math.max(start, node === null ? 0 : endOf(node));
    const isNextLine = end > start && text[end - 1] === "\n";
    const column = start - text.lastIndexOf("\n", start - 1) - 1;
    const last = isNextLine ? end - 1 : commentsEnd(text, end, column);
    return {
      ...{ path, name, first_line: lineOf(start), last_line: lineOf(last) },
      ...describe(node, text),
    };
  };
  return SECTIONS.flatMap((path): FormObject[] => {
    const section = sectionOf(document, path);
    if (path.join() === "limits") {
      if (!isMap(section)) return [];
      const object = toObject(path, "", section, startOf(section));
      return [{ ...object, kept: object.kept.filter((name) => !name.startsWith("models")) }];
    }
    if (isMap(section)) {
      return section.items.flatMap((pair) => {
        const { key, value } = pair as Pair<Node, Node | null>;
        if (!isScalar(key)) return [];
        const name = String(key.value);
        return [toObject([...path, name], name, value, startOf(key))];
      });
    }
    if (!isSeq(section)) return [];
    return section.items.map((item, index) =>
      toObject([...path, index], nameOf(item) ?? String(index + 1), item, startOf(item))
    );
  });
}

function sectionOf(document: Document, path: FormPath): unknown {
  return isMap(document.contents) ? document.getIn(path, true) : undefined;
}

/** The parts of an object that a form can and cannot change. */
function describe(node: unknown, text: string): Pick<FormObject, "fields" | "kept"> {
  const fields: FormField[] = [];
  const kept: string[] = [];
  const visit = (value: unknown, path: readonly string[]) => {
    if (isFixed(value)) kept.push(path.join("."));
    else if (isScalar(value)) {
      const { value: content } = value;
      const isKnown = ["string", "number", "boolean"].includes(typeof content);
      if (isKnown) fields.push({ path, value: content as string });
    } else if (isSeq(value)) {
      fields.push({ path, items: value.items.map((item) => toItem(item, text)) });
    } else if (isMap(value)) visitMembers(value, path);
  };
  const visitMembers = (map: YAMLMap, path: readonly string[]) => {
    for (const { key, value } of map.items) {
      if (!isScalar(key) || path.length >= MAX_DEPTH) kept.push([...path, "…"].join("."));
      else visit(value, [...path, String(key.value)]);
    }
  };
  visit(node, []);
  return { fields, kept: [...new Set(kept)] };
}

function toItem(item: unknown, text: string): FormItem {
  if (!isFixed(item) && isScalar(item)) {
    const name = shortened(String(item.value), MAX_ENTRY_CHARS);
    return { name, is_text: typeof item.value !== "string" };
  }
  const name = nameOf(item);
  if (name !== undefined) {
    const { fields, kept } = describe(item, text);
    return { name, is_text: true, ...(kept.length === 0 && { fields }) };
  }
  const source = item === null ? "" : text.slice(startOf(item), endOf(item));
  return { name: shortened(source.replace(/\s+/g, " "), MAX_ENTRY_CHARS), is_text: true };
}

/** The member that names an entry. */
function nameOf(item: unknown): string | undefined {
  if (!isMap(item)) return undefined;
  const names = ["name", "id", "model"].map((member) => item.get(member));
  const name = names.find((value) => typeof value === "string");
  return name === undefined ? undefined : shortened(String(name), MAX_ENTRY_CHARS);
}

/** A function that returns the line number of an index, from 1. */
function lineCounter(text: string): (index: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (index) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= index) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

/** The only document in a text. @throws {FormError} if the text is not valid. */
export function parseForForms(text: string): Document {
  const documents = parseAllDocuments(text);
  const [document] = Array.isArray(documents) ? documents : [];
  if (document === undefined) return parseDocument(text);
  if (documents.length > 1) throw new FormError(`The text has several documents: ${EDIT_TEXT}`);
  if (document.errors.length > 0) {
    throw new FormError("The text is not valid YAML: correct its problems first");
  }
  return document;
}

/** Whether a form must not replace a node, because other nodes or tags depend on its text. */
export function isFixed(node: unknown): boolean {
  if (node === null || node === undefined) return false;
  if (isScalar(node)) {
    return node.anchor !== undefined || node.tag !== undefined ||
      (node.type ?? "").startsWith("BLOCK");
  }
  return !isCollection(node) || node.anchor !== undefined || node.tag !== undefined;
}

/** The end of a pair or node, excluding comments after it. */
export function endOf(node: unknown): number {
  if (isCollection(node) && node.flow !== true) {
    const last = node.items.at(-1);
    if (last !== undefined) return isMap(node) ? endOfPair(last as Pair) : endOf(last);
  }
  return (node as Node).range?.[1] ?? 0;
}

export function endOfPair({ key, value }: Pair): number {
  return Math.max((key as Node).range?.[1] ?? 0, value === null ? 0 : endOf(value));
}

/** Where a node starts. */
export function startOf(node: unknown): number {
  return (node as Node).range?.[0] ?? 0;
}

/** The end of the line that contains an index, without its line break. */
export function lineEndAt(text: string, index: number): number {
  const next = text.indexOf("\n", index);
  if (next === -1) return text.length;
  return text[next - 1] === "\r" && next > index ? next - 1 : next;
}

/** The end of the line, or of the comments after it that are indented deeper than the column. */
export function commentsEnd(text: string, index: number, column: number): number {
  const isNextLine = index > 0 && text[index - 1] === "\n";
  let end = isNextLine ? index : lineEndAt(text, index);
  for (let at = isNextLine ? index : text.indexOf("\n", index) + 1; at > 0;) {
    const lineEnd = lineEndAt(text, at);
    const line = text.slice(at, lineEnd);
    const indent = line.length - line.trimStart().length;
    if (line.trim() !== "" && !(line.trimStart().startsWith("#") && indent > column)) break;
    if (line.trim() !== "") end = lineEnd;
    at = text.indexOf("\n", at) + 1;
  }
  return end;
}
