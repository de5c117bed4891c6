/** The endpoints of the Messages API. */

import { messages } from "../../formats/messages/format.ts";
import type { OperationEndpoint } from "../../routing/operation_kind.ts";
import { readCountRequest, readMessageRequest } from "./model_request.ts";

/** The headers that belong to the format, in lower case. */
const HEADERS = ["anthropic-version", "anthropic-beta"];

/** `POST /v1/messages` and the endpoints below it. */
export const MESSAGES: readonly OperationEndpoint[] = [
  {
    path: "/v1/messages",
    explainedAs: "messages",
    format: messages,
    read: (body, context) => readMessageRequest(body, context.formatHeaders(HEADERS)),
  },
  {
    path: "/v1/messages/count_tokens",
    explainedAs: "count_tokens",
    format: messages,
    read: (body, context) =>
      readCountRequest(body, context.formatHeaders(HEADERS), () => context.noteEstimate()),
  },
];
