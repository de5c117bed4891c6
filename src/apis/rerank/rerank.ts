/**
 * The rerank API: reads `POST /v1/rerank` and writes its answer, in the forms of Cohere, Jina,
 * Voyage and Hugging Face.
 *
 * https://docs.cohere.com/reference/rerank and https://api.jina.ai/redoc (2026-11).
 */

import { anyOf, integer, json, listOf, number, object, text, toSchema } from "../openapi.ts";
import type { JsonObject } from "../../core/json/object.ts";
import { isText, toObject } from "../../core/json/values.ts";
import {
  RERANK_PARAMETERS,
  type RerankBody,
  type RerankCall,
  type RerankRequest,
  type RerankResult,
} from "../../contract/rerank.ts";
import { TokenCounter, type TokenFamily } from "../../core/tokens/token_counter.ts";
import { type TokenEstimate, UNITS } from "../../core/units.ts";
import { addInput } from "../chat/token_estimate.ts";
import {
  inputUsage,
  NO_FIELD,
  type ReadUnary,
  type UnaryApi,
  type UnaryKind,
  type WriteContext,
  type WrittenAnswer,
} from "../operation.ts";
import * as z from "zod";
import { listOf as checkedList } from "../../contract/first_fault.ts";
import { modelMembers, readFields, readObject, withoutNulls } from "../read_fields.ts";

/** An answer before it is written. */
interface RerankAnswer {
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
function writeRerank(
  { id, model, results, searches, tokens, extra }: RerankAnswer,
  { documents, return_documents: repeats }: RerankRequest,
  form: RerankForm,
): string {
  const ranked = results.map(({ index, score, document: reported }) => {
    const repeated = repeats === true ? reported ?? documents[index] : reported;
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

const record = z.record(z.string(), z.unknown());

/** The members of a request that a schema checks. */
const rerankRequest = z.looseObject({
  ...modelMembers,
  query: z.union([z.string().min(1), record]),
  documents: checkedList(z.union([z.string(), record]), { min: 1, max: MAX_DOCUMENTS }),
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
type RerankForm = "results" | "data" | "list";

/**
 * Checks a parsed request body.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readRequest(body: unknown): ReadUnary<RerankRequest, RerankBody> {
  const original = readObject(body);
  const form = formOf(original);
  const { models, ...members } = readFields(FORMS[form](original), rerankRequest);
  return {
    request: withoutNulls(members) as unknown as RerankRequest,
    models: models ?? undefined,
    toKind: () => toKind(form),
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

const FORMS: Readonly<Record<RerankForm, (original: JsonObject) => JsonObject>> = {
  results: (original) => original,
  data: ({ top_k, ...original }) =>
    top_k == null ? original : { ...original, top_n: original.top_n ?? top_k },
  list: ({ texts, return_text, ...original }) => ({
    ...original,
    documents: texts,
    return_documents: return_text ?? false,
  }),
};

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

const STRUCTURAL: ReadonlySet<string> = new Set(["query", "documents"]);

function toKind(form: RerankForm): UnaryKind<RerankRequest, RerankBody> {
  return {
    name: "rerank",
    structural: STRUCTURAL,
    apiOf: ({ apis }) => apis.rerank,
    estimate,
    write: (body, call, context) => write(body, call, context, form),
  };
}

const ranked = object({ index: integer, relevance_score: number }, {
  document: anyOf(object({}), text),
});

/** Reranking. Rerank models support no other operation. */
export const rerank: UnaryApi<RerankRequest, RerankBody> = {
  ...toKind("results"),
  noun: "reranking",
  title: "Reranking",
  endpoints: [{
    path: "/v1/rerank",
    // Cohere's clients use the first path, and clients of self-hosted servers the second one.
    aliases: ["/v2/rerank", "/rerank"],
    explainedAs: "rerank",
    schema: rerankRequest,
    describe: () => ({
      tag: "Retrieval",
      summary: "Sort documents by relevance",
      request: ["RerankRequest", toSchema(rerankRequest)],
      answers: json("Ranking"),
      schemas: {
        Ranking: anyOf(
          object({ id: text, model: text, results: listOf(ranked) }, {
            data: listOf(ranked),
            meta: object({}),
            usage: object({}),
          }),
          listOf(object({ index: integer, score: number }, { text })),
        ),
      },
      example: { query: "cats", documents: ["a cat", "a dog"] },
    }),
    read: readRequest,
  }],
  parameters: RERANK_PARAMETERS,
  usualNotes: NO_FIELD,
};
