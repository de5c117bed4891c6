/** The endpoints of the Responses API that call a model. */

import { responses } from "../../formats/responses/format.ts";
import type { OperationEndpoint } from "../../routing/operation_kind.ts";
import { readCompactRequest, readCountRequest, readResponseRequest } from "./model_request.ts";

/** `POST /v1/responses` and the endpoints below it that have a body. */
export const RESPONSES: readonly OperationEndpoint[] = [
  {
    path: "/v1/responses",
    explainedAs: "responses",
    format: responses,
    read: readResponseRequest,
  },
  {
    path: "/v1/responses/input_tokens",
    explainedAs: "input_tokens",
    format: responses,
    read: (body, context) => readCountRequest(body, () => context.noteEstimate()),
  },
  {
    path: "/v1/responses/compact",
    explainedAs: "compact",
    format: responses,
    read: readCompactRequest,
  },
];
