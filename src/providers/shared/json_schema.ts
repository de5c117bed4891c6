/** Determines how a JSON answer is requested from a vendor, within its limits on schemas. */

import type { ChatRequest } from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { copyTexts, textOf } from "../../core/json/number_texts.ts";
import { toText } from "../../core/json/values.ts";

/**
 * The target of a local `$ref`; undefined for a reference without a target or to another document.
 */
export function resolveRef(root: JsonObject, ref: unknown): JsonObject | undefined {
  if (typeof ref !== "string" || !/^#(\/|$)/.test(ref)) return undefined;
  let at: unknown = root;
  // Stops at the first step without a value, since pointers may be long.
  for (let start = 2, end: number; start < ref.length; start = end + 1) {
    end = ref.indexOf("/", start);
    if (end === -1) end = ref.length;
    if (end === start) continue;
    const name = unescapePointer(ref.slice(start, end));
    if (!isObject(at) && !Array.isArray(at)) return undefined;
    if (!Object.hasOwn(at, name)) return undefined;
    at = (at as JsonObject)[name];
  }
  return isObject(at) ? at : undefined;
}

/** A JSON Pointer (https://www.rfc-editor.org/rfc/rfc6901) in a URI fragment. */
function unescapePointer(step: string): string {
  if (!step.includes("~") && !step.includes("%")) return step;
  const text = step.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The subset of JSON Schema that a vendor supports. */
export interface SchemaRules {
  /**
   * Keywords that are sent unchanged. Other keywords that only restrict a value are moved to the
   * description.
   */
  readonly keeps: ReadonlySet<string>;
  /** Values of `format` that are enforced. */
  readonly formats: ReadonlySet<string>;
  /** Whether every object must list all of its members, so that free-form maps are impossible. */
  readonly closed: boolean;
  /** Whether `oneOf` is sent as `anyOf`. */
  readonly oneOfAsAnyOf: boolean;
  /** Whether a keyword in `keeps` is supported with this value; always, if absent. */
  readonly allows?: (keyword: string, value: unknown) => boolean;
}

/** A schema in the vendor's subset, with counts for the vendors' limits. */
interface ReducedSchema {
  readonly schema: JsonObject;
  /** The number of optional members of objects. */
  readonly optional: number;
  /** The number of places that allow more than one type. */
  readonly unions: number;
  /** Whether keywords were removed or moved to the description. */
  readonly changed: boolean;
}

/** Converts a schema to the vendor's subset; undefined if the subset cannot express it. */
export function reduceSchema(schema: JsonObject, rules: SchemaRules): ReducedSchema | undefined {
  const reducer = new SchemaReducer(schema, rules);
  try {
    return { schema: reducer.keep(schema), ...reducer.findings };
  } catch (thrown) {
    if (thrown instanceof Inexpressible) return undefined;
    throw thrown;
  }
}

/**
 * The maximum depth of a schema, in levels; no real schema is deeper, and the stack is sufficient.
 */
const MAX_DEPTH = 100;

/**
 * Keywords that change the structure of values. A schema without them would have a different
 * meaning.
 */
const STRUCTURAL = new Set([
  "not",
  "if",
  "then",
  "else",
  "patternProperties",
  "propertyNames",
  "dependentSchemas",
  "dependentRequired",
  "prefixItems",
  "contains",
  "unevaluatedItems",
  "unevaluatedProperties",
  "$dynamicRef",
  "$recursiveRef",
]);

/** Keywords that identify a schema and do not restrict values. */
const IDENTITY = new Set(["$schema", "$id", "$anchor", "$comment", "$vocabulary"]);

/** Thrown and caught in this file if the vendor's subset cannot express the schema. */
class Inexpressible extends Error {}

class SchemaReducer {
  readonly findings = { optional: 0, unions: 0, changed: false };
  readonly #root: JsonObject;
  readonly #rules: SchemaRules;
  /** Objects and lists without recursive references. */
  readonly #nonRecursive = new Set<object>();
  /** Values whose references are being followed. Reaching one again means recursion. */
  readonly #active = new Set<object>();

  constructor(root: JsonObject, rules: SchemaRules) {
    this.#root = root;
    this.#rules = rules;
  }

  keep(schema: unknown, depth = 0): JsonObject {
    if (!isObject(schema) || depth > MAX_DEPTH) throw new Inexpressible();
    const kept: [string, unknown][] = [];
    const words: string[] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === "description" && typeof value === "string") continue;
      const isIdentity = IDENTITY.has(keyword);
      const entry = isIdentity ? undefined : this.#keepKeyword(keyword, value, schema, depth);
      this.findings.changed ||= entry === undefined;
      if (entry !== undefined) kept.push(entry);
      else if (isScalar(value) && !isIdentity) {
        words.push(`${keyword}: ${writtenScalar(schema, keyword)}`);
      } else if (this.#rules.keeps.has(keyword)) throw new Inexpressible();
    }
    const own = typeof schema.description === "string" ? [schema.description] : [];
    const description = [...own, ...(words.length > 0 ? [`(${words.join(", ")})`] : [])].join(" ");
    if (description !== "") kept.push(["description", description]);
    if (this.#rules.closed) this.#close(schema, kept);
    const reduced = Object.fromEntries(kept);
    copyTexts(schema, reduced);
    return reduced;
  }

  /** The keyword to send; undefined for one that is moved to the description. */
  #keepKeyword(
    keyword: string,
    value: unknown,
    schema: JsonObject,
    depth: number,
  ): [string, unknown] | undefined {
    if (STRUCTURAL.has(keyword)) throw new Inexpressible();
    switch (keyword) {
      case "$ref":
        this.#checkRef(value, 0);
        return [keyword, value];
      case "properties":
        this.#countOptional(value, schema.required);
        return [keyword, this.#keepEach(value, depth)];
      case "$defs":
      case "definitions":
        return [keyword, this.#keepEach(value, depth)];
      case "items":
        return [keyword, this.keep(value, depth + 1)];
      case "oneOf":
      case "anyOf":
      case "allOf":
        return this.#keepBranches(keyword, value, depth);
      case "additionalProperties":
        if (this.#rules.closed && value !== false) throw new Inexpressible();
        return [keyword, value];
      case "type":
        if (Array.isArray(value) && value.length > 1) this.findings.unions++;
        return [keyword, value];
      case "format":
        return this.#rules.formats.has(toText(value)) ? [keyword, value] : undefined;
    }
    const kept = this.#rules.keeps.has(keyword) && this.#rules.allows?.(keyword, value) !== false;
    return kept ? [keyword, value] : undefined;
  }

  #keepEach(schemas: unknown, depth: number): JsonObject {
    if (!isObject(schemas)) throw new Inexpressible();
    return Object.fromEntries(
      Object.entries(schemas).map(([name, inner]) => [name, this.keep(inner, depth + 1)]),
    );
  }

  #keepBranches(keyword: string, value: unknown, depth: number): [string, unknown] {
    if (!Array.isArray(value)) throw new Inexpressible();
    // Older generators write a single branch for a reference with a description.
    const [only, ...others] = value;
    if (keyword === "allOf" && others.length === 0 && isObject(only) && isLoneRef(only)) {
      this.#checkRef(only.$ref, 0);
      this.findings.changed = true;
      return ["$ref", only.$ref];
    }
    const name = keyword === "oneOf" && this.#rules.oneOfAsAnyOf ? "anyOf" : keyword;
    this.findings.changed ||= name !== keyword;
    if (this.#rules.allows?.(name, value) === false) throw new Inexpressible();
    if (!this.#rules.keeps.has(name)) throw new Inexpressible();
    if (keyword !== "allOf" && value.length > 1) this.findings.unions++;
    return [name, value.map((inner) => this.keep(inner, depth + 1))];
  }

  #countOptional(properties: unknown, required: unknown): void {
    if (!isObject(properties)) return;
    const needed = new Set(Array.isArray(required) ? required : []);
    for (const name of Object.keys(properties)) if (!needed.has(name)) this.findings.optional++;
  }

  /** Closes an object that lists its members. An object without a list allows any member. */
  #close(schema: JsonObject, kept: [string, unknown][]): void {
    const types = Array.isArray(schema.type) ? schema.type : [schema.type];
    if (types.includes("array") && schema.items === undefined) throw new Inexpressible();
    if (types.includes("object") || schema.properties !== undefined) {
      if (schema.additionalProperties !== undefined) return;
      if (schema.properties === undefined) throw new Inexpressible();
      kept.push(["additionalProperties", false]);
    } else if (!TYPE_KEYWORDS.some((keyword) => schema[keyword] !== undefined)) {
      throw new Inexpressible();
    }
  }

  /** Follows a reference and those inside its target, and rejects recursive ones. */
  #checkRef(ref: unknown, depth: number): void {
    const target = resolveRef(this.#root, ref);
    if (target === undefined) throw new Inexpressible();
    this.#checkRefsIn(target, depth + 1);
  }

  /** Checks each object and list once, regardless of the number of references to it. */
  #checkRefsIn(value: unknown, depth: number): void {
    if (typeof value !== "object" || value === null || this.#nonRecursive.has(value)) return;
    if (depth > MAX_DEPTH || this.#active.has(value)) throw new Inexpressible();
    this.#active.add(value);
    if (Array.isArray(value)) {
      for (const inner of value) this.#checkRefsIn(inner, depth + 1);
    } else if (isObject(value)) {
      if (typeof value.$ref === "string") this.#checkRef(value.$ref, depth);
      for (const [name, inner] of Object.entries(value)) {
        // Definitions are checked when a reference leads to them.
        if (name !== "$defs" && name !== "definitions") this.#checkRefsIn(inner, depth + 1);
      }
    }
    this.#active.delete(value);
    this.#nonRecursive.add(value);
  }
}

/** Keywords that determine the type of a value. */
const TYPE_KEYWORDS = ["type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"];

function isLoneRef(schema: JsonObject): boolean {
  return schema.$ref !== undefined && Object.keys(schema).length === 1;
}

function isScalar(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function writtenScalar(schema: JsonObject, keyword: string): string {
  const value = schema[keyword];
  return typeof value === "string" ? value : textOf(schema, keyword) ?? JSON.stringify(value);
}

/** The limits on all schemas of one request together. */
export interface SchemaLimits {
  readonly schemas: number;
  readonly optional: number;
  readonly unions: number;
}

/** The JSON answer that `response_format` requests. */
interface WantedJson {
  readonly schema?: JsonObject | undefined;
  readonly description?: string | undefined;
}

/** The features of a vendor and its model for JSON answers. */
interface JsonFeatures {
  /** The schemas that it enforces; absent if it does not enforce any. */
  readonly rules?: SchemaRules | undefined;
  readonly limits: SchemaLimits;
  /** Whether it can be forced to call a tool. */
  readonly forcedChoice: boolean;
}

/** The ways to request JSON from the vendor, best first. */
export type JsonRoute =
  | { readonly by: "schema" } & Pick<ReducedSchema, "schema" | "changed">
  /** The answer is the input of a tool that the gateway adds, with this schema. */
  | { readonly by: "tool"; readonly schema: JsonObject }
  | { readonly by: "instruction"; readonly text: string }
  | { readonly by: "nothing" };

/** The JSON answer that `response_format` requests; undefined if it allows any text. */
export function wantedJson({ response_format: format }: ChatRequest): WantedJson | undefined {
  if (format?.type === "json_object") return {};
  if (format?.type !== "json_schema") return undefined;
  const { schema, description } = format.json_schema ?? {};
  return { schema: schema ?? undefined, description: description || undefined };
}

/** The best way that the vendor supports. */
export function routeJson(wanted: WantedJson | undefined, features: JsonFeatures): JsonRoute {
  if (wanted === undefined) return { by: "nothing" };
  const { schema } = wanted;
  if (schema === undefined) return { by: "instruction", text: JSON_INSTRUCTION };
  const reduced = features.rules && reduceSchema(schema, features.rules);
  if (reduced && new SchemaBudget(features.limits).take(reduced)) {
    return { by: "schema", schema: reduced.schema, changed: reduced.changed };
  }
  const object = asObjectSchema(schema);
  if (object && features.forcedChoice) return { by: "tool", schema: object };
  const text = `${JSON_INSTRUCTION} It must match this JSON Schema:\n${JSON.stringify(schema)}`;
  return { by: "instruction", text };
}

/** Counts the schemas of one request toward the vendor's limits. */
export class SchemaBudget {
  readonly #limits: SchemaLimits;
  #taken: SchemaLimits = { schemas: 0, optional: 0, unions: 0 };

  constructor(limits: SchemaLimits) {
    this.#limits = limits;
  }

  /** Whether a schema is within the limits. If so, it is counted. */
  take({ optional, unions }: ReducedSchema): boolean {
    const sum = {
      schemas: this.#taken.schemas + 1,
      optional: this.#taken.optional + optional,
      unions: this.#taken.unions + unions,
    };
    const limits = this.#limits;
    const fits = sum.schemas <= limits.schemas && sum.optional <= limits.optional &&
      sum.unions <= limits.unions;
    if (fits) this.#taken = sum;
    return fits;
  }
}

/** The schema as a tool's parameters, which must be an object; undefined for other types. */
export function asObjectSchema(schema: JsonObject | null | undefined): JsonObject | undefined {
  if (schema == null) return { type: "object", properties: {} };
  if (schema.type === "object") return schema;
  if (schema.type == null) return { ...schema, type: "object" };
  const among = Array.isArray(schema.type) && schema.type.includes("object");
  return among ? { ...schema, type: "object" } : undefined;
}

const JSON_INSTRUCTION =
  "Reply with one JSON object and nothing else: no prose, no code fences around it.";
