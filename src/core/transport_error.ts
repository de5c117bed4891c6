/**
 * Failures to connect to a vendor or to read its HTTP. The log contains the cause; callers see only
 * the class.
 */

/** A failure's class, which callers may see. */
export type TransportFailure =
  | "proxy"
  | "dns"
  | "refused"
  | "unreachable"
  | "tls"
  | "timeout"
  | "reset"
  | "protocol"
  | "unknown";

/** The longest cause that is logged, in UTF-16 units. */
const MAX_CAUSE_CHARS = 300;

/** A connection failure. Its message contains the host, port and cause, for the log only. */
export class TransportError extends Error {
  override readonly name = "TransportError";

  /** @param endpoint host and port, if known */
  constructor(
    readonly failure: TransportFailure,
    cause: string,
    endpoint?: string,
    options?: ErrorOptions,
  ) {
    super(clean(endpoint === undefined ? cause : `${cause} (${endpoint})`), options);
  }
}

/** Converts anything thrown by a request to a vendor. */
export function toTransportError(thrown: unknown, endpoint?: string): TransportError {
  if (thrown instanceof TransportError) return thrown;
  const cause = causeOf(thrown);
  const failure = failureOf(cause) ?? (isBadMessage(thrown) ? "protocol" : "unknown");
  return new TransportError(failure, cause, endpoint, { cause: thrown });
}

/**
 * The same for a proxy that is unreachable or rejects the tunnel.
 *
 * @param endpoint the vendor's host and port
 * @param proxy where the proxy is configured, such as `HTTPS_PROXY`
 */
export function toProxyError(thrown: unknown, endpoint: string, proxy: string): TransportError {
  const cause = causeOf(thrown);
  return new TransportError("proxy", cause, `proxy of ${proxy}, for ${endpoint}`, {
    cause: thrown,
  });
}

/** A URL's host and port. */
export function endpointOf(url: string): string | undefined {
  const { protocol, hostname, port } = URL.parse(url) ?? {};
  if (hostname === undefined || hostname === "") return undefined;
  return `${hostname}:${port || (protocol === "http:" ? 80 : 443)}`;
}

/**
 * The error message for callers. It contains no address.
 *
 * @param name as in `provider 'openai'`
 */
export function messageFor(failure: TransportFailure, name: string): string {
  switch (failure) {
    case "proxy":
      return `Cannot reach ${name}: the proxy does not answer, or rejects the connection`;
    case "dns":
      return `Cannot connect to ${name}: DNS lookup failed`;
    case "refused":
      return `Cannot connect to ${name}: connection refused`;
    case "unreachable":
      return `Cannot connect to ${name}: network unreachable`;
    case "tls":
      return `Cannot connect to ${name}: TLS handshake failed`;
    case "timeout":
      return `Cannot connect to ${name}: connection timed out`;
    case "reset":
      return `The connection to ${name} was closed before an answer arrived`;
    case "protocol":
      return `The answer from ${name} is not valid HTTP`;
    case "unknown":
      return `Cannot reach ${name}`;
  }
}

/** Message patterns by class. The first match applies. */
const PATTERNS: readonly (readonly [TransportFailure, RegExp])[] = [
  ["dns", /\bENOTFOUND\b|\bEAI_|\bdns error\b|\bfailed to lookup\b|\bno resolved address\b/i],
  ["refused", /\bECONNREFUSED\b|\bconnection ?refused\b/i],
  ["unreachable", /\bE(?:HOST|NET)UNREACH\b|\bunreachable\b|\bno route to host\b/i],
  ["tls", /\bcertificate\b|\bCERT_|\bERR_(?:TLS|SSL)_|\bTLS\b|\bhandshake\b|\bcorrupt message\b/i],
  ["timeout", /\bETIMEDOUT\b|\btimed ?out\b/i],
  ["reset", /\bE(?:CONNRESET|CONNABORTED|PIPE)\b|\bconnection ?(?:reset|aborted|closed|broke)/i],
  [
    "reset",
    /\bbroken ?pipe\b|\bunexpected ?(?:eof|end of file)\b|\bclosed before\b|\breading a body\b/i,
  ],
  ["protocol", /\binvalid (?:HTTP|content-length)\b|\bmessage head is too large\b/i],
];

function failureOf(cause: string): TransportFailure | undefined {
  return PATTERNS.find(([, words]) => words.test(cause))?.[0];
}

/** Whether the native HTTP client could not parse the answer. */
function isBadMessage(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === "BadMessage";
}

/** The system's message, which the runtime's `fetch` wraps in other errors. */
function causeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "unknown error";
  const { cause, message, name } = thrown;
  // An error with one entry per address of the host.
  if (thrown instanceof AggregateError && thrown.errors.length > 0) {
    return causeOf(thrown.errors[0]);
  }
  if (cause instanceof Error) return causeOf(cause);
  // Removes a prefix with addresses and the URL, which may contain secrets.
  const words = message.replace(/^error sending request\b.*?\): /, "");
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : name;
  return words === "" || words.includes(code) || GENERIC_NAMES.has(code)
    ? words || code
    : `${code}: ${words}`;
}

const GENERIC_NAMES: ReadonlySet<string> = new Set(["Error", "TypeError", "BadMessage"]);

/** One line of bounded length, without URLs or control characters. */
function clean(text: string): string {
  return text
    .slice(0, 2 * MAX_CAUSE_CHARS)
    .replace(/https?:\/\/\S+/g, "[URL]")
    .replace(/[^\x20-\x7e]+/g, " ")
    .slice(0, MAX_CAUSE_CHARS);
}
