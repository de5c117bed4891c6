/** Edits the text of a settings file, and keeps everything else in it: order, comments, format. */

import { isSame } from "./same_value.ts";
import type { Setting } from "./client.ts";
import { dotenvText } from "./dotenv_text.ts";
import { type Edit, isSameApartFrom, planRestore, planSettings, SettingsError } from "./edits.ts";
import { jsonText } from "./json_text.ts";
import { tomlText } from "./toml_text.ts";
import { yamlText } from "./yaml_text.ts";

/** JSON may contain comments and trailing commas. */
export type SettingsFormat = "json" | "yaml" | "toml" | "dotenv";

/** How texts of one format are read and edited. */
export interface TextFormat {
  /** The value of a text; undefined if there is none. Throws for an invalid text. */
  parse(text: string): unknown;
  /** The text after edits, which lead to the value `expected`. */
  edit(text: string, edits: readonly Edit[], expected: unknown): string;
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
 * Gives the settings the values that they have in an earlier text.
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
    // A library may refuse a layout that it cannot edit.
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
