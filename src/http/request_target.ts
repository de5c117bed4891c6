/** The path that a request asks for. It comes from the request's target alone. */

import { GatewayError } from "../core/errors.ts";

/** What the runtime puts in the place of a Host that was not sent: our own address. */
const OWN_ADDRESS = /^(?:localhost|[\d.]+|\[[\da-fA-F:.]+\])(?::\d+)?$/;

/** RFC 3986, 3.2: characters of a host and a port. None of them ends an authority. */
const HOST = /^[\w.~%!$&'()*+,;=:[\]-]*$/;

/**
 * The path as the caller wrote it. The runtime makes the request's URL by putting the
 * Host header before the target, as they come, so a Host with a `/` or a `?` in it
 * would make another path.
 *
 * @throws {GatewayError} `invalid_request` when the Host header is missing or not valid. HTTP/2
 * needs none; there, a caller who names us by `localhost` or by an IP address is refused as well.
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
