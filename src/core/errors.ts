/**
 * Every way a request can fail, as one table, and the one error class that
 * carries it to the HTTP edge.
 */

import { TransportError } from "./transport_error.ts";

/** Why a target failed, as a fallback chain sees it: the values of `when` in config.yaml. */
export const FAILURE_CLASSES = [
  "rate_limited",
  "quota",
  "auth",
  "not_found",
  "unavailable",
  "timeout",
  "context_length",
  "content_filter",
] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** Everything that is known of one kind of error. */
interface ErrorRow {
  /** The HTTP status that the caller gets. */
  readonly status: number;
  /** OpenAI's `error.type`. */
  readonly type: string;
  /** OpenAI's `error.code`, unless the error brings its own. */
  readonly code: string | null;
  /** Whether the same request may succeed on another attempt. */
  readonly retryable: boolean;
  /** The class for fallback chains; null when no other target would help. */
  readonly failureClass: FailureClass | null;
  /** Whether the target cannot take the request, so that another target may. Nothing was sent. */
  readonly targetMismatch: boolean;
  /** Whether the failure may be about the vendor key that was used, so that another key may help. */
  readonly mayBeKey: boolean;
  /**
   * What the circuit breaker does: `counts` the failure, counts it `per request` since one prompt
   * may cause it again and again, or `ignores` it.
   */
  readonly breaker: "counts" | "per request" | "ignores";
}

/** An error that says nothing of a target and does not pass in time. */
const FINAL = {
  retryable: false,
  failureClass: null,
  targetMismatch: false,
  mayBeKey: false,
  breaker: "ignores",
} as const;
/** An error of a target. */
const UPSTREAM = { ...FINAL, retryable: true, breaker: "counts" } as const;

const INVALID = { ...FINAL, status: 400, type: "invalid_request_error", code: null } as const;
const RATE_LIMIT = { ...UPSTREAM, status: 429, type: "rate_limit_error", mayBeKey: true } as const;
const API_ERROR = { type: "api_error" } as const;

/** The closed set of error kinds. */
export const ERROR_KINDS = {
  invalid_request: INVALID,
  invalid_value: { ...INVALID, code: "invalid_value" },
  unsupported_parameter: { ...INVALID, code: "unsupported_parameter", targetMismatch: true },
  unsupported_content: { ...INVALID, code: "unsupported_content", targetMismatch: true },
  context_length: {
    ...INVALID,
    code: "context_length_exceeded",
    failureClass: "context_length",
  },
  content_filter: { ...INVALID, code: "content_filter", failureClass: "content_filter" },
  unauthenticated: { ...INVALID, status: 401, code: "invalid_api_key" },
  admin_key_required: {
    ...FINAL,
    status: 403,
    type: "permission_error",
    code: "admin_key_required",
  },
  model_not_found: {
    ...INVALID,
    status: 404,
    code: "model_not_found",
    failureClass: "not_found",
  },
  route_not_found: { ...INVALID, status: 404 },
  method_not_allowed: { ...INVALID, status: 405 },
  request_timeout: { ...INVALID, status: 408, code: "request_timeout" },
  too_large: { ...INVALID, status: 413, code: "request_too_large" },
  rate_limited: { ...RATE_LIMIT, code: "rate_limit_exceeded", failureClass: "rate_limited" },
  quota: {
    ...RATE_LIMIT,
    code: "insufficient_quota",
    retryable: false,
    failureClass: "quota",
    breaker: "ignores",
  },
  internal: { ...FINAL, ...API_ERROR, status: 500, code: "internal_error" },
  upstream_auth: {
    ...FINAL,
    ...API_ERROR,
    status: 502,
    code: "upstream_auth",
    failureClass: "auth",
    mayBeKey: true,
  },
  upstream_error: {
    ...UPSTREAM,
    ...API_ERROR,
    status: 502,
    code: "upstream_error",
    failureClass: "unavailable",
    breaker: "per request",
  },
  upstream_unavailable: {
    ...UPSTREAM,
    ...API_ERROR,
    status: 503,
    code: "upstream_unavailable",
    failureClass: "unavailable",
  },
  upstream_timeout: {
    ...UPSTREAM,
    ...API_ERROR,
    status: 504,
    code: "upstream_timeout",
    failureClass: "timeout",
    breaker: "per request",
  },
  overloaded: { ...FINAL, ...API_ERROR, status: 503, code: "overloaded" },
  client_gone: { ...INVALID, status: 499, code: "client_gone" },
} as const satisfies Readonly<Record<string, ErrorRow>>;

/** The name of a row in {@linkcode ERROR_KINDS}. */
export type ErrorKind = keyof typeof ERROR_KINDS;

/**
 * What a vendor key cannot be used for after a failure: anything (`key`), or the model that was
 * asked for (`model`).
 */
export type SuspensionScope = "key" | "model";

/** UTF-16 units of a message: it may quote a caller or a vendor. */
const MAX_MESSAGE_LENGTH = 4000;

/** UTF-16 units of a path: names in it may come from a caller. */
const MAX_PARAM_LENGTH = 200;

/** The details that one error may add to its kind. */
export interface ErrorDetails {
  /** Path of the request field at fault, e.g. `messages[2].content`. */
  readonly param?: string | null;
  /** Replaces the kind's own `code`; always a string on the wire. */
  readonly code?: string | null;
  /** Response headers the error brings, e.g. `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Set when the failure proves that the vendor key cannot be used for a while. */
  readonly suspends?: SuspensionScope | undefined;
  /** True when the same request fails however long one waits. */
  readonly final?: boolean | undefined;
  /** What really happened; for our own log, never for the caller. */
  readonly cause?: unknown;
}

/** The JSON body of every failure. */
export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

/** A failure that a caller may see: everything in it but `cause` is safe to print. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
  readonly kind: ErrorKind;
  readonly param: string | null;
  readonly code: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly suspends: SuspensionScope | undefined;
  readonly final: boolean;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(shortened(message, MAX_MESSAGE_LENGTH), { cause: details.cause });
    this.kind = kind;
    this.param = details.param == null ? null : shortened(details.param, MAX_PARAM_LENGTH);
    this.code = details.code ?? ERROR_KINDS[kind].code;
    this.headers = details.headers ?? {};
    this.suspends = details.suspends;
    this.final = details.final ?? false;
  }

  get status(): number {
    return ERROR_KINDS[this.kind].status;
  }

  get retryable(): boolean {
    return ERROR_KINDS[this.kind].retryable && !this.final;
  }

  /** Host, port and cause of a failure on the way to a vendor: for the log alone. */
  get transportCause(): string | undefined {
    return this.cause instanceof TransportError ? this.cause.message : undefined;
  }

  /** The same failure with more headers. */
  withHeaders(headers: Readonly<Record<string, string>>): GatewayError {
    return new GatewayError(this.kind, this.message, {
      param: this.param,
      code: this.code,
      headers: { ...this.headers, ...headers },
      suspends: this.suspends,
      final: this.final,
      cause: this.cause,
    });
  }

  toBody(): ErrorBody {
    const { type } = ERROR_KINDS[this.kind];
    return {
      error: {
        message: this.message,
        type,
        param: this.param,
        code: this.code,
      },
    };
  }
}

function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** Turns anything thrown into a {@linkcode GatewayError}; what we did not foresee is our bug. */
export function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  return new GatewayError(
    "internal",
    "The gateway failed to handle this request",
    {
      cause: thrown,
    },
  );
}

/**
 * The kind that a vendor's HTTP status stands for when nothing in its body says
 * more.
 */
export function kindOfStatus(status: number): ErrorKind {
  switch (status) {
    case 401:
    case 403:
      return "upstream_auth";
    case 402:
      return "quota";
    case 404:
    case 410:
      return "model_not_found";
    case 408:
    case 504:
    case 524:
      return "upstream_timeout";
    case 409:
    case 425:
      return "upstream_error";
    case 413:
      return "too_large";
    case 429:
      return "rate_limited";
    case 498:
    case 503:
    case 529:
      return "upstream_unavailable";
  }
  return status >= 400 && status < 500 ? "invalid_request" : "upstream_error";
}

/**
 * What an HTTP status alone proves of the vendor key that was used. A 403 proves nothing: it may be
 * about one prompt, one feature, one model or one region.
 */
export function scopeOfStatus(status: number | undefined): SuspensionScope | undefined {
  switch (status) {
    case 401:
    case 402:
      return "key";
    case 429:
      return "model";
  }
  return undefined;
}
