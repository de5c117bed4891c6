/** Members of JSON values by path. A path goes through every entry of a list. */

import { isObject, type JsonObject } from "./object.ts";

/** Whether a path leads to a member. */
export function hasPath(value: unknown, path: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((entry) => hasPath(entry, path));
  const [step = "", ...others] = path;
  if (!isObject(value) || !(step in value)) return false;
  return others.length === 0 || hasPath(value[step], others);
}

/**
 * A copy without one member. An object that becomes empty is removed too.
 *
 * @param as the name under which the member is kept, unless the object already has one
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
