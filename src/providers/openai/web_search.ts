/**
 * Web search of the Responses API: the tool, and the items of its searches.
 *
 * Shapes: `WebSearchTool` and `WebSearchToolCall` of https://github.com/openai/openai-openapi
 * (v2.3.0, 2026-08-21).
 */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import { placeOf, type WebSearchCall } from "../../chat/web_search.ts";
import { isText, present, toList } from "../../core/json/values.ts";
import type { Call } from "../contract/adapter.ts";

/** What `include` must name for the pages of a search; else only cited pages are known. */
export const INCLUDE_PAGES = "web_search_call.action.sources";

/** The tool for `web_search_options`. */
export function toWebSearch(search: JsonObject, { receipt }: Call): JsonObject {
  const { search_context_size, filters } = search;
  const { allowed_domains, ...others } = isObject(filters) ? filters : {};
  for (const name of Object.keys(others)) receipt.ignore(`web_search_options.filters.${name}`);
  const place = placeOf(search);
  return present({
    type: "web_search",
    search_context_size: search_context_size ?? undefined,
    filters: allowed_domains === undefined ? undefined : { allowed_domains },
    user_location: place && { type: "approximate", ...place },
  });
}

/** The search of an output item; undefined for other items, and for the opening of a page. */
export function toSearch({ type, action }: JsonObject): WebSearchCall | undefined {
  if (type !== "web_search_call" || !isObject(action) || action.type !== "search") return undefined;
  const { query, queries, sources } = action;
  const pages = toList(sources).filter(isObject);
  return {
    query: isText(query) ? query : toList(queries).filter(isText).join("\n"),
    // The vendor names pages by their addresses alone.
    results: pages.flatMap(({ url, title }) =>
      isText(url) ? [{ url, title: isText(title) ? title : url }] : []
    ),
  };
}
