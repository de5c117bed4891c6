import { toObject } from "../../../core/json/values.ts";
import { toFacts } from "../../shared/model_list.ts";
import { dialectModels } from "../model_list.ts";
import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { dialectEmbeddings } from "../embeddings.ts";
import { dialectRerank } from "../rerank.ts";
import { toUpstreamError } from "../errors.ts";
import { refused, renamed } from "../../../contract/support.ts";
import type { Failure, UpstreamError } from "../../../contract/vendor_request.ts";

/** llama.cpp's server (https://github.com/ggml-org/llama.cpp/tree/master/tools/server, 2026). */
export const llamacpp = openAiCompatible(dialectOf({
  kind: "llamacpp",
  models: dialectModels({
    hasDates: false,
    isOwn: (entry) => entry.owned_by === "llamacpp",
    facts: ({ meta }) => toFacts({ context: toObject(meta).n_ctx }),
  }),
  apis: {
    embeddings: dialectEmbeddings({ toError: toEmbeddingsError }),
    rerank: dialectRerank({}, { texts: true }),
  },
  completions: true,
  baseUrl: "http://127.0.0.1:8080/v1",
  rendersTemplates: true,
  messagesApi: { path: "/v1/messages", byDefault: false, counts: true, countsConverted: true },
  anyParts: true,
  local: true,
  parameters: {
    ...lacks("no such field", "n", "user"),
    reasoning_effort: renamed("chat_template_kwargs.reasoning_effort"),
  },
  toolChoice: { named: "only that tool" },
  content: { file: refused("no files") },
  replays: "reasoning_content",
}));

/**
 * An input longer than the server's batch causes a 500
 * (https://github.com/lemonade-sdk/lemonade/issues/3591, 2026).
 */
function toEmbeddingsError(failure: Failure): UpstreamError {
  const error = toUpstreamError(failure);
  const isTooLong = /too large to process/.test(error.message ?? "");
  return isTooLong ? { ...error, kind: "context_length" } : error;
}
