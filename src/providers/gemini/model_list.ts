/** The list of models of the Gemini API (https://ai.google.dev/api/models, 2026-11-20). */

import type { JsonObject } from "../../core/json/object.ts";
import { isText, toObject } from "../../core/json/values.ts";
import type { Auth, ProviderSettings, VendorRequest } from "../contract/adapter.ts";
import type { Capability } from "../contract/model_facts.ts";
import type { ListedModel, ModelListApi } from "../contract/model_list.ts";
import { entriesOf, includesWord, listRequest, toFacts } from "../shared/model_list.ts";

/** What models do, by a method of theirs; undefined for chat. */
const METHODS: readonly (readonly [method: string, capability: Capability | undefined])[] = [
  ["generateContent", undefined],
  ["embedContent", "embeddings"],
  ["predict", "images"],
];

/** The models that generate content, embed or make images. */
export function geminiModels(auth: Auth): ModelListApi {
  const toRequest = ({ baseUrl }: ProviderSettings, token?: string): VendorRequest => {
    const page = token === undefined ? "" : `&pageToken=${encodeURIComponent(token)}`;
    return listRequest(`${baseUrl}/models?pageSize=1000${page}`, auth);
  };
  return {
    toRequests: (provider) => [toRequest(provider)],
    read(body, _, provider) {
      const { models, nextPageToken: token } = toObject(body);
      return {
        models: entriesOf(models).flatMap(toModel),
        ...(isText(token) && { next: [toRequest(provider, token)] }),
      };
    },
  };
}

function toModel(entry: JsonObject): ListedModel[] {
  const { displayName, name, supportedGenerationMethods: methods, thinking } = entry;
  const found = METHODS.find(([method]) => includesWord(methods, method));
  if (!isText(name) || found === undefined) return [];
  const [, capability] = found;
  return [{
    id: name.replace(/^models\//, ""),
    facts: toFacts({
      name: displayName,
      context: entry.inputTokenLimit,
      output: capability === undefined ? entry.outputTokenLimit : undefined,
      capabilities: capability === undefined
        ? { reasoning: typeof thinking === "boolean" ? thinking : undefined }
        : { [capability]: true },
    }),
  }];
}
