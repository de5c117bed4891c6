/** Traits of a request that the caller's format decides, and that are never sent to a vendor. */

import type { ChatRequest } from "./chat.ts";
import type { JsonObject } from "../core/json/object.ts";

/** The search that a caller of another format asks for. */
export interface WebSearch {
  /** The tool in the caller's request, for the receipt. */
  readonly tool: string;
  /** The value of `web_search_options`. */
  readonly options: JsonObject;
}

/** Properties of a converted request that chat requests have no member for. */
export interface RequestTraits {
  /** Whether the caller speaks another format than chat completions, with other rules for names. */
  readonly isConverted?: true;
  /** Whether the caller wants to see the reasoning. */
  readonly showsReasoning?: boolean;
  /** Whether `strict` may be dropped: the caller's format takes more schemas than OpenAI. */
  readonly relaxesStrict?: boolean;
  /** The web search that the caller asks for: only vendors that have one get it. */
  readonly webSearch?: WebSearch | undefined;
}

const TRAITS = Symbol("traits");

/** Adds traits to a request. Copies of it keep them. */
export function addTraits(request: object, traits: RequestTraits): void {
  Object.assign(request, { [TRAITS]: traits });
}

/** The traits of a request. */
export function traitsOf(request: ChatRequest): RequestTraits {
  return (request as { readonly [TRAITS]?: RequestTraits })[TRAITS] ?? NONE;
}

/** Whether a request has traits. */
export function hasTraits(request: ChatRequest): boolean {
  return TRAITS in request;
}

const NONE: RequestTraits = {};

/** Whether the caller wants to see the reasoning, and did not turn it off. */
export function showsReasoning(request: ChatRequest): boolean {
  return traitsOf(request).showsReasoning === true && request.reasoning_effort !== "none";
}
