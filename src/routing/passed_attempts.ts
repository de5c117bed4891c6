/**
 * The attempts of one request of the pass-through. A key that the vendor refuses or limits is
 * suspended for the pass-through, and the request is sent with another one if its body can be.
 */

import type { Provider } from "../config/config.ts";
import { type ErrorKind, GatewayError, toGatewayError } from "../core/errors.ts";
import { kindOfStatus, scopeOfStatus } from "../core/status_kinds.ts";
import type { PassthroughEndpoint } from "../providers/contract/adapter.ts";
import type { Fetch, OutgoingRequest, VendorResponse } from "../upstream/transport.ts";
import { addAttempt } from "./attempt_records.ts";
import { retryAfterOf } from "./backoff.ts";
import type { Deadline } from "./deadline.ts";
import type { PathDeps } from "./failover.ts";
import type { NextStep } from "./next_step.ts";
import { isRepeatable, type PassedRequest, readBody, toUrl } from "./passed_request.ts";
import { RequestKeys } from "./request_keys.ts";
import { recipientOf, type RequestRecord } from "./request_record.ts";

/** What the attempts of one request share. */
export interface PassedContext {
  readonly provider: Provider;
  readonly limits: {
    /** Bytes of a body that has to be known as a whole before it is sent. */
    readonly maxBody: number;
  };
  readonly record: RequestRecord;
  readonly deps: PathDeps;
  readonly deadline: Deadline;
}

/**
 * The name under which keys are suspended: no model has it. Which paths a key may use differs, so a
 * refusal here proves nothing for other requests.
 */
const NO_MODEL = { upstream: "" };

/**
 * Sends a request until a key is accepted, or no other one can be tried.
 *
 * @throws {GatewayError} when there is no response, or the caller's body fails.
 */
export async function sendPassed(
  request: PassedRequest,
  endpoint: PassthroughEndpoint,
  context: PassedContext,
): Promise<VendorResponse> {
  const { provider, limits, record, deps } = context;
  const { clock, observer, state } = deps;
  const keys = new RequestKeys({ provider, model: NO_MODEL }, state.poolOf(provider));
  let unsigned: OutgoingRequest | undefined;
  for (;;) {
    const began = clock.now();
    const key = keys.pick(began);
    const attempt = (outcome: "done" | ErrorKind, next?: NextStep, cause?: string) =>
      addAttempt(
        record.attemptRecords,
        { provider: provider.settings.id, upstream: "", outcome, cause, next },
        began,
        clock,
      );
    const observed = observer.passthroughStarted(provider, request.method, record);
    try {
      unsigned ??= {
        ...toHead(request, endpoint, provider),
        ...await readBody(
          request,
          deps.credentials.signsBody(endpoint.auth, { provider, key }),
          limits.maxBody,
        ),
      };
      const run = observed?.run ?? runDirectly;
      const response = await sendWith(key, unsigned, request, endpoint, context, run);
      const isLast = !hasOtherKey(keys, key, response, unsigned, context);
      observed?.answered(response.status, isLast);
      if (isLast) {
        attempt("done");
        return response;
      }
      attempt(kindOfStatus(response.status), { type: "other_key" });
      await response.body?.cancel();
    } catch (thrown) {
      const error = toGatewayError(thrown);
      observed?.failed(error);
      attempt(error.kind, undefined, error.transportCause);
      throw error;
    }
  }
}

type Run = <Result>(send: () => Result) => Result;

const runDirectly: Run = (send) => send();

/** Suspends a key that was refused. Returns whether the request is to be sent with another one. */
function hasOtherKey(
  keys: RequestKeys,
  key: string | undefined,
  { status, headers }: VendorResponse,
  sent: OutgoingRequest,
  { deps: { clock } }: PassedContext,
): boolean {
  if (scopeOfStatus(status) === undefined) return false;
  const error = new GatewayError(kindOfStatus(status), `Status ${status}`, { suspends: "model" });
  const wait = retryAfterOf(Object.fromEntries(headers), clock.wallTime());
  return keys.failed(key, error, wait, clock.now()).type === "other_key" && isRepeatable(sent);
}

/** The request without its body and its credentials. */
function toHead(
  request: PassedRequest,
  endpoint: PassthroughEndpoint,
  provider: Provider,
): OutgoingRequest {
  return {
    url: toUrl(endpoint, request),
    method: request.method,
    headers: {
      ...endpoint.headers,
      ...request.headers,
      // Some transports would decode other encodings.
      "accept-encoding": "identity",
      ...provider.headers,
    },
  };
}

/** Sends a request with one key; once more with a new token where the vendor refuses the old one. */
async function sendWith(
  key: string | undefined,
  unsigned: OutgoingRequest,
  { body: upload }: PassedRequest,
  { auth }: PassthroughEndpoint,
  { provider, record, deps, deadline }: PassedContext,
  run: Run,
): Promise<VendorResponse> {
  const { clock, credentials } = deps;
  const stalled = new AbortController();
  const signal = AbortSignal.any([deadline.signal, stalled.signal]);
  if (upload !== undefined) upload.onVendorStalled = () => stalled.abort(uploadStalled(provider));
  const fetch: Fetch = (url, init) => record.waiting(run(() => deps.fetch(url, init)), clock);
  return await credentials.send({
    request: unsigned,
    auth,
    provider,
    key,
    recipient: recipientOf({ provider, model: NO_MODEL }, record, clock),
    isRepeatable: isRepeatable(unsigned),
    onSend: () => record.attempts++,
  }, { clock, fetch, signal });
}

function uploadStalled({ settings, timeouts }: Provider): GatewayError {
  const seconds = Math.round(timeouts.idle / 1000);
  const message = `Provider '${settings.id}' did not read the request body for ${seconds} s`;
  return new GatewayError("upstream_timeout", message);
}
