/** Shared parts of vendors' embeddings: default tables, and readers of inputs and answers. */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type {
  EmbeddingsApi,
  EmbeddingsCall,
  EmbeddingsInput,
  EmbeddingsParameter,
  EmbeddingsSupport,
  EmbeddingsSupportTable,
  InputTypeTable,
  Vector,
} from "../../contract/embeddings.ts";
import { converted, ignored, refused } from "../../contract/support.ts";

/**
 * The input type for vendors that require one, if neither the request nor the configuration sets
 * it.
 */
export const USUAL_INPUT_TYPE = "search_document";

/** The input types of Cohere's models, at Cohere and at Bedrock. */
export const COHERE_INPUT_TYPES: InputTypeTable = {
  words: {
    search_query: "search_query",
    search_document: "search_document",
    classification: "classification",
    clustering: "clustering",
  },
};

const NONE = ignored("no such field");

/** For models whose vectors have one length. */
export const ONE_LENGTH: EmbeddingsSupport = {
  level: "refused",
  note: "the vectors have one length",
};

/** The table of a vendor that accepts only texts and returns numbers. */
export function textsOnly(
  own: Readonly<Partial<Record<EmbeddingsParameter, EmbeddingsSupport>>>,
  extensions: EmbeddingsSupportTable["extensions"] = {},
): EmbeddingsSupportTable {
  return {
    parameters: {
      dimensions: ONE_LENGTH,
      encoding_format: converted("the gateway encodes the numbers"),
      user: NONE,
      input_type: NONE,
      title: NONE,
      truncate: NONE,
      ...own,
    },
    inputs: { tokens: refused("text only"), parts: refused("text only") },
    extensions,
  };
}

/** The end at which a long input is truncated, in the terms of Cohere and Nova. */
export function toTruncation(asked: unknown): string {
  if (typeof asked === "boolean") return asked ? "END" : "NONE";
  return String(asked).toUpperCase();
}

/** The inputs of a call whose vendor takes only text. */
export function textsOf({ inputs }: EmbeddingsCall): readonly string[] {
  return inputs.map(textOf);
}

function textOf(input: EmbeddingsInput): string {
  if (typeof input === "string") return input;
  throw new GatewayError("unsupported_content", "The provider takes only text", {
    param: "input",
  });
}

/** A list of vectors; undefined for anything else. */
export function toVectors(value: unknown): readonly Vector[] | undefined {
  return Array.isArray(value) && value.length > 0 && value.every(isVector) ? value : undefined;
}

/** Whether a value can be a vector: its numbers are checked where they are written. */
export function isVector(value: unknown): value is Vector {
  if (typeof value === "string") return value !== "";
  return Array.isArray(value) && typeof value[0] === "number";
}

/** Adds and records the default input type if none was set. */
export function usualInputType(
  { fields, changes }: EmbeddingsCall,
  field: string,
  word: string,
): JsonObject {
  if (fields[field] !== undefined) return {};
  changes.add(field);
  changes.convert("input_type", "(none)", word);
  return { [field]: word };
}

/** The model's limit of inputs, if config.yaml sets one. */
export function limitedTo(
  inputs: number,
  tokens?: number,
): EmbeddingsApi["limitsFor"] {
  return ({ facts }) => ({
    inputs: facts.max_inputs ?? inputs,
    ...(tokens !== undefined && { tokens }),
  });
}

/** A member of a value that may not be an object. */
export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
