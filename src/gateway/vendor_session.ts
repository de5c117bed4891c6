/** The requests of one attempt, signed and sent to the vendor within the attempt's limits. */

import { DEFAULT_CONNECTION_RULES } from "../config/connection_rules.ts";
import { tokensOfChars } from "../apis/chat/token_estimate.ts";
import { isObject, type JsonObject } from "../contract/chat.ts";
import type { Clock } from "../core/clock.ts";
import { toAbortSignal } from "../core/stop_signal.ts";
import { GatewayError, withinDepth } from "../core/errors.ts";
import { type WritePlan, writePlanned } from "../core/json/source.ts";
import type { Target } from "../config/config.ts";
import type { Adapter } from "../contract/adapter.ts";
import type { RequestChanges } from "../contract/request_changes.ts";
import { type Credentials, toOutgoing } from "../upstream/credentials/credentials.ts";
import { toUploadRequest } from "../upstream/form_body.ts";
import { isStreamed, toBodyText } from "../upstream/request_body.ts";
import { readFailure, readText } from "../upstream/read_response.ts";
import {
  checkStatus,
  type Fetch,
  type OutgoingRequest,
  send,
  toSendError,
  type VendorResponse,
} from "../upstream/transport.ts";
import { convertJson, MAX_LENGTH_AT_ONCE, parseAnswer } from "../upstream/vendor_answer.ts";
import { label, passedHeaders, readable, toCallerError } from "../upstream/upstream_errors.ts";
import type { AttemptState } from "./attempt_state.ts";
import type { Deadline } from "./deadline.ts";
import type { RequestRecord } from "./request_record.ts";
import type { Quota } from "./quota.ts";
import type { State } from "./state.ts";
import type { LimitHeaders, UpstreamError, VendorRequest } from "../contract/vendor_request.ts";
import { findLimits } from "../providers/shared/quota_headers.ts";
import { PassedUsage } from "./passed_usage.ts";

/** Calls the function that sends a request, so that the request can carry the attempt's trace. */
export type Run = <Result>(send: () => Result) => Result;

/** The dependencies of a session. */
export interface SessionDeps {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  readonly state: State;
  readonly credentials: Credentials;
}

/** The data shared by a session's requests. */
export interface SessionInput {
  readonly target: Target;
  /** The vendor's key, for kinds that need one. */
  readonly key: string | undefined;
  /** True to reject requests with parts that would be ignored. */
  readonly strict: boolean;
}

/** The reservations to release when a request has its response or has failed. */
export interface OpenRequest {
  /** Whether it counts toward the vendor's rate limits. */
  isCounted: boolean;
  /** Whether the time is attributed to the vendor. */
  isWaiting: boolean;
}

/** The memory per byte of an answer: for its text, its value, and the output. */
const MEMORY_PER_BYTE = 3;

/** The interface with which an operation sends requests, after {@linkcode open} was called. */
export class VendorSession {
  // Set only in the constructor, since each request has a session.
  declare readonly target: Target;
  declare readonly key: string | undefined;
  declare readonly attempt: AttemptState;
  declare readonly changes: RequestChanges;
  declare readonly record: RequestRecord;
  declare readonly strict: boolean;
  declare readonly deps: SessionDeps;
  declare readonly quota: Quota;
  /** An estimate of the tokens of the caller's request. */
  declare readonly tokens: number;
  /** Runs each function that sends a request; directly if undefined. */
  declare run: Run | undefined;
  declare adapter: Adapter;
  declare deadline: Deadline;
  /** When the headers of the last response arrived, or its request failed. */
  declare settledAt: number;

  constructor(
    { target, key, strict }: SessionInput,
    attempt: AttemptState,
    record: RequestRecord,
    deps: SessionDeps,
  ) {
    this.target = target;
    this.key = key;
    this.attempt = attempt;
    this.changes = attempt.changes;
    this.record = record;
    this.strict = strict;
    this.deps = deps;
    this.quota = deps.state.quotas.of(target, key);
    this.tokens = tokensOfChars(record.bodyBytes);
    this.run = undefined;
  }

  /** @param adapter the adapter that serves the requests */
  open(adapter: Adapter, deadline: Deadline): this {
    this.adapter = adapter;
    this.deadline = deadline;
    return this;
  }

  /** The session for one of several requests, each with separate state. */
  forRequest(adapter: Adapter, attempt: AttemptState): VendorSession {
    const session = new VendorSession(this, attempt, this.record, this.deps);
    session.run = this.run;
    return session.open(adapter, this.deadline);
  }

  /** Waits for the vendor; the time counts as the vendor's, not as overhead of the gateway. */
  wait<Result>(vendor: Promise<Result>): Promise<Result> {
    return this.record.waiting(vendor, this.deps.clock);
  }

  /**
   * Signs and sends a request.
   *
   * @param isLarge whether the body is written in several steps, so that other requests are not
   * delayed
   * @throws {GatewayError} when there is no response; a response other than 2xx is returned.
   */
  async send(request: VendorRequest, isLarge = false): Promise<VendorResponse> {
    const open: OpenRequest = { isCounted: false, isWaiting: false };
    try {
      const response = await this.start(request, isLarge, open);
      this.arrived(response, open);
      return response;
    } catch (thrown) {
      throw this.abandon(open, thrown, request.url);
    }
  }

  /**
   * Signs and sends a request. The response must then be passed to {@linkcode arrived}, or the
   * failure to {@linkcode abandon}.
   */
  start(request: VendorRequest, isLarge: boolean, open: OpenRequest): Promise<VendorResponse> {
    this.quota.sent(this.tokens);
    open.isCounted = true;
    const { serve } = this.adapter;
    if (serve !== undefined) return this.#serve(request, serve, open);
    if (request.form !== undefined || request.upload !== undefined) {
      const outgoing = toUploadRequest(request, this.target.provider, this.deps.newId);
      return this.#sendSigned(request, outgoing, open);
    }
    const { source } = this.record;
    if (source !== undefined && request.method === undefined && !this.#marksIds) {
      const plan = source.planFor(request.body);
      const body = withinDepth(() => source.write(plan));
      if (body !== undefined) return this.#sendBody(request, body, open);
      if (plan.kept.length > 0) return this.#sendPlanned(plan, request, isLarge, open);
    }
    const text = toBodyText(request, isLarge);
    return typeof text === "string"
      ? this.#sendBody(request, text, open)
      : text.then((late) => this.#sendBody(request, late, open));
  }

  /** Sends a body in which unchanged members are copied from the caller's bytes. */
  #sendPlanned(
    plan: WritePlan,
    request: VendorRequest,
    isLarge: boolean,
    open: OpenRequest,
  ): Promise<VendorResponse> {
    const { changes } = plan;
    const text = changes && toBodyText({ ...request, body: changes }, isLarge);
    return text instanceof Promise
      ? text.then((late) => this.#sendBody(request, writePlanned(plan, late), open))
      : this.#sendBody(request, writePlanned(plan, text), open);
  }

  #sendBody(
    request: VendorRequest,
    written: string | Uint8Array,
    open: OpenRequest,
  ): Promise<VendorResponse> {
    const { attempt, deps, key, record, run, target: { provider } } = this;
    const isOwn = provider.passthrough?.isShared === false && typeof written === "string";
    // With the answering provider's IDs.
    const body = isOwn && record.withProviderIds?.(written, provider.settings.id) || written;
    const headers = deps.credentials.headersOf(request, provider, key);
    if (headers === undefined) {
      return this.#sendSigned(request, toOutgoing(request, body, provider), open);
    }
    const { method = "POST", url } = request;
    const init = {
      method,
      headers,
      body: request.method === undefined ? body : undefined,
      signal: this.deadline,
      connection: provider.connection,
      watcher: attempt,
    };
    this.#sending(open);
    return run === undefined ? deps.fetch(url, init) : run(() => deps.fetch(url, init));
  }

  /** Records that a request is being sent. */
  #sending(open: OpenRequest): void {
    const now = this.attempt.sentAt = this.deps.clock.now();
    open.isWaiting = true;
    this.record.startWaiting(now);
  }

  /**
   * Reads a response's headers: its IDs and limits.
   *
   * @throws {GatewayError} `upstream_error` for a status that HTTP does not define.
   */
  arrived(response: VendorResponse, open: OpenRequest): void {
    const { headers, ok } = response;
    const { adapter, attempt, target: { provider } } = this;
    const limits = headers.limits ?? findLimits(headers);
    this.#settle(limits, open);
    if (!ok) checkStatus(response, nameOf(provider));
    const id = headers.get(adapter.requestIdHeader ?? "x-request-id");
    attempt.upstreamRequestId = id === null ? undefined : label(id, provider);
    if (ok) {
      attempt.isAccepted = true;
      if (limits.length > 0) {
        const prefix = attempt.format.rateLimitHeaders?.prefix;
        attempt.headers = passedHeaders(limits, adapter, provider, prefix);
      }
      // A long stream must not keep the body in memory. Another target would receive a new copy.
      this.record.source = undefined;
    } else attempt.refused();
  }

  /**
   * Called when there is no response.
   *
   * @returns the error to throw
   */
  abandon(open: OpenRequest, thrown: unknown, url: string): unknown {
    const { isWaiting } = open;
    this.#settle(undefined, open);
    if (!isWaiting || thrown instanceof GatewayError) return thrown;
    const name = nameOf(this.target.provider);
    return toSendError(thrown, { signal: this.deadline, url, name });
  }

  /** Tracks the vendor's remaining rate limits, and the time until its response. */
  #settle(limits: LimitHeaders | undefined, open: OpenRequest): void {
    const { deps: { clock }, record } = this;
    const now = this.settledAt = clock.now();
    if (open.isWaiting) record.stopWaiting(now);
    if (open.isCounted) this.quota.answered(this.tokens, limits, now, clock.wallTime());
    open.isWaiting = open.isCounted = false;
  }

  /** Reads the whole body of an answer as text, synchronously if it has arrived. */
  readText(response: VendorResponse): string | Promise<string> {
    const text = readText(response, this.deadline, this);
    if (typeof text !== "string") return this.wait(text).then((late) => this.#noteText(late));
    this.attempt.outputChars = text.length;
    return text;
  }

  #noteText(text: string): string {
    this.attempt.outputChars = text.length;
    return text;
  }

  /** Receives the number of new bytes of a long answer. */
  onGrowth(bytes: number): void {
    this.hold(bytes);
  }

  /**
   * Reads a whole answer and parses it, in time slices if it is long.
   *
   * @param convert receives the text and its value
   * @throws {GatewayError} `upstream_error` for invalid JSON or an incomplete answer.
   */
  readJson<Result>(
    response: VendorResponse,
    convert: (text: string, body: unknown) => Result | Promise<Result>,
  ): Result | Promise<Result> {
    const text = this.readText(response);
    if (typeof text !== "string") return text.then((late) => convertJson(late, convert));
    return text.length > MAX_LENGTH_AT_ONCE
      ? convertJson(text, convert)
      : convert(text, parseAnswer(text));
  }

  /**
   * Reserves memory for more bytes of an answer that is read completely.
   *
   * @throws {GatewayError} `overloaded` when there is none. The received part is billed.
   */
  hold(bytes: number): void {
    const { attempt, record } = this;
    if (record.memory?.take(bytes * MEMORY_PER_BYTE, "answer") !== false) return;
    attempt.outputChars += bytes;
    attempt.firstTokenAt ??= this.deps.clock.now();
    const message = "The gateway holds too many large answers at the moment; try again";
    throw new GatewayError("overloaded", message, { headers: { "retry-after": "1" } });
  }

  /** Reads a response with a status other than 2xx. */
  async readError(
    response: VendorResponse,
    toError: Adapter["toError"] = this.adapter.toError,
  ): Promise<UpstreamError> {
    const failure = await this.wait(readFailure(response, this.deadline));
    this.refused("body" in failure ? failure.body : undefined);
    return readable(() => toError(failure));
  }

  /** The vendor has rejected the request, so it bills only the usage in the body of its error. */
  refused(body: unknown): void {
    const { attempt } = this;
    attempt.refused();
    if (isObject(body) && isObject(body.usage)) attempt.report(PassedUsage.read(body.usage));
  }

  /**
   * Converts a vendor's error into the error for the caller.
   *
   * @param request the caller's request: an error code that it contains is not trusted
   */
  toCallerError(
    error: UpstreamError,
    request: JsonObject | undefined,
    response?: VendorResponse,
  ): GatewayError {
    const prefix = this.attempt.format.rateLimitHeaders?.prefix;
    return toCallerError(error, this.target.provider, request, response, prefix);
  }

  /** Answers in-process. */
  #serve(
    request: VendorRequest,
    serve: NonNullable<Adapter["serve"]>,
    open: OpenRequest,
  ): Promise<VendorResponse> {
    const { attempt, deadline, deps: { clock, state }, target } = this;
    const requestIndex = state.nextRequestIndex(target);
    this.#sending(open);
    const signal = toAbortSignal(deadline);
    return send(
      { ...request, body: "" },
      attempt.recipient(),
      deadline,
      () => Promise.resolve(serve(request, { signal, clock, requestIndex })),
    );
  }

  #sendSigned(
    request: VendorRequest,
    outgoing: OutgoingRequest,
    open: OpenRequest,
  ): Promise<VendorResponse> {
    const { attempt, deadline, deps: { clock, credentials }, key, run, target: { provider } } =
      this;
    const { route } = provider.connection;
    // Requests for credentials use the same route.
    const defaults = route && { connection: { ...DEFAULT_CONNECTION_RULES, route } };
    const fetch: Fetch = (url, init) => {
      const all = defaults ? { ...defaults, ...init } : init;
      const pending = run === undefined
        ? this.deps.fetch(url, all)
        : run(() => this.deps.fetch(url, all));
      return open.isWaiting ? pending : this.wait(pending);
    };
    const unsigned = {
      request: outgoing,
      auth: request.auth,
      provider,
      key,
      recipient: attempt.recipient(),
      isRepeatable: !isStreamed(outgoing.body),
      onSend: () => this.#sending(open),
    };
    return credentials.send(unsigned, { clock, fetch, signal: deadline });
  }

  /** Whether the provider's IDs are tagged for callers. */
  get #marksIds(): boolean {
    return this.record.withProviderIds !== undefined &&
      this.target.provider.passthrough?.isShared === false;
  }
}

function nameOf({ settings: { id } }: Target["provider"]): string {
  return `provider '${id}'`;
}
