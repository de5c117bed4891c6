/** The routes of the operations, from their list. */

import { OPERATIONS } from "../../operations/list.ts";
import type { OperationEndpoint } from "../../routing/operation_kind.ts";
import { answerForm, receiverOf } from "./form_request.ts";
import { answerModelRequest } from "./model_request.ts";
import type { Route, RouteContext, RouteResponse } from "./route.ts";

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
  return {
    method: "POST",
    path,
    auth: "service_key",
    ...(format !== undefined && { formatFor: () => format }),
    admission: "after_body",
    handle: (request, context) => answerEndpoint(request, context, endpoint),
  };
}

/**
 * Answers a request, or explains it for `x-sluice-explain: true`. A response that is an estimate
 * says so in a header.
 */
function answerEndpoint(
  request: Request,
  context: RouteContext,
  endpoint: OperationEndpoint,
): Promise<RouteResponse> {
  const receive = receiverOf(endpoint);
  if (receive !== undefined) {
    const { readJson } = endpoint;
    return readJson !== undefined && hasJson(request)
      ? answerModelRequest(request, context, readJson)
      : answerForm(request, context, receive);
  }
  const { headers: names = [], read } = endpoint;
  const headers = names.length === 0 ? NO_HEADERS : formatHeaders(request, names);
  return withEstimate((onEstimate) =>
    answerModelRequest(request, context, (body) => read(body, { headers, onEstimate }))
  );
}

function hasJson({ headers }: Request): boolean {
  return /^application\/json\b/i.test(headers.get("content-type") ?? "");
}

/**
 * Says in a header of the response if it is an estimate.
 *
 * @param answer answers, and calls the callback for an estimate
 */
export function withEstimate(
  answer: (onEstimate: () => void) => Promise<RouteResponse>,
): Promise<RouteResponse> {
  let isEstimated = false;
  return answer(() => isEstimated = true).then((response) =>
    isEstimated ? estimated(response) : response
  );
}

function estimated(response: RouteResponse): RouteResponse {
  return { ...response, headers: { ...response.headers, "x-sluice-estimated": "input_tokens" } };
}

const NO_HEADERS: ReadonlyMap<string, string> = new Map();

/** The headers of the format. Vendors with this API get values of printable ASCII. */
function formatHeaders(
  { headers }: Request,
  names: readonly string[],
): ReadonlyMap<string, string> {
  return new Map(names.flatMap((name) => {
    const value = headers.get(name) ?? "";
    return /^[\x21-\x7e ]{1,4096}$/.test(value) ? [[name, value] as const] : [];
  }));
}
