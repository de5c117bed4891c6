/** The endpoints of Ollama's API that a model answers. */

import {
  readAnswerRequest,
  readEmbeddingsRequest,
  readEmbedRequest,
  type ReadOllama,
} from "./model_request.ts";

/** One endpoint: `POST`, with a JSON body that names a model. */
export interface OllamaEndpoint {
  readonly path: `/api/${string}`;
  /** The name of the format in `sluice explain`. */
  readonly explainedAs: string;
  readonly read: ReadOllama;
}

/** All endpoints. */
export const OLLAMA_ENDPOINTS: readonly OllamaEndpoint[] = [
  { path: "/api/chat", explainedAs: "ollama_chat", read: readAnswerRequest("chat") },
  { path: "/api/generate", explainedAs: "ollama_generate", read: readAnswerRequest("generate") },
  { path: "/api/embed", explainedAs: "ollama_embed", read: readEmbedRequest },
  { path: "/api/embeddings", explainedAs: "ollama_embeddings", read: readEmbeddingsRequest },
];
