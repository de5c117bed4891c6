/**
 * Requests of `embedContent` and `batchEmbedContents`, and their answers.
 *
 * https://ai.google.dev/api/embeddings (2026-11-24).
 */

import { invalidValue } from "../../core/errors.ts";
import type { TimeSlice } from "../../core/clock.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { toCount } from "../../core/json/values.ts";
import type {
  EmbeddingsBody,
  EmbeddingsInput,
  EmbeddingsRequest,
} from "../../contract/embeddings.ts";
import { embeddingsKind } from "../embeddings/embeddings.ts";
import {
  type EmbeddingsAnswer,
  writeEachVector,
  type WriteVectors,
} from "../embeddings/vectors.ts";
import type { ReadUnary } from "../operation.ts";
import { listIn, memberOf, numberIn, objectIn, readObject, stringIn } from "../read_fields.ts";

type ReadEmbeddings = ReadUnary<EmbeddingsRequest, EmbeddingsBody>;

/** The maximum number of inputs of one request. */
const MAX_INPUTS = 2048;

/**
 * Reads a request for one vector.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readEmbedContent(body: unknown, model: string): ReadEmbeddings {
  const checked = readObject(body);
  return {
    request: { model, input: [readContent(checked, "")], ...readOptions(checked, "") },
    toKind: () => embeddingsKind(writeOne),
  };
}

/**
 * Reads a request for several vectors. All of its entries must have the same options.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readBatchEmbedContents(body: unknown, model: string): ReadEmbeddings {
  const requests = listIn(readObject(body), "requests", "") ?? [];
  if (requests.length === 0) throw invalidValue("requests", "must not be empty");
  if (requests.length > MAX_INPUTS) {
    throw invalidValue("requests", `must have at most ${MAX_INPUTS} entries`);
  }
  const input: EmbeddingsInput[] = [];
  let shared: { readonly options: JsonObject; readonly text: string } | undefined;
  for (const [index, request] of requests.entries()) {
    const path = `requests[${index}]`;
    if (!isObject(request)) throw invalidValue(path, "must be an object");
    input.push(readContent(request, path));
    const options = readOptions(request, path);
    const text = JSON.stringify(options);
    shared ??= { options, text };
    if (text !== shared.text) {
      throw invalidValue(path, "must have the same options as the first request");
    }
  }
  return {
    request: { model, input, ...shared?.options },
    toKind: () => embeddingsKind(writeAll),
  };
}

/** The text of a content, or its parts if not all are text. */
function readContent(request: JsonObject, path: string): EmbeddingsInput {
  const place = path === "" ? "content" : `${path}.content`;
  const content = objectIn(request, "content", path);
  if (content === undefined) throw invalidValue(place, "is required");
  const parts = listIn(content, "parts", place) ?? [];
  if (parts.length === 0) throw invalidValue(`${place}.parts`, "must not be empty");
  let text = "";
  for (const [at, part] of parts.entries()) {
    if (!isObject(part)) throw invalidValue(`${place}.parts[${at}]`, "must be an object");
    if (typeof part.text !== "string") return { parts };
    text += part.text;
  }
  if (text === "") throw invalidValue(place, "must not be empty");
  return text;
}

function readOptions(request: JsonObject, path: string): JsonObject {
  const rule = { min: 1, isInteger: true };
  const dimensions = numberIn(request, "outputDimensionality", path, rule);
  const input_type = stringIn(request, "taskType", path);
  const title = stringIn(request, "title", path);
  const truncate = memberOf(request, "autoTruncate");
  return {
    ...(dimensions !== undefined && { dimensions }),
    ...(input_type !== undefined && { input_type }),
    ...(title !== undefined && { title }),
    ...(typeof truncate === "boolean" && { truncate }),
  };
}

const writeOne: WriteVectors = async (answer, _, slice) => {
  const written = await writeValues(answer, slice);
  return written && `{"embedding":${written},${toUsage(answer)}}`;
};

const writeAll: WriteVectors = async (answer, _, slice) => {
  const written = await writeValues(answer, slice);
  return written && `{"embeddings":[${written}],${toUsage(answer)}}`;
};

function toUsage({ usage }: EmbeddingsAnswer): string {
  return `"usageMetadata":{"promptTokenCount":${toCount(usage.prompt_tokens)}}`;
}

/** Undefined if a vector cannot be read. */
async function writeValues(
  { vectors }: EmbeddingsAnswer,
  slice: TimeSlice,
): Promise<string | undefined> {
  const written = await writeEachVector(vectors, slice);
  return written?.map((numbers) => `{"values":${numbers}}`).join(",");
}
