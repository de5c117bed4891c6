/** The routes of all operations, derived from their list. */

import { OPERATIONS } from "../../gateway/execute/list.ts";
import type { OperationEndpoint } from "../../gateway/operation_kind.ts";
import { answerAsked, answerModelRequest, nameModel, wantsExplanation } from "./model_routes.ts";
import type { Handler, Route, RouteContext, RouteResponse } from "./route.ts";
import { createBodyReader, toEncodingError } from "../body_reader.ts";
import { GatewayError } from "../../core/errors.ts";
import { isText } from "../../core/json/values.ts";
import type { JsonObject } from "../../core/json/object.ts";
import type { ParsedRequest } from "../../gateway/parsed_request.ts";
import { type FileLimits, readForm as readUploadForm, readWholeForm } from "../form_body.ts";
import { boundaryOf, MultipartReader } from "../multipart.ts";
import { UploadBody } from "../upload_body.ts";
import { readLabels } from "../caller_labels.ts";

/** A form that has been read as far as needed. */
interface ReceivedForm {
  readonly fields: JsonObject;
  /** The estimated size of its files, in bytes. */
  readonly size: number;
  toRequest(): ParsedRequest;
}

/** Receives a form. */
type Receive = (reader: MultipartReader, limits: FileLimits) => Promise<ReceivedForm>;

/** The receiver for an endpoint's forms; undefined for a JSON endpoint. */
function receiverOf({ readFiles, readForm }: OperationEndpoint): Receive | undefined {
  if (readForm !== undefined) {
    return async (reader, limits) => {
      const { fields, file } = await readUploadForm(reader, limits);
      return { fields, size: file.size, toRequest: () => readForm(fields, file) };
    };
  }
  if (readFiles === undefined) return undefined;
  return async (reader, limits) => {
    const { fields, images } = await readWholeForm(reader, limits);
    const size = images.reduce((sum, { bytes }) => sum + bytes.length, 0);
    return { fields, size, toRequest: () => readFiles(fields, images) };
  };
}

/** Answers a form, or explains it for `x-sluice-explain: true`. */
async function answerForm(
  request: Request,
  context: RouteContext,
  receive: Receive,
): Promise<RouteResponse> {
  const { config: { server }, deps, record } = context;
  const boundary = boundaryOf(request.headers.get("content-type"));
  if (boundary === undefined || request.body === null) {
    void request.body?.cancel().catch(() => {});
    throw new GatewayError("invalid_request", "The request body must be a form with a file");
  }
  const reader = createBodyReader(request.body, request.headers);
  // An attempt's time limits apply to the vendor.
  const body = new UploadBody(reader, server.body_timeout, Infinity, deps.clock);
  try {
    const form = await receiveForm(request, body, boundary, receive, context);
    const { fields, size } = form;
    const isExplained = wantsExplanation(request.headers);
    record.bodyBytes = size;
    record.isModelRequest = !isExplained;
    readLabels(request.headers, fields, server.end_users, record);
    context.open.admit(record, server.max_in_flight);
    const deployment = context.params.get("model");
    if (deployment !== undefined) fields.model = deployment;
    if (isText(fields.model)) nameModel(context, fields.model);
    const received = { headers: request.headers, body: fields, isExplained };
    const response = await answerAsked(form.toRequest(), received, context);
    if (isExplained) body.cancel();
    return response;
  } catch (thrown) {
    body.cancel();
    throw thrown;
  }
}

/** Receives a form within the limits for all bodies. */
async function receiveForm(
  { headers }: Request,
  body: UploadBody,
  boundary: string,
  receive: Receive,
  { config: { server }, incoming, record }: RouteContext,
): Promise<ReceivedForm> {
  const refused = Promise.withResolvers<never>();
  const incomingLimits = server.bodies.incoming;
  const entry = incoming.begin({ bytesHeld: 0, refuse: refused.reject }, incomingLimits);
  const next = async () => {
    const { value } = await body.read();
    incoming.hold(entry, body.bytes, incomingLimits);
    return value;
  };
  const length = Number(headers.get("content-length") ?? NaN);
  const limits = {
    maxBytes: server.max_body,
    memory: record.memory,
    declared: Number.isSafeInteger(length) ? length : undefined,
  };
  try {
    const reading = receive(new MultipartReader(next, boundary), limits);
    return await Promise.race([reading, refused.promise]);
  } catch (thrown) {
    throw toEncodingError(thrown, headers);
  } finally {
    incoming.end(entry);
  }
}

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

/** An endpoint's route at a path. */
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
