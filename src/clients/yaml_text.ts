/** Edits YAML. Comments, order, quotes and single blank lines stay. */

import { type Document, parseDocument } from "yaml";
import { SettingsError } from "./edits.ts";
import type { TextFormat } from "./settings_text.ts";

export const yamlText: TextFormat = {
  parse(text) {
    const value: unknown = readDocument(text).toJS();
    return value ?? undefined;
  },
  edit(text, edits) {
    const document = readDocument(text);
    for (const { path, value } of edits) {
      if (value === undefined) document.deleteIn(path);
      else if (path.length === 0) document.contents = document.createNode(value) as never;
      else document.setIn(path, isScalar(value) ? value : document.createNode(value));
    }
    const printed = document.toString(layoutOf(text));
    return text.includes("\r\n") ? printed.replaceAll(/\r?\n/g, "\r\n") : printed;
  },
};

function isScalar(value: unknown): boolean {
  return typeof value !== "object";
}

/** @throws {SettingsError} for more than one document, or an invalid one. */
function readDocument(text: string): Document {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error === undefined) return document;
  if (error.code === "MULTIPLE_DOCS") throw new SettingsError("it has more than one YAML document");
  throw new SettingsError(`it is not valid YAML: ${error.message.split("\n", 1)[0]}`);
}

/** The widest indentation that is kept, in spaces. */
const MAX_INDENT = 4;

/** The options that keep the layout of a text. */
function layoutOf(text: string) {
  const indents = [...text.matchAll(/^ +(?=[^\s#])/gm)].map(([spaces]) => spaces.length);
  return {
    lineWidth: 0,
    indent: indents.reduce(
      (least, one) => Math.min(least, one),
      indents.length === 0 ? 2 : MAX_INDENT,
    ),
    // Whether lists in objects are indented.
    indentSeq: !/^( *)[\w"'][^\n]*:[ \t]*(?:#[^\n]*)?\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*\1- /m.test(
      text,
    ),
    flowCollectionPadding: !/: ?\[[^\s\]]/.test(text),
  };
}
