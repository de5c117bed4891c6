/** The fold of a chat's stream, from the parts that read the answer to one call. */

import type { CallerFormat, Envelope } from "../../../apis/chat/caller_format.ts";
import type { FieldPaths } from "../../../apis/chat/field_paths.ts";
import type { Target } from "../../../config/config.ts";
import { usdOf } from "../../../governance/cost.ts";
import type { Adapter } from "../../../contract/adapter.ts";
import type { FeaturedChat } from "../../request_features.ts";
import { StreamFold } from "../../../streaming/fold.ts";
import { toCallerError } from "../../../upstream/upstream_errors.ts";
import type { Call } from "../../../contract/vendor_request.ts";

/** The dependencies for reading the answer to one call. */
export interface ChatAnswerParts {
  readonly adapter: Adapter;
  readonly call: Call;
  readonly format: CallerFormat;
  readonly stamp: Envelope;
  readonly target: Target;
  /** The features of the chat, if there are any. */
  readonly chat?: FeaturedChat;
  /** The caller's own fields, if the caller speaks another format. */
  readonly origins?: FieldPaths | undefined;
  /** Whether more requests of the same attempt follow. */
  readonly isPart?: boolean;
}

/**
 * The fold for one call's stream: bytes of the vendor in, events for the caller out. Exported for
 * tests.
 *
 * @param learnsAfter as {@linkcode StreamFold} takes it; never if `upstream.template_cache` is
 * disabled
 */
export function createFold(
  { adapter, call, format, stamp, target, chat, origins }: ChatAnswerParts,
  learnsAfter = target.provider.templateCache ? undefined : Infinity,
): StreamFold {
  const decoder = adapter.decoder(call);
  const { prices } = target.model.facts;
  const writer = format.createStreamWriter(
    stamp,
    call.request,
    (usage, tier) => usdOf({ usage, prices, tier }),
  );
  const isRead = writer.isRepeatable === false || chat?.features.seesContent;
  const learns = isRead ? Infinity : learnsAfter;
  return new StreamFold({
    framing: adapter.framing,
    decoder: chat?.decoder(decoder, { adapter, call }) ?? decoder,
    writer,
    toError(upstreamError) {
      const error = toCallerError(upstreamError, target.provider, call.request);
      return origins?.locate(error) ?? error;
    },
    ...(learns === undefined ? {} : { learnsAfter: learns }),
  });
}
