import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { native, nativeAs } from "../../../contract/support.ts";
import { usualInputType } from "../../shared/embeddings.ts";
import { dialectEmbeddings, NUMBERS_ALONE, TEXT_ALONE } from "../embeddings.ts";

/** NVIDIA NIM, hosted or self-hosted (https://docs.nvidia.com/nim/large-language-models, 2026). */
export const nvidia = openAiCompatible(dialectOf({
  kind: "nvidia",
  apis: {
    // https://docs.nvidia.com/nim/nemo-retriever/text-embedding/latest/reference.html (2026-11).
    embeddings: dialectEmbeddings({
      parameters: {
        encoding_format: NUMBERS_ALONE,
        input_type: nativeAs("query or passage"),
        truncate: native,
      },
      inputs: TEXT_ALONE,
      inputTypes: { words: { search_query: "query", search_document: "passage" } },
      adds: { input_type: "models that tell queries from passages require it" },
      request({ truncate, ...body }, call) {
        const end = typeof truncate === "boolean" ? (truncate ? "END" : "NONE") : truncate;
        if (end !== truncate) call.changes.convert("truncate");
        return {
          ...body,
          ...(end !== undefined && { truncate: end }),
          ...usualInputType(call, "input_type", "passage"),
        };
      },
    }),
  },
  baseUrl: "https://integrate.api.nvidia.com/v1",
  rendersTemplates: true,
  anyParts: true,
  requestIdHeader: "nvcf-reqid",
  tokenLimit: "max_tokens",
  // Each model has its own schema and rejects other members.
  parameters: {
    ...lacks("no such field", "n", "user"),
    ...lacks("models take chat_template_kwargs", "reasoning_effort"),
  },
  names: false,
  // Only user messages may have lists: https://github.com/earendil-works/pi/pull/1574 (2026-02-20).
  textParts: false,
  imageDataOnly: true,
}));
