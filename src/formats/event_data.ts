/** The JSON of an event. */

import { isObject, type JsonObject } from "../core/json/object.ts";
import { parsePassed } from "../core/json/passed_json.ts";

/** Parses the data of an event; an empty object for anything but an object. */
export function parseEvent(data: string): JsonObject {
  return toEvent(() => JSON.parse(data));
}

/** The same with numbers as they were written. */
export function parsePassedEvent(data: string): JsonObject {
  return toEvent(() => parsePassed(data));
}

function toEvent(parse: () => unknown): JsonObject {
  try {
    const value = parse();
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
