/** Reranking. */

import { OTHER_OPERATIONS } from "../../../contract/operations.ts";
import {
  RERANK_PARAMETERS,
  type RerankBody,
  type RerankCall,
  type RerankRequest,
  type RerankResult,
} from "../../../contract/rerank.ts";
import type { OperationKind } from "../../operation_kind.ts";
import { TokenCounter, type TokenFamily } from "../../../core/tokens/token_counter.ts";
import { addInput } from "../../../apis/chat/token_estimate.ts";
import { UNITS } from "../../../core/units.ts";
import {
  readRerankRequest,
  type RerankAnswer,
  type RerankForm,
  writeRerank,
} from "../../../apis/rerank/rerank.ts";
import type { ApiKind } from "../../feature.ts";
import type { ParsedRequest } from "../../parsed_request.ts";
import type { TokenEstimate } from "../../operation.ts";
import {
  inputUsage,
  toTables,
  type UnaryKind,
  unaryRequest,
  type WriteContext,
  type WrittenAnswer,
} from "../unary/unary_operation.ts";

const API: ApiKind = { format: "rerank", idPrefix: "", operation: "rerank" };

/**
 * Reads a request.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readRerank(body: unknown): ParsedRequest {
  const { form, ...read } = readRerankRequest(body);
  return unaryRequest(API, read, false, () => toKind(form));
}

function toKind(form: RerankForm): UnaryKind<RerankRequest, RerankBody> {
  return {
    name: "rerank",
    structural: new Set(["query", "documents"]),
    apiOf: ({ rerank }) => rerank,
    estimate,
    write: (body, call, context) => write(body, call, context, form),
  };
}

/** The number of documents per search: https://cohere.com/pricing (2026-10-18). */
const DOCUMENTS_PER_SEARCH = 100;

/** The number of searches of a request, for vendors that do not report it. */
function searchesOf({ documents }: RerankRequest): number {
  return Math.ceil(documents.length / DOCUMENTS_PER_SEARCH);
}

/** The model reads the query with each document. */
function estimate(request: RerankRequest, family: TokenFamily): TokenEstimate {
  const [query, documents] = [new TokenCounter(), new TokenCounter()];
  addInput(request.query, query);
  addInput(request.documents, documents);
  const input = query.tokens(family) * request.documents.length + documents.tokens(family);
  return { input, maxOutput: 0, units: { searches: searchesOf(request) } };
}

function write(
  body: RerankBody,
  { model, request }: RerankCall,
  { id }: WriteContext,
  form: RerankForm,
): WrittenAnswer {
  const { tokens, extra = {} } = body;
  const searches = body.searches ?? searchesOf(request);
  const answer: RerankAnswer = {
    id: body.id ?? id,
    model: body.model ?? model.upstream,
    results: inOrder(body.results, request),
    searches: tokens === undefined ? searches : body.searches,
    tokens,
    extra,
  };
  const usage = { ...inputUsage(tokens ?? 0), [UNITS]: { searches } };
  return { text: writeRerank(answer, request, form), usage, id: answer.id, model: answer.model };
}

/** Sorts the results, the best first, and limits them to the requested number. */
function inOrder(
  results: readonly RerankResult[],
  { documents, top_n: most = documents.length }: RerankRequest,
): readonly RerankResult[] {
  return results.toSorted((one, other) => other.score - one.score).slice(0, most);
}

/** Reranking. Rerank models support no other operation. */
export const rerank: OperationKind = {
  name: "rerank",
  noun: "reranking",
  endpoints: [{
    path: "/v1/rerank",
    // Cohere's clients use the first path, and clients of self-hosted servers the second one.
    aliases: ["/v2/rerank", "/rerank"],
    explainedAs: "rerank",
    read: readRerank,
  }],
  models: OTHER_OPERATIONS.rerank,
  support: {
    group: { member: "rerank", title: "Reranking" },
    parameters: RERANK_PARAMETERS,
    contentMember: "documents",
    contents: [],
    tablesOf: ({ rerank: api }) => api && toTables(api),
    isUsual: ({ note }) => note === "no such field",
  },
};
