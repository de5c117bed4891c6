/** Protects the gateway against DNS rebinding and cross-site calls. */

import type { ListenerRules } from "../config/listeners.ts";
import type { ServerSettings } from "../config/server_settings.ts";
import { GatewayError } from "../core/errors.ts";
import { isLoopback } from "../core/loopback.ts";

/** An IPv4 address, or an IPv6 address in brackets: not a name that could be rebound. */
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/;

/**
 * Rejects a request to a host name that is not the gateway's. A page could rebind its own name to
 * the gateway's address, and then read its responses. Without `server.hosts`, names are checked
 * only on loopback addresses, where a browser on this machine may be the caller. A listener may
 * have separate names.
 *
 * @param sent the Host header
 * @throws {GatewayError} `misdirected_request` for another name.
 */
export function checkHost(
  request: Request,
  sent: string | null,
  server: Pick<ServerSettings, "host" | "hosts">,
  listener: ListenerRules,
): void {
  const { hosts = server.hosts, host = server.host } = listener;
  const authority = sent ?? authorityOf(request.url);
  if (authority === undefined) return;
  const name = nameOf(authority);
  if (ADDRESS.test(name) || isLoopback(name) || name.endsWith(".localhost")) return;
  if (name === host.toLowerCase() || hosts.has(name)) return;
  throw new GatewayError(
    "misdirected_request",
    "The gateway is not known by the name in the Host header; add the name to 'server.hosts'" +
      (listener.hosts === undefined ? "" : ", or to the listener's 'hosts'"),
  );
}

/** Headers with which proxies identify a request's client. */
const PROXY_HEADERS = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

/**
 * Whether a request to a loopback listener comes from this machine itself: no proxy has forwarded
 * it for another machine, and its host name belongs to this machine.
 */
export function isDirect({ headers, url }: Request): boolean {
  if (PROXY_HEADERS.some((name) => headers.has(name))) return false;
  const authority = headers.get("host") ?? authorityOf(url);
  if (authority === undefined) return true;
  const name = nameOf(authority);
  return isLoopback(name) || name.endsWith(".localhost");
}

/** The name in the URL: for HTTP/2, the one in the request; otherwise the listener's address. */
function authorityOf(url: string): string | undefined {
  return URL.parse(url)?.host;
}

/**
 * Rejects a request that a browser sends for another site's page.
 *
 * @param allowed origins of `server.cors`
 * @throws {GatewayError} `cross_site_request` unless the page's origin is allowed.
 */
export function checkSite(
  { headers }: Request,
  allowed: readonly string[],
): void {
  const origin = headers.get("origin");
  if (origin !== null && allowed.includes(origin)) return;
  const site = headers.get("sec-fetch-site");
  const isOwn = site === null
    ? origin === null || isSameHost(origin, headers.get("host"))
    : site === "same-origin" || site === "none";
  if (isOwn) return;
  throw new GatewayError(
    "cross_site_request",
    "Pages from other sites cannot use this route; list their origin in 'server.cors' to allow it",
  );
}

function isSameHost(origin: string, host: string | null): boolean {
  const parsed = URL.parse(origin);
  // Both forms of a host omit the default port of the origin's scheme.
  return parsed !== null && parsed.host !== "" &&
    parsed.host === URL.parse(`${parsed.protocol}//${host}`)?.host;
}

/** The host without its port and without the final dot of a fully qualified name. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
}
