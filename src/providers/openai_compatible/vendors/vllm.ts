import type { JsonObject } from "../../../contract/chat.ts";
import { isText } from "../../../core/json/values.ts";
import { dialectOf, lacks } from "../row.ts";
import { dialectModels } from "../model_list.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { dialectEmbeddings } from "../embeddings.ts";
import { dialectRerank, NO_CHOICE } from "../rerank.ts";
import { native, nativeAs, refused } from "../../../contract/support.ts";
import type { Call } from "../../../contract/vendor_request.ts";

/** vLLM (https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html, 2026). */
export const vllm = openAiCompatible(dialectOf({
  kind: "vllm",
  // https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/engine/protocol.py,
  // `ModelCard` (2026-11-22): `root` is the path or repository of the model.
  models: dialectModels({
    hasDates: false,
    isOwn: (entry) => entry.owned_by === "vllm",
    base: ({ parent, root }) => isText(root) && parent === null ? root : undefined,
  }),
  apis: {
    embeddings: dialectEmbeddings({
      parameters: { dimensions: nativeAs("Matryoshka models") },
      inputs: { parts: native },
    }),
    // Documents are always included: vllm/entrypoints/pooling/scoring/protocol.py (2026-11).
    rerank: dialectRerank({ return_documents: NO_CHOICE }),
  },
  completions: true,
  baseUrl: "http://127.0.0.1:8000/v1",
  rendersTemplates: true,
  // The tokenizer applies the model's chat template: `TokenizeChatRequest` of
  // https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/serve/tokenize/protocol.py
  // (2026-11-22).
  tokenizer: {
    path: "/tokenize",
    members: ["model", "messages", "tools", "chat_template_kwargs"],
    count: "count",
  },
  messagesApi: { path: "/v1/messages", byDefault: false, counts: true },
  anyParts: true,
  local: true,
  parameters: {
    ...lacks("no such field", "user"),
    n: nativeAs("1 with a temperature of 0"),
  },
  content: { file: refused("no files") },
  replays: "reasoning_content",
  rewrites: [withOneGreedyChoice],
}));

/** Several choices with temperature 0 are rejected (vllm/sampling_params.py, 2026). */
function withOneGreedyChoice(body: JsonObject, { changes }: Call): JsonObject {
  if (typeof body.n !== "number" || body.n === 1 || body.temperature !== 0) return body;
  changes.convert("n", body.n, 1);
  return { ...body, n: 1 };
}
