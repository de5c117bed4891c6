/** Finds text of the client in errors: an error that only quotes it proves nothing. */

import { isObject, type JsonObject } from "../chat/chat.ts";
import { PARAMETERS } from "../providers/contract/support.ts";

/**
 * Whether the request contains this text: in a value, in a name inside an object, or in the name of a
 * field that the gateway does not know. Takes time proportional to the size of the request.
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

/** Fields that every request may have: the client does not choose their names. */
const FIELDS = new Set<string>([...PARAMETERS, "model", "models", "messages"]);
