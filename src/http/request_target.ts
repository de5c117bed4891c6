/** The path of a request, from the request target only. */

import { GatewayError } from "../core/errors.ts";

/** The characters of a host and port (RFC 3986, 3.2). None of them ends the authority of a URL. */
const HOST = /^[\w.~%!$&'()*+,;=:[\]-]*$/;

/**
 * The path as the caller wrote it. The runtime builds the request's URL from the Host
 * header and the target without a check, so a `/` or `?` in Host would change the path.
 *
 * A request without a Host header is accepted: it is one of HTTP/2, such as from a service mesh, or
 * of HTTP/1.0; neither is distinguishable from HTTP/1.1 here, and no browser omits its host.
 *
 * @throws {GatewayError} `invalid_request` when the Host header is not valid.
 */
export function readPath({ url, headers }: Request): string {
  const host = headers.get("host");
  if (host !== null && !HOST.test(host)) {
    throw new GatewayError("invalid_request", "The Host header is not valid");
  }
  const start = url.indexOf("//") + 2;
  const slash = url.indexOf("/", start);
  // The target of a CONNECT request has no path.
  if (slash === -1) return "/";
  const query = url.indexOf("?", slash);
  return query === -1 ? url.slice(slash) : url.slice(slash, query);
}
