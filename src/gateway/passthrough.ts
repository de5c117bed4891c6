/**
 * The pass-through: sends a caller's request unchanged to a provider, with the provider's
 * credentials.
 */

import type { Config, Provider } from "../config/config.ts";
import type { PassthroughEndpoint } from "../contract/adapter.ts";
import { type AnswerChange, changedAnswer, redactedFailure } from "../upstream/redacted_failure.ts";
import { toReturnedHeaders } from "../upstream/passed_requests.ts";
import { readPackets } from "../upstream/read_response.ts";
import type { VendorResponse } from "../upstream/transport.ts";
import { label } from "../upstream/upstream_errors.ts";
import { type Admission, admitOwners } from "../governance/admission.ts";
import type { AttemptState } from "./attempt_state.ts";
import { Deadline } from "./deadline.ts";
import { type PassedContext, sendPassed } from "./passed_attempts.ts";
import { tokensOfChars } from "../apis/chat/token_estimate.ts";
import { PassedBody, type PassedRequest } from "./passed_request.ts";
import type { RequestRecord } from "./request_record.ts";
import type { PathDeps } from "./attempt.ts";
import { NOTHING_USED } from "../governance/counters.ts";
import { PassedUsage } from "./passed_usage.ts";

/** The limits on the caller's side. */
export interface PassthroughLimits {
  /** The maximum size of a body that must be complete before it is sent, in bytes. */
  readonly maxBody: number;
  /** Milliseconds after which a client that stopped reading is disconnected. */
  readonly writeTimeout: number;
}

/** The vendor's response for the caller. */
export interface PassedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

/**
 * Sends a caller's request to a provider, and returns the response unchanged. Bodies are not kept
 * in memory, except for a body that must be signed.
 *
 * @throws {GatewayError} when one of the key's limits has been reached, there is no response, or
 * the caller's body fails.
 */
export async function passThrough(
  request: PassedRequest,
  provider: Provider,
  limits: PassthroughLimits,
  rules: Config["limits"],
  record: RequestRecord,
  deps: PathDeps,
): Promise<PassedResponse> {
  const { settings, timeouts } = provider;
  const { clock, limiter, shutdown } = deps;
  const admission = await admit(request, provider, rules, record, limiter);
  const { body } = request;
  record.passed = {
    received: 0,
    get sent() {
      return body?.bytes ?? 0;
    },
  };
  const endpoint = endpointOf(provider);
  const named = { id: settings.id, baseUrl: endpoint.baseUrl };
  const { signal } = record;
  const work = { signal, timeouts, leftMs: Infinity, stream: false, provider: named };
  const deadline = new Deadline(work, { clock, shutdown });
  const context = { provider, limits, admission, record, deps, deadline };
  try {
    const { attempt, response } = await sendPassed(request, endpoint, context);
    return toPassedResponse(response, request, attempt, context);
  } catch (thrown) {
    deadline.end();
    throw thrown;
  }
}

/**
 * Admits a request to the limits of its key, its end user, and the model that it names.
 *
 * @returns the reservation against the model's limits
 */
async function admit(
  { model }: PassedRequest,
  provider: Provider,
  rules: Config["limits"],
  record: RequestRecord,
  limiter: PathDeps["limiter"],
): Promise<Admission | undefined> {
  const key = record.serviceKey;
  if (key === undefined) return undefined;
  // Without a model, the number of tokens is known only from the answer.
  const estimate = () =>
    record.model === undefined
      ? { input: 0, maxOutput: 0 }
      : { input: tokensOfChars(record.bodyBytes), maxOutput: undefined };
  const target = model && { model, provider, params: undefined };
  const targets = target === undefined ? [] : [target];
  const user = limiter.endUsers.of(key, record.columns.endUser);
  const admission = admitOwners(
    key,
    user,
    (owner) => limiter.admit({ key: owner, targets, estimate }, rules),
  );
  record.reserve(await admission);
  if (target === undefined) return undefined;
  record.forecast = {
    input: () => estimate().input,
    output: () => limiter.usualOutput.of(target, estimate()),
  };
  try {
    const admission = await limiter.enter({ key, user, target, estimate }, rules);
    if (record.ended) admission?.settle(NOTHING_USED);
    return admission;
  } catch (thrown) {
    record.admission?.cancel();
    throw thrown;
  }
}

/** The base URL and the authentication of a provider's pass-through. */
function endpointOf({ adapter, settings }: Provider): PassthroughEndpoint {
  return adapter.passthrough?.(settings) ??
    { baseUrl: settings.baseUrl, auth: { type: "bearer" } };
}

function toPassedResponse(
  response: VendorResponse,
  { changeAnswer, method }: PassedRequest,
  attempt: AttemptState,
  { provider, limits, record, deps: { clock }, deadline }: PassedContext & {
    readonly limits: PassthroughLimits;
  },
): PassedResponse {
  const { status, headers } = response;
  const id = headers.get(provider.adapter.requestIdHeader ?? "x-request-id");
  attempt.upstreamRequestId = id === null ? undefined : label(id, provider);
  const type = headers.get("content-type");
  const isFailure = status >= 400 && response.body !== null && method !== "HEAD";
  const change = changeAnswer !== undefined && !isFailure && isJson(type)
    ? changeAnswer
    : undefined;
  const returned = Object.entries(toReturnedHeaders(headers))
    .filter(([name]) => !isFailure && change === undefined || name !== "content-length")
    .map(([name, value]) => [name, provider.redactor.redact(value)] as const);
  const passed = { status, headers: Object.fromEntries(returned) };
  // Responses without a body may have any status.
  if (response.body === null || method === "HEAD" || EMPTY.has(status)) {
    void response.body?.cancel();
    deadline.end();
    return { ...passed, body: null };
  }
  deadline.begun();
  record.open = true;
  const usage = PassedUsage.for(type);
  const context = { record, attempt, deadline, clock, writeTimeout: limits.writeTimeout, usage };
  const packets = readPackets(response, deadline.signal);
  const changed = isFailure
    ? redactedFailure(packets, provider)
    : change === undefined
    ? packets
    : changedAnswer(packets, toAnswerChange(change));
  const body = new PassedBody(changed, context);
  return { ...passed, body: new ReadableStream(body, { highWaterMark: 0 }) };
}

/** Statuses whose responses have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** A longer answer does not describe objects. */
const MAX_CHANGED_BYTES = 4 * 1024 * 1024;

function toAnswerChange(change: (text: string) => string): AnswerChange {
  return {
    maxBytes: MAX_CHANGED_BYTES,
    change: (bytes) => new TextEncoder().encode(change(bytes.toString())),
  };
}

function isJson(type: string | null): boolean {
  return type !== null && /^\s*application\/(?:[\w.+-]{1,40}\+)?json\s*(?:;|$)/i.test(type);
}
