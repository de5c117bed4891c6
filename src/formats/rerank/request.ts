/**
 * Reads the body of `POST /v1/rerank`: https://docs.cohere.com/reference/rerank and
 * https://api.jina.ai/redoc (2026-11).
 */

import * as z from "zod";
import { listOf } from "../../chat/first_fault.ts";
import type { JsonObject } from "../../core/json/object.ts";
import type { RerankRequest } from "../../providers/contract/rerank.ts";
import { modelMembers, readFields, readObject, withoutNulls } from "../read_fields.ts";

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
 * The form of an answer: of Cohere and Jina, also of Voyage with its results as `data`, or the list
 * of Hugging Face's servers.
 */
export type RerankForm = "results" | "data" | "list";

/** A request, and the models to fall back to. */
export interface ReadRerank {
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
 * Clients of Voyage require `data`, also those that send none of its own members:
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
