/**
 * The pass-through: sends a caller's request unchanged to a provider, with the provider's
 * credentials.
 */

import type { Config, Provider } from "../config/config.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import type { PassthroughEndpoint } from "../providers/contract/adapter.ts";
import { Receipt } from "../providers/contract/receipt.ts";
import { addCredentials, redact, signsBody } from "../upstream/credentials.ts";
import { toReturnedHeaders } from "../upstream/passed_requests.ts";
import {
  type Fetch,
  type OutgoingRequest,
  readPackets,
  send,
  type VendorResponse,
} from "../upstream/transport.ts";
import { label } from "../upstream/upstream_errors.ts";
import { addAttempt } from "./attempt_records.ts";
import { Deadline } from "./deadline.ts";
import type { PathDeps } from "./failover.ts";
import { PassedBody } from "./passed_body.ts";
import type { RequestRecord } from "./request_record.ts";

/** A caller's request, without its credentials. */
export interface PassedRequest {
  readonly method: string;
  /** Relative to the base URL, without a leading `/`; checked. */
  readonly path: string;
  /** With its `?`; empty if there is none. */
  readonly query: string;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: PassedUpload | undefined;
  /** The size of the body in bytes, where the caller declares it. */
  readonly contentLength: number | undefined;
}

/** The body of a request, which is read as it is sent. */
export interface PassedUpload extends AsyncIterable<Uint8Array> {
  /** Called when the vendor has read nothing of it for too long. */
  onVendorStalled: () => void;
}

/** The limits of the caller's side. */
export interface PassthroughLimits {
  /** Bytes of a body that has to be read before it can be signed. */
  readonly maxBody: number;
  /** Milliseconds after which a caller that does not read is disconnected. */
  readonly writeTimeout: number;
}

/** The vendor's response as the caller gets it. */
export interface PassedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

/**
 * Sends a caller's request to a provider, and returns the response unchanged. Neither body is kept
 * in memory, except one that must be signed.
 *
 * @throws {GatewayError} when a limit of the key is reached, there is no response, or the caller's
 * body fails.
 */
export async function passThrough(
  request: PassedRequest,
  provider: Provider,
  limits: PassthroughLimits,
  rules: Config["limits"],
  record: RequestRecord,
  deps: PathDeps,
): Promise<PassedResponse> {
  const { settings, adapter, timeouts } = provider;
  const { clock, limiter, shutdown } = deps;
  if (record.serviceKey !== undefined) {
    // Its tokens and its cost are unknown, so it only counts as a request.
    const key = record.serviceKey;
    const estimate = () => ({ input: 0, maxOutput: 0 });
    const input = { key, model: "", prices: undefined, estimate };
    const admission = limiter.admit(input, rules);
    record.reserve(admission instanceof Promise ? await admission : admission);
  }
  const receipt = new Receipt();
  record.reached = { provider: settings.id, kind: adapter.kind, upstream: "", facts: {}, receipt };
  const endpoint = endpointOf(provider);
  const vendor = { name: `provider '${settings.id}'`, baseUrl: endpoint.baseUrl };
  const noDeadline = { ...timeouts, deadline: Infinity };
  const deadline = new Deadline(record.signal, shutdown, clock, noDeadline, false, vendor);
  const began = clock.now();
  const note = (outcome: string, cause?: string) =>
    addAttempt(
      record.attemptRecords,
      { provider: settings.id, upstream: "", outcome, cause, next: undefined },
      began,
      clock,
    );
  try {
    const response = await sendPassed(request, endpoint, {
      provider,
      limits,
      record,
      deps,
      deadline,
    });
    note("done");
    return toPassedResponse(response, request.method, { provider, limits, record, deps, deadline });
  } catch (thrown) {
    deadline.end();
    const error = toGatewayError(thrown);
    note(error.kind, error.transportCause);
    throw error;
  }
}

interface PassthroughContext {
  readonly provider: Provider;
  readonly limits: PassthroughLimits;
  readonly record: RequestRecord;
  readonly deps: PathDeps;
  readonly deadline: Deadline;
}

/** The base URL and the authentication of a provider's pass-through. */
function endpointOf({ adapter, settings }: Provider): PassthroughEndpoint {
  return adapter.passthrough?.(settings) ??
    { baseUrl: settings.baseUrl, auth: { type: "bearer" } };
}

async function sendPassed(
  request: PassedRequest,
  endpoint: PassthroughEndpoint,
  { provider, limits, record, deps, deadline }: PassthroughContext,
): Promise<VendorResponse> {
  const { clock, state, tokens } = deps;
  const stalled = new AbortController();
  const signal = AbortSignal.any([deadline.signal, stalled.signal]);
  if (request.body !== undefined) {
    request.body.onVendorStalled = () => stalled.abort(uploadStalled(provider));
  }
  const now = clock.now();
  const pool = state.poolOf(provider);
  const key = pool.pick(provider.keys, "", now) ?? pool.pickSoonest(provider.keys, "", now);
  const isSigned = signsBody(endpoint.auth, provider, key);
  const unsigned: OutgoingRequest = {
    url: toUrl(endpoint, request),
    method: request.method,
    headers: {
      ...endpoint.headers,
      ...request.headers,
      // Some transports would decode other encodings.
      "accept-encoding": "identity",
      ...provider.headers,
    },
    ...(isSigned
      ? { body: await readWhole(request.body, limits.maxBody) }
      : { body: request.body, contentLength: request.contentLength }),
  };
  const fetch: Fetch = (url, init) => record.waiting(deps.fetch(url, init), clock);
  const world = { clock, fetch, signal, tokens };
  const signed = await addCredentials(unsigned, endpoint.auth, provider, key, world);
  record.attempts++;
  const recipient = {
    name: `provider '${provider.settings.id}'`,
    connection: provider.connection,
  };
  return await send(signed, recipient, signal, fetch);
}

function uploadStalled({ settings, timeouts }: Provider): GatewayError {
  const seconds = Math.round(timeouts.idle / 1000);
  const message = `Provider '${settings.id}' did not read the request body for ${seconds} s`;
  return new GatewayError("upstream_timeout", message);
}

/**
 * The URL behind the base URL.
 *
 * @throws {GatewayError} `invalid_request` for a path that leaves the base URL.
 */
function toUrl(
  { baseUrl, query: required = {} }: PassthroughEndpoint,
  request: PassedRequest,
): string {
  const { path, query } = request;
  const given = new URLSearchParams(query);
  const missing = Object.entries(required).filter(([name]) => !given.has(name));
  const added = new URLSearchParams(missing).toString();
  const separator = query === "" ? "?" : "&";
  const text = `${baseUrl}/${path}${query}${added === "" ? "" : `${separator}${added}`}`;
  const url = URL.parse(text);
  const base = new URL(baseUrl);
  const root = base.pathname.endsWith("/") ? base.pathname : `${base.pathname}/`;
  if (url === null || url.origin !== base.origin || !url.pathname.startsWith(root)) {
    throw new GatewayError("invalid_request", "The path of the pass-through leaves the base URL");
  }
  return text;
}

/**
 * Reads a body that a signature covers.
 *
 * @throws {GatewayError} `too_large` for a body over the limit.
 */
async function readWhole(
  body: AsyncIterable<Uint8Array> | undefined,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (body === undefined) return undefined;
  const packets: Uint8Array[] = [];
  let size = 0;
  for await (const packet of body) {
    size += packet.length;
    if (size > maxBytes) {
      const message = `The request body is over ${maxBytes} bytes, and must be signed as a whole`;
      throw new GatewayError("too_large", message);
    }
    packets.push(packet.slice());
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const packet of packets) {
    whole.set(packet, at);
    at += packet.length;
  }
  return whole;
}

function toPassedResponse(
  response: VendorResponse,
  method: string,
  attempt: PassthroughContext,
): PassedResponse {
  const { provider, limits, record, deps: { clock }, deadline } = attempt;
  const { status, headers } = response;
  const id = headers.get(provider.adapter.requestIdHeader ?? "x-request-id");
  record.upstreamRequestId = id === null ? undefined : label(id, provider);
  const returned = Object.entries(toReturnedHeaders(headers))
    .map(([name, value]) => [name, redact(value, provider)] as const);
  const passed = { status, headers: Object.fromEntries(returned) };
  // Responses without a body may have any status.
  if (response.body === null || method === "HEAD" || EMPTY.has(status)) {
    void response.body?.cancel();
    deadline.end();
    return { ...passed, body: null };
  }
  deadline.begun();
  record.open = true;
  const context = { record, deadline, clock, writeTimeout: limits.writeTimeout };
  const body = new PassedBody(readPackets(response, deadline.signal), context);
  return { ...passed, body: new ReadableStream(body, { highWaterMark: 0 }) };
}

/** Statuses whose responses have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);
