/**
 * Mistral's list of models. An alias such as `-latest` is an entry, too
 * (https://docs.mistral.ai/api/endpoint/models, 2026-11-25).
 */

import type { JsonObject } from "../../core/json/object.ts";
import { toObject } from "../../core/json/values.ts";
import type { ModelFacts } from "../contract/model_facts.ts";
import { dialectModels } from "../openai_compatible/model_list.ts";
import { toFacts } from "../shared/model_list.ts";

/** Capabilities of models that do not chat, by the words in their IDs. */
const OTHERS = [
  [/embed/, "embeddings"],
  [/moderation/, "moderation"],
] as const;

/** Models that chat, and those of other operations. */
export const MISTRAL_MODELS = dialectModels({
  // The current time.
  hasDates: false,
  isUsable: ({ archived, capabilities, id }) =>
    archived !== true &&
    (toObject(capabilities).completion_chat !== false ||
      OTHERS.some(([words]) => words.test(String(id)))),
  facts: toListedFacts,
});

function toListedFacts({ capabilities, id }: JsonObject): ModelFacts {
  const { function_calling: tools, vision, reasoning } = toObject(capabilities);
  const other = OTHERS.find(([words]) => words.test(String(id)))?.[1];
  return toFacts({
    capabilities: other === undefined
      ? { tools: toFlag(tools), vision: toFlag(vision), reasoning: toFlag(reasoning) }
      : { [other]: true },
  });
}

function toFlag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}
