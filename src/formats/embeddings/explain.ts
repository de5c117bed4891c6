/** Shows what the targets of a request for embeddings would get. */

import type { JsonObject } from "../../core/json/object.ts";
import type { AskedEmbeddings } from "../../routing/answer.ts";
import { explain, type ExplainDeps, type ExplainInput } from "../../routing/explain.ts";
import { EmbeddingsOperation } from "../../routing/operations/embeddings.ts";
import { writeEmbeddings } from "./answer.ts";

/**
 * Explains a request. Nothing is sent.
 *
 * @throws {GatewayError} `model_not_found`, or `too_large` for so many targets.
 */
export async function explainEmbeddings(
  { request, models }: AskedEmbeddings,
  input: ExplainInput,
  deps: ExplainDeps,
): Promise<JsonObject> {
  const requested = { model: request.model, models };
  const create = () => new EmbeddingsOperation(request, writeEmbeddings);
  return await explain(requested, input, deps, create);
}
