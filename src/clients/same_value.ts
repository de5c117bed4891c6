/** Compares values of settings. */

/** Whether two values have the same content, in whatever classes a parser has put it. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isComposed(one) || !isComposed(other)) return false;
  if (one instanceof Date || other instanceof Date) return String(one) === String(other);
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [Object.entries(one), new Map(Object.entries(other))];
  return left.length === right.size &&
    left.every(([name, value]) => right.has(name) && isSame(value, right.get(name)));
}

function isComposed(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
