/** What a request of the Messages API would come to at each of its targets. */

import type { JsonObject } from "../../core/json/object.ts";
import type { Target } from "../../config/config.ts";
import type { Receipt } from "../../providers/contract/receipt.ts";
import {
  createChatExplainer,
  explainChain,
  type ExplainDeps,
  type ExplainedRequest,
  type ExplainInput,
} from "../../routing/explain.ts";
import { withinDepth } from "../../routing/prepare_request.ts";
import { withoutOwnState } from "./native_body.ts";
import { readMessagesRequest } from "./read_request.ts";
import type { MessagesOutline } from "./schema.ts";

/**
 * Explains a request. Nothing is sent.
 *
 * @param headers the caller's headers that belong to the format
 * @throws {GatewayError} `model_not_found`, or `too_large` for so many targets.
 */
export async function explainMessages(
  asked: MessagesOutline,
  headers: ReadonlyMap<string, string>,
  input: ExplainInput,
  deps: ExplainDeps,
): Promise<JsonObject> {
  const { models, ...body } = asked;
  const requested = { model: asked.model, models: models ?? undefined };
  return await explainChain(requested, input, deps, async () => {
    const conversion = withinDepth(() => readIfPossible(body));
    const explainChat = "chat" in conversion
      ? await createChatExplainer(conversion.chat, input, deps)
      : undefined;
    return (target, receipt) => {
      const native = explainNative(body, headers, target, receipt);
      if (native !== undefined) return native;
      if (explainChat === undefined || !("chat" in conversion)) throw conversion.thrown;
      receipt.include(conversion.receipt);
      return explainChat(target, receipt);
    };
  });
}

/** The converted request, or why there is none: a native target may take it all the same. */
function readIfPossible(
  body: JsonObject,
): (ReturnType<typeof readMessagesRequest> & { thrown?: undefined }) | {
  readonly thrown: unknown;
} {
  try {
    return readMessagesRequest(body);
  } catch (thrown) {
    return { thrown };
  }
}

function explainNative(
  body: JsonObject,
  headers: ReadonlyMap<string, string>,
  { provider, model, params = {} }: Target,
  receipt: Receipt,
): ExplainedRequest | undefined {
  const api = provider.adapter.native?.("messages", model, provider.settings);
  if (api === undefined) return undefined;
  const unsigned = api.toRequest({
    body: withoutOwnState(body),
    headers,
    params,
    model,
    provider: provider.settings,
    receipt,
    stream: body.stream === true,
  });
  return { unsigned, rows: [] };
}
