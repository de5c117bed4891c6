/** Puts a provider's credentials on a request, and keeps them out of everything else. */

import type { Provider } from "./config.ts";
import type { VendorRequest } from "./providers/adapter.ts";
import type { SignedRequest } from "./upstream.ts";
import { VERSION } from "./version.ts";

/**
 * Signs a vendor's request with one key. Headers are built here and nowhere
 * copied from the caller; those of config.yaml come last and win.
 *
 * @param body the request's body as it will be sent
 */
export function sign(
  request: VendorRequest,
  body: string,
  provider: Provider,
  key: string | undefined,
): SignedRequest {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "user-agent": `sluice/${VERSION}`,
    // Compressed streams arrive in lumps.
    "accept-encoding": "identity",
    ...request.headers,
  };
  if (key !== undefined) {
    if (request.auth.type === "bearer") headers.authorization = `Bearer ${key}`;
    else if (request.auth.type === "header") headers[request.auth.name] = key;
  }
  return { url: request.url, headers: { ...headers, ...provider.headers }, body };
}

/** Replaces every key of a provider in a vendor's words; vendors do echo them. */
export function redact(text: string, provider: Provider): string {
  let clean = text;
  for (const key of provider.keys) {
    if (key !== "" && clean.includes(key)) clean = clean.replaceAll(key, "[redacted]");
  }
  return clean;
}
