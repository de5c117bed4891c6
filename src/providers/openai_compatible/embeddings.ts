/** Embeddings in the OpenAI dialect: `POST /embeddings`. */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import type {
  EmbeddingsApi,
  EmbeddingsBody,
  EmbeddingsCall,
  EmbeddingsParameter,
  InputKind,
  Vector,
} from "../../contract/embeddings.ts";
import type { BatchLimits, FieldSupport } from "../../contract/operation_api.ts";
import {
  type ContentSupport,
  converted,
  ignored,
  native,
  nativeAs,
  refused,
  type Support,
} from "../../contract/support.ts";
import { type InputTypeTable, isVector, placesInputTypes } from "../shared/embeddings.ts";
import { isText } from "../../core/json/values.ts";
import type { AdditionTable, Auth, VendorAnswer } from "../../contract/vendor_request.ts";

/** How a vendor's embeddings differ from OpenAI's. */
export interface DialectEmbeddings {
  /** Default: OpenAI's. */
  readonly limits?: BatchLimits;
  /** Support levels that differ from OpenAI's. */
  readonly parameters?: Readonly<Partial<Record<EmbeddingsParameter, FieldSupport>>>;
  readonly inputs?: Readonly<Partial<Record<InputKind, ContentSupport>>>;
  readonly extensions?: "all" | Readonly<Record<string, Support>>;
  readonly inputTypes?: InputTypeTable;
  readonly adds?: AdditionTable;
  readonly limitsFor?: EmbeddingsApi["limitsFor"];
  readonly supportFor?: EmbeddingsApi["supportFor"];
  readonly auth?: Auth;
  /** The URL, if it is not `/embeddings`. */
  url?(call: EmbeddingsCall): string;
  /** The model name for the vendor, if it is not the model's `upstream`. */
  model?(call: EmbeddingsCall): string;
  /** Changes the complete body before it is sent. */
  request?(body: JsonObject, call: EmbeddingsCall): JsonObject;
  /** Reads a vector that is neither a list of numbers nor float32 as base64. */
  vector?(value: unknown): Vector | undefined;
  readonly toError?: EmbeddingsApi["toError"];
}

/** For vendors whose answers contain only numbers: they may reject the field. */
export const NUMBERS_ALONE = converted("the gateway encodes the numbers");
/** For vendors that do not accept tokens. */
export const TEXT_ALONE = { tokens: refused("text only") } as const;

const NONE = ignored("no such field");

/** OpenAI's limits: https://platform.openai.com/docs/api-reference/embeddings/create (2026-11). */
const OPENAI_LIMITS: BatchLimits = { inputs: 2048, tokens: 300_000 };

/** Embeddings for a vendor of the dialect. */
export function dialectEmbeddings(row: DialectEmbeddings): EmbeddingsApi {
  return {
    supports: {
      parameters: {
        dimensions: nativeAs("models that have several lengths"),
        encoding_format: native,
        user: native,
        input_type: NONE,
        title: NONE,
        truncate: NONE,
        ...row.parameters,
      },
      extensions: row.extensions ?? "all",
    },
    contents: { tokens: native, parts: refused("text only"), ...row.inputs },
    adds: row.adds ?? {},
    ...(row.inputTypes && { place: placesInputTypes(() => row.inputTypes) }),
    ...(row.supportFor && { supportFor: row.supportFor }),
    ...(row.toError && { toError: row.toError }),
    ...(row.vector === undefined && { passes: true }),
    limitsFor(model) {
      const limits = row.limitsFor?.(model) ?? row.limits ?? OPENAI_LIMITS;
      return { ...limits, inputs: model.facts.max_inputs ?? limits.inputs };
    },
    toRequest(call) {
      const { fields, model, provider, request: { input } } = call;
      const [first] = input;
      // A single text is sent without a list, as in the vendor's examples.
      const isOne = input.length === 1 && typeof first === "string";
      const body: JsonObject = {
        model: row.model?.(call) ?? model.upstream,
        input: isOne ? first : input,
        ...fields,
      };
      return {
        url: row.url?.(call) ?? `${provider.baseUrl}/embeddings`,
        headers: {},
        body: row.request?.(body, call) ?? body,
        auth: row.auth ?? { type: "bearer" },
      };
    },
    toBody: (answer) => toEmbeddings(answer, row),
  };
}

function toEmbeddings(
  { body }: VendorAnswer,
  { vector: read }: DialectEmbeddings,
): EmbeddingsBody | undefined {
  if (!isObject(body) || !Array.isArray(body.data)) return undefined;
  const { data, model, usage, object: _, ...extra } = body;
  const vectors = toVectors(data, read);
  if (vectors === undefined) return undefined;
  const { prompt_tokens, total_tokens, completion_tokens: __, ...counts } = isObject(usage)
    ? usage
    : {};
  // Voyage reports only the total.
  const tokens = [prompt_tokens, total_tokens].find((count) => typeof count === "number");
  return {
    vectors,
    model: isText(model) ? model : undefined,
    tokens: typeof tokens === "number" ? tokens : undefined,
    usage: counts,
    extra,
  };
}

/** The vectors in the order of their inputs. */
function toVectors(
  data: readonly unknown[],
  read: DialectEmbeddings["vector"],
): readonly Vector[] | undefined {
  const vectors: Vector[] = [];
  const indexes = data.map((entry) => isObject(entry) ? entry.index : undefined);
  const isNumbered = new Set(indexes).size === data.length &&
    indexes.every((index) => Number.isInteger(index) && isBelow(Number(index), data.length));
  for (const [position, entry] of data.entries()) {
    const given = isObject(entry) ? entry.embedding : undefined;
    const vector = read === undefined ? given : read(given);
    if (!isVector(vector)) return undefined;
    vectors[isNumbered ? Number(indexes[position]) : position] = vector;
  }
  return vectors;
}

function isBelow(index: number, length: number): boolean {
  return index >= 0 && index < length;
}
