/**
 * Reads the body of `POST /v1/rerank`: https://docs.cohere.com/reference/rerank and
 * https://api.jina.ai/redoc (2026-11).
 */

import * as z from "zod";
import { listOf } from "../../chat/first_fault.ts";
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

/** A request, and the models to fall back to. */
export interface ReadRerank {
  readonly request: RerankRequest;
  readonly models: readonly string[] | undefined;
}

/**
 * Checks a parsed request body.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readRerankRequest(body: unknown): ReadRerank {
  const { models, ...members } = readFields(readObject(body), rerankRequest);
  return {
    request: withoutNulls(members) as unknown as RerankRequest,
    models: models ?? undefined,
  };
}
