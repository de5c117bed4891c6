/**
 * Explains a chat request: the request that a target would get, and how its parameters are handled.
 */

import type { ChatRequest } from "../../../contract/chat.ts";
import type { Target } from "../../../config/config.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";
import { contentKindsIn, ignored, isParameter, ruleFor } from "../../../contract/support.ts";
import type { FeaturedChat } from "../../request_features.ts";
import { withPlaceholders } from "../../../upstream/images/request_images.ts";
import { addedRows, ChangeEntries, type Row, ruleOf } from "../../explained_changes.ts";
import type { ExplainContext, ExplainedRequest } from "../../operation.ts";
import { chatCaller } from "../../rejected_fields.ts";
import { check, convert } from "./prepare_request.ts";
import type { SupportedCall } from "./refusals.ts";
import { andThen } from "../../../core/steps.ts";

/** Converts a chat request for a target as an attempt does. Images are not downloaded. */
export function explainChat(
  chat: FeaturedChat,
  target: Target,
  { clock, newId, changes, state }: ExplainContext,
): ExplainedRequest | Promise<ExplainedRequest> {
  const { request } = chat;
  const checked = chat.call(check(target, request, changes, newId));
  const prepared = convert(withoutImages(checked), chat.features, target.provider.adapter);
  return andThen(prepared, ({ adapter, unsigned }) => {
    const rejections = state.rejectionsOf(target);
    const sent = rejections?.apply(unsigned, chatCaller(request, adapter), changes, clock) ??
      unsigned;
    return { unsigned: sent, rows: explainRows(checked, request, changes) };
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
  original: ChatRequest,
  changes: RequestChanges,
): readonly Row[] {
  const overrides = adapter.supportFor?.(call.request, call.model, call.provider) ?? {};
  const entries = new ChangeEntries(changes);
  // A value that only some vendors know may have been removed from the adapter's request.
  const given: ChatRequest = { ...call.request, ...original };
  const rows = Object.keys(given)
    .filter((name) => isParameter(name) && given[name] !== undefined)
    // The receipt has its members.
    .filter((name) => name !== "provider" || call.request.provider !== undefined)
    .map((name): Row => {
      const passed = call.request[name] !== undefined || call.fields[name] !== undefined;
      const rule = ruleFor(name, given, adapter.supports, overrides);
      return {
        ...entries.take(name, passed || rule?.level === "renamed" ? rule : LEFT_OUT),
        ...(original[name] === undefined && { from: "config" }),
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
  return [...rows, ...content, ...entries.remaining(), ...addedRows(changes, adapter.adds)];
}

const LEFT_OUT = ignored("the vendor does not know this value");
