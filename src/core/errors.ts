/**
 * Every way a request can fail, as one table, and the one error class that
 * carries it to the HTTP edge.
 */

import { TransportError } from "../upstream/transport_error.ts";

interface ErrorRow {
  /** The HTTP status a caller sees. */
  readonly status: number;
  /** OpenAI's `error.type`. */
  readonly type: string;
  /** OpenAI's `error.code`, unless the error brings its own. */
  readonly code: string | null;
  /** Whether the same request may succeed on a second try. */
  readonly retryable: boolean;
}

const INVALID = "invalid_request_error";

/** The closed set of error kinds: what a caller sees, and whether to retry. */
export const ERROR_KINDS = {
  invalid_request: { status: 400, type: INVALID, code: null, retryable: false },
  invalid_value: {
    status: 400,
    type: INVALID,
    code: "invalid_value",
    retryable: false,
  },
  unsupported_parameter: {
    status: 400,
    type: INVALID,
    code: "unsupported_parameter",
    retryable: false,
  },
  unsupported_content: {
    status: 400,
    type: INVALID,
    code: "unsupported_content",
    retryable: false,
  },
  context_length: {
    status: 400,
    type: INVALID,
    code: "context_length_exceeded",
    retryable: false,
  },
  content_filter: {
    status: 400,
    type: INVALID,
    code: "content_filter",
    retryable: false,
  },
  unauthenticated: {
    status: 401,
    type: INVALID,
    code: "invalid_api_key",
    retryable: false,
  },
  admin_key_required: {
    status: 403,
    type: "permission_error",
    code: "admin_key_required",
    retryable: false,
  },
  model_not_found: {
    status: 404,
    type: INVALID,
    code: "model_not_found",
    retryable: false,
  },
  route_not_found: { status: 404, type: INVALID, code: null, retryable: false },
  method_not_allowed: {
    status: 405,
    type: INVALID,
    code: null,
    retryable: false,
  },
  request_timeout: {
    status: 408,
    type: INVALID,
    code: "request_timeout",
    retryable: false,
  },
  too_large: {
    status: 413,
    type: INVALID,
    code: "request_too_large",
    retryable: false,
  },
  rate_limited: {
    status: 429,
    type: "rate_limit_error",
    code: "rate_limit_exceeded",
    retryable: true,
  },
  quota: {
    status: 429,
    type: "rate_limit_error",
    code: "insufficient_quota",
    retryable: false,
  },
  internal: {
    status: 500,
    type: "api_error",
    code: "internal_error",
    retryable: false,
  },
  upstream_auth: {
    status: 502,
    type: "api_error",
    code: "upstream_auth",
    retryable: false,
  },
  upstream_error: {
    status: 502,
    type: "api_error",
    code: "upstream_error",
    retryable: true,
  },
  upstream_unavailable: {
    status: 503,
    type: "api_error",
    code: "upstream_unavailable",
    retryable: true,
  },
  upstream_timeout: {
    status: 504,
    type: "api_error",
    code: "upstream_timeout",
    retryable: true,
  },
  overloaded: {
    status: 503,
    type: "api_error",
    code: "overloaded",
    retryable: false,
  },
  client_gone: {
    status: 499,
    type: INVALID,
    code: "client_gone",
    retryable: false,
  },
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
