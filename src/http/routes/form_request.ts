/** Requests that are forms with a file, which goes to the vendor as it arrives. */

import { GatewayError } from "../../core/errors.ts";
import { isText } from "../../core/json/values.ts";
import type { JsonObject } from "../../core/json/object.ts";
import type { UploadedFile } from "../../providers/contract/form.ts";
import type { ModelRequest } from "../../routing/model_request.ts";
import { createBodyReader } from "../body_reader.ts";
import { type Form, readForm } from "../form_body.ts";
import { toIncomingLimits } from "../incoming_bodies.ts";
import { boundaryOf, MultipartReader } from "../multipart.ts";
import { UploadBody } from "../upload_body.ts";
import { readLabels } from "../caller_labels.ts";
import { answerAsked, nameModel, wantsExplanation } from "./model_request.ts";
import type { RouteContext, RouteResponse } from "./route.ts";

/**
 * Answers a form, or explains it for `x-sluice-explain: true`.
 *
 * @param read reads the fields
 */
export async function answerForm(
  request: Request,
  context: RouteContext,
  read: (fields: JsonObject, file: UploadedFile) => ModelRequest,
): Promise<RouteResponse> {
  const { config: { server }, deps, record } = context;
  const boundary = boundaryOf(request.headers.get("content-type"));
  if (boundary === undefined || request.body === null) {
    void request.body?.cancel().catch(() => {});
    throw new GatewayError("invalid_request", "The request body must be a form with a file");
  }
  const reader = createBodyReader(request.body, request.headers);
  // The time limits of an attempt apply to the vendor.
  const body = new UploadBody(reader, server.bodyTimeout, Infinity, deps.clock);
  try {
    const { fields, file } = await readFields(request, body, boundary, context);
    const isExplained = wantsExplanation(request);
    record.bodyBytes = file.size;
    record.isModelRequest = !isExplained;
    readLabels(request, fields, server.endUsers, record);
    context.admit();
    if (isText(fields.model)) nameModel(context, fields.model);
    const asked = { request, body: fields, isExplained };
    const response = await answerAsked(read(fields, file), asked, context);
    if (isExplained) body.cancel();
    return response;
  } catch (thrown) {
    body.cancel();
    throw thrown;
  }
}

/** Reads the fields of a form, and keeps its file if they come after it. */
async function readFields(
  { headers }: Request,
  body: UploadBody,
  boundary: string,
  { config: { server }, incoming, record }: RouteContext,
): Promise<Form> {
  const refused = Promise.withResolvers<never>();
  const entry = incoming.begin(toIncomingLimits(server), refused.reject);
  const next = async () => {
    const { value } = await body.read();
    entry.hold(body.bytes);
    return value;
  };
  const length = Number(headers.get("content-length") ?? NaN);
  const limits = {
    maxBytes: server.maxBody,
    memory: record.memory,
    declared: Number.isSafeInteger(length) ? length : undefined,
  };
  try {
    const reading = readForm(new MultipartReader(next, boundary), limits);
    return await Promise.race([reading, refused.promise]);
  } finally {
    entry.end();
  }
}
