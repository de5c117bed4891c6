/**
 * Converts vendor web search between formats: the caller's settings and the searches of the model.
 *
 * The request is `web_search_options` of chat completions, with additional `filters` and `max_uses`
 * (https://platform.openai.com/docs/api-reference/chat/create, 2026-11). Answers in that format
 * have no member for searches; the gateway adds `web_search_calls` next to `annotations`, for
 * formats that have them.
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, toList, toText } from "../../core/json/values.ts";
import type { ChatRequest } from "../../contract/chat.ts";

/** The search settings in a request in another format. */
export interface WebSearch {
  /** The tool in the caller's request, for the receipt. */
  readonly tool: string;
  /** The value of `web_search_options`. */
  readonly options: JsonObject;
}

/** Properties of a converted request that are not members of chat requests. */
interface RequestTraits {
  /**
   * Whether the caller uses a format other than chat completions, with different rules for names.
   */
  readonly isConverted?: true;
  /** Whether the caller requested the reasoning. */
  readonly showsReasoning?: boolean;
  /** Whether `strict` may be dropped: the caller's format accepts more schemas than OpenAI. */
  readonly relaxesStrict?: boolean;
  /** The requested web search: it is sent only to vendors that support it. */
  readonly webSearch?: WebSearch | undefined;
}

const TRAITS = Symbol("traits");

/** Adds traits to a request. Copies of it keep them. */
export function addTraits(request: object, traits: RequestTraits): void {
  Object.assign(request, { [TRAITS]: traits });
}

/** The traits of a request. */
export function traitsOf(request: ChatRequest): RequestTraits {
  return (request as { readonly [TRAITS]?: RequestTraits })[TRAITS] ?? NO_TRAITS;
}

/** Whether a request has traits. */
export function hasTraits(request: ChatRequest): boolean {
  return TRAITS in request;
}

const NO_TRAITS: RequestTraits = {};

/** Whether the caller requested the reasoning, and has not disabled it. */
export function showsReasoning(request: ChatRequest): boolean {
  return traitsOf(request).showsReasoning === true && request.reasoning_effort !== "none";
}

/** A page that a search found. */
export interface FoundPage {
  readonly url: string;
  readonly title: string;
}

/** One search of an answer. */
export interface WebSearchCall {
  readonly query: string;
  readonly results: readonly FoundPage[];
}

/** The searches in a message or a delta. Those of unknown vendors may have any form. */
export function webSearchesOf({ web_search_calls: calls }: JsonObject): readonly WebSearchCall[] {
  if (calls === undefined) return NONE;
  return toList(calls).filter(isObject).map(({ query, results }) => ({
    query: toText(query),
    results: toList(results).filter(isObject).filter(({ url }) => isText(url))
      .map(({ url, title }) => ({ url: toText(url), title: toText(title) })),
  }));
}

const NONE: readonly WebSearchCall[] = [];

/** The request with its search as a member. */
export function withWebSearch(request: ChatRequest, { options }: WebSearch): ChatRequest {
  return { ...request, web_search_options: options } as ChatRequest;
}

/** Whether the caller's format has a member for searches: chat completions have none. */
export function returnsSearches(request: ChatRequest): boolean {
  return traitsOf(request).webSearch !== undefined;
}

/** The user's location, not nested; undefined if absent. */
export function placeOf({ user_location: place }: JsonObject): JsonObject | undefined {
  return isObject(place) && isObject(place.approximate) ? place.approximate : undefined;
}

/** A citation of a page in the format of chat completions. */
export function toCitation(page: FoundPage, start: number, end: number): JsonObject {
  const { url, title } = page;
  return { type: "url_citation", url_citation: { url, title, start_index: start, end_index: end } };
}
