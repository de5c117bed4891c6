/** Reads JSON answers, polls jobs for their results, and forwards bytes as they arrive. */

import type {
  OperationApi,
  OperationCall,
  OperationRequest,
} from "../../../contract/operation_api.ts";
import type { VendorSession } from "../../vendor_session.ts";
import type { VendorResponse } from "../../../upstream/transport.ts";
import { sleep } from "../../../core/stop_signal.ts";
import type { PassedAnswer } from "../../../apis/operation.ts";
import { openStream } from "../../open_stream.ts";
import type { AttemptResult } from "../../operation.ts";
import { BytesFold } from "../../../streaming/list_fold.ts";
import { toCallerError } from "../../../upstream/upstream_errors.ts";
import type { VendorAnswer } from "../../../contract/vendor_request.ts";

/** The interval between polls for the result of a job, in milliseconds. */
const POLL_MS = 1000;

/** The maximum number of failed polls in a row before a job counts as failed. */
const MAX_FAILED_POLLS = 3;

/** Reads a JSON answer. */
export function readAnswer(
  response: VendorResponse,
  session: VendorSession,
): VendorAnswer | Promise<VendorAnswer> {
  const { status, headers } = response;
  return session.readJson(response, (_, body) => ({ status, headers, body }));
}

/**
 * Waits for the result of a job, within the limits of the attempt.
 *
 * @param answer the answer to the request, which may already be a result
 * @throws {GatewayError} when polling fails. The vendor may bill the job.
 */
export async function readJob<Request extends OperationRequest>(
  api: Pick<OperationApi<Request, unknown>, "pollFor" | "toError">,
  call: OperationCall<Request>,
  answer: VendorAnswer,
  session: VendorSession,
): Promise<VendorAnswer> {
  const { attempt } = session;
  let failed = 0;
  for (let polls = 0;;) {
    const request = api.pollFor?.(answer, call, polls);
    if (request === undefined) break;
    attempt.hasJob = true;
    await session.wait(sleep(POLL_MS, session.deadline.signal, session.deps.clock));
    const response = await session.send(request);
    if (response.ok) {
      answer = await readAnswer(response, session);
      // The status of a job is not output.
      attempt.outputChars = 0;
      failed = 0;
      polls++;
      continue;
    }
    const error = await session.readError(response, api.toError);
    const isBusy = response.status === 429 || response.status >= 500;
    if (isBusy && ++failed <= MAX_FAILED_POLLS) continue;
    throw session.toCallerError(error, call.request, response);
  }
  attempt.hasJob = false;
  return answer;
}

/** Forwards the bytes of an answer as they arrive. */
export async function pass(
  { usage, outputChars, createWriter }: PassedAnswer,
  { model, request }: OperationCall,
  asEvents: boolean,
  response: VendorResponse,
  session: VendorSession,
): Promise<AttemptResult> {
  const { target: { provider } } = session;
  const fold = new BytesFold({
    usage,
    outputChars,
    summary: { id: "", model: model.upstream, finishReasons: [] },
    writer: asEvents ? createWriter() : undefined,
    toEndError: (error) => toCallerError(error, provider, request),
  });
  const stream = await openStream(fold, response, session);
  if (asEvents) return { type: "stream", stream };
  return { type: "stream", stream: { ...stream, contentType: typeOf(response) } };
}

/** The media type of a vendor's answer. */
function typeOf({ headers }: VendorResponse): string {
  const type = headers.get("content-type") ?? "";
  return /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?:; ?[\w=.+-]{1,64})*$/.test(type) ? type : UNKNOWN_TYPE;
}

const UNKNOWN_TYPE = "application/octet-stream";

export function isJson({ headers }: VendorResponse): boolean {
  return headers.get("content-type")?.includes("json") ?? false;
}

export function isEventStream({ headers }: VendorResponse): boolean {
  return headers.get("content-type")?.includes("event-stream") ?? false;
}
