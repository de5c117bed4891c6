/**
 * The ranking API of Vertex AI Search:
 * https://docs.cloud.google.com/generative-ai-app-builder/docs/ranking and
 * https://docs.cloud.google.com/generative-ai-app-builder/docs/reference/rest/v1/projects.locations.rankingConfigs/rank
 * (2026-11).
 */

import { isObject } from "../../core/json/object.ts";
import type { RerankApi, RerankBody, RerankCall, RerankResult } from "../../contract/rerank.ts";
import { renamed } from "../../contract/support.ts";
import { memberOf } from "../shared/embeddings.ts";
import { AS_TEXT, BY_GATEWAY, isIndex, NO_FIELD, queryOf, textsOf } from "../shared/rerank.ts";
import type { Auth, ProviderSettings, VendorAnswer } from "../../contract/vendor_request.ts";

/** The URL and the credentials of requests. */
interface RankingApi {
  /** The address of the ranking configuration. */
  address(provider: ProviderSettings): string;
  auth(call: Pick<RerankCall, "provider">): Auth;
}

const NO_DETAILS = "ignoreRecordDetailsInResponse";

/** Reranking on Vertex AI. */
export function vertexRerank({ address, auth }: RankingApi): RerankApi {
  return {
    supports: {
      parameters: {
        top_n: renamed("topN"),
        return_documents: BY_GATEWAY,
        rank_fields: AS_TEXT,
        max_tokens_per_doc: NO_FIELD,
        max_chunks_per_doc: NO_FIELD,
      },
      extensions: {},
    },
    adds: { [NO_DETAILS]: "true: the gateway has the documents" },
    toRequest(call) {
      call.changes.add(NO_DETAILS);
      return {
        url: `${address(call.provider)}:rank`,
        headers: {},
        auth: auth(call),
        body: {
          model: call.model.upstream,
          query: queryOf(call),
          records: textsOf(call).map((content, index) => ({ id: String(index), content })),
          ...call.fields,
          [NO_DETAILS]: true,
        },
      };
    },
    toBody,
  };
}

function toBody(
  { body }: VendorAnswer,
  { request: { documents } }: RerankCall,
): RerankBody | undefined {
  const records = memberOf(body, "records");
  if (!Array.isArray(records)) return undefined;
  const results: RerankResult[] = [];
  for (const record of records) {
    const { id, score } = isObject(record) ? record : {};
    const index = Number(id);
    if (!isIndex(index, documents.length) || typeof score !== "number") return undefined;
    results.push({ index, score });
  }
  return { results };
}
