/** Canonical JSON, so that equal requests have equal text: RFC 8785 with exact numbers. */

import { textOf } from "../../core/json/number_texts.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";

/**
 * The text of a JSON value without white space and with sorted members, as in
 * https://www.rfc-editor.org/rfc/rfc8785 (checked 2026-11-24). Numbers that keep
 * their text, as vendors get them, are compared as text.
 */
export function toCanonicalJson(value: unknown): string {
  // Members with the value undefined are absent, as in `JSON.stringify`.
  if (!Array.isArray(value) && !isObject(value)) return JSON.stringify(value) ?? "null";
  const entryOf = (name: string | number) =>
    textOf(value, name) ??
      toCanonicalJson((value as JsonObject)[name]);
  if (Array.isArray(value)) return `[${value.map((_, at) => entryOf(at)).join(",")}]`;
  const members = Object.keys(value).sort().flatMap((name) =>
    value[name] === undefined ? [] : `${JSON.stringify(name)}:${entryOf(name)}`
  );
  return `{${members.join(",")}}`;
}
