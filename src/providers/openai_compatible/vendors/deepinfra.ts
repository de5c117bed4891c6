import { nearestOf } from "../rewrites.ts";
import { dialectOf } from "../row.ts";
import { dialectModels } from "../model_list.ts";
import type { JsonObject } from "../../../core/json/object.ts";
import { toObject } from "../../../core/json/values.ts";
import type { ModelFacts } from "../../../contract/model_facts.ts";
import { toFacts, toPrices } from "../../shared/model_list.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { dialectEmbeddings, NUMBERS_ALONE, TEXT_ALONE } from "../embeddings.ts";
import { hintAt, PROMPT_CACHE_KEY, SESSION_NOTE } from "../../shared/session_hints.ts";

/** DeepInfra (https://deepinfra.com/docs/openai_api, 2026-08). */
export const deepinfra = openAiCompatible(dialectOf({
  kind: "deepinfra",
  models: dialectModels({ facts: toListedFacts }),
  apis: {
    embeddings: dialectEmbeddings({
      parameters: { encoding_format: NUMBERS_ALONE },
      inputs: TEXT_ALONE,
    }),
  },
  completions: true,
  baseUrl: "https://api.deepinfra.com/v1/openai",
  rendersTemplates: true,
  anyParts: true,
  tokenLimit: "max_tokens",
  stops: 4,
  tiers: { priority: "priority" },
  // https://docs.deepinfra.com/chat/prompt-caching (2026-11-25).
  sessionHint: hintAt(/^(?:.+\.)?deepinfra\.com$/, { member: PROMPT_CACHE_KEY }),
  adds: { [PROMPT_CACHE_KEY]: SESSION_NOTE },
  replays: "reasoning_content",
  efforts: [[/./, nearestOf("none", "minimal", "low", "medium", "high", "xhigh")]],
}));

/** Prices are in USD per million tokens (https://deepinfra.com/docs/openai_api, 2026-11-25). */
function toListedFacts(entry: JsonObject): ModelFacts {
  const { context_length: context, max_tokens: output, pricing } = toObject(entry.metadata);
  const prices = toObject(pricing);
  return toFacts({
    ...{ context, output },
    prices: toPrices({
      input: prices.input_tokens,
      output: prices.output_tokens,
      cachedInput: prices.cache_read_tokens,
    }, 1e6),
  });
}
