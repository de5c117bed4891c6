/** The contract of an endpoint of the description, and the groups of endpoints. */

import { ref, type Schema, text } from "./schema.ts";

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

/** The groups of endpoints, and what they are. */
export const TAGS = {
  Chat: "Chats in the formats of OpenAI and Anthropic",
  Gemini: "Chats and embeddings in Gemini's format",
  Ollama: "Chats and embeddings in Ollama's format",
  Retrieval: "Embeddings, reranking and moderation",
  Media: "Images and audio",
  Models: "Models and providers",
  Usage: "The usage, requests and state of the key that asks",
  Administration: "The same for all keys, keys at run time, and breakers; for admin keys",
  Process: "Health, metrics and this description",
} as const;

export type Tag = keyof typeof TAGS;

export const JSON_TYPE = "application/json";
export const EVENTS = "text/event-stream";
export const FORM = "multipart/form-data";

/** An answer in JSON. */
export const json = (name: string) => ({ [JSON_TYPE]: ref(name) });

/** An answer in JSON, or as a stream of events. */
export const jsonOrEvents = (name: string) => ({ ...json(name), [EVENTS]: text });
