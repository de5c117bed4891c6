/** The proxies and certificates that the environment of the process names. */

import { messageOf } from "../../core/errors.ts";
import { toExcluded } from "../../upstream/excluded_hosts.ts";
import { type ProxyServer, toProxyServer } from "../../upstream/http1/proxy_server.ts";
import { StartError } from "../system/startup_error.ts";

/** The proxy for a URL, if there is one. */
export type ProxyFor = (url: URL) => ProxyServer | undefined;

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, also in lower case.
 *
 * @throws {StartError} when one of them is not the URL of a proxy.
 */
export function readEnvironmentProxies(): ProxyFor {
  const all = readProxy("ALL_PROXY");
  // Servers that run programs by CGI pass the header `Proxy` of their callers in this variable.
  const plain = Deno.env.has("REQUEST_METHOD") ? undefined : readProxy("HTTP_PROXY");
  const secure = readProxy("HTTPS_PROXY");
  const excluded = toExcluded(Deno.env.get("NO_PROXY") || Deno.env.get("no_proxy") || "");
  return ({ protocol, hostname }) =>
    excluded(hostname) ? undefined : (protocol === "http:" ? plain : secure) ?? all;
}

function readProxy(variable: string): ProxyServer | undefined {
  for (const name of [variable, variable.toLowerCase()]) {
    const text = Deno.env.get(name);
    if (!text) continue;
    try {
      return toProxyServer(text, name);
    } catch {
      throw new StartError(`${name} is not the URL of a proxy`);
    }
  }
  return undefined;
}

/**
 * Checks the certificates that DENO_CERT names, which every client of the runtime reads.
 *
 * @throws {StartError} when they cannot be read.
 */
export function checkCertificates(): void {
  const path = Deno.env.get("DENO_CERT");
  if (!path) return;
  try {
    Deno.createHttpClient({}).close();
  } catch (thrown) {
    throw new StartError(
      `Cannot read the certificates of DENO_CERT, ${path}: ${messageOf(thrown)}`,
    );
  }
}
