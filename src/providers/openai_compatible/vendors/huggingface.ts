import { withListedStop } from "../rewrites.ts";
import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";

/** Hugging Face's router to many providers (https://huggingface.co/docs/inference-providers, 2026-08-22). */
export const huggingface = openAiCompatible(dialectOf({
  kind: "huggingface",
  baseUrl: "https://router.huggingface.co/v1",
  rendersTemplates: true,
  anyParts: true,
  tokenLimit: "max_tokens",
  ranges: { top_logprobs: [0, 5] },
  stops: 4,
  parameters: lacks("no such field", "n", "logit_bias", "user"),
  rewrites: [withListedStop],
}));
