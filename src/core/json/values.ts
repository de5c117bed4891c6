/** Readers of JSON values from outside: members that may be missing or of another type. */

import { copyTexts, hasTexts } from "./number_texts.ts";
import { isObject, type JsonObject, setMember } from "./object.ts";

/** True for a string that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** A string as it is; empty for any other value. */
export function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** An object as it is; empty for any other value. */
export function toObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** An array as it is; empty for any other value. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A count, such as one of tokens, without its fraction; 0 for any other value. */
export function toCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.trunc(value) : 0;
}

/** The members whose values are not undefined. */
export function present(members: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (value !== undefined) setMember(kept, name, value);
  }
  if (hasTexts(members)) copyTexts(members, kept);
  return kept;
}
