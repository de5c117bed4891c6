/**
 * Gemini's schemas as JSON Schema.
 *
 * https://ai.google.dev/api/caching#Schema (2026-11-24): a subset of OpenAPI 3.0 with types in
 * capital letters and 64-bit numbers as strings.
 */

import { copyTexts } from "../../core/json/number_texts.ts";
import { isObject, type JsonObject, setMember } from "../../core/json/object.ts";
import { snakeCase } from "../../core/snake_case.ts";
import type { Receipt } from "../../providers/contract/receipt.ts";

/** Members that hold one schema, a list of them, or a map of them. */
const SCHEMAS = new Set(["items", "additionalProperties", "additional_properties"]);
const SCHEMA_LISTS = new Map([["anyOf", "anyOf"], ["any_of", "anyOf"]]);
/** Numbers that protobuf writes as strings, and their names in JSON Schema. */
const COUNTS = new Map([
  ...["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]
    .flatMap((name) => [[name, name], [snakeCase(name), name]] as const),
]);
/** Hints for the order of members, which JSON Schema does not have. */
const ORDERING = new Set(["propertyOrdering", "property_ordering"]);

/** Converts a schema. Members that both formats have stay as they are. */
export function toJsonSchema(schema: JsonObject, receipt: Receipt): JsonObject {
  const converted: JsonObject = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === "type" || name === "nullable") continue;
    if (ORDERING.has(name)) receipt.ignore("propertyOrdering");
    else if (name === "properties") {
      setMember(converted, name, isObject(value) ? eachMember(value, receipt) : value);
    } else if (SCHEMAS.has(name)) {
      const own = name === "items" ? name : "additionalProperties";
      converted[own] = isObject(value) ? toJsonSchema(value, receipt) : value;
    } else if (SCHEMA_LISTS.has(name)) converted.anyOf = eachEntry(value, receipt);
    else if (COUNTS.has(name)) converted[COUNTS.get(name) ?? name] = toNumber(value);
    else setMember(converted, name, value);
  }
  const type = toType(schema);
  const typed = type === undefined ? converted : { type, ...converted };
  copyTexts(schema, typed);
  return typed;
}

function eachMember(schemas: JsonObject, receipt: Receipt): JsonObject {
  const converted: JsonObject = {};
  for (const [name, value] of Object.entries(schemas)) {
    setMember(converted, name, isObject(value) ? toJsonSchema(value, receipt) : value);
  }
  return converted;
}

function eachEntry(value: unknown, receipt: Receipt): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((entry) => isObject(entry) ? toJsonSchema(entry, receipt) : entry);
}

function toNumber(value: unknown): unknown {
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

/** The type in lower case; with `null` for a nullable one. */
function toType({ type, nullable }: JsonObject): unknown {
  const types = (Array.isArray(type) ? type : [type]).flatMap((one: unknown) =>
    typeof one === "string" && one !== "TYPE_UNSPECIFIED" ? [one.toLowerCase()] : []
  );
  if (nullable === true && types.length > 0 && !types.includes("null")) types.push("null");
  return types.length > 1 ? types : types[0];
}
