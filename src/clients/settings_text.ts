/** Edits the text of a settings file and preserves everything else: order, comments, format. */

import type { Setting, SettingsFormat } from "./client.ts";
import {
  type Edit,
  isSame,
  isSameApartFrom,
  planRestore,
  planSettings,
  SettingsError,
  type TextFormat,
} from "./edits.ts";
import { jsonText } from "./json_text.ts";
import { tomlText } from "./toml_text.ts";
import { parseEnv } from "node:util";
import { type Document, parseDocument } from "yaml";

const dotenvText: TextFormat = {
  parse: (text) => ({ ...parseEnv(text) }),
  edit: (text, edits) =>
    edits.reduce(
      (lines, { path, value }) =>
        path.length === 0
          ? Object.entries(value as object).reduce((all, entry) => set(all, ...entry), lines)
          : set(lines, String(path[0]), value),
      text,
    ),
};

function set(text: string, name: string, value: unknown): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(/\r?\n/);
  const index = lines.findLastIndex((line) =>
    line.replace(/^\s*(?:export\s+)?/, "").split("=")[0]?.trim() === name
  );
  if (value === undefined) return index === -1 ? text : lines.toSpliced(index, 1).join(eol);
  const line = `${name}=${quoted(String(value))}`;
  if (index !== -1) {
    const [prefix] = /^\s*(?:export\s+)?/.exec(lines[index] ?? "") ?? [];
    return lines.with(index, `${prefix}${line}`).join(eol);
  }
  const isEnded = lines.at(-1) === "";
  return [...(isEnded ? lines.slice(0, -1) : lines), line, ""].join(eol);
}

function quoted(value: string): string {
  return /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value);
}

const yamlText: TextFormat = {
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

/** @throws {SettingsError} for more than one document, or for an invalid one. */
function readDocument(text: string): Document {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error === undefined) return document;
  if (error.code === "MULTIPLE_DOCS") throw new SettingsError("it has more than one YAML document");
  throw new SettingsError(`it is not valid YAML: ${error.message.split("\n", 1)[0]}`);
}

/** The widest indentation that is preserved, in spaces. */
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

const FORMATS: Readonly<Record<SettingsFormat, TextFormat>> = {
  json: jsonText,
  yaml: yamlText,
  toml: tomlText,
  dotenv: dotenvText,
};

const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Sets the settings in a text.
 *
 * @throws {SettingsError} when the text is invalid or cannot be edited safely.
 */
export function applySettings(
  text: string,
  format: SettingsFormat,
  settings: readonly Setting[],
): string {
  return editText(text, format, (value) => planSettings(value, settings));
}

/**
 * Restores the settings to their values in an earlier text.
 *
 * @returns `earlier` itself if nothing else has changed since
 * @throws {SettingsError} when a text is invalid or cannot be edited safely.
 */
export function restoreSettings(
  text: string,
  earlier: string,
  format: SettingsFormat,
  settings: readonly Setting[],
): string {
  const before = parse(earlier, format);
  if (isSameApartFrom(settings, parse(text, format), before)) return earlier;
  return editText(text, format, (value) => planRestore(value, before, settings));
}

function editText(
  whole: string,
  format: SettingsFormat,
  plan: (value: unknown) => { readonly edits: readonly Edit[]; readonly value: unknown },
): string {
  const mark = whole.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const text = whole.slice(mark.length);
  const { edits, value } = plan(parse(whole, format));
  if (edits.length === 0) return whole;
  let edited: string;
  try {
    edited = FORMATS[format].edit(text, edits, value);
    if (!isSame(FORMATS[format].parse(edited), value)) throw new SettingsError(UNSAFE);
  } catch (thrown) {
    // A library may reject a layout that it cannot edit.
    throw thrown instanceof SettingsError ? thrown : new SettingsError(UNSAFE);
  }
  return mark + edited;
}

const UNSAFE = "its layout cannot be edited without changes to other settings; " +
  "print the settings with --print and enter them by hand";

/** @throws {SettingsError} for an invalid text. */
function parse(text: string, format: SettingsFormat): unknown {
  try {
    return FORMATS[format].parse(text.replace(BYTE_ORDER_MARK, ""));
  } catch (thrown) {
    if (thrown instanceof SettingsError) throw thrown;
    const reason = thrown instanceof Error ? `: ${thrown.message.split("\n", 1)[0]}` : "";
    throw new SettingsError(`it is not valid ${NAMES[format]}${reason}`);
  }
}

const NAMES: Readonly<Record<SettingsFormat, string>> = {
  json: "JSON",
  yaml: "YAML",
  toml: "TOML",
  dotenv: "NAME=value lines",
};
