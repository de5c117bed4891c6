/** `POST /v1/embeddings`. */

import { readEmbeddings } from "../../operations/embeddings/model_request.ts";
import { answerModelRequest } from "./model_request.ts";
import type { RouteContext, RouteResponse } from "./route.ts";

/** Answers with the vectors of the inputs, or explains that for `x-sluice-explain: true`. */
export async function embeddings(
  request: Request,
  context: RouteContext,
): Promise<RouteResponse> {
  return await answerModelRequest(request, context, readEmbeddings);
}
