/** `POST /v1/embeddings`. */

import { writeEmbeddings } from "../../formats/embeddings/answer.ts";
import { explainEmbeddings } from "../../formats/embeddings/explain.ts";
import { readEmbeddingsRequest } from "../../formats/embeddings/request.ts";
import { createEmbeddings } from "../../routing/answer.ts";
import { readModelRequest, readOptions, respond, wantsExplanation } from "./model_request.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";

/** Answers with the vectors of the inputs, or explains that for `x-sluice-explain: true`. */
export async function embeddings(
  request: Request,
  context: RouteContext,
): Promise<RouteResponse> {
  const { config, record, key, deps } = context;
  const asked = readEmbeddingsRequest(await readModelRequest(request, context));
  if (record.slice?.isOver) await record.slice.next();
  const options = readOptions(request);
  if (wantsExplanation(request)) {
    const { strict } = options;
    const { bodyBytes: bytes } = record;
    const input = { strict, key, config, addresses: false, bytes };
    return json(await explainEmbeddings(asked, input, deps));
  }
  const reply = createEmbeddings(asked, writeEmbeddings, options, key, config, record, deps);
  return await respond(reply, context);
}
