/** Shows what the targets of a request of the Responses API would get. */

import type { JsonObject } from "../../core/json/object.ts";
import { explain, type ExplainDeps, type ExplainInput } from "../../routing/explain.ts";
import { RequestImages } from "../../upstream/images/request_images.ts";
import { AnswerMemory } from "./memory.ts";
import { ResponsesOperation } from "./operation.ts";
import type { ResponsesRequest } from "./request.ts";

/**
 * Explains a request. Nothing is sent.
 *
 * @throws {GatewayError} `model_not_found`, or `too_large` for so many targets.
 */
export async function explainResponses(
  asked: ResponsesRequest,
  input: ExplainInput,
  deps: ExplainDeps,
): Promise<JsonObject> {
  const { key, config: { server } } = input;
  const { images, reasoningState, maxBody } = server;
  return await explain(asked, input, deps, () =>
    new ResponsesOperation(asked, {
      images: new RequestImages(images, deps.download),
      memory: new AnswerMemory(deps.answers, key.name),
      readReasoning: (chat) => deps.reasoning.read(chat, key.name, reasoningState, maxBody),
    }));
}
