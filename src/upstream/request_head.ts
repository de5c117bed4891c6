/** Checks of a request's method and headers, the same for every HTTP client. */

/** Names of headers and methods, by RFC 9110, 5.6.2 (https://www.rfc-editor.org/rfc/rfc9110, 2022-06). */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
/** Methods with a different kind of response, or that reveal a request's credentials. */
const FORBIDDEN_METHODS: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);
/** Headers of the connection and of the body's length, which a client sets. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** The maximum length of a name in an error message, in characters. */
const MAX_NAME_CHARS = 40;
const NOT_ASCII_TEXT = /[^\t\x20-\x7e]/;
const NOT_LATIN1_TEXT = /[^\t\x20-\x7e\x80-\xff]/;

/** Whether a text can be the name of a header. */
export function isFieldName(text: string): boolean {
  return TOKEN.test(text);
}

/** @throws {TypeError} for a method that a client does not send, or not with a body. */
export function checkMethod(method: string, hasBody: boolean): void {
  if (!/^[A-Z]+$/.test(method) || FORBIDDEN_METHODS.has(method)) {
    throw new TypeError(`The method '${printable(method)}' cannot be sent`);
  }
  if (hasBody && (method === "GET" || method === "HEAD")) {
    throw new TypeError(`A ${method} request cannot have a body`);
  }
}

/**
 * Whether a header consists of ASCII characters; otherwise each of its characters is one byte.
 *
 * @throws {TypeError} for a header that could change the request, or that a client sets itself.
 */
export function checkHeader(name: string, value: string): boolean {
  if (isFieldName(name) && !CONNECTION_HEADERS.has(name.toLowerCase())) {
    if (!NOT_ASCII_TEXT.test(value)) return true;
    if (!NOT_LATIN1_TEXT.test(value)) return false;
  }
  throw new TypeError(`The header '${printable(name)}' cannot be sent`);
}

/** Whether a response has no body. Its headers do not decide this (RFC 9110, 6.4.1). */
export function hasNoBody(method: string, status: number): boolean {
  return method === "HEAD" || status === 204 || status === 304;
}

function printable(name: string): string {
  return name.slice(0, MAX_NAME_CHARS).replace(/[^\w-]/g, "?");
}
