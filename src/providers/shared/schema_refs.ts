/** Resolves references inside a JSON Schema. */

import { isObject, type JsonObject } from "../../chat/chat.ts";

/**
 * The target of a local `$ref`; undefined for a reference without a target or to another document.
 */
export function resolveRef(root: JsonObject, ref: unknown): JsonObject | undefined {
  if (typeof ref !== "string" || !/^#(\/|$)/.test(ref)) return undefined;
  let at: unknown = root;
  // It ends at the first step without a value: a pointer may be long.
  for (let start = 2, end: number; start < ref.length; start = end + 1) {
    end = ref.indexOf("/", start);
    if (end === -1) end = ref.length;
    if (end === start) continue;
    const name = unescapePointer(ref.slice(start, end));
    if (!isObject(at) && !Array.isArray(at)) return undefined;
    if (!Object.hasOwn(at, name)) return undefined;
    at = (at as JsonObject)[name];
  }
  return isObject(at) ? at : undefined;
}

/** https://www.rfc-editor.org/rfc/rfc6901 inside a URI fragment. */
function unescapePointer(step: string): string {
  if (!step.includes("~") && !step.includes("%")) return step;
  const text = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
