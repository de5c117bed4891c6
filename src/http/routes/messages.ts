/** `POST /v1/messages` and `POST /v1/messages/count_tokens`. */

import { readCountRequest, readMessageRequest } from "../../operations/messages/model_request.ts";
import { answerCount, answerModelRequest } from "./model_request.ts";
import type { RouteContext, RouteResponse } from "./route.ts";

/** Answers a message, or explains it for `x-sluice-explain: true`. */
export function createMessage(request: Request, context: RouteContext): Promise<RouteResponse> {
  const headers = formatHeaders(request);
  return answerModelRequest(request, context, (body) => readMessageRequest(body, headers));
}

/**
 * Counts the input tokens of a message, or explains the count for `x-sluice-explain: true`. An
 * estimate says so in a header.
 */
export async function countTokens(
  request: Request,
  context: RouteContext,
): Promise<RouteResponse> {
  const headers = formatHeaders(request);
  return await answerCount(
    request,
    context,
    (body, onEstimate) => readCountRequest(body, headers, onEstimate),
  );
}

/** The request headers of the format. Vendors with this API get values of printable ASCII. */
const FORMAT_HEADERS = ["anthropic-version", "anthropic-beta"];

function formatHeaders({ headers }: Request): ReadonlyMap<string, string> {
  return new Map(FORMAT_HEADERS.flatMap((name) => {
    const value = headers.get(name) ?? "";
    return /^[\x21-\x7e ]{1,4096}$/.test(value) ? [[name, value] as const] : [];
  }));
}
