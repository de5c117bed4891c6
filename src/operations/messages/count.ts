/** `POST /v1/messages/count_tokens`. */

import { countInput } from "../../chat/token_estimate.ts";
import { withoutOwnState } from "../../formats/messages/native_answers.ts";
import { readMessagesRequest } from "../../formats/messages/read_request.ts";
import type { CountOutline } from "../../formats/messages/schema.ts";
import { withVendorIds } from "../../features/reasoning_state/native_ids.ts";
import type { ConversionDeps } from "../conversion_deps.ts";
import { type CountRequest, toChatCounting, toNativeCounting } from "../counting.ts";

/**
 * The count of a request of the Messages API.
 *
 * @param outline the body with the members that every target needs checked
 * @param headers the caller's headers that are part of the format, by their names in lower case
 */
export function toMessagesCount(
  outline: CountOutline,
  headers: ReadonlyMap<string, string>,
  { interceptions }: Pick<ConversionDeps, "interceptions">,
): CountRequest {
  const { models: _, ...body } = outline;
  return {
    body,
    async toCounting(target, context) {
      const { adapter, settings } = target.provider;
      const api = adapter.native?.("messages", target.model, settings) ?? adapter.messagesCounter;
      if (api !== undefined) {
        const request = { body: withoutOwnState(body), headers, interceptions };
        return toNativeCounting(api, request, target, context);
      }
      const convert = () => {
        const converted = readMessagesRequest(body, false);
        context.receipt.include(converted.receipt);
        return converted;
      };
      return await toChatCounting(convert, interceptions, target, context);
    },
    estimate(family) {
      const { system, messages, tools } = withVendorIds(body);
      return countInput([system, messages], [tools]).tokens(family);
    },
    write: (tokens) => ({ input_tokens: tokens }),
  };
}
