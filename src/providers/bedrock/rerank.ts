/**
 * Reranking models on AWS Bedrock, by `InvokeModel`: Cohere's and Amazon's.
 *
 * Shapes: https://docs.aws.amazon.com/bedrock/latest/userguide/rerank-supported.html and
 * https://docs.aws.amazon.com/bedrock/latest/userguide/rerank-use.html (2026-11).
 */

import type { RerankApi, RerankBody, RerankCall } from "../../contract/rerank.ts";
import { ignored, native, nativeAs } from "../../contract/support.ts";
import { memberOf } from "../shared/embeddings.ts";
import { AS_TEXT, BY_GATEWAY, NO_FIELD, queryOf, readResults, textsOf } from "../shared/rerank.ts";
import type { ResourceOf } from "./embeddings.ts";
import type { VendorAnswer } from "../../contract/vendor_request.ts";

const API_VERSION = "api_version";

/** Reranking on Bedrock. */
export function bedrockRerank(resourceOf: ResourceOf): RerankApi {
  return {
    supports: {
      parameters: {
        top_n: native,
        return_documents: BY_GATEWAY,
        rank_fields: AS_TEXT,
        max_tokens_per_doc: nativeAs("Cohere's models"),
        max_chunks_per_doc: NO_FIELD,
      },
      extensions: {},
    },
    adds: { [API_VERSION]: "2: the version of Cohere's API, which its models require" },
    supportFor: (model) =>
      isCohere(model) ? {} : { max_tokens_per_doc: ignored("only Cohere's models have it") },
    toRequest(call) {
      const isVersioned = isCohere(call.model);
      if (isVersioned) call.changes.add(API_VERSION);
      return {
        url: `${resourceOf(call)}/invoke`,
        headers: {},
        auth: { type: "sigv4", service: "bedrock", region: String(call.provider.options.region) },
        body: {
          query: queryOf(call),
          documents: textsOf(call),
          ...call.fields,
          ...(isVersioned && { [API_VERSION]: 2 }),
        },
      };
    },
    toBody,
  };
}

function isCohere({ base, upstream }: RerankCall["model"]): boolean {
  return /cohere/.test(base) || /cohere/.test(upstream);
}

function toBody({ body }: VendorAnswer, call: RerankCall): RerankBody | undefined {
  const results = readResults(memberOf(body, "results"), call);
  return results && { results };
}
