/**
 * JSON Schema for Gemini's `parametersJsonSchema` and `responseJsonSchema`:
 * https://ai.google.dev/gemini-api/docs/structured-output (2026-11-20).
 */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import { copyTexts, moveText } from "../../core/json/number_texts.ts";
import { mapSubschemas, type RefInliner } from "../shared/inline_refs.ts";
import { toList, toObject } from "../../core/json/values.ts";

/** A schema for Gemini. */
export interface GeminiSchema {
  readonly schema: JsonObject;
  /** Whether parts of the caller's schema were removed or merged, or not inlined. */
  readonly changed: boolean;
}

/**
 * Converts the caller's schema: inlines references and removes keywords that Gemini may reject.
 *
 * @param path the path of the schema in the request
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
    const merged = mergeAllOf(node);
    for (const [keyword, value] of Object.entries(merged)) {
      if (keyword === "const") kept.push(["enum", onlyOf(merged)]);
      else if (keyword === "items" && Array.isArray(value)) kept.push(["prefixItems", value]);
      else if (keyword === "properties") kept.push([keyword, withoutBooleans(value, note)]);
      else if (REMOVED_KEYWORDS.has(keyword) || keyword.startsWith("x-")) note();
      else kept.push([keyword, value]);
    }
    const supported = Object.fromEntries(kept);
    copyTexts(merged, supported);
    return mapSubschemas(supported, adapt);
  };
  return { schema: adapt(inlined.schema), changed };
}

/** The list with the only value that a schema allows. */
function onlyOf(schema: JsonObject): unknown[] {
  const list = [schema.const];
  moveText(schema, "const", list, "0");
  return list;
}

/** Whether parameters have members. Some models reject parameters without members. */
export function hasMembers(schema: JsonObject): boolean {
  const { type, properties, additionalProperties, ...rest } = schema;
  if (isObject(properties) && Object.keys(properties).length > 0) return true;
  if (type !== "object" || additionalProperties) return true;
  return ["anyOf", "oneOf", "$ref"].some((keyword) => keyword in rest);
}

/** Keywords that the vendor may reject: prohibitions and annotations. */
const REMOVED_KEYWORDS = new Set([
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

/** Merges a schema and the branches of its `allOf` into one schema. */
function mergeAllOf(schema: JsonObject): JsonObject {
  if (!("allOf" in schema)) return schema;
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return own;
  const merged = new Map<string, unknown>();
  const properties = new Map<string, unknown>();
  const required = new Set<unknown>();
  const branches = branchesOf(schema);
  for (const branch of branches) {
    for (const [keyword, value] of Object.entries(branch)) merged.set(keyword, value);
    for (const [name, value] of Object.entries(toObject(branch.properties))) {
      properties.set(name, value);
    }
    for (const name of toList(branch.required)) required.add(name);
  }
  if (properties.size > 0) merged.set("properties", Object.fromEntries(properties));
  if (required.size > 0) merged.set("required", [...required]);
  const schemas = Object.fromEntries(merged);
  for (const branch of branches) copyTexts(branch, schemas);
  return schemas;
}

/** The branches of `allOf`, including nested ones, and then the schema itself. */
function branchesOf(schema: JsonObject, found: JsonObject[] = []): readonly JsonObject[] {
  const { allOf, ...own } = schema;
  for (const branch of toList(allOf)) if (isObject(branch)) branchesOf(branch, found);
  found.push(own);
  return found;
}

/** Replaces `true`, which allows any value, with `{}`, and removes members that are `false`. */
function withoutBooleans(properties: unknown, note: () => void): JsonObject {
  const members = toObject(properties);
  if (!Object.values(members).some((value) => typeof value === "boolean")) return members;
  const all = Object.entries(members);
  const entries = all.filter(([, value]) => value !== false);
  if (entries.length < all.length) note();
  return Object.fromEntries(entries.map(([name, value]) => [name, value === true ? {} : value]));
}
