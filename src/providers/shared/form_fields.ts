/** Writes the members of a request as the fields of a form. */

import type { JsonObject } from "../../core/json/object.ts";
import type { FormField } from "../../contract/form.ts";

/** @param listMark what the name of a list ends in */
export function toFormFields(body: JsonObject, listMark = "[]"): readonly FormField[] {
  return Object.entries(body).flatMap(([name, value]): readonly FormField[] =>
    Array.isArray(value)
      ? value.map((entry) => [`${name}${listMark}`, toText(entry)])
      : [[name, toText(value)]]
  );
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
