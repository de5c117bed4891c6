/**
 * Converts JSON Schema to the subset that Moonshot accepts for tools. Any other schema fails the
 * request with "not a valid moonshot flavored json schema"
 * (https://github.com/MoonshotAI/kimi-code/issues/2661, 2026-08-05;
 * https://github.com/openclaw/openclaw/issues/113130, 2026-07-23).
 */

import { isObject, type JsonObject } from "../../../chat/chat.ts";
import { mapSubschemas } from "../../shared/inline_refs.ts";
import { asObjectSchema } from "../../shared/json_schema.ts";

/**
 * Converts the schema of a tool's parameters. A root other than an object is left to the vendor to
 * reject.
 *
 * @param onLoss called when a keyword is omitted or moved
 */
export function toMoonshotSchema(schema: JsonObject, onLoss: () => void): JsonObject {
  const { $schema: dialect, ...plain } = asObjectSchema(schema) ?? schema;
  if (dialect !== undefined) onLoss();
  const adapt = (inner: JsonObject): JsonObject => {
    const flat = withPlainItems(inner);
    const typed = withType(flat);
    const branched = withTypedBranches(typed);
    if (flat !== inner || branched !== typed) onLoss();
    return mapSubschemas(branched, adapt);
  };
  return adapt(plain);
}

/** Schemas by position are not supported: each item may match any of them. */
function withPlainItems(given: JsonObject): JsonObject {
  const { prefixItems, ...schema } = given;
  if (!Array.isArray(prefixItems)) return prefixItems === undefined ? given : schema;
  const rest = isObject(schema.items) ? [schema.items] : [];
  return { ...schema, items: { anyOf: [...prefixItems, ...rest] } };
}

/** Every schema must have a type, even if its other keywords imply it. */
function withType(schema: JsonObject): JsonObject {
  if (SAYS_ITS_KIND.some((keyword) => keyword in schema)) return schema;
  if (isObject(schema.properties)) return { type: "object", ...schema };
  if (schema.items !== undefined) return { type: "array", ...schema };
  const values = Array.isArray(schema.enum) ? schema.enum : [];
  const texts = values.length > 0 && values.every((value) => typeof value === "string");
  return texts ? { type: "string", ...schema } : schema;
}

const SAYS_ITS_KIND = ["type", "$ref", "anyOf", "oneOf", "allOf"];

/** The type must be in the branches, not beside them. */
function withTypedBranches(schema: JsonObject): JsonObject {
  const { type, anyOf, ...rest } = schema;
  if (type === undefined || !Array.isArray(anyOf)) return schema;
  const branches = anyOf.map((branch: unknown) =>
    isObject(branch) && !SAYS_ITS_KIND.some((keyword) => keyword in branch)
      ? { type, ...branch }
      : branch
  );
  return { ...rest, anyOf: branches };
}
