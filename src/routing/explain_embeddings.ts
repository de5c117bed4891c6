/** Explains a request for embeddings: its targets, the first request to each, and why. */

import type { JsonObject } from "../chat/chat.ts";
import {
  embeddingsParametersOf,
  type EmbeddingsRequest,
  embeddingsRuleFor,
} from "../providers/contract/embeddings.ts";
import type { Receipt } from "../providers/contract/receipt.ts";
import type { AskedEmbeddings } from "./answer.ts";
import { explainChain, type ExplainDeps, type ExplainInput } from "./explain.ts";
import { addedRows, Notes, type Row } from "./explained_receipt.ts";
import { type CheckedEmbeddings, checkEmbeddings, splitInputs } from "./prepare_embeddings.ts";
import { withinDepth } from "./prepare_request.ts";

/**
 * Converts a request for each of its targets without sending anything.
 *
 * @throws {GatewayError} `model_not_found`, or `too_large` for so many targets.
 */
export async function explainEmbeddings(
  { request, models }: AskedEmbeddings,
  input: ExplainInput,
  deps: ExplainDeps,
): Promise<JsonObject> {
  const asked = { model: request.model, models };
  return await explainChain(asked, input, deps, () => (target, receipt) => {
    const checked = checkEmbeddings(target, request, receipt);
    const { api, call } = checked;
    const ranges = splitInputs(call.inputs, api.limitsFor(call.model));
    const inputs = call.inputs.slice(0, ranges[0]?.end);
    const unsigned = withinDepth(() => api.toRequest({ ...call, inputs }));
    const rows = toRows(checked, request, receipt);
    return { unsigned, rows, ...(ranges.length > 1 && { parts: ranges.length }) };
  });
}

function toRows(
  { api, call }: CheckedEmbeddings,
  asked: EmbeddingsRequest,
  receipt: Receipt,
): readonly Row[] {
  const notes = new Notes(receipt);
  const rows = embeddingsParametersOf(call.request).map((name): Row => ({
    ...notes.take(name, embeddingsRuleFor(name, api, call.model, call.provider)),
    ...(asked[name] === undefined && { from: "config" }),
  }));
  return [...rows, ...notes.rest(), ...addedRows(receipt, api.adds)];
}
