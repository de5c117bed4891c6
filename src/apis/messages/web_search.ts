/**
 * The searches of other vendors' models as blocks of the Messages API. Their pages have no
 * encrypted content. Anthropic would reject such blocks, so they are never sent to it.
 *
 * Shapes: https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
 * (2026-11-25).
 */

import { type WebSearchCall, webSearchesOf } from "../chat/web_search.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, toList, toText } from "../../core/json/values.ts";

/** The prefix of search IDs that the gateway generates. */
const OWN_SEARCH = "srvtoolu_sluice_";

/** The two blocks of a search. */
export interface SearchBlocks {
  readonly call: JsonObject & { readonly input: JsonObject };
  readonly result: JsonObject;
}

/**
 * The blocks for the searches in a message or a delta.
 *
 * @param message the ID of the message
 * @param before the number of its earlier searches
 */
export function toSearchBlocks(
  answer: JsonObject,
  message: string,
  before = 0,
): readonly SearchBlocks[] {
  return webSearchesOf(answer).map((search, at) => {
    const id = `${OWN_SEARCH}${message.replace(/\W/g, "_")}_${before + at}`;
    return toBlocks(search, id);
  });
}

function toBlocks({ query, results }: WebSearchCall, id: string): SearchBlocks {
  const content = results.map(({ url, title }) => ({
    ...{ type: "web_search_result", url, title, encrypted_content: "", page_age: null },
  }));
  return {
    call: { type: "server_tool_use", id, name: "web_search", input: { query } },
    result: { type: "web_search_tool_result", tool_use_id: id, content },
  };
}

/** The citations of pages in a message or a delta. @param text the whole text before them */
export function toCitations({ annotations }: JsonObject, text: string): readonly JsonObject[] {
  return toList(annotations).flatMap((annotation) => {
    const citation = isObject(annotation) ? annotation.url_citation : undefined;
    if (!isObject(citation) || !isText(citation.url)) return [];
    const { url, title, start_index: start, end_index: end } = citation;
    const cited_text = typeof start === "number" && typeof end === "number"
      ? text.slice(start, end)
      : "";
    const type = "web_search_result_location";
    return [{ type, url, title: toText(title), encrypted_index: "", cited_text }];
  });
}

/** Whether a request has Anthropic's web search. */
export function asksWebSearch({ tools }: JsonObject): boolean {
  return toList(tools).some((tool) => isObject(tool) && isWebSearch(tool));
}

/** Whether a tool is Anthropic's web search, of any version. */
export function isWebSearch({ type }: JsonObject): boolean {
  return isText(type) && /^web_search_\d/.test(type);
}

/** Whether a block is a search of another vendor's model, or its result. */
export function isOwnSearch({ id, tool_use_id }: JsonObject): boolean {
  const name = id ?? tool_use_id;
  return isText(name) && name.startsWith(OWN_SEARCH);
}

/** A block without the citations of other vendors' searches; the same block if it has none. */
export function withoutOwnCitations(block: JsonObject): JsonObject {
  const { citations, ...rest } = block;
  if (!Array.isArray(citations) || !citations.some(isOwnCitation)) return block;
  const kept = citations.filter((one) => !isOwnCitation(one));
  return kept.length === 0 ? rest : { ...block, citations: kept };
}

function isOwnCitation(citation: unknown): boolean {
  return isObject(citation) && citation.type === "web_search_result_location" &&
    citation.encrypted_index === "";
}
