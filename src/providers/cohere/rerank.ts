/** Cohere's reranking: https://docs.cohere.com/reference/rerank (2026-11). */

import { isObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { RerankApi, RerankBody, RerankCall } from "../../contract/rerank.ts";
import { native } from "../../contract/support.ts";
import { memberOf } from "../shared/embeddings.ts";
import {
  AS_TEXT,
  BY_GATEWAY,
  countIn,
  NO_FIELD,
  queryOf,
  readResults,
  textsOf,
} from "../shared/rerank.ts";
import type { VendorAnswer } from "../../contract/vendor_request.ts";

/** Cohere's reranking, version 2. */
export const cohereRerank: RerankApi = {
  supports: {
    parameters: {
      top_n: native,
      return_documents: BY_GATEWAY,
      rank_fields: AS_TEXT,
      max_tokens_per_doc: native,
      max_chunks_per_doc: NO_FIELD,
    },
    extensions: { priority: native },
  },
  adds: {},
  toRequest: (call) => ({
    url: `${call.provider.baseUrl}/rerank`,
    headers: {},
    auth: { type: "bearer" },
    body: {
      model: call.model.upstream,
      query: queryOf(call),
      documents: textsOf(call),
      ...call.fields,
    },
  }),
  toBody,
};

function toBody({ body }: VendorAnswer, call: RerankCall): RerankBody | undefined {
  const results = readResults(memberOf(body, "results"), call);
  if (!isObject(body) || results === undefined) return undefined;
  const { id, results: _, ...extra } = body;
  const units = memberOf(extra.meta, "billed_units");
  return {
    results,
    id: isText(id) ? id : undefined,
    searches: countIn(units, "search_units"),
    extra,
  };
}
