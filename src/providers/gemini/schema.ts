/**
 * JSON Schema as Gemini's `parametersJsonSchema` and `responseJsonSchema` take
 * it: https://ai.google.dev/gemini-api/docs/structured-output (2026-11-20).
 */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import { inlineRefs, mapSubschemas } from "../shared/inline_refs.ts";

/** A schema for Gemini. */
export interface GeminiSchema {
  readonly schema: JsonObject;
  /** Whether it lets through what the caller's did not. */
  readonly loosened: boolean;
}

/** The caller's schema with its references inlined and without what Gemini may refuse. */
export function toGeminiSchema(schema: JsonObject): GeminiSchema {
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
  return { schema: adapt(inlineRefs(schema)), loosened };
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
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return own;
  let merged: JsonObject = {};
  for (const branch of [...allOf.filter(isObject).map(mergeAllOf), own]) {
    const properties = { ...asObject(merged.properties), ...asObject(branch.properties) };
    const required = [...asList(merged.required), ...asList(branch.required)];
    merged = { ...merged, ...branch };
    if (Object.keys(properties).length > 0) merged.properties = properties;
    if (required.length > 0) merged.required = [...new Set(required)];
  }
  return merged;
}

/** A member that may be anything, and none for one that may be nothing. */
function withoutBooleans(properties: unknown): JsonObject {
  const entries = Object.entries(asObject(properties)).filter(([, value]) => value !== false);
  return Object.fromEntries(entries.map(([name, value]) => [name, value === true ? {} : value]));
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
