/** Requests for targets: the support tables, the conversion, and how both are explained. */

import type { Target } from "../../../config/config.ts";
import type { UnaryKind, WriteContext } from "../../../apis/operation.ts";
import type { Adapter } from "../../../contract/adapter.ts";
import {
  applyTables,
  fieldNames,
  fieldSupport,
  type OperationApi,
  type OperationCall,
  type OperationRequest,
} from "../../../contract/operation_api.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";
import type { VendorRequest } from "../../../contract/vendor_request.ts";
import { type GatewayError, withinDepth } from "../../../core/errors.ts";
import type { Clock } from "../../../core/clock.ts";
import { andThen } from "../../../core/steps.ts";
import { readable } from "../../../upstream/upstream_errors.ts";
import { addedRows, ChangeEntries, type Row } from "../../explained_changes.ts";
import type { RequestFeatures } from "../../request_features.ts";
import type { RequestRecord } from "../../request_record.ts";
import type { VendorSession } from "../../vendor_session.ts";

/** A request after a target's tables have been applied. */
export interface CheckedCall<Request extends OperationRequest, Body> {
  readonly adapter: Adapter;
  readonly api: OperationApi<Request, Body>;
  readonly call: OperationCall<Request>;
  /** The request without the model's default `params`. */
  readonly original: Request;
}

/** A call, and the vendor's request for it. */
export interface ConvertedCall<Request extends OperationRequest> {
  readonly call: OperationCall<Request>;
  readonly request: VendorRequest;
}

/**
 * Applies a target's tables to a request.
 *
 * @throws {GatewayError} with status 400 for a request that the target does not support.
 */
export function toCall<Request extends OperationRequest, Body>(
  kind: UnaryKind<Request, Body>,
  own: Request,
  target: Target,
  changes: RequestChanges,
): CheckedCall<Request, Body> {
  const { provider: { adapter, settings: provider }, model, params } = target;
  const api = kind.apiOf(adapter);
  if (api === undefined) throw new TypeError(`The kind '${adapter.kind}' has no ${kind.name}`);
  const original = kind.requestFor?.(own, { adapter, model, provider, changes }) ?? own;
  const request = params === undefined ? original : { ...params, ...original };
  kind.check?.(request, api);
  const parts = { request, model, provider, changes };
  return {
    adapter,
    api,
    call: { ...parts, fields: applyTables(api, parts, kind) },
    original,
  };
}

/** These operations have no cache breakpoints. */
const NO_MARKS = {};

/**
 * Converts a call, or one part of it.
 *
 * @throws {GatewayError} with status 400 for a request that cannot be converted.
 */
export function convert<Request extends OperationRequest, Body>(
  { adapter, api }: CheckedCall<Request, Body>,
  call: OperationCall<Request>,
  features: RequestFeatures,
): ConvertedCall<Request> | Promise<ConvertedCall<Request>> {
  const converted = withinDepth(() => api.toRequest(call));
  if (!features.sends) return { call, request: converted };
  const sent = features.send(converted, { ...call, api: NO_MARKS, adapter });
  return andThen(sent, (request) => ({ call, request }));
}

/** How the fields of a request were handled for a target. */
export function explainedRows<Request extends OperationRequest, Body>(
  { api, call, original }: CheckedCall<Request, Body>,
  { structural }: UnaryKind<Request, Body>,
): readonly Row[] {
  const { changes, model, provider, request } = call;
  const entries = new ChangeEntries(changes);
  const rows = fieldNames(request, structural).map((name): Row => ({
    ...entries.take(name, fieldSupport(name, api, model, provider)),
    ...(original[name] === undefined && { from: "config" }),
  }));
  return [...rows, ...entries.remaining(), ...addedRows(changes, api.adds)];
}

/** What an answer may lack. */
export function toWriteContext({ id, startedAt }: RequestRecord, clock: Clock): WriteContext {
  return {
    id,
    get now() {
      return Math.floor(clock.wallTime() / 1000);
    },
    get elapsedMs() {
      return clock.now() - startedAt;
    },
  };
}

/**
 * The error of a 2xx without content; vendors use different members for it.
 *
 * @param usual the message for an answer that names no error
 */
export function toAnswerError<Request extends OperationRequest, Body>(
  answer: unknown,
  { adapter, api }: Pick<CheckedCall<Request, Body>, "adapter" | "api">,
  { request }: OperationCall<Request>,
  session: VendorSession,
  usual: string,
): GatewayError {
  session.refused(answer);
  const toError = api.toError ?? adapter.toError;
  const error = readable(() => toError({ where: "stream", body: answer }));
  return session.toCallerError({ ...error, message: error.message ?? usual }, request);
}
