/**
 * Models in Ollama's shape: https://github.com/ollama/ollama/blob/main/api/types.go (2026-08).
 *
 * Clients expect the members that describe a file of weights. The gateway has no files: their size
 * is 0, and their texts are empty.
 */

import type { JsonObject } from "../../core/json/object.ts";
import type { ModelFacts } from "../../providers/contract/model_facts.ts";
import type { ListedModel } from "../messages/models.ts";

/** A model, and the kind of its provider. */
export interface OllamaModel extends ListedModel {
  readonly target: ListedModel["target"] & {
    readonly provider: { readonly adapter: { readonly kind: string } };
  };
}

/** An entry of `/api/tags`. */
export function toTag(entry: OllamaModel): JsonObject {
  return {
    name: entry.id,
    model: entry.id,
    modified_at: toTime(entry),
    size: 0,
    digest: "",
    details: toDetails(entry),
    capabilities: toCapabilities(entry.target.model.facts),
  };
}

/** The answer of `/api/show`. */
export function toShown(entry: OllamaModel): JsonObject {
  const { id, label, target: { model: { facts }, provider: { adapter: { kind } } } } = entry;
  return {
    modelfile: "",
    parameters: "",
    template: "",
    details: toDetails(entry),
    model_info: {
      "general.architecture": kind,
      "general.basename": label?.display_name ?? id,
      ...(facts.context_window !== undefined && {
        [`${kind}.context_length`]: facts.context_window,
      }),
      ...(facts.dimensions !== undefined && { [`${kind}.embedding_length`]: facts.dimensions }),
    },
    capabilities: toCapabilities(facts),
    modified_at: toTime(entry),
  };
}

function toTime({ created }: OllamaModel): string {
  return new Date(created * 1000).toISOString().replace(".000Z", "Z");
}

function toDetails({ target: { model: { facts }, provider: { adapter: { kind } } } }: OllamaModel) {
  return {
    parent_model: "",
    format: "",
    family: kind,
    families: [kind],
    parameter_size: "",
    quantization_level: "",
    context_length: facts.context_window,
  };
}

/** The names of capabilities, where they differ. */
const CAPABILITIES = [["tools", "tools"], ["vision", "vision"], ["reasoning", "thinking"]] as const;

/** What a model can do, as far as it is known. */
function toCapabilities({ capabilities = {} }: ModelFacts): readonly string[] {
  if (capabilities.embeddings) return ["embedding"];
  const known = CAPABILITIES.flatMap(([own, name]) => capabilities[own] ? [name] : []);
  return ["completion", ...known];
}
