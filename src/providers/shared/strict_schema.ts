/** OpenAI's rules for schemas that `strict` enforces. */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import { traitsOf } from "../../chat/traits.ts";
import type { Call } from "../contract/adapter.ts";

/**
 * Keywords that are refused with `strict`
 * (https://platform.openai.com/docs/guides/structured-outputs, 2026-11).
 */
const REFUSED = [
  "allOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "patternProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "prefixItems",
  "contains",
  "minContains",
  "maxContains",
  "uniqueItems",
];

/** Members that hold schemas by name. */
const NAMED = ["properties", "$defs", "definitions"];

/** Whether a schema can be strict: its objects require all of their properties, and no others. */
function canBeStrict(schema: unknown): boolean {
  if (!isObject(schema) || schema.anyOf !== undefined) return false;
  const open: unknown[] = [schema];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (!isObject(one)) continue;
    if (REFUSED.some((name) => Object.hasOwn(one, name)) || !isClosed(one)) return false;
    for (const name of NAMED) if (isObject(one[name])) open.push(...Object.values(one[name]));
    if (Array.isArray(one.anyOf)) { for (const branch of one.anyOf) open.push(branch); }
    open.push(one.items ?? null);
  }
  return true;
}

function isClosed({ type, properties, required, additionalProperties }: JsonObject): boolean {
  const isOfObjects = type === "object" || Array.isArray(type) && type.includes("object") ||
    properties !== undefined;
  if (!isOfObjects) return true;
  const names = new Set<unknown>(Array.isArray(required) ? required : []);
  return additionalProperties === false &&
    Object.keys(isObject(properties) ? properties : {}).every((name) => names.has(name));
}

/**
 * The value of `strict` to send: callers of formats that take other schemas as strict get an answer
 * that is not enforced instead of an error.
 *
 * @param name the parameter, for the receipt
 */
export function strictFor<Strict>(
  strict: Strict,
  schema: unknown,
  name: string,
  { request, receipt }: Call,
): Strict | false {
  if (strict !== true || !traitsOf(request).relaxesStrict || canBeStrict(schema)) return strict;
  receipt.convert(name, true, false);
  return false;
}

/** The names in receipts. */
export const STRICT_FORMAT = "response_format.json_schema.strict";
export const STRICT_TOOLS = "tools.strict";

/** A body of chat completions whose strict schemas can be strict. */
export function withStrictSchemas(body: JsonObject, call: Call): JsonObject {
  if (!traitsOf(call.request).relaxesStrict) return body;
  const { response_format: format, tools } = body;
  const changed = { ...body };
  if (isObject(format) && isObject(format.json_schema)) {
    const { schema, strict } = format.json_schema;
    const json_schema = {
      ...format.json_schema,
      ...(strict !== undefined && { strict: strictFor(strict, schema, STRICT_FORMAT, call) }),
    };
    changed.response_format = { ...format, json_schema };
  }
  if (Array.isArray(tools)) {
    changed.tools = tools.map((tool) => {
      if (!isObject(tool) || !isObject(tool.function) || tool.function.strict !== true) return tool;
      const { parameters } = tool.function;
      const strict = strictFor(true, parameters, STRICT_TOOLS, call);
      return { ...tool, function: { ...tool.function, strict } };
    });
  }
  return changed;
}
