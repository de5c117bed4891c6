/**
 * The list of models in Gemini's shape: https://ai.google.dev/api/models (2026-11-24).
 */

import { invalidValue } from "../../core/invalid_value.ts";
import type { JsonObject } from "../../core/json/object.ts";
import type { ListedModel } from "../messages/models.ts";

const DEFAULT_PAGE = 50;
const MAX_PAGE = 1000;

/** One model. */
export function toGeminiModel({ id, label, target }: ListedModel): JsonObject {
  const { capabilities, context_window, max_output_tokens } = target.model.facts;
  return {
    name: `models/${id}`,
    version: "001",
    displayName: label?.display_name ?? id,
    ...(label?.description !== undefined && { description: label.description }),
    inputTokenLimit: context_window,
    outputTokenLimit: max_output_tokens,
    supportedGenerationMethods: capabilities?.embeddings
      ? ["embedContent", "batchEmbedContents"]
      : ["generateContent", "streamGenerateContent", "countTokens"],
  };
}

/**
 * One page of the list. The token of a page is the ID of the model before it.
 *
 * @throws {GatewayError} `invalid_value` for a page that does not exist.
 */
export function toGeminiPage(entries: readonly ListedModel[], query: URLSearchParams): JsonObject {
  const size = readSize(query.get("pageSize"));
  const token = query.get("pageToken");
  const after = token ? entries.findIndex(({ id }) => id === token) : -1;
  if (token && after === -1) {
    throw invalidValue("pageToken", "must be the 'nextPageToken' of a page");
  }
  const page = entries.slice(after + 1, after + 1 + size);
  const last = page.at(-1);
  const isLast = last === undefined || last === entries.at(-1);
  return {
    models: page.map(toGeminiModel),
    ...(!isLast && { nextPageToken: last.id }),
  };
}

/** Like Google, reduces a size over the maximum. */
function readSize(text: string | null): number {
  if (!text) return DEFAULT_PAGE;
  const size = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (size < 1) throw invalidValue("pageSize", "must be a whole number of at least 1");
  return Math.min(size, MAX_PAGE);
}
