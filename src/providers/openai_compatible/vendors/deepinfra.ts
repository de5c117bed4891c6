import { nearestOf } from "../rewrites.ts";
import { dialectOf } from "../row.ts";
import { openAiCompatible } from "../adapter.ts";
import { NUMBERS_ALONE, OPENAI_EMBEDDINGS, TEXT_ALONE } from "../embeddings.ts";

/** DeepInfra (https://deepinfra.com/docs/openai_api, 2026-08). */
export const deepinfra = openAiCompatible(dialectOf({
  kind: "deepinfra",
  embeddings: {
    ...OPENAI_EMBEDDINGS,
    parameters: { encoding_format: NUMBERS_ALONE },
    inputs: TEXT_ALONE,
  },
  baseUrl: "https://api.deepinfra.com/v1/openai",
  anyParts: true,
  tokenLimit: "max_tokens",
  stops: 4,
  tiers: { priority: "priority" },
  replays: "reasoning_content",
  efforts: [[/./, nearestOf("none", "minimal", "low", "medium", "high", "xhigh")]],
}));
