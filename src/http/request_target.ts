/** The path of a request, from the request target only. */

import { GatewayError } from "../core/errors.ts";

/** The authority that the runtime uses without a Host header: the address of the listener. */
const OWN_ADDRESS = /^(?:localhost|[\d.]+|\[[\da-fA-F:.]+\])(?::\d+)?$/;

/** The characters of a host and port (RFC 3986, 3.2). None of them ends the authority of a URL. */
const HOST = /^[\w.~%!$&'()*+,;=:[\]-]*$/;

/**
 * The path as the caller wrote it. The runtime builds the request's URL from the Host
 * header and the target without a check, so a `/` or `?` in Host would change the path.
 *
 * @throws {GatewayError} `invalid_request` when the Host header is missing or not valid. HTTP/2
 * has no Host header and is not distinguishable from HTTP/1.1 here. Over TLS a missing header is
 * accepted; without TLS, an HTTP/2 request to `localhost` or an IP address is refused too.
 */
export function readPath({ url, headers }: Request): string {
  const host = headers.get("host");
  if (host !== null && !HOST.test(host)) throw refused("The Host header is not valid");
  const start = url.indexOf("//") + 2;
  const slash = url.indexOf("/", start);
  // The target of a CONNECT request has no path.
  if (slash === -1) return "/";
  if (host === null && !url.startsWith("https:") && OWN_ADDRESS.test(url.slice(start, slash))) {
    throw refused("The request has no Host header");
  }
  const query = url.indexOf("?", slash);
  return query === -1 ? url.slice(slash) : url.slice(slash, query);
}

function refused(message: string): GatewayError {
  return new GatewayError("invalid_request", message);
}
