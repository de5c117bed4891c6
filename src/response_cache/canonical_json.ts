/** Canonical JSON, so that equal requests have equal text: RFC 8785 with exact numbers. */

import { isExactNumber } from "../core/json/exact_numbers.ts";
import { isObject } from "../core/json/object.ts";

/**
 * The text of a JSON value without white space and with sorted members, as in
 * https://www.rfc-editor.org/rfc/rfc8785 (checked 2026-11-24). Numbers that do not fit into a
 * double keep their text, as vendors get them, and are compared as text.
 */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(",")}]`;
  // Members with the value undefined are absent, as in `JSON.stringify`.
  if (!isObject(value) || isExactNumber(value)) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value).sort().flatMap((name) =>
    value[name] === undefined ? [] : `${JSON.stringify(name)}:${toCanonicalJson(value[name])}`
  );
  return `{${members.join(",")}}`;
}
