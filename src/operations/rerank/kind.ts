/** Reranking. */

import { RERANK_PARAMETERS, type RerankApi } from "../../providers/contract/rerank.ts";
import type { OperationKind } from "../../routing/operation_kind.ts";
import { readRerank } from "./model_request.ts";

/** Reranking. The models that rank have no other operation. */
export const rerank: OperationKind = {
  name: "rerank",
  noun: "reranking",
  endpoints: [{
    path: "/v1/rerank",
    // Cohere's clients use the first one, and clients of self-hosted servers the second one.
    aliases: ["/v2/rerank", "/rerank"],
    explainedAs: "rerank",
    read: readRerank,
  }],
  models: { capability: "rerank", noun: "a reranking model" },
  support: {
    group: { member: "rerank", title: "Reranking" },
    parameters: RERANK_PARAMETERS,
    contentMember: "documents",
    contents: [],
    tablesOf: ({ rerank: api }) => api && toTables(api),
    isUsual: ({ note }) => note === "no such field",
  },
};

function toTables({ supports: { parameters, extensions }, adds }: RerankApi) {
  return { parameters, contents: {}, extensions, adds };
}
