/** `POST /v1/responses/input_tokens`. */

import type { ResponsesRequest } from "../../formats/responses/to_chat.ts";
import type { ConversionDeps } from "../conversion_deps.ts";
import { type CountRequest, toChatCounting, toNativeCounting } from "../counting.ts";
import type { TargetRequests } from "./target_requests.ts";

/** The count of a request of the Responses API. */
export function toResponsesCount(
  body: ResponsesRequest,
  requests: TargetRequests,
  { interceptions }: Pick<ConversionDeps, "interceptions">,
): CountRequest {
  return {
    body,
    async toCounting(target, context) {
      const api = requests.nativeApiOf(target);
      if (api !== undefined) {
        const request = await requests.toNative(target, context.receipt);
        return toNativeCounting(api, request, target, context);
      }
      const { request } = await requests.convert();
      for (const name of request.ignored) context.receipt.ignore(name);
      return await toChatCounting(() => request, interceptions, target, context);
    },
    estimate: (family) => requests.estimateInput(family),
    write: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
  };
}
