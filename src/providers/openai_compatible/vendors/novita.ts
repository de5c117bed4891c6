import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../adapter.ts";

/** Novita (https://novita.ai/docs/api-reference/model-apis-llm-create-chat-completion, 2026). */
export const novita = openAiCompatible(dialectOf({
  kind: "novita",
  baseUrl: "https://api.novita.ai/openai/v1",
  anyParts: true,
  tokenLimit: "max_tokens",
  parameters: lacks("models take enable_thinking", "reasoning_effort"),
  replays: "reasoning_content",
  errorCodes: { NOT_ENOUGH_BALANCE: "quota" },
}));
