import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { dialectEmbeddings, NUMBERS_ALONE } from "../embeddings.ts";
import { dialectRerank } from "../rerank.ts";

/** Novita (https://novita.ai/docs/api-reference/model-apis-llm-create-chat-completion, 2026). */
export const novita = openAiCompatible(dialectOf({
  kind: "novita",
  apis: {
    embeddings: dialectEmbeddings({ parameters: { encoding_format: NUMBERS_ALONE } }),
    // https://novita.ai/docs/api-reference/model-apis-llm-create-rerank (2026-11).
    rerank: dialectRerank({}, { texts: true, extensions: {} }),
  },
  completions: true,
  baseUrl: "https://api.novita.ai/openai/v1",
  rendersTemplates: true,
  anyParts: true,
  tokenLimit: "max_tokens",
  parameters: lacks("models take enable_thinking", "reasoning_effort"),
  replays: "reasoning_content",
  errorCodes: { NOT_ENOUGH_BALANCE: "quota" },
}));
