/**
 * The publisher models of Vertex AI
 * (https://docs.cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/publishers.models, 2026-11-20).
 *
 * The list holds no limits and no prices, and does not tell which models the project may use.
 */

import type { JsonObject } from "../../core/json/object.ts";
import { isText, toObject } from "../../core/json/values.ts";
import type { Auth, ProviderSettings, VendorRequest } from "../contract/adapter.ts";
import type { ListedModel, ModelListApi } from "../contract/model_list.ts";
import { entriesOf, listRequest } from "../shared/model_list.ts";

/** The publishers whose models the adapter can call. */
const PUBLISHERS = ["google", "anthropic"] as const;

/** Families whose models the adapter can call, by the start of their IDs. */
const FAMILIES =
  /^(?:gemini-|gemma-|claude-|imagen-|text-embedding-|text-multilingual-embedding-|textembedding-)/;

/** @param baseOf the base URL of a provider, up to the version */
export function vertexModels(
  auth: Auth,
  baseOf: (provider: ProviderSettings) => string,
  projectOf: (provider: ProviderSettings) => string | undefined,
): ModelListApi {
  const toRequest = (
    provider: ProviderSettings,
    publisher: string,
    token?: string,
  ): VendorRequest => {
    // Only this version has the list.
    const base = baseOf(provider).replace(/\/v1$/, "/v1beta1");
    const page = token === undefined ? "" : `&pageToken=${encodeURIComponent(token)}`;
    const project = projectOf(provider);
    return {
      ...listRequest(`${base}/publishers/${publisher}/models?pageSize=100${page}`, auth),
      headers: project === undefined ? {} : { "x-goog-user-project": project },
    };
  };
  return {
    toRequests: (provider) => PUBLISHERS.map((publisher) => toRequest(provider, publisher)),
    read(body, { url }, provider) {
      const { nextPageToken: token, publisherModels } = toObject(body);
      // A publisher without models has an empty answer.
      const isEmpty = publisherModels === undefined && JSON.stringify(body) === "{}";
      const publisher = /\/publishers\/(\w+)\/models\?/.exec(url)?.[1] ?? "";
      return {
        models: isEmpty ? [] : entriesOf(publisherModels).flatMap(toModel),
        ...(isText(token) && { next: [toRequest(provider, publisher, token)] }),
      };
    },
  };
}

function toModel({ launchStage, name, versionId: version }: JsonObject): ListedModel[] {
  const id = isText(name) ? name.replace(/^.*\//, "") : "";
  if (!FAMILIES.test(id) || launchStage === "DEPRECATED") return [];
  // Versions of Claude models are part of their IDs.
  const isVersioned = id.startsWith("claude-") && isText(version) && version !== "default";
  return [{ id: isVersioned ? `${id}@${version}` : id, facts: {} }];
}
