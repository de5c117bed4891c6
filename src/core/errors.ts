/**
 * The table of all error kinds, and the error class that the HTTP app converts into a response.
 */

import { shortened } from "./text.ts";
import { TransportError } from "./transport_error.ts";

/** Failure classes for fallback chains: the values of `when` in config.yaml. */
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
/** One of {@linkcode FAILURE_CLASSES}. */
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** The properties of an error kind. */
interface ErrorRow {
  /** The response's HTTP status. */
  readonly status: number;
  /** OpenAI's `error.type`. */
  readonly type: string;
  /** OpenAI's `error.code`, unless the error has a specific code. */
  readonly code: string | null;
  /** Whether the same request may succeed on another attempt. */
  readonly retryable: boolean;
  /** The class for fallback chains; null if no other target can help. */
  readonly failureClass: FailureClass | null;
  /**
   * Whether the target does not support the request although another one may. No request was sent.
   */
  readonly targetMismatch: boolean;
  /** Whether the vendor key may be the cause, so that another key may help. */
  readonly mayBeKey: boolean;
  /**
   * How the circuit breaker treats the failure: it `counts` it, counts it once `per request`
   * because one prompt may cause it repeatedly, or `ignores` it.
   */
  readonly breaker: "counts" | "per request" | "ignores";
}

/** An error that is not specific to a target and that a retry does not resolve. */
const FINAL = {
  retryable: false,
  failureClass: null,
  targetMismatch: false,
  mayBeKey: false,
  breaker: "ignores",
} as const;
/** A target's error. */
const UPSTREAM = { ...FINAL, retryable: true, breaker: "counts" } as const;

const INVALID = { ...FINAL, status: 400, type: "invalid_request_error", code: null } as const;
const RATE_LIMIT = { ...UPSTREAM, status: 429, type: "rate_limit_error", mayBeKey: true } as const;
const API_ERROR = { type: "api_error" } as const;

/** All error kinds. */
export const ERROR_KINDS = {
  invalid_request: INVALID,
  invalid_value: { ...INVALID, code: "invalid_value" },
  unsupported_parameter: { ...INVALID, code: "unsupported_parameter", targetMismatch: true },
  unsupported_content: { ...INVALID, code: "unsupported_content", targetMismatch: true },
  unsupported_operation: { ...INVALID, code: "unsupported_operation", targetMismatch: true },
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
  /** An unknown response or item. Another target may know it. */
  response_not_found: { ...INVALID, status: 404, targetMismatch: true, code: null },
  route_not_found: { ...INVALID, status: 404 },
  method_not_allowed: { ...INVALID, status: 405 },
  /** The change conflicts with the stored or configured state. */
  conflict: { ...INVALID, status: 409, code: "conflict" },
  /** The name in the Host header is unknown. */
  misdirected_request: { ...INVALID, status: 421, code: "misdirected_request" },
  /** Another site's page sent the request. */
  cross_site_request: {
    ...FINAL,
    status: 403,
    type: "permission_error",
    code: "cross_site_request",
  },
  /** A feature that must inspect all content cannot inspect this content. */
  unseen_content: {
    ...FINAL,
    status: 403,
    type: "permission_error",
    code: "unseen_content",
  },
  request_timeout: { ...INVALID, status: 408, code: "request_timeout" },
  unsupported_media_type: { ...INVALID, status: 415, code: "unsupported_media_type" },
  too_large: { ...INVALID, status: 413, code: "request_too_large" },
  rate_limited: { ...RATE_LIMIT, code: "rate_limit_exceeded", failureClass: "rate_limited" },
  quota: {
    ...RATE_LIMIT,
    code: "insufficient_quota",
    retryable: false,
    failureClass: "quota",
    breaker: "ignores",
  },
  limit_exceeded: {
    ...FINAL,
    status: 429,
    type: "rate_limit_error",
    code: "rate_limit_exceeded",
  },
  /** A model's limit. Another target may have a different model. */
  model_limit_exceeded: {
    ...FINAL,
    status: 429,
    type: "rate_limit_error",
    code: "rate_limit_exceeded",
    failureClass: "rate_limited",
  },
  budget_exceeded: {
    ...FINAL,
    status: 429,
    type: "insufficient_quota",
    code: "insufficient_quota",
  },
  /** The model's cost is unknown, so the key's budget does not allow it. */
  price_unknown: {
    ...FINAL,
    status: 403,
    type: "permission_error",
    code: "price_unknown",
    targetMismatch: true,
  },
  /** The target exceeds the price cap of the request or the alias. */
  over_max_price: { ...INVALID, code: "max_price_exceeded", targetMismatch: true },
  limits_unavailable: { ...FINAL, ...API_ERROR, status: 503, code: "limits_unavailable" },
  too_many_tokens: { ...INVALID, code: "too_many_tokens", targetMismatch: true },
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
 * The scope of a vendor key's suspension after a failure: everything (`key`) or the requested model
 * (`model`).
 */
export type SuspensionScope = "key" | "model";

/** The maximum length of a message in UTF-16 units: it may quote a caller or a vendor. */
const MAX_MESSAGE_LENGTH = 4000;

/** The maximum length of a path in UTF-16 units: its names may come from a caller. */
const MAX_PARAM_LENGTH = 200;

/** The optional details of an error. */
interface ErrorDetails {
  /** The path of the invalid request field, such as `messages[2].content`. */
  readonly param?: string | null;
  /** Replaces the kind's `code`. */
  readonly code?: string | null;
  /** The error's response headers, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Set when the failure proves that the vendor key must be suspended. */
  readonly suspends?: SuspensionScope | undefined;
  /** True if retrying the same request cannot succeed. */
  readonly final?: boolean | undefined;
  /** The original error, for the log only. */
  readonly cause?: unknown;
}

/** The details of a failure that a caller may see. Each caller format writes them differently. */
interface PublicError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** The vendor's message when it rejected the gateway's credentials, without secrets. */
export class VendorRefusal extends Error {
  override readonly name = "VendorRefusal";
}

/** An error that a caller may see. Everything except `cause` is safe to show. */
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

  /** The HTTP status. */
  get status(): number {
    return ERROR_KINDS[this.kind].status;
  }

  /** Whether the same request may succeed on another attempt. */
  get retryable(): boolean {
    return ERROR_KINDS[this.kind].retryable && !this.final;
  }

  /**
   * Host, port and cause of a connection failure, or a vendor's message about the gateway's
   * credentials: for the log only.
   */
  get loggedCause(): string | undefined {
    const { cause } = this;
    return cause instanceof TransportError || cause instanceof VendorRefusal
      ? cause.message
      : undefined;
  }

  /** The same error with more headers. */
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

  toDetails(): PublicError {
    const { type } = ERROR_KINDS[this.kind];
    return { message: this.message, type, param: this.param, code: this.code };
  }
}

/** Converts anything thrown into a {@linkcode GatewayError}; an unexpected error is `internal`. */
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

/** A thrown value's message. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The error for a provider's answer that cannot be interpreted. */
export function unreadable(message: string, cause?: unknown): GatewayError {
  return new GatewayError("upstream_error", message, { cause });
}

/** The error kind for a vendor's HTTP status, if the body is not more specific. */
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
 * The scope for which a status suspends the vendor key. A 403 is inconclusive, since it may concern
 * one prompt, feature, model or region.
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

/**
 * Creates the error for a request value.
 *
 * @param param the path of the value; empty for the whole body
 * @param why a predicate, such as "must be a string"
 */
export function invalidValue(param: string, why: string): GatewayError {
  const where = param === "" ? "the request body" : `'${param}'`;
  return new GatewayError("invalid_value", `Invalid value for ${where}: ${why}`, {
    param: param || null,
  });
}

/** Turns a stack overflow, which deeply nested JSON causes, into an error for the caller. */
export function withinDepth<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    throw toDepthError(thrown);
  }
}

/** Converts a thrown value: a stack overflow becomes a different error. */
export function toDepthError(thrown: unknown): unknown {
  if (!(thrown instanceof RangeError)) return thrown;
  const message = "The request is nested too deeply";
  return new GatewayError("invalid_request", message, { cause: thrown });
}
