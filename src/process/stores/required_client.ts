/** The HTTP client for vendors that the environment of the process requires. */

import type { RequiredClient } from "../../config/warnings.ts";
import { messageOf } from "../../core/errors.ts";
import { StartError } from "../system/startup_error.ts";

const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/**
 * Why requests to vendors must use the runtime's `fetch`: only it connects through a proxy. Undefined when the configuration may choose.
 */
export function readRequiredClient(): RequiredClient | undefined {
  const proxy = PROXY_VARIABLES.flatMap((name) => [name, name.toLowerCase()])
    .find((name) => Deno.env.get(name));
  return proxy === undefined ? undefined : { reason: `${proxy} is set`, isProxied: true, proxyOf };
}

/** The variable of the proxy that the runtime uses for a URL. */
function proxyOf({ protocol, hostname }: URL): string | undefined {
  if (isExcluded(hostname)) return undefined;
  const own = protocol === "http:" ? "HTTP_PROXY" : "HTTPS_PROXY";
  return [own, "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()])
    .find((name) => Deno.env.get(name));
}

/** Whether NO_PROXY names a host, or a domain that it belongs to. */
function isExcluded(host: string): boolean {
  const list = Deno.env.get("NO_PROXY") || Deno.env.get("no_proxy") || "";
  return list.split(",").map((entry) => entry.trim().replace(/^\*?\./, "").toLowerCase())
    .some((entry) => entry === "*" || (entry !== "" && isPartOf(host, entry)));
}

function isPartOf(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
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
