/** Requests of `POST /v1/embeddings`. */

import type { ModelRequest } from "../../routing/model_request.ts";
import { EmbeddingsOperation } from "./operation.ts";
import { writeEmbeddings } from "../../formats/embeddings/answer.ts";
import { readEmbeddingsRequest } from "../../formats/embeddings/request.ts";

/**
 * Reads a request.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readEmbeddings(body: unknown): ModelRequest {
  const { request, models } = readEmbeddingsRequest(body);
  return {
    models: { model: request.model, models },
    stream: false,
    createOperation: () => new EmbeddingsOperation(request, writeEmbeddings, true),
  };
}
