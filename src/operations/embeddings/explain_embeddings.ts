/** Explains a request for embeddings: the first request that a target would get, and why. */

import { tokenFamilyOf } from "../../providers/shared/token_families.ts";
import type { Target } from "../../config/config.ts";
import {
  embeddingsParametersOf,
  type EmbeddingsRequest,
  embeddingsRuleFor,
} from "../../providers/contract/embeddings.ts";
import type { Interceptions } from "../../gateway/interceptions.ts";
import type { Receipt } from "../../providers/contract/receipt.ts";
import { addedRows, ReceiptEntries, type Row } from "../../routing/explained_receipt.ts";
import type { ExplainContext, ExplainedRequest } from "../../routing/operation.ts";
import { type CheckedEmbeddings, checkEmbeddings, splitInputs } from "./prepare_embeddings.ts";
import { withinDepth } from "../../core/within_depth.ts";

/** Embeddings have no marks for prompt caches. */
export const NO_MARKS = {};

/** Converts a request for a target as an attempt does; of a batch, its first part. */
export async function explainEmbeddings(
  request: EmbeddingsRequest,
  target: Target,
  { receipt }: ExplainContext,
  features: Interceptions,
): Promise<ExplainedRequest> {
  const checked = checkEmbeddings(target, request, receipt);
  const { adapter, api, call } = checked;
  const ranges = splitInputs(
    call.inputs,
    api.limitsFor(call.model),
    tokenFamilyOf(call.model.base),
  );
  const own = { ...call, inputs: call.inputs.slice(0, ranges[0]?.end) };
  const converted = withinDepth(() => api.toRequest(own));
  const unsigned = await features.send(converted, { ...own, api: NO_MARKS, adapter });
  const rows = toRows(checked, request, receipt);
  return { unsigned, rows, ...(ranges.length > 1 && { parts: ranges.length }) };
}

function toRows(
  { api, call }: CheckedEmbeddings,
  asked: EmbeddingsRequest,
  receipt: Receipt,
): readonly Row[] {
  const entries = new ReceiptEntries(receipt);
  const rows = embeddingsParametersOf(call.request).map((name): Row => ({
    ...entries.take(name, embeddingsRuleFor(name, api, call.model, call.provider)),
    ...(asked[name] === undefined && { from: "config" }),
  }));
  return [...rows, ...entries.remaining(), ...addedRows(receipt, api.adds)];
}
