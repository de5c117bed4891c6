/**
 * JSON Schema as Gemini's `parametersJsonSchema` and `responseJsonSchema` take
 * it: https://ai.google.dev/gemini-api/docs/structured-output (2026-11-20).
 */

import { isObject, type JsonObject } from "../chat.ts";
import { mapSubschemas, type RefInliner } from "./inline_refs.ts";

/** A schema for Gemini. */
export interface GeminiSchema {
  readonly schema: JsonObject;
  /** Whether it lets through what the caller's did not, or has references that are not inlined. */
  readonly loosened: boolean;
}

/**
 * The caller's schema with its references inlined and without what Gemini may refuse.
 *
 * @param path where the schema is in the request
 */
export function toGeminiSchema(
  schema: JsonObject,
  refs: RefInliner,
  path: string,
): GeminiSchema {
  let loosened = false;
  const adapt = (node: JsonObject): JsonObject => {
    const kept: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(mergeAllOf(node))) {
      if (keyword === "const") kept.push(["enum", [value]]);
      else if (keyword === "items" && Array.isArray(value)) kept.push(["prefixItems", value]);
      else if (keyword === "properties") kept.push([keyword, withoutBooleans(value)]);
      else if (LOOSENING.has(keyword)) loosened = true;
      else if (!MEANINGLESS.has(keyword) && !keyword.startsWith("x-")) kept.push([keyword, value]);
    }
    return mapSubschemas(Object.fromEntries(kept), adapt);
  };
  const inlined = refs.inline(schema, path);
  const adapted = adapt(inlined.schema);
  return { schema: adapted, loosened: loosened || inlined.cut };
}

/** Whether a tool with these parameters has any: an object without members is refused by some. */
export function hasMembers(schema: JsonObject): boolean {
  const { type, properties, additionalProperties, ...rest } = schema;
  if (isObject(properties) && Object.keys(properties).length > 0) return true;
  if (type !== "object" || additionalProperties) return true;
  return ["anyOf", "oneOf", "$ref"].some((keyword) => keyword in rest);
}

/** Keywords that forbid something and have no counterpart. */
const LOOSENING = new Set([
  "not",
  "if",
  "then",
  "else",
  "contains",
  "minContains",
  "maxContains",
  "uniqueItems",
  "patternProperties",
  "propertyNames",
  "dependentSchemas",
  "dependentRequired",
  "dependencies",
  "additionalItems",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** Keywords that forbid nothing. */
const MEANINGLESS = new Set([
  "$schema",
  "$id",
  "$anchor",
  "$comment",
  "$vocabulary",
  "$dynamicAnchor",
  "default",
  "deprecated",
  "example",
  "examples",
  "readOnly",
  "strict",
  "writeOnly",
]);

/** One object that says what a list of schemas says together, where they do not contradict. */
function mergeAllOf(schema: JsonObject): JsonObject {
  if (!("allOf" in schema)) return schema;
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return own;
  const merged = new Map<string, unknown>();
  const properties = new Map<string, unknown>();
  const required = new Set<unknown>();
  for (const branch of branchesOf(schema)) {
    for (const [keyword, value] of Object.entries(branch)) merged.set(keyword, value);
    for (const [name, value] of Object.entries(asObject(branch.properties))) {
      properties.set(name, value);
    }
    for (const name of asList(branch.required)) required.add(name);
  }
  if (properties.size > 0) merged.set("properties", Object.fromEntries(properties));
  if (required.size > 0) merged.set("required", [...required]);
  return Object.fromEntries(merged);
}

/** The branches of an allOf, those of its branches among them, and last the schema itself. */
function branchesOf(schema: JsonObject, found: JsonObject[] = []): readonly JsonObject[] {
  const { allOf, ...own } = schema;
  for (const branch of asList(allOf)) if (isObject(branch)) branchesOf(branch, found);
  found.push(own);
  return found;
}

/** A member that may be anything, and none for one that may be nothing. */
function withoutBooleans(properties: unknown): JsonObject {
  const members = asObject(properties);
  if (!Object.values(members).some((value) => typeof value === "boolean")) return members;
  const entries = Object.entries(members).filter(([, value]) => value !== false);
  return Object.fromEntries(entries.map(([name, value]) => [name, value === true ? {} : value]));
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
