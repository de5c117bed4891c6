/** JSON objects whose members are not known yet. */

/** A JSON object of which nothing is known yet. */
export type JsonObject = Record<string, unknown>;

/** True for a JSON object, which an array is not. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
