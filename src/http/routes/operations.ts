/** The routes of the operations, from their list. */

import { OPERATIONS } from "../../operations/list.ts";
import type { OperationEndpoint } from "../../routing/operation_kind.ts";
import { answerForm, receiverOf } from "./form_request.ts";
import { answerModelRequest } from "./model_request.ts";
import type { Handler, Route } from "./route.ts";

/** One route for each endpoint of each operation. */
export const OPERATION_ROUTES: readonly Route[] = OPERATIONS.flatMap(({ endpoints }) =>
  endpoints.flatMap((endpoint) => [
    endpointRoute(endpoint, endpoint.path),
    ...(endpoint.aliases ?? []).map((path) => ({
      ...endpointRoute(endpoint, path),
      listed: false,
    })),
  ])
);

/** The route of an endpoint at a path. */
export function endpointRoute(endpoint: OperationEndpoint, path: string): Route {
  const { format } = endpoint;
  const row = {
    method: "POST",
    path,
    auth: "service_key",
    ...(format !== undefined && { format }),
    admission: "after_body",
  } as const;
  const receive = receiverOf(endpoint);
  if (receive === undefined) return { ...row, read: endpoint.read };
  const { readJson } = endpoint;
  const handle: Handler = (request, context) =>
    readJson !== undefined && hasJson(request)
      ? answerModelRequest(request, context, readJson)
      : answerForm(request, context, receive);
  return { ...row, handle };
}

function hasJson({ headers }: Request): boolean {
  return /^application\/json\b/i.test(headers.get("content-type") ?? "");
}
