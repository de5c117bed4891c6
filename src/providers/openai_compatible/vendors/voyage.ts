import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { dialectEmbeddings, TEXT_ALONE } from "../embeddings.ts";
import { dialectRerank } from "../rerank.ts";
import { ignored, native, nativeAs, renamed } from "../../../contract/support.ts";
import type { TargetModel } from "../../../contract/vendor_request.ts";

/**
 * Voyage, embeddings and reranking (https://docs.voyageai.com/reference/embeddings-api and
 * https://docs.voyageai.com/reference/reranker-api, 2026-11).
 */
export const voyage = openAiCompatible({
  kind: "voyage",
  models: false,
  defaults: { baseUrl: "https://api.voyageai.com/v1", credentials: "required" },
  chats: false,
  apis: {
    rerank: dialectRerank({ top_n: renamed("top_k"), return_documents: native }, {
      texts: true,
      extensions: { truncation: native },
    }),
    embeddings: dialectEmbeddings({
      limits: { inputs: 1000, tokens: 120_000 },
      limitsFor: (model) => ({ inputs: 1000, tokens: mostTokens(model) }),
      parameters: {
        dimensions: renamed("output_dimension"),
        encoding_format: nativeAs("only base64, as numbers are the default"),
        user: ignored("no such field"),
        input_type: nativeAs("query or document"),
        truncate: renamed("truncation", "true or false"),
      },
      inputs: TEXT_ALONE,
      inputTypes: { words: { search_query: "query", search_document: "document" } },
      extensions: { truncation: native, output_dtype: native },
      request({ encoding_format: format, truncation, ...body }, { changes }) {
        const isFlag = typeof truncation === "boolean";
        if (truncation !== undefined && !isFlag) changes.convert("truncate");
        return {
          ...body,
          ...(format === "base64" && { encoding_format: format }),
          ...(truncation !== undefined &&
            { truncation: isFlag ? truncation : truncation !== "NONE" }),
        };
      },
    }),
  },
});

/**
 * The maximum number of tokens per request: https://docs.voyageai.com/docs/embeddings (2026-11).
 */
function mostTokens({ base }: TargetModel): number {
  if (base.endsWith("-lite")) return 1_000_000;
  return /^voyage-(?:4|3\.5)$/.test(base) ? 320_000 : 120_000;
}
