/** Shared parts of vendors' embeddings: default tables, and readers of inputs and answers. */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type {
  EmbeddingsApi,
  EmbeddingsCall,
  EmbeddingsInput,
  EmbeddingsParameter,
  Vector,
} from "../../contract/embeddings.ts";
import type { FieldSupport } from "../../contract/operation_api.ts";
import { converted, ignored, refused } from "../../contract/support.ts";
import type { TargetModel } from "../../contract/vendor_request.ts";

/** The input types that callers can use for every vendor. */
export const INPUT_TYPES = [
  "search_query",
  "search_document",
  "classification",
  "clustering",
  "similarity",
] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** One vendor's field for input types, and the values of the field. */
export interface InputTypeTable {
  /** The vendor's field; undefined if the adapter converts the type itself. */
  readonly field?: string;
  readonly words: Readonly<Partial<Record<InputType, string>>>;
  /** The vendor's other values, which are sent unchanged. */
  readonly others?: readonly string[];
}

/** The input type for each vendor's value. */
const MEANINGS: ReadonlyMap<string, InputType> = new Map([
  ["search_query", "search_query"],
  ["query", "search_query"],
  ["retrieval_query", "search_query"],
  ["retrieval.query", "search_query"],
  ["generic_retrieval", "search_query"],
  ["search_document", "search_document"],
  ["document", "search_document"],
  ["passage", "search_document"],
  ["retrieval_document", "search_document"],
  ["retrieval.passage", "search_document"],
  ["generic_index", "search_document"],
  ["classification", "classification"],
  ["clustering", "clustering"],
  ["separation", "clustering"],
  ["similarity", "similarity"],
  ["semantic_similarity", "similarity"],
  ["text-matching", "similarity"],
]);

/** The input type for a value of any vendor; undefined for other values. */
export function inputTypeOf(word: string): InputType | undefined {
  return MEANINGS.get(word.toLowerCase());
}

/** The vendor's value for an input type; undefined if there is none. */
function wordFor(word: string, table: InputTypeTable): string | undefined {
  if (table.others?.includes(word)) return word;
  const type = inputTypeOf(word);
  return type === undefined ? undefined : table.words[type];
}

/**
 * Sends input types as the values of the vendor, for {@linkcode EmbeddingsApi.place}.
 *
 * @param tableOf the values of a model; undefined if it has the field with any value
 */
export function placesInputTypes(
  tableOf: (model: TargetModel) => InputTypeTable | undefined,
): NonNullable<EmbeddingsApi["place"]> {
  return (fields, name, { request: { input_type: word = "" }, model, changes }) => {
    const table = name === "input_type" ? tableOf(model) : undefined;
    if (table === undefined) return false;
    const sent = wordFor(word, table);
    if (sent === undefined) {
      changes.ignore("input_type");
      return true;
    }
    const { field = "input_type" } = table;
    fields[field] = sent;
    if (field !== "input_type") changes.rename("input_type", field);
    const type = inputTypeOf(word);
    if (type !== undefined && type !== sent) changes.convert("input_type", type, sent);
    return true;
  };
}

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
export const ONE_LENGTH: FieldSupport = {
  level: "refused",
  note: "the vectors have one length",
};

/** The tables of a vendor that accepts only texts and returns numbers. */
export function textsOnly(
  own: Readonly<Partial<Record<EmbeddingsParameter, FieldSupport>>>,
  extensions: EmbeddingsApi["supports"]["extensions"] = {},
): Pick<EmbeddingsApi, "contents" | "supports"> {
  return {
    supports: {
      parameters: {
        dimensions: ONE_LENGTH,
        encoding_format: converted("the gateway encodes the numbers"),
        user: NONE,
        input_type: NONE,
        title: NONE,
        truncate: NONE,
        ...own,
      },
      extensions,
    },
    contents: { tokens: refused("text only"), parts: refused("text only") },
  };
}

/** The end at which a long input is truncated, in the terms of Cohere and Nova. */
export function toTruncation(requested: unknown): string {
  if (typeof requested === "boolean") return requested ? "END" : "NONE";
  return String(requested).toUpperCase();
}

/** The inputs of a call to a vendor that accepts only text. */
export function textsOf({ request: { input } }: EmbeddingsCall): readonly string[] {
  return input.map(textOf);
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

/** Whether a value can be a vector; its numbers are checked when they are written. */
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

/** The model's limit on the number of inputs, if config.yaml sets one. */
export function limitedTo(
  inputs: number,
  tokens?: number,
): EmbeddingsApi["limitsFor"] {
  return ({ facts }) => ({
    inputs: facts.max_inputs ?? inputs,
    ...(tokens !== undefined && { tokens }),
  });
}

/** A member of a value that is not necessarily an object. */
export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
