/** JSON objects with unknown members. */

/** A JSON object whose members are unknown. */
export type JsonObject = Record<string, unknown>;

/** Whether a value is a JSON object; arrays are not. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets an own member, even for the name `__proto__`. */
export function setMember(object: JsonObject, name: string, value: unknown): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, ...OF_MEMBERS });
}

const OF_MEMBERS = { configurable: true, enumerable: true, writable: true };
