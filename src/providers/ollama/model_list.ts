/**
 * Ollama's list of models, and what it shows about each of them
 * (https://github.com/ollama/ollama/blob/main/docs/api.md, 2026-08).
 */

import type { JsonObject } from "../../core/json/object.ts";
import { isText, toList, toObject } from "../../core/json/values.ts";
import type { ProviderSettings, VendorRequest } from "../contract/adapter.ts";
import type { ModelFacts } from "../contract/model_facts.ts";
import type { ModelListApi } from "../contract/model_list.ts";
import { entriesOf, includesWord, listRequest, toFacts } from "../shared/model_list.ts";
import { urlOf } from "./native.ts";

/** `/api/tags`, then `/api/show` for the models of which it does not tell the capabilities. */
export const OLLAMA_MODELS: ModelListApi = {
  toRequests: (provider) => [listRequest(urlOf(provider, "tags"), { type: "bearer" })],
  read(body, request, provider) {
    const { model } = request.body;
    if (isText(model)) return { models: [{ id: model, facts: toShownFacts(toObject(body)) }] };
    const entries = entriesOf(toObject(body).models).filter(({ name }) => isText(name));
    return {
      models: entries.map((entry) => ({ id: String(entry.name), facts: toListedFacts(entry) })),
      next: entries.filter((entry) => !isComplete(entry))
        .map(({ name }) => toShow(provider, String(name))),
    };
  },
};

function toShow(provider: ProviderSettings, model: string): VendorRequest {
  return { url: urlOf(provider, "show"), headers: {}, body: { model }, auth: { type: "bearer" } };
}

/** Whether an entry of `/api/tags` tells all that `/api/show` would. */
function isComplete({ capabilities, details }: JsonObject): boolean {
  return Array.isArray(capabilities) && toObject(details).context_length !== undefined;
}

function toListedFacts({ capabilities, details }: JsonObject): ModelFacts {
  return toFacts({
    context: toObject(details).context_length,
    capabilities: toCapabilities(capabilities),
  });
}

/**
 * The context window in `num_ctx` of the model's file. Without it, the server chooses one by its
 * memory, up to that of the model's architecture.
 */
function toShownFacts({ capabilities, model_info: info, parameters }: JsonObject): ModelFacts {
  const [, chosen] = isText(parameters) ? /^num_ctx\s+(\d+)$/m.exec(parameters) ?? [] : [];
  const architecture = Object.entries(toObject(info))
    .find(([name]) => name.endsWith(".context_length"))?.[1];
  return toFacts({
    context: chosen === undefined ? architecture : Number(chosen),
    capabilities: toCapabilities(capabilities),
  });
}

function toCapabilities(words: unknown) {
  if (!Array.isArray(words)) return {};
  if (includesWord(words, "embedding") === true && !toList(words).includes("completion")) {
    return { embeddings: true };
  }
  return {
    tools: includesWord(words, "tools"),
    vision: includesWord(words, "vision"),
    reasoning: includesWord(words, "thinking"),
  };
}
