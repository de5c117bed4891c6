/** What the caller of a request wrote: vendors quote it in their errors, where it proves nothing. */

import { isObject, type JsonObject } from "./chat.ts";
import { PARAMETERS } from "./providers/support.ts";

/**
 * Whether a caller wrote this text: in a value, in a name inside an object, or in the name of a
 * field that the gateway does not know. Takes time in proportion to the request's size.
 */
export function isWrittenByCaller(text: string, request: JsonObject): boolean {
  const pending: unknown[] = [];
  for (const [name, value] of Object.entries(request)) {
    if (!FIELDS.has(name) && name.includes(text)) return true;
    pending.push(value);
  }
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string") {
      if (value.includes(text)) return true;
    } else if (Array.isArray(value)) {
      for (const entry of value) pending.push(entry);
    } else if (isObject(value)) {
      for (const name in value) {
        if (name.includes(text)) return true;
        pending.push(value[name]);
      }
    }
  }
  return false;
}

/** Fields that every request may have: their names are the gateway's, not the caller's. */
const FIELDS = new Set<string>([...PARAMETERS, "model", "models", "messages"]);
