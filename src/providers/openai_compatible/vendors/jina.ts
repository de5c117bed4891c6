import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { dialectEmbeddings, TEXT_ALONE } from "../embeddings.ts";
import { dialectRerank } from "../rerank.ts";
import { ignored, native, nativeAs, renamed } from "../../../contract/support.ts";

/** Jina, embeddings and reranking (https://api.jina.ai/redoc, 2026-11). */
export const jina = openAiCompatible({
  kind: "jina",
  models: false,
  defaults: { baseUrl: "https://api.jina.ai/v1", credentials: "required" },
  chats: false,
  apis: {
    rerank: dialectRerank({ return_documents: nativeAs("true by default") }),
    embeddings: dialectEmbeddings({
      limits: { inputs: 512 },
      parameters: {
        encoding_format: renamed("embedding_type"),
        user: ignored("no such field"),
        input_type: renamed("task"),
        truncate: nativeAs("true or false"),
      },
      inputs: { ...TEXT_ALONE, parts: nativeAs("an object with a text or an image") },
      inputTypes: {
        field: "task",
        words: {
          search_query: "retrieval.query",
          search_document: "retrieval.passage",
          classification: "classification",
          clustering: "separation",
          similarity: "text-matching",
        },
        others: ["code.query", "code.passage"],
      },
      extensions: {
        task: native,
        late_chunking: native,
        normalized: native,
        embedding_type: native,
      },
      request({ truncate, ...body }, { changes }) {
        if (truncate === undefined) return body;
        if (typeof truncate === "boolean") return { ...body, truncate };
        changes.convert("truncate");
        return { ...body, truncate: truncate !== "NONE" };
      },
    }),
  },
});
