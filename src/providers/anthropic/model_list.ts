/** Anthropic's list of models (https://platform.claude.com/docs/en/api/models/list, 2026-11-25). */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, toObject } from "../../core/json/values.ts";
import type { ProviderSettings, VendorRequest } from "../contract/adapter.ts";
import type { ListedModel, ModelListApi } from "../contract/model_list.ts";
import { entriesOf, listRequest, toFacts, toSeconds } from "../shared/model_list.ts";

/** The most entries of a page. */
const PAGE_SIZE = 1000;

/** The list, without retired models. */
export function anthropicModels(
  versionOf: (provider: ProviderSettings) => string,
): ModelListApi {
  const toRequest = (provider: ProviderSettings, after?: string): VendorRequest => ({
    ...listRequest(
      `${provider.baseUrl}/models?limit=${PAGE_SIZE}` +
        (after === undefined ? "" : `&after_id=${encodeURIComponent(after)}`),
      { type: "header", name: "x-api-key" },
    ),
    headers: { "anthropic-version": versionOf(provider) },
  });
  return {
    toRequests: (provider) => [toRequest(provider)],
    read(body, _, provider) {
      const { data, has_more: hasMore, last_id: last } = toObject(body);
      const entries = entriesOf(data);
      return {
        models: entries.filter(({ lifecycle }) => lifecycle !== "retired").flatMap(toModel),
        ...(hasMore === true && isText(last) && { next: [toRequest(provider, last)] }),
      };
    },
  };
}

function toModel(entry: JsonObject): ListedModel[] {
  const { id, capabilities, created_at: created, display_name: name } = entry;
  if (!isText(id)) return [];
  const { image_input: image, structured_outputs: schema, thinking } = toObject(capabilities);
  return [{
    id,
    facts: toFacts({
      ...{ name, created: toSeconds(created) },
      context: entry.max_input_tokens,
      output: entry.max_tokens,
      capabilities: {
        vision: isSupported(image),
        json_schema: isSupported(schema),
        reasoning: isSupported(thinking),
      },
    }),
  }];
}

/** Whether a capability is supported; undefined if the list does not tell. */
function isSupported(capability: unknown): boolean | undefined {
  const value = isObject(capability) ? capability.supported : capability;
  return typeof value === "boolean" ? value : undefined;
}
