/** Reranking with Jina's API, and servers compatible with it: `POST /rerank`. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { OperationTables } from "../../contract/operation_api.ts";
import type { RerankApi, RerankBody, RerankCall, RerankParameter } from "../../contract/rerank.ts";
import { converted, native, type Support } from "../../contract/support.ts";
import {
  AS_TEXT,
  BY_GATEWAY,
  countIn,
  NO_FIELD,
  queryOf,
  readResults,
  textsOf,
} from "../shared/rerank.ts";
import type { VendorAnswer, VendorRequest } from "../../contract/vendor_request.ts";

/** For servers that always include documents. */
export const NO_CHOICE: Support = converted("the gateway keeps or removes the documents");

interface RerankRules {
  /** Whether query and documents must be texts. */
  readonly texts?: boolean;
  readonly extensions?: OperationTables["extensions"];
}

/**
 * Reranking for a vendor of the dialect.
 *
 * @param own support levels that differ
 */
export function dialectRerank(
  own: Readonly<Partial<Record<RerankParameter, Support>>>,
  { texts = false, extensions = "all" }: RerankRules = {},
): RerankApi {
  return {
    supports: {
      parameters: {
        top_n: native,
        return_documents: BY_GATEWAY,
        rank_fields: texts ? AS_TEXT : NO_FIELD,
        max_tokens_per_doc: extensions === "all" ? native : NO_FIELD,
        max_chunks_per_doc: extensions === "all" ? native : NO_FIELD,
        ...own,
      },
      extensions,
    },
    adds: {},
    toRequest: (call) => toRequest(call, texts),
    toBody,
  };
}

function toRequest(call: RerankCall, texts: boolean): VendorRequest {
  const { fields, model, provider, request } = call;
  return {
    url: `${provider.baseUrl}/rerank`,
    headers: {},
    body: {
      model: model.upstream,
      query: texts ? queryOf(call) : request.query,
      documents: texts ? textsOf(call) : request.documents,
      ...fields,
    },
    auth: { type: "bearer" },
  };
}

/** Some vendors call the results `data`, as in OpenAI's lists, or send the list alone. */
function toBody({ body }: VendorAnswer, call: RerankCall): RerankBody | undefined {
  if (Array.isArray(body)) {
    const results = readResults(body, call);
    return results && { results };
  }
  if (!isObject(body)) return undefined;
  const { id, model, results, data, usage, object: _, total_tokens, ...extra } = body;
  const read = readResults(results ?? data, call);
  if (read === undefined) return undefined;
  const meta: JsonObject = isObject(extra.meta) ? extra.meta : {};
  return {
    results: read,
    id: isText(id) ? id : undefined,
    model: isText(model) ? model : undefined,
    tokens: countIn(usage, "total_tokens", "prompt_tokens") ??
      countIn({ total_tokens }, "total_tokens"),
    searches: countIn(meta.billed_units, "search_units"),
    extra,
  };
}
