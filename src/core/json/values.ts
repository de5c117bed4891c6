/**
 * Reads, compares and changes external JSON values, whose members may be missing or have another
 * type.
 */

import { copyTexts, hasTexts } from "./number_texts.ts";
import { isObject, type JsonObject, setMember } from "./object.ts";

/** Whether a value is a non-empty string. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Returns a string unchanged; empty for any other value. */
export function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns an object unchanged; empty for any other value. */
export function toObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns an array unchanged; empty for any other value. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a count, such as a number of tokens, rounded down; 0 for any other value. */
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

/** Compares all levels; member order is ignored. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    for (let at = 0; at < one.length; at++) if (!isEqual(one[at], other[at])) return false;
    return true;
  }
  if (!isObject(one) || !isObject(other)) return false;
  let count = 0;
  for (const name in one) {
    if (!Object.hasOwn(other, name) || !isEqual(one[name], other[name])) return false;
    count++;
  }
  for (const _ in other) count--;
  return count === 0;
}

/** Changes the objects in a list. Returns the same list if no entry changes. */
export function changeEntries(
  list: readonly unknown[],
  change: (entry: JsonObject) => JsonObject,
): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (const [index, entry] of list.entries()) {
    if (!isObject(entry)) continue;
    const own = change(entry);
    if (own !== entry) (changed ??= [...list])[index] = own;
  }
  return changed ?? list;
}

/** Whether a member exists at a path. */
export function hasPath(value: unknown, path: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((entry) => hasPath(entry, path));
  const [step = "", ...others] = path;
  if (!isObject(value) || !(step in value)) return false;
  return others.length === 0 || hasPath(value[step], others);
}

/**
 * A copy without one member. Objects that become empty are also removed.
 *
 * @param as the new name of the member, unless the object already has a member of this name
 */
export function withoutPath(
  object: JsonObject,
  [step = "", ...others]: readonly string[],
  as?: string,
): JsonObject {
  const { [step]: value, ...rest } = object;
  if (others.length === 0) return as === undefined || as in rest ? rest : { ...rest, [as]: value };
  const removeRest = (inner: unknown) =>
    isObject(inner) && hasPath(inner, others) ? withoutPath(inner, others, as) : inner;
  if (Array.isArray(value)) return { ...object, [step]: value.map(removeRest) };
  if (!isObject(value)) return object;
  const inner = withoutPath(value, others, as);
  return Object.keys(inner).length === 0 ? rest : { ...object, [step]: inner };
}
