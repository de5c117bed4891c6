/** The types for reranking and moderation: requests, parameters, answers. */

import type { JsonObject } from "../core/json/object.ts";
import type { OperationApi, OperationCall, OperationRequest } from "./operation_api.ts";
import type { ContentSupport } from "./support.ts";

/** A text, or an object with a text or other members. */
export type RerankDocument = string | JsonObject;

/** A validated rerank request. */
export interface RerankRequest extends OperationRequest {
  readonly query: string | JsonObject;
  readonly documents: readonly RerankDocument[];
  /** The number of results; all documents if absent. */
  readonly top_n?: number;
  /** Whether results include their documents. */
  readonly return_documents?: boolean;
  /** The members of documents to rank by; all if absent. */
  readonly rank_fields?: readonly string[];
  readonly max_tokens_per_doc?: number;
  readonly max_chunks_per_doc?: number;
}

/** All known fields, in the order of printed tables. */
export const RERANK_PARAMETERS = [
  "top_n",
  "return_documents",
  "rank_fields",
  "max_tokens_per_doc",
  "max_chunks_per_doc",
] as const;
export type RerankParameter = (typeof RERANK_PARAMETERS)[number];

/** One document of an answer. */
export interface RerankResult {
  /** The document's position in the request. */
  readonly index: number;
  readonly score: number;
  /** The document as returned by the vendor. */
  readonly document?: unknown;
}

/** The content of one response. */
export interface RerankBody {
  readonly results: readonly RerankResult[];
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  /** Undefined if the vendor does not report them. */
  readonly tokens?: number | undefined;
  /** Searches that the vendor bills; undefined if it does not report them. */
  readonly searches?: number | undefined;
  /** Further members of the vendor's answer. */
  readonly extra?: JsonObject | undefined;
}

export type RerankCall = OperationCall<RerankRequest>;
export type RerankApi = OperationApi<RerankRequest, RerankBody, RerankParameter>;

/** Texts that are classified one by one, or the parts of one content. */
export type ModerationInput = readonly string[] | readonly JsonObject[];

/** A validated moderation request. */
export interface ModerationRequest extends OperationRequest {
  readonly input: string | ModerationInput;
}

/** All kinds of input except text. */
export const MODERATED_KINDS = ["image_url"] as const;
type ModeratedKind = (typeof MODERATED_KINDS)[number];

/** The content of one answer. */
export interface ModerationBody {
  /** In the order of the inputs: `categories`, `category_scores` and further members. */
  readonly results: readonly JsonObject[];
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  /** Tokens of the input; undefined if the vendor does not report them. */
  readonly tokens?: number | undefined;
  /** Further members of the vendor's answer. */
  readonly extra?: JsonObject | undefined;
}

export type ModerationCall = OperationCall<ModerationRequest>;

/** A vendor's moderation. */
export interface ModerationApi extends OperationApi<ModerationRequest, ModerationBody, never> {
  readonly contents: Readonly<Record<ModeratedKind, ContentSupport>>;
}
