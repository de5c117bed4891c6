/**
 * The rerank API: reads `POST /v1/rerank` and writes its answer, in the forms of Cohere, Jina,
 * Voyage and Hugging Face.
 *
 * https://docs.cohere.com/reference/rerank and https://api.jina.ai/redoc (2026-11).
 */

import type { JsonObject } from "../../core/json/object.ts";
import { isText, toObject } from "../../core/json/values.ts";
import type { RerankRequest, RerankResult } from "../../contract/rerank.ts";
import * as z from "zod";
import { listOf } from "../../contract/first_fault.ts";
import { modelMembers, readFields, readObject, withoutNulls } from "../read_fields.ts";

/** An answer before it is written. */
export interface RerankAnswer {
  readonly id: string;
  readonly model: string;
  /** Sorted by relevance, the best first. */
  readonly results: readonly RerankResult[];
  /** The number of billed searches; undefined if the vendor bills tokens. */
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

/** An entry of Voyage's list, whose documents are strings. */
function withText<Entry extends JsonObject>(entry: Entry): Entry {
  const { text } = toObject(entry.document);
  return isText(text) ? { ...entry, document: text } : entry;
}

/** An entry of Hugging Face's list. */
function toEntry({ index, score, document }: RerankResult): JsonObject {
  if (document === undefined) return { index, score };
  const { text } = toObject(toDocument(document));
  return { index, score, text: isText(text) ? text : JSON.stringify(document) };
}

function toDocument(document: unknown): unknown {
  return typeof document === "string" ? { text: document } : document;
}

/** Cohere's limit: https://docs.cohere.com/reference/rerank (2026-11). */
const MAX_DOCUMENTS = 10_000;

const object = z.record(z.string(), z.unknown());

/** The members of a request that a schema checks. */
export const rerankRequest = z.looseObject({
  ...modelMembers,
  query: z.union([z.string().min(1), object]),
  documents: listOf(z.union([z.string(), object]), { min: 1, max: MAX_DOCUMENTS }),
  top_n: z.int().min(1).nullish(),
  return_documents: z.boolean().nullish(),
  rank_fields: z.array(z.string().min(1)).max(MAX_DOCUMENTS).nullish(),
  max_tokens_per_doc: z.int().min(1).nullish(),
  max_chunks_per_doc: z.int().min(1).nullish(),
});

/**
 * The form of an answer: that of Cohere and Jina, that of Voyage with its results as `data`, or the
 * list of Hugging Face's servers.
 */
export type RerankForm = "results" | "data" | "list";

/** A request, and the models to fall back to. */
interface ReadRerank {
  readonly form: RerankForm;
  readonly request: RerankRequest;
  readonly models: readonly string[] | undefined;
}

/**
 * Checks a parsed request body.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readRerankRequest(body: unknown): ReadRerank {
  const asked = readObject(body);
  const form = formOf(asked);
  const { models, ...members } = readFields(FORMS[form](asked), rerankRequest);
  return {
    form,
    request: withoutNulls(members) as unknown as RerankRequest,
    models: models ?? undefined,
  };
}

/**
 * Clients of Voyage require `data`, even if they send none of Voyage's members:
 * https://docs.voyageai.com/reference/reranker-api (2026-11). Hugging Face calls documents `texts`:
 * https://huggingface.github.io/text-embeddings-inference (2026-11).
 */
function formOf({ documents, texts, top_k, top_n, truncation, return_documents }: JsonObject) {
  if (documents == null && texts != null) return "list";
  const hasTopK = top_k != null || truncation != null;
  return hasTopK || return_documents != null && top_n == null ? "data" : "results";
}

const FORMS: Readonly<Record<RerankForm, (asked: JsonObject) => JsonObject>> = {
  results: (asked) => asked,
  data: ({ top_k, ...asked }) => top_k == null ? asked : { ...asked, top_n: asked.top_n ?? top_k },
  list: ({ texts, return_text, ...asked }) => ({
    ...asked,
    documents: texts,
    return_documents: return_text ?? false,
  }),
};
