/**
 * Google Search: the tool, and the grounding of an answer.
 *
 * Shapes: https://ai.google.dev/gemini-api/docs/google-search (2026-11-25).
 */

import { type ChatRequest, isObject, type JsonObject } from "../../contract/chat.ts";
import {
  type FoundPage,
  returnsSearches,
  toCitation,
  type WebSearchCall,
} from "../../apis/chat/web_search.ts";
import { isText, toCount, toList } from "../../core/json/values.ts";
import type { Call } from "../../contract/vendor_request.ts";

/**
 * Whether a request asks for a supported search.
 *
 * @param combines whether the model can search and call functions in one answer
 */
export function asksSearch(request: ChatRequest, combines: boolean): boolean {
  return request.web_search_options !== undefined && (combines || !hasFunctions(request));
}

/** Whether a request has functions. */
export function hasFunctions({ tools = [], functions = [] }: ChatRequest): boolean {
  return tools.length + functions.length > 0;
}

/** The search tool, which has no options. */
export function toSearchTool({ request, changes }: Call): JsonObject {
  const { web_search_options: options } = request;
  changes.rename("web_search_options", "tools.googleSearch");
  for (const name of Object.keys(isObject(options) ? options : {})) {
    changes.ignore(`web_search_options.${name}`);
  }
  return { googleSearch: {} };
}

/**
 * The citations and searches of a candidate as members of its message; undefined if there are none.
 *
 * @param text the whole text of the candidate
 */
export function readGrounding(
  metadata: unknown,
  text: string,
  request: ChatRequest,
): JsonObject | undefined {
  if (!isObject(metadata)) return undefined;
  const pages = toList(metadata.groundingChunks).map(toPage);
  const annotations = toAnnotations(toList(metadata.groundingSupports), pages, text);
  const queries = toList(metadata.webSearchQueries).filter(isText);
  const found = pages.filter((page) => page !== undefined);
  const searches = returnsSearches(request) ? toSearches(queries, found) : [];
  if (annotations.length + searches.length === 0) return undefined;
  return {
    ...(annotations.length > 0 && { annotations }),
    ...(searches.length > 0 && { web_search_calls: searches }),
  };
}

/**
 * The vendor does not say which query found which page, so all pages are assigned to the last one.
 */
function toSearches(queries: readonly string[], pages: readonly FoundPage[]): WebSearchCall[] {
  const requested = queries.length === 0 && pages.length > 0 ? [""] : queries;
  return requested.map((query, at) => ({
    query,
    results: at === requested.length - 1 ? pages : [],
  }));
}

function toPage(chunk: unknown): FoundPage | undefined {
  const page = isObject(chunk) ? chunk.web : undefined;
  if (!isObject(page) || !isText(page.uri)) return undefined;
  return { url: page.uri, title: isText(page.title) ? page.title : page.uri };
}

function toAnnotations(
  supports: readonly unknown[],
  pages: readonly (FoundPage | undefined)[],
  text: string,
): JsonObject[] {
  const segments = supports.filter(isObject).map(({ segment, groundingChunkIndices: cited }) => {
    const { startIndex, endIndex } = isObject(segment) ? segment : {};
    return { start: toCount(startIndex), end: toCount(endIndex), cited: toList(cited) };
  });
  const indexOf = toIndices(text, segments.flatMap(({ start, end }) => [start, end]));
  return segments.flatMap(({ start, end, cited }) =>
    cited.flatMap((index) => {
      const page = typeof index === "number" ? pages[index] : undefined;
      return page === undefined ? [] : [toCitation(page, indexOf(start), indexOf(end))];
    })
  );
}

/** Converts UTF-8 byte offsets, which the vendor uses, to UTF-16 units in one pass. */
function toIndices(text: string, offsets: readonly number[]): (offset: number) => number {
  const sorted = [...new Set(offsets)].sort((one, other) => one - other);
  const indices = new Map<number, number>();
  let [bytes, index, next] = [0, 0, 0];
  for (const character of sorted.length === 0 ? "" : text) {
    for (; (sorted[next] ?? Infinity) <= bytes; next++) indices.set(sorted[next] ?? 0, index);
    if (next === sorted.length) break;
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    index += character.length;
  }
  return (offset) => indices.get(offset) ?? index;
}
