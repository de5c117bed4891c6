/** Answers whose bytes pass unchanged, such as audio. */

import type { Usage } from "../../chat/chat.ts";
import type { BytesWriter } from "../../formats/native_answers.ts";
import type { OperationCall } from "../../providers/contract/operation_api.ts";
import { openStream } from "../../routing/open_stream.ts";
import type { AttemptResult } from "../../routing/operation.ts";
import type { VendorSession } from "../../routing/vendor_session.ts";
import { BytesFold } from "../../streaming/bytes_fold.ts";
import type { VendorResponse } from "../../upstream/transport.ts";
import { toCallerError } from "../../upstream/upstream_errors.ts";

/** What a passed answer uses. */
export interface PassedAnswer {
  /** Undefined if it must be estimated. */
  readonly usage: Usage | undefined;
  /** UTF-16 units of text that stand for the answer in an estimate. */
  readonly outputChars: number;
  /** Writes events of its bytes, for callers that asked for a stream. */
  readonly createWriter: () => BytesWriter;
}

/** Passes the bytes of an answer as they arrive. */
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
