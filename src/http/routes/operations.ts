/** The routes of the operations, from their list. */

import { OPERATIONS } from "../../operations/list.ts";
import type { OperationEndpoint } from "../../routing/operation_kind.ts";
import { answerForm, receiverOf } from "./form_request.ts";
import { answerBody, answerModelRequest } from "./model_request.ts";
import type { BodyHandler, Handler, Route } from "./route.ts";

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
  if (receive === undefined) return { ...row, answer: createBodyHandler(endpoint) };
  const { readJson } = endpoint;
  const handle: Handler = (request, context) =>
    readJson !== undefined && hasJson(request)
      ? answerModelRequest(request, context, readJson)
      : answerForm(request, context, receive);
  return { ...row, handle };
}

/** Answers requests whose bodies have been read, or explains them for `x-sluice-explain: true`. */
function createBodyHandler({ headers: names = [], read }: OperationEndpoint): BodyHandler {
  return (json, request, context) => {
    const headers = names.length === 0 ? NO_HEADERS : formatHeaders(request, names);
    const { record } = context;
    const onEstimate = () => void (record.isCountEstimated = true);
    return answerBody(json, request, context, (body) => read(body, { headers, onEstimate }));
  };
}

function hasJson({ headers }: Request): boolean {
  return /^application\/json\b/i.test(headers.get("content-type") ?? "");
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
