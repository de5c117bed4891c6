/**
 * JSON Schema as Gemini's `parametersJsonSchema` and `responseJsonSchema` take
 * it: https://ai.google.dev/gemini-api/docs/structured-output (2026-11-20).
 */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import { inlineRefs, mapSubschemas } from "../shared/inline_refs.ts";

/** A schema for Gemini. */
export interface GeminiSchema {
  readonly schema: JsonObject;
  /** Whether anything that the caller's schema says is left out or merged. */
  readonly changed: boolean;
}

/** The caller's schema with its references inlined and without what Gemini may refuse. */
export function toGeminiSchema(schema: JsonObject): GeminiSchema {
  let changed = false;
  const note = () => {
    changed = true;
  };
  const adapt = (node: JsonObject): JsonObject => {
    const kept: [string, unknown][] = [];
    if (node.allOf !== undefined) note();
    for (const [keyword, value] of Object.entries(mergeAllOf(node))) {
      if (keyword === "const") kept.push(["enum", [value]]);
      else if (keyword === "items" && Array.isArray(value)) kept.push(["prefixItems", value]);
      else if (keyword === "properties") kept.push([keyword, withoutBooleans(value, note)]);
      else if (LEFT_OUT.has(keyword) || keyword.startsWith("x-")) note();
      else kept.push([keyword, value]);
    }
    return mapSubschemas(Object.fromEntries(kept), adapt);
  };
  return { schema: adapt(inlineRefs(schema, note)), changed };
}

/** Whether a tool with these parameters has any: an object without members is refused by some. */
export function hasMembers(schema: JsonObject): boolean {
  const { type, properties, additionalProperties, ...rest } = schema;
  if (isObject(properties) && Object.keys(properties).length > 0) return true;
  if (type !== "object" || additionalProperties) return true;
  return ["anyOf", "oneOf", "$ref"].some((keyword) => keyword in rest);
}

/** Keywords that the vendor may refuse: those that forbid something, and those that say nothing. */
const LEFT_OUT = new Set([
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
  "$schema",
  "$id",
  "$anchor",
  "$comment",
  "$vocabulary",
  "$dynamicAnchor",
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
function withoutBooleans(properties: unknown, note: () => void): JsonObject {
  const given = Object.entries(asObject(properties));
  const entries = given.filter(([, value]) => value !== false);
  if (entries.length < given.length) note();
  return Object.fromEntries(entries.map(([name, value]) => [name, value === true ? {} : value]));
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
