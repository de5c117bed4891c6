/**
 * JSON Schema as Gemini's `parametersJsonSchema` and `responseJsonSchema` take
 * it: https://ai.google.dev/gemini-api/docs/structured-output (2026-11-20).
 */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import { mapSubschemas, type RefInliner } from "../shared/inline_refs.ts";

/** A schema for Gemini. */
export interface GeminiSchema {
  readonly schema: JsonObject;
  /** Whether anything that the caller's schema says is left out or merged, or not inlined. */
  readonly changed: boolean;
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
  const inlined = refs.inline(schema, path);
  let changed = inlined.cut || inlined.lost;
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
  return { schema: adapt(inlined.schema), changed };
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
function withoutBooleans(properties: unknown, note: () => void): JsonObject {
  const members = asObject(properties);
  if (!Object.values(members).some((value) => typeof value === "boolean")) return members;
  const given = Object.entries(members);
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
