/**
 * An attempt at a native API: the body is forwarded to the vendor, and its answer is returned
 * unchanged. Rejected fields are handled as in converted requests: the body is sent again without
 * them.
 */

import { isObject, type JsonObject } from "../../contract/chat.ts";
import type { Target } from "../../config/config.ts";
import { MAX_BYTES_AT_ONCE } from "../../core/json/writer.ts";
import { type GatewayError, unreadable, withinDepth } from "../../core/errors.ts";
import type { NativeAnswers } from "../../apis/native_answers.ts";
import { recordedIn } from "../../apis/stream_record.ts";
import type { NativeApi, NativeCall } from "../../contract/native.ts";
import type { RequestFeatures } from "../request_features.ts";
import { NativeFold } from "../../streaming/native_fold.ts";
import type { VendorResponse } from "../../upstream/transport.ts";
import { readable, toCallerError } from "../../upstream/upstream_errors.ts";
import { nativeCaller } from "../rejected_fields.ts";
import { explainUnchanged } from "../explained_changes.ts";
import type {
  AttemptResult,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedRequest,
} from "../operation.ts";
import type { VendorSession } from "../vendor_session.ts";
import { openStream } from "../open_stream.ts";
import type { UpstreamError, VendorRequest } from "../../contract/vendor_request.ts";
import { andThen } from "../../core/steps.ts";
import type { NativeContinuation } from "./continuation/continuation.ts";

/** The parts of a request in a caller's format. */
export interface NativeBody {
  readonly body: JsonObject;
  /** The caller's headers that belong to the format, by their names in lower case. */
  readonly headers?: ReadonlyMap<string, string>;
  readonly stream: boolean;
  /** Whether the model's default params, which are for answers, are left out. */
  readonly withoutParams?: boolean;
  /** Changes the request, for other methods and paths of the same API. */
  readonly adjust?: (request: VendorRequest) => VendorRequest;
}

/** One request in a caller's format. */
export interface NativeRequest extends NativeBody {
  readonly features: RequestFeatures;
  /** Lets another target continue the stream; absent if that is not possible. */
  readonly continuation?: NativeContinuation | undefined;
  /** Handles 404 and 405 of a server without the API. */
  readonly onAbsent?: ((session: VendorSession) => Promise<AttemptResult>) | undefined;
}

/** The headers of a format that has none. */
export const NO_HEADERS: ReadonlyMap<string, string> = new Map();

/** Statuses of servers that do not have an endpoint. */
const ABSENT: ReadonlySet<number> = new Set([404, 405]);

/**
 * Prepares a request for a native API.
 *
 * @throws {GatewayError} with status 400 for a request that the target does not support.
 */
export function prepareNative(
  api: NativeApi,
  native: NativeRequest,
  answers: NativeAnswers,
  target: Target,
  context: PrepareContext,
): PreparedRequest | Promise<PreparedRequest> {
  const converted = toNativeRequest(api, native, target, context);
  return converted instanceof Promise
    ? converted.then((late) => toPrepared(api, native, answers, late, target, context))
    : toPrepared(api, native, answers, converted, target, context);
}

function toPrepared(
  api: NativeApi,
  native: NativeRequest,
  answers: NativeAnswers,
  { call, request }: ConvertedCall,
  target: Target,
  { record }: PrepareContext,
): PreparedRequest {
  const { body, stream } = call;
  const isLarge = record.bodyBytes > MAX_BYTES_AT_ONCE;
  return {
    adapter: target.provider.adapter,
    stream,
    exchange: {
      request,
      isLarge,
      caller: () => nativeCaller(body, api.optional),
      toError: api.toError,
      read(response, session) {
        const own = native.features.nativeAnswers(answers, call);
        return readContinuable(api, call, own, response, session, native.continuation);
      },
      handle: (response, session) => answerAbsent(native, response, session),
    },
  };
}

/** The alternative answer for a server without the API; undefined if the server has it. */
function answerAbsent(
  { onAbsent }: NativeRequest,
  response: VendorResponse,
  session: VendorSession,
): Promise<AttemptResult> | undefined {
  if (onAbsent === undefined || !ABSENT.has(response.status)) return undefined;
  const cancelled = response.body?.cancel();
  return Promise.resolve(cancelled).then(() => onAbsent(session));
}

/**
 * The request that {@linkcode prepareNative} sends.
 *
 * @throws {GatewayError} with status 400 for a request that the target does not support.
 */
export function explainNative(
  api: NativeApi,
  native: NativeRequest,
  target: Target,
  context: ExplainContext,
): ExplainedRequest | Promise<ExplainedRequest> {
  const { changes } = context;
  return andThen(toNativeRequest(api, native, target, context), ({ call, request }) => {
    const { body, params } = call;
    const rows = explainUnchanged(body, params, changes, target.provider.adapter.adds);
    return { unsigned: request, rows };
  });
}

/** A call of a native API, and the request for it. */
interface ConvertedCall {
  readonly call: NativeCall;
  readonly request: VendorRequest;
}

function toNativeRequest(
  api: NativeApi,
  native: NativeRequest,
  target: Target,
  context: Pick<ExplainContext, "clock" | "changes" | "state">,
): ConvertedCall | Promise<ConvertedCall> {
  const { changes } = context;
  const { adjust, body, features, headers = NO_HEADERS, stream } = native;
  const { provider: { adapter, settings: provider }, model } = target;
  const { params = {} } = native.withoutParams ? {} : target;
  const call = features.nativeCall({
    body,
    headers,
    params,
    model,
    provider,
    changes,
    stream,
  });
  const request = withinDepth(() => {
    const created = api.toRequest(call);
    const own = adjust === undefined ? created : adjust(created);
    return features.sends ? features.send(own, { api, adapter, model, provider, changes }) : own;
  });
  return request instanceof Promise
    ? request.then((late) => withoutRejected(api, call, late, target, context))
    : withoutRejected(api, call, request, target, context);
}

function withoutRejected(
  { optional }: NativeApi,
  call: NativeCall,
  request: VendorRequest,
  target: Target,
  { clock, changes, state }: Pick<ExplainContext, "clock" | "changes" | "state">,
): ConvertedCall {
  const rejections = state.rejectionsOf(target);
  if (rejections === undefined) return { call, request };
  const caller = nativeCaller(call.body, optional);
  return { call, request: rejections.apply(request, caller, changes, clock) };
}

/** The answer; for a stream, also how to continue it. */
function readContinuable(
  api: NativeApi,
  call: NativeCall,
  answers: NativeAnswers,
  response: VendorResponse,
  session: VendorSession,
  continuable: NativeContinuation | undefined,
): AttemptResult | Promise<AttemptResult> {
  if (continuable === undefined) return readResult(api, call, answers, response, session);
  const { continuation, record } = continuable;
  const reading = readResult(api, call, recordedIn(record, answers), response, session);
  const toContinuable = (result: AttemptResult): AttemptResult =>
    result.type === "stream" ? { ...result, continuation } : result;
  return reading instanceof Promise ? reading.then(toContinuable) : toContinuable(reading);
}

function readResult(
  api: NativeApi,
  { body, stream }: { readonly body: JsonObject; readonly stream: boolean },
  answers: NativeAnswers,
  response: VendorResponse,
  session: VendorSession,
): AttemptResult | Promise<AttemptResult> {
  const { target: { provider } } = session;
  const toError = (error: UpstreamError) => toCallerError(error, provider, body);
  const json = response.headers.get("content-type")?.includes("json") ?? false;
  if (stream && !(json && api.framing === "sse")) {
    const fold = createNativeFold(api, answers, toError);
    return openStream(fold, response, session).then((open) => ({ type: "stream", stream: open }));
  }
  return session.readJson(response, (text, answer) => {
    if (!isObject(answer)) throw unreadable("The provider's answer is not an object");
    const read = answers.readAnswer(answer);
    if ("error" in read) {
      session.refused(answer);
      throw readable(() => toError(api.toError({ where: "stream", body: read.error })));
    }
    if (stream) throw unreadable("The provider answered without a stream");
    session.deadline.end();
    return { type: "text", text, ...read };
  });
}

/**
 * The fold of one native stream.
 * Exported for tests.
 *
 * @param toError converts a failure into the error that the caller may see
 */
export function createNativeFold(
  { framing, toError: classify, unwrap }: NativeApi,
  answers: NativeAnswers,
  toError: (error: UpstreamError) => GatewayError,
): NativeFold {
  return new NativeFold({
    framing,
    reader: answers.createReader(),
    toError: (body) => toError(classify({ where: "stream", body })),
    toEndError: toError,
    unwrap,
  });
}
