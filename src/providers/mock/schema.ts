/**
 * Generates a small value that matches a JSON Schema, as a model that follows the schema would. It
 * is deterministic. The schema comes from a caller, so the work is bounded for any references.
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";

/** The maximum number of schemas and names that are visited for one value. */
const MAX_STEPS = 10_000;
/** The maximum length of texts for one value, in UTF-16 units. */
const MAX_TEXT_LENGTH = 200_000;
/** The maximum nesting of schemas. */
const MAX_DEPTH = 100;
/** The maximum length of a reference to follow, in UTF-16 units. */
const MAX_REFERENCE_LENGTH = 1000;

/** No finite value matches. */
const NONE = Symbol("no value");

/**
 * A value that matches the schema; an empty object if none is found within the limits. `pattern`,
 * `uniqueItems`, `contains` and `minProperties` are ignored.
 */
export function toValue(schema: unknown): unknown {
  const value = new ValueBuilder(schema).of(schema, []);
  return value === NONE ? {} : value;
}

class ValueBuilder {
  readonly #root: unknown;
  #steps = MAX_STEPS;
  #text = MAX_TEXT_LENGTH;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** @param open the references on the path to the schema: a repeated one would not terminate */
  of(schema: unknown, open: readonly string[], depth = 0): unknown {
    if (schema === false || depth > MAX_DEPTH || !this.#step()) return NONE;
    if (!isObject(schema)) return this.#write(WORD);
    if (!this.#step(sizeOf(schema))) return NONE;
    const { $ref, ...own } = schema;
    if (typeof $ref === "string" && $ref.length <= MAX_REFERENCE_LENGTH) {
      if (open.includes($ref)) return NONE;
      return this.of(merge([this.#targetOf($ref), own]), [...open, $ref], depth + 1);
    }
    for (const name of ["anyOf", "oneOf"]) {
      const { [name]: branches, ...rest } = own;
      if (Array.isArray(branches)) return this.#branch(branches, rest, open, depth);
    }
    const { allOf, ...rest } = own;
    if (Array.isArray(allOf)) return this.of(merge([...allOf, rest]), open, depth + 1);
    return this.#value(own, open, depth);
  }

  /** The target of a reference into the schema. Any value matches other references. */
  #targetOf(reference: string): unknown {
    if (!/^#(?:\/|$)/.test(reference)) return true;
    let target = this.#root;
    if (!this.#step(reference.length / 10)) return false;
    for (const step of reference.split("/").slice(1)) target = memberOf(target, unescaped(step));
    return target ?? true;
  }

  /** Uses the first branch that has a value, null last. */
  #branch(
    branches: readonly unknown[],
    rest: JsonObject,
    open: readonly string[],
    depth: number,
  ): unknown {
    for (const isNullsTurn of [false, true]) {
      for (const branch of branches) {
        if (!this.#step()) return NONE;
        if (isNull(branch) !== isNullsTurn || branch === false) continue;
        const value = this.of(merge([rest, branch]), open, depth + 1);
        if (value !== NONE) return value;
      }
    }
    return NONE;
  }

  #value(schema: JsonObject, open: readonly string[], depth: number): unknown {
    const type = typeOf(schema);
    if ("const" in schema || Array.isArray(schema.enum)) {
      const values = "const" in schema ? [schema.const] : listOf(schema.enum);
      const value = values.slice(0, this.#steps).find((one) => isOfType(one, type));
      return value === undefined ? NONE : this.#write(value);
    }
    switch (type) {
      case "object":
        return this.#object(schema, open, depth);
      case "array":
        return this.#array(schema, open, depth);
      case "boolean":
        return true;
      case "null":
        return null;
      case "integer":
      case "number":
        return numberFor(schema, type === "integer");
      default:
        return this.#string(schema);
    }
  }

  #object(schema: JsonObject, open: readonly string[], depth: number): unknown {
    const members = new Map<string, unknown>();
    for (const name of listOf(schema.required)) {
      if (!this.#step()) return NONE;
      if (typeof name !== "string" || members.has(name)) continue;
      const described = memberOf(schema.properties, name) ?? schema.additionalProperties;
      const value = this.of(described === false ? true : described, open, depth + 1);
      if (value === NONE || this.#write(name) === NONE) return NONE;
      members.set(name, value);
    }
    return Object.fromEntries(members);
  }

  /** As few items as possible, but one if the schema defines items. */
  #array(schema: JsonObject, open: readonly string[], depth: number): unknown {
    const prefix = listOf(schema.prefixItems);
    const { items, minItems, maxItems = Infinity } = schema;
    const least = Number(minItems ?? 0);
    const wanted = Math.min(Number(maxItems), Math.max(least, prefix.length || +isObject(items)));
    const values: unknown[] = [];
    while (values.length < wanted) {
      const value = this.of(prefix[values.length] ?? items, open, depth + 1);
      if (value === NONE) return values.length < least ? NONE : values;
      values.push(value);
    }
    return values;
  }

  /** A text of a valid length, in the format if that is known. */
  #string({ format, minLength = 0, maxLength = Infinity }: JsonObject): unknown {
    const formatted = FORMATS.get(String(format));
    if (formatted !== undefined) return this.#write(formatted);
    const length = Math.max(Number(minLength), WORD.length);
    if (!(length <= this.#text)) return NONE;
    return this.#write(WORD.padEnd(length, WORD).slice(0, Number(maxLength)));
  }

  /** Counts units of work; returns false when the limit is reached. */
  #step(count = 1): boolean {
    this.#steps -= count;
    return this.#steps >= 0;
  }

  /** Counts the value's text; returns {@linkcode NONE} if the limit is exceeded. */
  #write(value: unknown): unknown {
    this.#text -= JSON.stringify(value)?.length ?? 0;
    return this.#text >= 0 ? value : NONE;
  }
}

/** The cost of copying a schema. */
function sizeOf({ allOf, properties, required, ...others }: JsonObject): number {
  const names = isObject(properties) ? Object.keys(properties) : [];
  const lists = listOf(allOf).length + listOf(required).length;
  return Object.keys(others).length + names.length + lists;
}

/**
 * Merges schemas that all apply. References, branches, members and required names of each remain;
 * of other keywords, the last value.
 */
function merge(parts: readonly unknown[]): JsonObject | false {
  if (parts.includes(false)) return false;
  const schemas = parts.filter((part): part is JsonObject => isObject(part));
  const merged: JsonObject = Object.assign({}, ...schemas);
  for (const name of ["required", "allOf"]) {
    const all = schemas.flatMap((schema) => listOf(schema[name]));
    if (all.length > 0) merged[name] = all;
  }
  for (const name of ["$ref", "anyOf", "oneOf"]) {
    const others = schemas.filter((schema) => name in schema).slice(0, -1);
    if (others.length === 0) continue;
    const parts = others.map((schema) => ({ [name]: schema[name] }));
    merged.allOf = [...listOf(merged.allOf), ...parts];
  }
  const properties = new Map<string, unknown>();
  for (const schema of schemas) {
    if (!isObject(schema.properties)) continue;
    for (const [name, value] of Object.entries(schema.properties)) {
      const all = properties.has(name) ? { allOf: [properties.get(name), value] } : value;
      properties.set(name, all);
    }
  }
  if (properties.size > 0) merged.properties = Object.fromEntries(properties);
  return merged;
}

/** Keywords that imply a type. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  object: ["properties", "required", "additionalProperties"],
  array: ["items", "prefixItems", "minItems"],
  string: ["pattern", "format", "minLength", "maxLength"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
};

/** The first type other than null; undefined when the schema does not restrict it. */
function typeOf({ type, ...schema }: JsonObject): unknown {
  const types = Array.isArray(type) ? type : [type];
  if (type !== undefined) return types.find((one) => one !== "null") ?? types[0];
  return Object.keys(KEYWORDS).find((one) => KEYWORDS[one]?.some((name) => name in schema));
}

/** Whether a value has a type of JSON Schema. */
function isOfType(value: unknown, type: unknown): boolean {
  if (value === null) return type === "null" || type === undefined;
  if (type === "integer") return Number.isInteger(value);
  return type === undefined || type === (Array.isArray(value) ? "array" : typeof value);
}

/** A number within its bounds: 1 if possible. */
function numberFor(schema: JsonObject, isInteger: boolean): unknown {
  const bound = (name: string) => typeof schema[name] === "number" ? [Number(schema[name])] : [];
  const least = Math.max(...bound("minimum"), ...bound("exclusiveMinimum"));
  const most = Math.min(...bound("maximum"), ...bound("exclusiveMaximum"));
  const excluded = [schema.exclusiveMinimum, schema.exclusiveMaximum];
  const near = Math.min(Math.max(1, least), most);
  const [step = isInteger ? 1 : 0] = bound("multipleOf");
  const [up, down] = [Math.ceil(near / step), Math.floor(most / step)];
  const candidates = step > 0
    ? [up, up + 1, down, down - 1].map((count) => count * step)
    : [near, least + (most - least) / 2, least + 1, most - 1];
  return candidates.find((one) => one >= least && one <= most && !excluded.includes(one)) ?? NONE;
}

const WORD = "mock";

const FORMATS: ReadonlyMap<string, string> = new Map([
  ["date-time", "2026-01-01T00:00:00Z"],
  ["date", "2026-01-01"],
  ["time", "00:00:00Z"],
  ["duration", "P1D"],
  ["email", "mock@example.com"],
  ["hostname", "example.com"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["uri", "https://example.com/"],
  ["uuid", "00000000-0000-4000-8000-000000000000"],
]);

function isNull(schema: unknown): boolean {
  return isObject(schema) && (schema.type === "null" || schema.const === null);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An own member of an object or a list. */
function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Decodes a step of a JSON pointer in a URL. */
function unescaped(step: string): string {
  let text = step;
  try {
    text = decodeURIComponent(step);
  } catch {
    // A literal percent sign.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
