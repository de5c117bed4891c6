/** The contract of embeddings: requests, parameters, answers. */

import type { JsonObject } from "../core/json/object.ts";
import type {
  BatchLimits,
  OperationApi,
  OperationCall,
  OperationRequest,
} from "./operation_api.ts";
import type { ContentSupport } from "./support.ts";
import type { TargetModel } from "./vendor_request.ts";

/** One text, its tokens, or content that only some vendors support. */
export type EmbeddingsInput = string | readonly number[] | JsonObject | readonly JsonObject[];

/** A validated embeddings request. Its inputs are always a list. */
export interface EmbeddingsRequest extends OperationRequest {
  readonly input: readonly EmbeddingsInput[];
  /** The length of each vector. */
  readonly dimensions?: number;
  readonly encoding_format?: Encoding;
  readonly user?: string;
  /** The purpose of the vectors: one of the gateway's input types, or a value of the vendor. */
  readonly input_type?: string;
  /** The title of a document. */
  readonly title?: string;
  /** Whether, or at which end, the vendor may truncate inputs that are too long. */
  readonly truncate?: boolean | string;
}

/** The encoding of the vectors of an answer. */
export type Encoding = "float" | "base64";

/** A vector: its numbers, or float32 in little-endian bytes as base64. */
export type Vector = readonly number[] | string;

/** All known fields, in the order of printed tables. */
export const EMBEDDINGS_PARAMETERS = [
  "dimensions",
  "encoding_format",
  "user",
  "input_type",
  "title",
  "truncate",
] as const;
export type EmbeddingsParameter = (typeof EMBEDDINGS_PARAMETERS)[number];

/** All kinds of input except text. */
export const INPUT_KINDS = ["tokens", "parts"] as const;
export type InputKind = (typeof INPUT_KINDS)[number];

/** The content of one response. */
export interface EmbeddingsBody {
  /** In the order of the inputs. */
  readonly vectors: readonly Vector[];
  readonly model?: string | undefined;
  /** Tokens of the inputs; undefined if the vendor does not report them. */
  readonly tokens?: number | undefined;
  /** Further members of the vendor's usage. */
  readonly usage?: JsonObject | undefined;
  /** Further members of the vendor's answer. */
  readonly extra?: JsonObject | undefined;
}

/** One request to a target: all inputs, or one part of a batch that was split. */
export type EmbeddingsCall = OperationCall<EmbeddingsRequest>;

/** A vendor's embeddings. */
export interface EmbeddingsApi
  extends OperationApi<EmbeddingsRequest, EmbeddingsBody, EmbeddingsParameter> {
  readonly contents: Readonly<Record<InputKind, ContentSupport>>;
  limitsFor(model: TargetModel): BatchLimits;
}

/** The kind of an input; undefined for text. */
export function kindOfInput(input: EmbeddingsInput): InputKind | undefined {
  if (typeof input === "string") return undefined;
  return Array.isArray(input) && typeof input[0] === "number" ? "tokens" : "parts";
}
