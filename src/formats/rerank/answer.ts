/**
 * Writes the answer of `POST /v1/rerank` with the members of Cohere's answers and of Jina's:
 * https://docs.cohere.com/reference/rerank and https://api.jina.ai/redoc (2026-11).
 */

import type { JsonObject } from "../../core/json/object.ts";
import { isText, toObject } from "../../core/json/values.ts";
import type { RerankRequest, RerankResult } from "../../providers/contract/rerank.ts";
import type { RerankForm } from "./request.ts";

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
  form: RerankForm,
): string {
  const ranked = results.map(({ index, score, document: told }) => {
    const repeated = repeats === true ? told ?? documents[index] : told;
    const document = repeats === false ? undefined : repeated;
    return { index, score, document };
  });
  if (form === "list") return JSON.stringify(ranked.map(toEntry));
  const entries = ranked.map(({ index, score: relevance_score, document }) => ({
    index,
    relevance_score,
    ...(document !== undefined && { document: toDocument(document) }),
  }));
  return JSON.stringify({
    id,
    object: "list",
    model,
    results: entries,
    ...(form === "data" && { data: entries.map(withText) }),
    ...(tokens !== undefined && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
    ...extra,
    ...(searches !== undefined && {
      meta: { ...(extra.meta as JsonObject | undefined), billed_units: { search_units: searches } },
    }),
  });
}

/** An entry of a list of Voyage, whose documents are texts. */
function withText<Entry extends JsonObject>(entry: Entry): Entry {
  const { text } = toObject(entry.document);
  return isText(text) ? { ...entry, document: text } : entry;
}

/** An entry of a list of Hugging Face. */
function toEntry({ index, score, document }: RerankResult): JsonObject {
  if (document === undefined) return { index, score };
  const { text } = toObject(toDocument(document));
  return { index, score, text: isText(text) ? text : JSON.stringify(document) };
}

function toDocument(document: unknown): unknown {
  return typeof document === "string" ? { text: document } : document;
}
