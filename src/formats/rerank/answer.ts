/**
 * Writes the answer of `POST /v1/rerank` with the members of Cohere's answers and of Jina's:
 * https://docs.cohere.com/reference/rerank and https://api.jina.ai/redoc (2026-11).
 */

import type { JsonObject } from "../../core/json/object.ts";
import type {
  RerankDocument,
  RerankRequest,
  RerankResult,
} from "../../providers/contract/rerank.ts";

/** An answer before it is written. */
export interface RerankAnswer {
  readonly id: string;
  readonly model: string;
  /** With the best first. */
  readonly results: readonly RerankResult[];
  /** Searches that the vendor bills; undefined if it bills tokens. */
  readonly searches: number | undefined;
  /** Tokens that the vendor reports. */
  readonly tokens: number | undefined;
  /** Further members of the vendor's answer. */
  readonly extra: JsonObject;
}

/** The text of an answer. The gateway adds documents that the vendor does not repeat. */
export function writeRerank(
  { id, model, results, searches, tokens, extra }: RerankAnswer,
  { documents, return_documents: repeats }: RerankRequest,
): string {
  return JSON.stringify({
    id,
    object: "list",
    model,
    results: results.map(({ index, score, document }) => {
      const repeated = repeats === true ? document ?? toDocument(documents[index]) : document;
      return {
        index,
        relevance_score: score,
        ...(repeats !== false && repeated !== undefined && { document: repeated }),
      };
    }),
    ...(tokens !== undefined && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
    ...extra,
    ...(searches !== undefined && {
      meta: { ...(extra.meta as JsonObject | undefined), billed_units: { search_units: searches } },
    }),
  });
}

function toDocument(document: RerankDocument | undefined): unknown {
  return typeof document === "string" ? { text: document } : document;
}
