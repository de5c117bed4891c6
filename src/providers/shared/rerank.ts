/** Shared parts of vendors' reranking: documents as text, and readers of results. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import { GatewayError } from "../../core/errors.ts";
import type { RerankCall, RerankDocument, RerankResult } from "../../contract/rerank.ts";
import { converted, ignored } from "../../contract/support.ts";

/** For fields that a vendor does not support. */
export const NO_FIELD = ignored("no such field");
/** For vendors that do not include documents. */
export const BY_GATEWAY = converted("the gateway adds the documents");
/** For vendors that accept documents only as text. */
export const AS_TEXT = converted("documents are reduced to the text of these members");

/**
 * The query of a call to a vendor that accepts only text.
 *
 * @throws {GatewayError} `unsupported_content` for any other.
 */
export function queryOf({ request: { query } }: RerankCall): string {
  const text = typeof query === "string" ? query : query.text;
  if (isText(text)) return text;
  throw new GatewayError("unsupported_content", "The provider takes only text as the query", {
    param: "query",
  });
}

/**
 * The documents of a call to a vendor that accepts only text. An object with members other than
 * `text` becomes JSON.
 *
 * @throws {GatewayError} `unsupported_content` for images.
 */
export function textsOf(
  { changes, request: { documents, rank_fields } }: RerankCall,
): string[] {
  if (documents.some(isObject)) changes.convert("documents");
  return documents.map((document, index) => toText(document, index, rank_fields));
}

function toText(
  document: RerankDocument,
  index: number,
  fields: readonly string[] | undefined,
): string {
  if (typeof document === "string") return document;
  if ("image" in document || "image_url" in document) {
    throw new GatewayError("unsupported_content", "The provider takes no images as documents", {
      param: `documents[${index}]`,
    });
  }
  const kept = fields === undefined
    ? document
    : Object.fromEntries(Object.entries(document).filter(([name]) => fields.includes(name)));
  const { text, ...others } = kept;
  return isText(text) && Object.keys(others).length === 0 ? text : JSON.stringify(kept);
}

/**
 * Reads the results of an answer; undefined if they are not scores for documents of the request.
 *
 * @param list entries with an `index` and a `relevance_score`, or a `score`
 */
export function readResults(
  list: unknown,
  { request: { documents } }: RerankCall,
): readonly RerankResult[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const results: RerankResult[] = [];
  for (const entry of list) {
    if (!isObject(entry)) return undefined;
    const { index, relevance_score, score = relevance_score, document = entry.text } = entry;
    if (!isIndex(index, documents.length) || !isNumber(score)) return undefined;
    results.push({ index, score, ...(document != null && { document }) });
  }
  return results;
}

/** Whether a value is the position of a document. */
export function isIndex(value: unknown, length: number): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < length;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** A count; undefined if the vendor reports none. */
export function countIn(holder: unknown, ...names: readonly string[]): number | undefined {
  const members: JsonObject = isObject(holder) ? holder : {};
  const found = names.map((name) => members[name]).find((count) =>
    Number.isSafeInteger(count) && Number(count) >= 0
  );
  return found === undefined ? undefined : Number(found);
}
