/**
 * Reads JSON answers, polls jobs for their results, and forwards bytes as they arrive: those of
 * files, and of long lists that have the caller's format. Only the parts around a list are parsed.
 */

import { Buffer } from "node:buffer";
import type { Usage } from "../../../contract/chat.ts";
import { unreadable } from "../../../core/errors.ts";
import { ListScan } from "../../../core/json/list_scan.ts";
import type { JsonObject } from "../../../core/json/object.ts";
import { isText } from "../../../core/json/values.ts";
import type { OpenStream } from "../../../streaming/fold.ts";
import type { ArrivingOptions } from "../../../upstream/arriving_json.ts";
import type { Packets } from "../../../upstream/read_response.ts";

import type {
  OperationApi,
  OperationCall,
  OperationRequest,
} from "../../../contract/operation_api.ts";
import type { VendorSession } from "../../vendor_session.ts";
import type { VendorResponse } from "../../../upstream/transport.ts";
import { sleep } from "../../../core/stop_signal.ts";
import type { PassedAnswer, PassedList } from "../../../apis/operation.ts";
import { openStream } from "../../open_stream.ts";
import type { AttemptResult } from "../../operation.ts";
import { BytesFold, ListFold } from "../../../streaming/list_fold.ts";
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

/** The size in bytes below which answers are read completely. */
const MIN_BYTES = 64 * 1024;

/** An answer that may be forwarded. */
export interface ListAnswer<Request extends OperationRequest>
  extends Omit<PassedList<Request, unknown>, "members" | "minEntries"> {
  readonly request: Request;
  /** The number of requested entries, and their name in messages. */
  readonly entries: number;
  readonly noun: string;
  /** Reads the members of an answer, whose list is empty, and writes those for the caller. */
  end(members: JsonObject): ListMembers;
}

/** The members of an answer as returned to the caller. */
interface ListMembers {
  readonly members: JsonObject;
  readonly id: string;
  readonly model: string;
  /** The usage that the vendor reports. */
  readonly usage: Usage | undefined;
}

/** An answer whose beginning has been read: a stream to forward, or all packets. */
export type BegunAnswer =
  | { readonly stream: OpenStream }
  | { readonly packets: Pick<Packets, "next" | "close"> };

/**
 * Reads the first packets of an answer.
 *
 * @throws any read error.
 */
export async function beginAnswer<Request extends OperationRequest>(
  packets: Packets,
  answer: ListAnswer<Request>,
  { wait }: Pick<ArrivingOptions, "wait">,
): Promise<BegunAnswer> {
  const scan = new ListScan(answer);
  const read: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    while (size < MIN_BYTES && !scan.isUnknown) {
      const packet = await wait(packets.next());
      if (packet === undefined) return { packets: replayed(read, packets) };
      size += packet.length;
      // A copy: packets are valid until the next one.
      const copy = new Uint8Array(packet);
      read.push(copy);
      // A short answer is read completely at no cost.
      scan.push(copy);
    }
  } catch (thrown) {
    packets.close();
    throw thrown;
  }
  if (!passes(scan, answer)) return { packets: replayed(read, packets) };
  const fold = new ListFold(scan, (tail) => complete(scan, tail, answer));
  const first = Buffer.concat(read);
  return { stream: { fold, packets, first, contentType: "application/json" } };
}

/** Whether the part of an answer read so far has the caller's format. */
function passes<Request extends OperationRequest>(
  scan: ListScan,
  { entries, openingOf, readAtEnd, request }: ListAnswer<Request>,
): boolean {
  const { head } = scan;
  const isEncoded = scan.opening === openingOf(request);
  const isUsual = !scan.isUnknown && !scan.isReordered && !scan.isBehindList;
  const isPlain = head.model === undefined || isText(head.model);
  return isEncoded && isUsual && isPlain && scan.count <= entries &&
    !readAtEnd.some((name) => Object.hasOwn(head, name));
}

function complete<Request extends OperationRequest>(
  scan: ListScan,
  tail: JsonObject,
  { end, entries, noun }: ListAnswer<Request>,
) {
  const { head, count } = scan;
  if (count !== entries) {
    throw unreadable(`The provider returned ${count} ${noun} for ${entries} inputs`);
  }
  const { members, id, model, usage } = end({ ...head, ...tail });
  for (const name of Object.keys(head)) delete members[name];
  return { members, usage, summary: { id, model, finishReasons: [] } };
}

/** All packets of an answer that has been read in part. */
function replayed(
  read: readonly Uint8Array[],
  packets: Packets,
): Pick<Packets, "next" | "close"> {
  const first = read.values();
  return {
    next: () => {
      const { done, value } = first.next();
      return done ? packets.next() : Promise.resolve(value);
    },
    close: () => packets.close(),
  };
}
