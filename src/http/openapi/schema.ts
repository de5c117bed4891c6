/** JSON Schemas of the OpenAPI description: short ways to write them. */

/** A JSON Schema, in draft 2020-12. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/** Named schemas. */
export interface Schemas {
  readonly [name: string]: Schema;
}

export const text: Schema = { type: "string" };
export const integer: Schema = { type: "integer" };
export const number: Schema = { type: "number" };
export const boolean: Schema = { type: "boolean" };
export const anything: Schema = {};

/** An object with members that are always there, and others. Further members may be there too. */
export function object(required: Schemas, optional: Schemas = {}): Schema {
  const names = Object.keys(required);
  return {
    type: "object",
    ...(names.length > 0 && { required: names }),
    properties: { ...required, ...optional },
  };
}

export function listOf(items: Schema): Schema {
  return { type: "array", items };
}

export function constant(value: string): Schema {
  return { type: "string", const: value };
}

export function oneOf(...values: readonly string[]): Schema {
  return { type: "string", enum: values };
}

export function anyOf(...schemas: readonly Schema[]): Schema {
  return { anyOf: schemas };
}

/** A schema that null fits too. */
export function orNull(schema: Schema): Schema {
  return typeof schema.type === "string" && schema.enum === undefined && schema.const === undefined
    ? { ...schema, type: [schema.type, "null"] }
    : anyOf(schema, { type: "null" });
}

/** A reference to a schema of the document. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}
