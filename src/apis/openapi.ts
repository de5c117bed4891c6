/** The parts of the OpenAPI description: schemas, and the descriptions of endpoints. */

import type * as z from "zod";
import { toJsonSchema } from "./chat/text_tools.ts";

/** A JSON Schema, in draft 2020-12. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/** Named schemas. */
export interface Schemas {
  readonly [name: string]: Schema;
}

/** One of the gateway's headers. */
export interface Header {
  readonly meaning: string;
  readonly example: string;
  /** Its schema in the description of endpoints that call models; absent if it is not described. */
  readonly schema?: Schema;
}

export const text: Schema = { type: "string" };
export const integer: Schema = { type: "integer" };
export const number: Schema = { type: "number" };
export const boolean: Schema = { type: "boolean" };
export const anything: Schema = {};
export const BINARY: Schema = { type: "string", format: "binary" };

/** An object with required and optional members. Additional members are allowed. */
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

/** A schema that also allows null. */
export function orNull(schema: Schema): Schema {
  return typeof schema.type === "string" && schema.enum === undefined && schema.const === undefined
    ? { ...schema, type: [schema.type, "null"] }
    : anyOf(schema, { type: "null" });
}

/** A reference to a schema of the document. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** An endpoint. */
export interface Endpoint {
  readonly tag: Tag;
  readonly summary: string;
  /** The media type of the body, and its schema. */
  readonly body?: readonly [type: string, schema: Schema];
  /** The same for another media type that callers may send. */
  readonly otherBody?: readonly [type: string, schema: Schema];
  /** Whether the body may be absent. */
  readonly bodyOptional?: boolean;
  /** The schema of each media type of the answer. */
  readonly answers: Readonly<Record<string, Schema>>;
  /** The status of the answer. Default: 200. */
  readonly status?: 200 | 201;
  /** The schema of the data of each event, or of each line, of a stream. */
  readonly events?: string;
  /** The schema of its errors. Default: `Error`. */
  readonly error?: "Error" | "MessagesError" | "GeminiError" | "OllamaError";
  readonly query?: readonly (readonly [name: string, description: string])[];
  /** Whether it sends a request to a model, so that the options in headers apply. */
  readonly callsModel?: boolean;
}

/** An endpoint of a caller format, whose requests a model answers. */
export interface EndpointDescription extends Omit<Endpoint, "callsModel"> {
  /** The name and the schema of the body, if that is a named schema. */
  readonly request?: readonly [name: string, schema: Schema];
  /** The schemas of its answers and events, by name. */
  readonly schemas?: Schemas;
  /** An example of the body, or of the fields of a form; the reference adds `model` below `/v1`. */
  readonly example: object;
}

/** The groups of endpoints, with descriptions. */
export const TAGS = {
  Chat: "Chats in the formats of OpenAI and Anthropic",
  Gemini: "Chats and embeddings in Gemini's format",
  Ollama: "Chats and embeddings in Ollama's format",
  Retrieval: "Embeddings, reranking and moderation",
  Media: "Images and audio",
  Models: "Models and providers",
  Usage: "The usage, requests and state of the caller's key",
  Administration:
    "For admin keys: reports across all keys, key management, breakers and the configuration",
  Process: "Health, metrics and this description",
} as const;

type Tag = keyof typeof TAGS;

export const JSON_TYPE = "application/json";
export const EVENTS = "text/event-stream";
export const FORM = "multipart/form-data";

/** An answer in JSON. */
export const json = (name: string) => ({ [JSON_TYPE]: ref(name) });

/** An answer in JSON, or as a stream of events. */
export const jsonOrEvents = (name: string) => ({ ...json(name), [EVENTS]: text });

/**
 * The schema of a body as callers may send it.
 *
 * @param extra required members that code checks instead of the schema
 */
export function toSchema(schema: z.ZodType, extra: Schemas = {}): Schema {
  const json: Schema = toJsonSchema(schema);
  const required = [...requiredOf(json), ...Object.keys(extra)];
  return {
    ...json,
    ...(required.length > 0 && { required }),
    properties: { ...json.properties as Schemas, ...extra },
  };
}

function requiredOf({ required }: Schema): readonly string[] {
  return (required as readonly string[] | undefined) ?? [];
}
