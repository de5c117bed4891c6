/** Shows what the targets of a request of the Messages API would get. */

import type { JsonObject } from "../../core/json/object.ts";
import { explain, type ExplainDeps, type ExplainInput } from "../../routing/explain.ts";
import { RequestImages } from "../../upstream/images/request_images.ts";
import { MessagesOperation } from "./operation.ts";
import type { MessagesOutline } from "./schema.ts";

/**
 * Explains a request. Nothing is sent.
 *
 * @param headers the caller's headers that are part of the format
 * @throws {GatewayError} `model_not_found`, or `too_large` for so many targets.
 */
export async function explainMessages(
  asked: MessagesOutline,
  headers: ReadonlyMap<string, string>,
  input: ExplainInput,
  deps: ExplainDeps,
): Promise<JsonObject> {
  const { key, config: { server } } = input;
  const { images, reasoningState, maxBody } = server;
  const requested = { model: asked.model, models: asked.models ?? undefined };
  return await explain(requested, input, deps, () =>
    new MessagesOperation(asked, {
      headers,
      images: new RequestImages(images, deps.download),
      readReasoning: (chat) => deps.reasoning.read(chat, key.name, reasoningState, maxBody),
    }));
}
