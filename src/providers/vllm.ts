import { dialectOf, lacks } from "./dialect_row.ts";
import { openAiCompatible } from "./openai.ts";
import { refused } from "./support.ts";

/** vLLM (https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html, 2026). */
export const vllm = openAiCompatible(dialectOf({
  kind: "vllm",
  baseUrl: "http://127.0.0.1:8000/v1",
  local: true,
  parameters: lacks("no such field", "user"),
  content: { file: refused("no files") },
  replays: "reasoning_content",
}));
