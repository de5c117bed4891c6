/**
 * Requests of `/api/embed` and of the older `/api/embeddings`, and their answers.
 *
 * https://github.com/ollama/ollama/blob/main/docs/api.md#generate-embeddings (2026-08).
 */

import type { JsonObject } from "../../core/json/object.ts";
import { present, toCount } from "../../core/json/values.ts";
import type { EmbeddingsBody, EmbeddingsRequest } from "../../contract/embeddings.ts";
import { embeddingsKind } from "../embeddings/embeddings.ts";
import { writeEachVector, type WriteVectors } from "../embeddings/vectors.ts";
import type { ReadUnary } from "../operation.ts";
import { numberIn, stringIn } from "../read_fields.ts";
import { toNanoseconds } from "./stream_writer.ts";
import { checkBody, type CheckedBody } from "./converted_request.ts";
import { invalidValue } from "../../core/errors.ts";

type ReadEmbeddings = ReadUnary<EmbeddingsRequest, EmbeddingsBody>;

/** The maximum number of inputs of one request. */
const MAX_INPUTS = 2048;

/**
 * Reads a request for vectors.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readEmbed(body: unknown): ReadEmbeddings {
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
  const settings = present({ dimensions, truncate: truncate ?? undefined });
  return toEmbeddings(checked, texts, settings, writeAll);
}

/** Reads a request for one vector. @throws {GatewayError} as {@linkcode readEmbed}. */
export function readEmbeddings(body: unknown): ReadEmbeddings {
  const checked = checkBody(body);
  const prompt = stringIn(checked.body, "prompt", "") ?? "";
  if (prompt === "") throw invalidValue("prompt", "is required");
  return toEmbeddings(checked, [prompt], {}, writeOne);
}

function toEmbeddings(
  { body, model }: CheckedBody,
  input: readonly string[],
  settings: JsonObject,
  write: WriteVectors,
): ReadEmbeddings {
  const { keep_alive, options } = body;
  // Only servers with this API support these members.
  const own = present({ keep_alive: keep_alive ?? undefined, options: options ?? undefined });
  return {
    request: { model, input, ...settings },
    toKind: () => ({
      ...embeddingsKind(write),
      requestFor(request, { adapter, changes, model, provider }) {
        const isOwn = adapter.native?.("ollama", model, provider) !== undefined;
        // They truncate long inputs by default.
        if (isOwn) return { truncate: true, ...request, ...own };
        for (const name of Object.keys(own)) changes.ignore(name);
        return request;
      },
    }),
  };
}

/** Writes the answer of `/api/embed`. A count that the vendor does not report is omitted. */
const writeAll: WriteVectors = async ({ model, usage, vectors, elapsedMs }, _, slice) => {
  const written = await writeEachVector(vectors, slice);
  if (written === undefined) return undefined;
  const rest = {
    total_duration: toNanoseconds(elapsedMs),
    ...(usage.estimated !== true && { prompt_eval_count: toCount(usage.prompt_tokens) }),
  };
  const head = JSON.stringify({ model }).slice(0, -1);
  return `${head},"embeddings":[${written.join(",")}],${JSON.stringify(rest).slice(1)}`;
};

/** Writes the answer of `/api/embeddings`. */
const writeOne: WriteVectors = async ({ vectors }, _, slice) => {
  const written = await writeEachVector(vectors, slice);
  return written && `{"embedding":${written[0] ?? "[]"}}`;
};
