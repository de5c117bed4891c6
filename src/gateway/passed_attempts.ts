/**
 * The attempts of one pass-through request. A key that the vendor rejects or rate-limits is
 * suspended for the pass-through, and the request is sent with another key if its body can be
 * resent.
 */

import type { Provider } from "../config/config.ts";
import { GatewayError, kindOfStatus, scopeOfStatus, toGatewayError } from "../core/errors.ts";
import type { PassthroughEndpoint } from "../contract/adapter.ts";
import type { Fetch, OutgoingRequest, VendorResponse } from "../upstream/transport.ts";
import type { Admission } from "../governance/admission.ts";
import { AttemptState } from "./attempt_state.ts";
import type { Deadline } from "./deadline.ts";
import { isRepeatable, type PassedRequest, readBody, toUrl } from "./passed_request.ts";
import { RequestKeys } from "./request_keys.ts";
import type { RequestRecord } from "./request_record.ts";
import type { PathDeps } from "./attempt.ts";
import { retryAfterOf } from "./target_attempts.ts";

/** The data shared by the attempts of one request. */
export interface PassedContext {
  readonly provider: Provider;
  readonly limits: {
    /** The maximum size of a body that must be complete before it is sent, in bytes. */
    readonly maxBody: number;
  };
  /** The reservation against the limits of the request's model, if any. */
  readonly admission: Admission | undefined;
  readonly record: RequestRecord;
  readonly deps: PathDeps;
  readonly deadline: Deadline;
}

/**
 * The name under which keys are suspended, which is not a model name. Keys differ in their
 * permitted paths, so a rejection here says nothing about other requests.
 */
const NO_MODEL = { id: "", base: "", upstream: "", facts: {} };

/**
 * Sends a request until a key is accepted, or no other key can be tried.
 *
 * @throws {GatewayError} when there is no response, or the caller's body fails.
 */
export async function sendPassed(
  request: PassedRequest,
  endpoint: PassthroughEndpoint,
  context: PassedContext,
): Promise<{ readonly attempt: AttemptState; readonly response: VendorResponse }> {
  const { provider, limits, record, deps } = context;
  const { clock, observer, state } = deps;
  const keys = new RequestKeys({ provider, model: NO_MODEL }, state.poolOf(provider));
  const target = { provider, model: request.model ?? NO_MODEL, params: undefined };
  let unsigned: OutgoingRequest | undefined;
  for (;;) {
    const attempt = new AttemptState(target, record.routeFormat, clock);
    attempt.admission = context.admission;
    record.attempt = attempt;
    const key = keys.pick(attempt.began);
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
      const response = await sendWith(key, unsigned, request, endpoint, context, attempt, run);
      if (response.status >= 400) attempt.refused();
      const isLast = !hasOtherKey(keys, key, response, unsigned, context);
      observed?.answered(response.status, isLast);
      if (isLast) {
        attempt.ended("done", clock.now());
        return { attempt, response };
      }
      attempt.failed(toStatusError(response.status), { type: "other_key" });
      await response.body?.cancel();
    } catch (thrown) {
      const error = toGatewayError(thrown);
      observed?.failed(error);
      // Vendors do not process incomplete requests.
      if (request.body?.isComplete !== false) {
        attempt.cut(error, context.deadline.signal.aborted, clock.now());
      }
      attempt.failed(error, undefined);
      throw error;
    } finally {
      record.endedAttempts.push(attempt);
    }
  }
}

type Run = <Result>(send: () => Result) => Result;

const runDirectly: Run = (send) => send();

/** Suspends a rejected key. Returns whether to send the request with another key. */
function hasOtherKey(
  keys: RequestKeys,
  key: string | undefined,
  { status, headers }: VendorResponse,
  sent: OutgoingRequest,
  { deps: { clock } }: PassedContext,
): boolean {
  if (scopeOfStatus(status) === undefined) return false;
  const error = toStatusError(status);
  const wait = retryAfterOf(Object.fromEntries(headers), clock.wallTime());
  return keys.failed(key, error, wait, clock.now()).type === "other_key" && isRepeatable(sent);
}

function toStatusError(status: number): GatewayError {
  return new GatewayError(kindOfStatus(status), `Status ${status}`, { suspends: "model" });
}

/** The request without its body and credentials. */
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

/**
 * Sends a request with one key, and once more with a new token if the vendor rejects the old one.
 */
async function sendWith(
  key: string | undefined,
  unsigned: OutgoingRequest,
  { body: upload }: PassedRequest,
  { auth }: PassthroughEndpoint,
  { provider, record, deps, deadline }: PassedContext,
  attempt: AttemptState,
  run: Run,
): Promise<VendorResponse> {
  const { clock, credentials } = deps;
  const { signal } = deadline;
  if (upload !== undefined) upload.onVendorStalled = () => deadline.stop(uploadStalled(provider));
  const fetch: Fetch = (url, init) => record.waiting(run(() => deps.fetch(url, init)), clock);
  const response = await credentials.send({
    request: unsigned,
    auth,
    provider,
    key,
    recipient: attempt.recipient(),
    isRepeatable: isRepeatable(unsigned),
    onSend: () => attempt.sent(),
  }, { clock, fetch, signal });
  // The response is read even if the rest of the upload is not.
  if (upload !== undefined) upload.onVendorStalled = () => {};
  return response;
}

function uploadStalled({ settings, timeouts }: Provider): GatewayError {
  const seconds = Math.round(timeouts.idle / 1000);
  const message = `Provider '${settings.id}' did not read the request body for ${seconds} s`;
  return new GatewayError("upstream_timeout", message);
}
