/** OpenAI's rules for schemas that `strict` enforces. */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import { traitsOf } from "../../apis/chat/web_search.ts";
import type { Call } from "../../contract/vendor_request.ts";

/**
 * Keywords that are rejected with `strict`: those that the guide lists
 * (https://developers.openai.com/api/docs/guides/structured-outputs, 2026-11-24), those that only
 * Microsoft names (https://learn.microsoft.com/azure/ai-foundry/openai/how-to/structured-outputs,
 * 2026-11-24), and those that neither of them lists as supported. API errors mention `oneOf`,
 * `propertyNames` and `uniqueItems` (https://github.com/can1357/oh-my-pi/issues/209, 2026-11-24,
 * and https://github.com/openclaw/clownfish/pull/280, 2026-11-24).
 */
const REFUSED = [
  ...["allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"],
  ...["patternProperties", "propertyNames", "minProperties", "maxProperties"],
  ...["unevaluatedProperties", "unevaluatedItems", "uniqueItems"],
  ...["contains", "minContains", "maxContains"],
  ...["oneOf", "prefixItems"],
];

/**
 * The formats in the same guide; `uri` is rejected (https://github.com/can1357/oh-my-pi/issues/206,
 * 2026-11-24).
 */
const FORMATS = new Set<unknown>([
  ...["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
]);

/** Members that contain schemas by name. */
const NAMED = ["properties", "$defs", "definitions"];

/** Whether a vendor rejects a schema within a strict one, in addition to OpenAI's rules. */
export type SchemaTest = (schema: JsonObject) => boolean;

/**
 * Whether a schema can be strict: it describes an object, and its objects require all of their
 * properties and allow no others.
 */
function canBeStrict(schema: unknown, isRefused?: SchemaTest): boolean {
  if (!isObject(schema) || schema.type !== "object" || schema.anyOf !== undefined) return false;
  const open: unknown[] = [schema];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (!isObject(one)) continue;
    if (REFUSED.some((name) => Object.hasOwn(one, name)) || !isClosed(one)) return false;
    if (one.format !== undefined && !FORMATS.has(one.format) || isRefused?.(one)) return false;
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
 * The value of `strict` to send; callers of formats with different rules for strict schemas receive
 * an unenforced answer instead of an error.
 *
 * @param name the parameter, for the receipt
 */
export function strictFor<Strict>(
  strict: Strict,
  schema: unknown,
  name: string,
  { request, changes }: Call,
  isRefused?: SchemaTest,
): Strict | false {
  if (strict !== true || !traitsOf(request).relaxesStrict) return strict;
  if (canBeStrict(schema, isRefused)) return strict;
  changes.convert(name, true, false);
  return false;
}

/** The names in receipts. */
export const STRICT_FORMAT = "response_format.json_schema.strict";
export const STRICT_TOOLS = "tools.strict";

/** A body of chat completions whose strict schemas can be strict. */
export function withStrictSchemas(
  body: JsonObject,
  call: Call,
  isRefused?: SchemaTest,
): JsonObject {
  if (!traitsOf(call.request).relaxesStrict) return body;
  const { response_format: format, tools } = body;
  const changed = { ...body };
  if (isObject(format) && isObject(format.json_schema)) {
    const { schema, strict } = format.json_schema;
    const json_schema = {
      ...format.json_schema,
      ...(strict !== undefined && {
        strict: strictFor(strict, schema, STRICT_FORMAT, call, isRefused),
      }),
    };
    changed.response_format = { ...format, json_schema };
  }
  if (Array.isArray(tools)) {
    changed.tools = tools.map((tool) => {
      if (!isObject(tool) || !isObject(tool.function) || tool.function.strict !== true) return tool;
      const { parameters } = tool.function;
      const strict = strictFor(true, parameters, STRICT_TOOLS, call, isRefused);
      return { ...tool, function: { ...tool.function, strict } };
    });
  }
  return changed;
}
