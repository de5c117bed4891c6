/**
 * Requests of `/api/embed` and of the older `/api/embeddings`, and their answers.
 *
 * https://github.com/ollama/ollama/blob/main/docs/api.md#generate-embeddings (2026-08).
 */

import type { TimeSlice } from "../../core/clock.ts";
import type { JsonObject } from "../../core/json/object.ts";
import { present, toCount } from "../../core/json/values.ts";
import type { EmbeddingsRequest, Encoding } from "../../contract/embeddings.ts";
import { type EmbeddingsAnswer, writeEachVector } from "../embeddings/embeddings.ts";
import { numberIn, stringIn } from "../read_fields.ts";
import { toNanoseconds } from "./stream_writer.ts";
import { checkBody, type CheckedBody } from "./converted_request.ts";
import { invalidValue } from "../../core/errors.ts";

/** A request for vectors. */
export interface OllamaEmbeddings {
  readonly request: EmbeddingsRequest;
  /** Members that only Ollama servers support. */
  readonly own: JsonObject;
}

/** The maximum number of inputs of one request. */
const MAX_INPUTS = 2048;

/**
 * Reads a request for vectors.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readEmbed(body: unknown): OllamaEmbeddings {
  const checked = checkBody(body);
  const { input, truncate } = checked.body;
  if (input == null) throw invalidValue("input", "is required");
  const texts = typeof input === "string" ? [input] : input;
  if (!Array.isArray(texts)) throw invalidValue("input", "must be a string or an array of strings");
  if (texts.length === 0) throw invalidValue("input", "must not be empty");
  if (texts.length > MAX_INPUTS) {
    throw invalidValue("input", `must have at most ${MAX_INPUTS} entries`);
  }
  for (const [index, text] of texts.entries()) {
    const path = Array.isArray(input) ? `input[${index}]` : "input";
    if (typeof text !== "string") throw invalidValue(path, "must be a string");
    if (text === "") throw invalidValue(path, "must not be empty");
  }
  if (truncate != null && typeof truncate !== "boolean") {
    throw invalidValue("truncate", "must be true or false");
  }
  const dimensions = numberIn(checked.body, "dimensions", "", { min: 1, isInteger: true });
  return toEmbeddings(checked, texts, present({ dimensions, truncate: truncate ?? undefined }));
}

/** Reads a request for one vector. @throws {GatewayError} as {@linkcode readEmbed}. */
export function readEmbeddings(body: unknown): OllamaEmbeddings {
  const checked = checkBody(body);
  const prompt = stringIn(checked.body, "prompt", "") ?? "";
  if (prompt === "") throw invalidValue("prompt", "is required");
  return toEmbeddings(checked, [prompt], {});
}

function toEmbeddings(
  { body, model }: CheckedBody,
  input: readonly string[],
  settings: JsonObject,
): OllamaEmbeddings {
  const { keep_alive, options } = body;
  return {
    request: { model, input, ...settings },
    own: present({ keep_alive: keep_alive ?? undefined, options: options ?? undefined }),
  };
}

type WriteVectors = (
  answer: EmbeddingsAnswer,
  encoding: Encoding,
  slice: TimeSlice,
) => Promise<string | undefined>;

/**
 * Writes the answer of `/api/embed`. A count that the vendor does not report is omitted.
 *
 * @param elapsedMs the milliseconds since the request arrived
 */
export function writeEmbed(elapsedMs: () => number): WriteVectors {
  return async ({ model, usage, vectors }, _, slice) => {
    const written = await writeEachVector(vectors, slice);
    if (written === undefined) return undefined;
    const rest = {
      total_duration: toNanoseconds(elapsedMs()),
      ...(usage.estimated !== true && { prompt_eval_count: toCount(usage.prompt_tokens) }),
    };
    const head = JSON.stringify({ model }).slice(0, -1);
    return `${head},"embeddings":[${written.join(",")}],${JSON.stringify(rest).slice(1)}`;
  };
}

/** Writes the answer of `/api/embeddings`. */
export function writeEmbedding(): WriteVectors {
  return async ({ vectors }, _, slice) => {
    const written = await writeEachVector(vectors, slice);
    return written && `{"embedding":${written[0] ?? "[]"}}`;
  };
}
