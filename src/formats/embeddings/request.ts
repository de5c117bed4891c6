/** Reads the body of `POST /v1/embeddings`: https://platform.openai.com/docs/api-reference/embeddings (2026-11). */

import * as z from "zod";
import { isObject } from "../../core/json/object.ts";
import { invalidValue } from "../../core/invalid_value.ts";
import type { EmbeddingsInput, EmbeddingsRequest } from "../../providers/contract/embeddings.ts";
import { modelMembers, readFields, readObject, withoutNulls } from "../read_fields.ts";

/** The maximum number of inputs of one request. */
const MAX_INPUTS = 2048;

/** The members of a request that a schema checks. */
export const embeddingsRequest = z.looseObject({
  ...modelMembers,
  dimensions: z.int().min(1).nullish(),
  encoding_format: z.enum(["float", "base64"]).nullish(),
  user: z.string().nullish(),
  input_type: z.string().min(1).nullish(),
  task_type: z.string().min(1).nullish(),
  title: z.string().nullish(),
  truncate: z.union([z.boolean(), z.string()]).nullish(),
});

/** A request, and the models to fall back to. */
export interface ReadEmbeddings {
  readonly request: EmbeddingsRequest;
  readonly models: readonly string[] | undefined;
}

/**
 * Checks a parsed request body.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readEmbeddingsRequest(body: unknown): ReadEmbeddings {
  const { input, ...others } = readObject(body);
  const { models, task_type, ...members } = readFields(others, embeddingsRequest);
  const request = withoutNulls(members);
  // Google's name for it.
  const inputType = members.input_type ?? task_type;
  if (inputType != null) request.input_type = inputType;
  return {
    request: { ...request, input: readInput(input) } as unknown as EmbeddingsRequest,
    models: models ?? undefined,
  };
}

/** The inputs as a list. A single text or list of tokens is one input. */
function readInput(input: unknown): readonly EmbeddingsInput[] {
  if (input === undefined || input === null) throw invalidValue("input", "is required");
  if (typeof input === "string") return [readOne(input, "input")];
  if (!Array.isArray(input)) {
    throw invalidValue("input", "must be a string, an array of strings, or arrays of tokens");
  }
  if (input.length === 0) throw invalidValue("input", "must not be empty");
  if (typeof input[0] === "number") return [readOne(input, "input")];
  if (input.length > MAX_INPUTS) {
    throw invalidValue("input", `must have at most ${MAX_INPUTS} entries`);
  }
  return input.map((entry, index) => readOne(entry, `input[${index}]`));
}

function readOne(value: unknown, path: string): EmbeddingsInput {
  if (typeof value === "string") {
    if (value === "") throw invalidValue(path, "must not be empty");
    return value;
  }
  if (isObject(value)) return value;
  if (!Array.isArray(value)) throw invalidValue(path, "must be a string or an array of tokens");
  if (value.length === 0) throw invalidValue(path, "must not be empty");
  const isParts = isObject(value[0]);
  const isFaulty = (entry: unknown) => isParts ? !isObject(entry) : !isToken(entry);
  const at = value.findIndex(isFaulty);
  if (at === -1) return value;
  throw invalidValue(
    `${path}[${at}]`,
    isParts ? "must be an object" : "must be a token: an integer",
  );
}

function isToken(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
