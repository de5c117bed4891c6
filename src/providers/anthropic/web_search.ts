/**
 * Web search in the Messages API: the tool, and the blocks in an answer that used it.
 *
 * Shapes: https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
 * (2026-11-25).
 */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import { placeOf, toCitation, type WebSearchCall } from "../../apis/chat/web_search.ts";
import { InnerJson } from "../../core/json/inner_json.ts";
import { isText, present, toList, toObject, toText } from "../../core/json/values.ts";
import type { Call } from "../../contract/vendor_request.ts";

const NAME = "web_search";

/**
 * The tool for `web_search_options`; undefined without these options, or if a function has the
 * tool's name.
 */
export function toSearchTool(
  { request, changes }: Call,
  isTaken: (name: string) => boolean,
): JsonObject | undefined {
  const { web_search_options: search } = request;
  if (search === undefined) return undefined;
  if (!isObject(search) || isTaken(NAME)) {
    changes.ignore("web_search_options");
    return undefined;
  }
  changes.rename("web_search_options", "tools");
  const { filters, max_uses, search_context_size } = search;
  if (search_context_size != null) changes.ignore("web_search_options.search_context_size");
  const { allowed_domains, blocked_domains } = isObject(filters) ? filters : {};
  const place = placeOf(search);
  return present({
    type: "web_search_20250305",
    name: NAME,
    ...{ max_uses, allowed_domains, blocked_domains },
    user_location: place && { type: "approximate", ...place },
  });
}

/** A search without a result. */
export interface OpenSearch {
  query: string;
  /** The input of a stream, in pieces. */
  json: string;
}

/** Reads the searches in an answer: a call and its result are separate blocks. */
export class SearchReader {
  readonly #open = new Map<unknown, OpenSearch>();

  /** Called when a block begins; returns the call if it is a search. */
  begin({ id, name, input }: JsonObject): OpenSearch | undefined {
    if (name !== NAME) return undefined;
    const search = { query: toText(toObject(input).query), json: "" };
    this.#open.set(id, search);
    return search;
  }

  /** The whole search of a result; undefined for a result of another tool. */
  end({ tool_use_id: id, content }: JsonObject): WebSearchCall | undefined {
    const search = this.#open.get(id);
    if (search === undefined) return undefined;
    this.#open.delete(id);
    const pages = toList(content).filter(isObject);
    return {
      query: search.json === "" ? search.query : queryIn(search.json),
      results: pages.flatMap(({ url, title }) =>
        isText(url) ? [{ url, title: isText(title) ? title : url }] : []
      ),
    };
  }
}

function queryIn(json: string): string {
  try {
    return toText(toObject(new InnerJson().parse(json)).query);
  } catch {
    return "";
  }
}

/** The citation of a page in a text block; undefined for citations of documents. */
export function toPageCitation(
  citation: unknown,
  start: number,
  end: number,
): JsonObject | undefined {
  if (!isObject(citation) || citation.type !== "web_search_result_location") return undefined;
  const { url, title } = citation;
  if (!isText(url)) return undefined;
  return toCitation({ url, title: isText(title) ? title : url }, start, end);
}
