import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../adapter.ts";
import { refused, renamed } from "../../contract/support.ts";

/** llama.cpp's server (https://github.com/ggml-org/llama.cpp/tree/master/tools/server, 2026). */
export const llamacpp = openAiCompatible(dialectOf({
  kind: "llamacpp",
  baseUrl: "http://127.0.0.1:8080/v1",
  anyParts: true,
  local: true,
  parameters: {
    ...lacks("no such field", "n", "user"),
    reasoning_effort: renamed("chat_template_kwargs.reasoning_effort"),
  },
  toolChoice: { named: "that tool alone" },
  content: { file: refused("no files") },
  replays: "reasoning_content",
}));
