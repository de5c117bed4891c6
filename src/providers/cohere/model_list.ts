/** Cohere's list of models, of the older API (https://docs.cohere.com/reference/list-models, 2026-11-25). */

import type { JsonObject } from "../../core/json/object.ts";
import { isText, toObject } from "../../core/json/values.ts";
import type { ProviderSettings, VendorRequest } from "../contract/adapter.ts";
import type { Capability } from "../contract/model_facts.ts";
import type { ListedModel, ModelListApi } from "../contract/model_list.ts";
import { entriesOf, includesWord, listRequest, toFacts } from "../shared/model_list.ts";

/** What models do, by an endpoint of theirs; undefined for chat. */
const ENDPOINTS: readonly (readonly [endpoint: string, capability: Capability | undefined])[] = [
  ["chat", undefined],
  ["embed", "embeddings"],
  ["rerank", "rerank"],
];

/** The models that chat, embed or rerank, without deprecated ones. */
export const COHERE_MODELS: ModelListApi = {
  toRequests: (provider) => [toRequest(provider)],
  read(body, _, provider) {
    const { models, next_page_token: token } = toObject(body);
    return {
      models: entriesOf(models).filter(({ is_deprecated: old }) => old !== true).flatMap(toModel),
      ...(isText(token) && { next: [toRequest(provider, token)] }),
    };
  },
};

function toRequest({ baseUrl }: ProviderSettings, token?: string): VendorRequest {
  const page = token === undefined ? "" : `&page_token=${encodeURIComponent(token)}`;
  const url = `${baseUrl.replace(/\/v2$/, "/v1")}/models?page_size=1000${page}`;
  return listRequest(url, { type: "bearer" });
}

function toModel(
  { context_length: context, endpoints, features, name }: JsonObject,
): ListedModel[] {
  const [, capability] = ENDPOINTS.find(([endpoint]) => includesWord(endpoints, endpoint)) ?? [""];
  const isKnown = ENDPOINTS.some(([endpoint]) => includesWord(endpoints, endpoint));
  if (!isText(name) || !isKnown) return [];
  const capabilities = capability === undefined
    ? {
      tools: includesWord(features, "tools"),
      vision: includesWord(features, "vision"),
      json_schema: includesWord(features, "json_schema"),
      reasoning: includesWord(features, "reasoning"),
    }
    : { [capability]: true };
  return [{ id: name, facts: toFacts({ context, capabilities }) }];
}
