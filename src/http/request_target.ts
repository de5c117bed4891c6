/** The path of a request. It is taken from the request target alone. */

import { GatewayError } from "../core/errors.ts";

/** The authority that the runtime uses when there is no Host header: its own address. */
const OWN_ADDRESS = /^(?:localhost|[\d.]+|\[[\da-fA-F:.]+\])(?::\d+)?$/;

/** The characters of a host and a port (RFC 3986, 3.2). None of them ends the authority of a URL. */
const HOST = /^[\w.~%!$&'()*+,;=:[\]-]*$/;

/**
 * The path as the caller wrote it. The runtime builds the request's URL from the Host
 * header and the target without a check, so a `/` or `?` in Host would change the path.
 *
 * @throws {GatewayError} `invalid_request` when the Host header is missing or not valid. HTTP/2
 * has none, and cannot be told from HTTP/1.1 here: a request to `localhost` or an IP address is
 * refused without Host in HTTP/2 as well.
 */
export function readPath({ url, headers }: Request): string {
  const host = headers.get("host");
  if (host !== null && !HOST.test(host)) throw refused("The Host header is not valid");
  const start = url.indexOf("//") + 2;
  const slash = url.indexOf("/", start);
  // A target of CONNECT has no path.
  if (slash === -1) return "/";
  if (host === null && OWN_ADDRESS.test(url.slice(start, slash))) {
    throw refused("The request has no Host header");
  }
  const query = url.indexOf("?", slash);
  return query === -1 ? url.slice(slash) : url.slice(slash, query);
}

function refused(message: string): GatewayError {
  return new GatewayError("invalid_request", message);
}
