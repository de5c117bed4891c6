import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../adapter.ts";

/** NVIDIA NIM, hosted or one's own (https://docs.nvidia.com/nim/large-language-models, 2026). */
export const nvidia = openAiCompatible(dialectOf({
  kind: "nvidia",
  baseUrl: "https://integrate.api.nvidia.com/v1",
  anyParts: true,
  requestIdHeader: "nvcf-reqid",
  tokenLimit: "max_tokens",
  // Each model has a schema of its own, and refuses what stands outside of it.
  parameters: {
    ...lacks("no such field", "n", "user"),
    ...lacks("models take chat_template_kwargs", "reasoning_effort"),
  },
  names: false,
  // Lists are for users' messages only: https://github.com/earendil-works/pi/pull/1574 (2026-02-20).
  textParts: false,
  imageDataOnly: true,
}));
