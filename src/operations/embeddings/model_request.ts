/** Requests of `POST /v1/embeddings`. */

import type { ApiKind } from "../../gateway/feature.ts";
import type { ModelRequest } from "../../routing/model_request.ts";
import { createOperation } from "../conversion_deps.ts";
import { EmbeddingsOperation } from "./operation.ts";
import { readEmbeddingsRequest, writeEmbeddings } from "../../formats/embeddings/embeddings.ts";

const API: ApiKind = { format: "embeddings", idPrefix: "", operation: "embeddings" };

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
    caller: { api: API, body: request },
    createOperation: (context) =>
      createOperation(
        context,
        request,
        (body, features) => new EmbeddingsOperation(body, writeEmbeddings, features, true),
      ),
  };
}
