/** JSON Schema for vendors that take a part of it: what they know is kept, the rest said in words. */

import { type ChatRequest, isObject, type JsonObject } from "../../chat/chat.ts";
import { resolveRef } from "./inline_refs.ts";

/** The part of JSON Schema that a vendor takes. */
export interface SchemaRules {
  /** Keywords sent as they are. Others that only narrow a value move to the description. */
  readonly keeps: ReadonlySet<string>;
  /** Values of `format` that are enforced. */
  readonly formats: ReadonlySet<string>;
  /** Whether every object must list all its members: a free-form map cannot be said then. */
  readonly closed: boolean;
  /** Whether `oneOf` is to be sent as `anyOf`. */
  readonly oneOfAsAnyOf: boolean;
  /** A last word on keywords that `keeps` names. */
  readonly allows?: (keyword: string, value: unknown) => boolean;
}

/** A schema that a vendor takes, and the counts that vendors limit. */
export interface SievedSchema {
  readonly schema: JsonObject;
  /** Members of objects that are not required. */
  readonly optional: number;
  /** Places where more than one type may stand. */
  readonly unions: number;
  /** Whether keywords are left out, or only said in words. */
  readonly changed: boolean;
}

/** What a vendor takes of schemas in one request, all of them together. */
export interface SchemaLimits {
  readonly schemas: number;
  readonly optional: number;
  readonly unions: number;
}

/** What `response_format` asks for. */
export interface WantedJson {
  readonly schema?: JsonObject | undefined;
  readonly description?: string | undefined;
}

/** What a vendor and its model have to make an answer JSON. */
export interface JsonMeans {
  /** The schemas it enforces; absent when it enforces none. */
  readonly rules?: SchemaRules | undefined;
  readonly limits: SchemaLimits;
  /** Whether it can be forced to call a tool. */
  readonly forcedChoice: boolean;
}

/** How an answer comes to be JSON, best first. */
export type JsonRoute =
  | { readonly by: "schema" } & Pick<SievedSchema, "schema" | "changed">
  /** The answer is the input of a tool of ours with this schema. */
  | { readonly by: "tool"; readonly schema: JsonObject }
  | { readonly by: "instruction"; readonly text: string }
  | { readonly by: "nothing" };

/** What `response_format` asks for, or undefined when any text will do. */
export function wantedJson({ response_format: format }: ChatRequest): WantedJson | undefined {
  if (format?.type === "json_object") return {};
  if (format?.type !== "json_schema") return undefined;
  const { schema, description } = format.json_schema ?? {};
  return { schema: schema ?? undefined, description: description || undefined };
}

/** The best route that the means allow; an open object cannot be said as a schema. */
export function routeJson(wanted: WantedJson | undefined, means: JsonMeans): JsonRoute {
  if (wanted === undefined) return { by: "nothing" };
  const { schema } = wanted;
  if (schema === undefined) return { by: "instruction", text: JSON_INSTRUCTION };
  const sieved = means.rules && sieveSchema(schema, means.rules);
  if (sieved && new SchemaBudget(means.limits).take(sieved)) {
    return { by: "schema", schema: sieved.schema, changed: sieved.changed };
  }
  const object = asObjectSchema(schema);
  if (object && means.forcedChoice) return { by: "tool", schema: object };
  const text = `${JSON_INSTRUCTION} It must match this JSON Schema:\n${JSON.stringify(schema)}`;
  return { by: "instruction", text };
}

/** Counts what the schemas of one request come to. */
export class SchemaBudget {
  readonly #limits: SchemaLimits;
  #taken: SchemaLimits = { schemas: 0, optional: 0, unions: 0 };

  constructor(limits: SchemaLimits) {
    this.#limits = limits;
  }

  /** Whether this one still fits; it is counted if so. */
  take({ optional, unions }: SievedSchema): boolean {
    const sum = {
      schemas: this.#taken.schemas + 1,
      optional: this.#taken.optional + optional,
      unions: this.#taken.unions + unions,
    };
    const { schemas, optional: most, unions: mixed } = this.#limits;
    const fits = sum.schemas <= schemas && sum.optional <= most && sum.unions <= mixed;
    if (fits) this.#taken = sum;
    return fits;
  }
}

/** A schema in the vendor's part of the language, or undefined when that cannot say it. */
export function sieveSchema(schema: JsonObject, rules: SchemaRules): SievedSchema | undefined {
  const sieve = new Sieve(schema, rules);
  try {
    return { schema: sieve.keep(schema), ...sieve.findings };
  } catch (thrown) {
    if (thrown instanceof Unsayable) return undefined;
    throw thrown;
  }
}

/** The schema as a tool's parameters: an object at its root, or undefined when it is none. */
export function asObjectSchema(schema: JsonObject | null | undefined): JsonObject | undefined {
  if (schema == null) return { type: "object", properties: {} };
  if (schema.type === "object") return schema;
  if (schema.type == null) return { ...schema, type: "object" };
  const among = Array.isArray(schema.type) && schema.type.includes("object");
  return among ? { ...schema, type: "object" } : undefined;
}

const JSON_INSTRUCTION =
  "Reply with one JSON object and nothing else: no prose, no code fences around it.";
/** Deeper than any schema of use, and well above what our own recursion can bear. */
const MAX_DEPTH = 100;

/** Keywords whose loss would let through what the schema forbids in kind, not in degree. */
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

/** Keywords that identify a schema and say nothing of a value. */
const IDENTITY = new Set(["$schema", "$id", "$anchor", "$comment", "$vocabulary"]);

/** Thrown inside the sieve only: the schema cannot be said in this part of the language. */
class Unsayable extends Error {}

class Sieve {
  readonly findings = { optional: 0, unions: 0, changed: false };
  readonly #root: JsonObject;
  readonly #rules: SchemaRules;
  /** Objects and lists whose references are known not to come back to themselves. */
  readonly #sound = new Set<object>();
  /** Those whose references are being followed: one that is reached again comes back to itself. */
  readonly #followed = new Set<object>();

  constructor(root: JsonObject, rules: SchemaRules) {
    this.#root = root;
    this.#rules = rules;
  }

  keep(schema: unknown, depth = 0): JsonObject {
    if (!isObject(schema) || depth > MAX_DEPTH) throw new Unsayable();
    const kept: [string, unknown][] = [];
    const words: string[] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === "description" && typeof value === "string") continue;
      const isIdentity = IDENTITY.has(keyword);
      const entry = isIdentity ? undefined : this.#keepKeyword(keyword, value, schema, depth);
      this.findings.changed ||= entry === undefined;
      if (entry !== undefined) kept.push(entry);
      else if (isScalar(value) && !isIdentity) words.push(`${keyword}: ${value}`);
      else if (this.#rules.keeps.has(keyword)) throw new Unsayable();
    }
    const own = typeof schema.description === "string" ? [schema.description] : [];
    const description = [...own, ...(words.length > 0 ? [`(${words.join(", ")})`] : [])].join(" ");
    if (description !== "") kept.push(["description", description]);
    if (this.#rules.closed) this.#close(schema, kept);
    return Object.fromEntries(kept);
  }

  /** The keyword as it is sent, or undefined for one that is to be said in words. */
  #keepKeyword(
    keyword: string,
    value: unknown,
    schema: JsonObject,
    depth: number,
  ): [string, unknown] | undefined {
    if (STRUCTURAL.has(keyword)) throw new Unsayable();
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
        if (this.#rules.closed && value !== false) throw new Unsayable();
        return [keyword, value];
      case "type":
        if (Array.isArray(value) && value.length > 1) this.findings.unions++;
        return [keyword, value];
      case "format":
        return this.#rules.formats.has(String(value)) ? [keyword, value] : undefined;
    }
    const kept = this.#rules.keeps.has(keyword) && this.#rules.allows?.(keyword, value) !== false;
    return kept ? [keyword, value] : undefined;
  }

  #keepEach(schemas: unknown, depth: number): JsonObject {
    if (!isObject(schemas)) throw new Unsayable();
    return Object.fromEntries(
      Object.entries(schemas).map(([name, inner]) => [name, this.keep(inner, depth + 1)]),
    );
  }

  #keepBranches(keyword: string, value: unknown, depth: number): [string, unknown] {
    if (!Array.isArray(value)) throw new Unsayable();
    // One branch alone is what older generators write for a reference with a description.
    const [only, ...others] = value;
    if (keyword === "allOf" && others.length === 0 && isObject(only) && isLoneRef(only)) {
      this.#checkRef(only.$ref, 0);
      this.findings.changed = true;
      return ["$ref", only.$ref];
    }
    const name = keyword === "oneOf" && this.#rules.oneOfAsAnyOf ? "anyOf" : keyword;
    this.findings.changed ||= name !== keyword;
    if (this.#rules.allows?.(name, value) === false) throw new Unsayable();
    if (!this.#rules.keeps.has(name)) throw new Unsayable();
    if (keyword !== "allOf" && value.length > 1) this.findings.unions++;
    return [name, value.map((inner) => this.keep(inner, depth + 1))];
  }

  #countOptional(properties: unknown, required: unknown): void {
    if (!isObject(properties)) return;
    const needed = new Set(Array.isArray(required) ? required : []);
    for (const name of Object.keys(properties)) if (!needed.has(name)) this.findings.optional++;
  }

  /** An object that lists its members is closed; what lists nothing may hold anything. */
  #close(schema: JsonObject, kept: [string, unknown][]): void {
    const types = Array.isArray(schema.type) ? schema.type : [schema.type];
    if (types.includes("array") && schema.items === undefined) throw new Unsayable();
    if (types.includes("object") || schema.properties !== undefined) {
      if (schema.additionalProperties !== undefined) return;
      if (schema.properties === undefined) throw new Unsayable();
      kept.push(["additionalProperties", false]);
    } else if (!SAYS_A_KIND.some((keyword) => schema[keyword] !== undefined)) {
      throw new Unsayable();
    }
  }

  /** Follows a reference, and those inside its target, until it is clear that none comes back. */
  #checkRef(ref: unknown, depth: number): void {
    const target = resolveRef(this.#root, ref);
    if (target === undefined) throw new Unsayable();
    this.#checkRefsIn(target, depth + 1);
  }

  /** Looks at each object and list once, however many references lead to it. */
  #checkRefsIn(value: unknown, depth: number): void {
    if (typeof value !== "object" || value === null || this.#sound.has(value)) return;
    if (depth > MAX_DEPTH || this.#followed.has(value)) throw new Unsayable();
    this.#followed.add(value);
    if (Array.isArray(value)) {
      for (const inner of value) this.#checkRefsIn(inner, depth + 1);
    } else if (isObject(value)) {
      if (typeof value.$ref === "string") this.#checkRef(value.$ref, depth);
      for (const [name, inner] of Object.entries(value)) {
        // Definitions are reached by reference, or not at all.
        if (name !== "$defs" && name !== "definitions") this.#checkRefsIn(inner, depth + 1);
      }
    }
    this.#followed.delete(value);
    this.#sound.add(value);
  }
}

/** Keywords any of which says what kind of value is meant. */
const SAYS_A_KIND = ["type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"];

function isLoneRef(schema: JsonObject): boolean {
  return schema.$ref !== undefined && Object.keys(schema).length === 1;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
