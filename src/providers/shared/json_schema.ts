/** How a JSON answer is requested from a vendor, within its limits on schemas. */

import type { ChatRequest, JsonObject } from "../../chat/chat.ts";
import { type ReducedSchema, reduceSchema, type SchemaRules } from "./reduce_schema.ts";

/** The limits on all schemas of one request together. */
export interface SchemaLimits {
  readonly schemas: number;
  readonly optional: number;
  readonly unions: number;
}

/** The JSON answer that `response_format` requests. */
export interface WantedJson {
  readonly schema?: JsonObject | undefined;
  readonly description?: string | undefined;
}

/** The features of a vendor and its model for JSON answers. */
export interface JsonFeatures {
  /** The schemas that it enforces; absent if it enforces none. */
  readonly rules?: SchemaRules | undefined;
  readonly limits: SchemaLimits;
  /** Whether it can be forced to call a tool. */
  readonly forcedChoice: boolean;
}

/** How JSON is requested from the vendor, best first. */
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

/** The best route that the vendor supports. */
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

/** Counts the schemas of one request against the vendor's limits. */
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
