/**
 * Explains a chat request: the request that a target would get, and how its parameters are handled.
 */

import type { ChatRequest } from "../../../contract/chat.ts";
import type { Target } from "../../../config/config.ts";
import type { Receipt } from "../../../contract/receipt.ts";
import { contentKindsIn, ignored, isParameter, ruleFor } from "../../../contract/support.ts";
import type { FeaturedChat } from "../../request_features.ts";
import { withPlaceholders } from "../../../upstream/images/request_images.ts";
import { addedRows, ReceiptEntries, type Row, ruleOf } from "../../explained_receipt.ts";
import type { ExplainContext, ExplainedRequest } from "../../operation.ts";
import { chatCaller } from "../../rejected_fields.ts";
import { check, convert } from "./prepare_request.ts";
import type { SupportedCall } from "./refusals.ts";
import { andThen } from "../../../core/steps.ts";

/** Converts a chat request for a target as an attempt does. Images are not downloaded. */
export function explainChat(
  chat: FeaturedChat,
  target: Target,
  { clock, newId, receipt, state }: ExplainContext,
): ExplainedRequest | Promise<ExplainedRequest> {
  const { request } = chat;
  const checked = chat.call(check(target, request, receipt, newId));
  const prepared = convert(withoutImages(checked), chat.features, target.provider.adapter);
  return andThen(prepared, ({ adapter, unsigned }) => {
    const rejections = state.rejectionsOf(target);
    const sent = rejections.isEmpty
      ? unsigned
      : rejections.apply(unsigned, chatCaller(request, adapter), receipt, clock);
    return { unsigned: sent, rows: explainRows(checked, request, receipt) };
  });
}

/** Replaces images that would be downloaded with a placeholder of one pixel. */
function withoutImages({ adapter, call }: SupportedCall): SupportedCall {
  const messages = withPlaceholders(call.request.messages, adapter.imageSources);
  return { adapter, call: { ...call, request: { ...call.request, messages } } };
}

/** How the parameters of a chat request were handled for a target. */
export function explainRows(
  { adapter, call }: SupportedCall,
  asked: ChatRequest,
  receipt: Receipt,
): readonly Row[] {
  const overrides = adapter.supportFor?.(call.request, call.model, call.provider) ?? {};
  const entries = new ReceiptEntries(receipt);
  // A value that only some vendors know may have been removed from the adapter's request.
  const given: ChatRequest = { ...call.request, ...asked };
  const rows = Object.keys(given)
    .filter((name) => isParameter(name) && given[name] !== undefined)
    // The receipt has its members.
    .filter((name) => name !== "provider" || call.request.provider !== undefined)
    .map((name): Row => {
      const passed = call.request[name] !== undefined || call.fields[name] !== undefined;
      const rule = ruleFor(name, given, adapter.supports, overrides);
      return {
        ...entries.take(name, passed || rule?.level === "renamed" ? rule : LEFT_OUT),
        ...(asked[name] === undefined && { from: "config" }),
      };
    });
  const content = contentKindsIn(call.request).map((kind): Row => {
    const support = adapter.supports.content[kind];
    const fate = support.level === "converted" ? "converted" : "as is";
    return {
      parameter: kind,
      fate: support.level === "ignored" ? "ignored" : fate,
      ...ruleOf(support),
    };
  });
  return [...rows, ...content, ...entries.remaining(), ...addedRows(receipt, adapter.adds)];
}

const LEFT_OUT = ignored("the vendor does not know this value");
