/** The HTTP client for vendors that the environment of the process requires. */

import type { RequiredClient } from "../../config/warnings.ts";

const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/**
 * Why requests to vendors must use the runtime's `fetch`: only it connects through a proxy. Undefined when the configuration may choose.
 */
export function readRequiredClient(): RequiredClient | undefined {
  const proxy = PROXY_VARIABLES.flatMap((name) => [name, name.toLowerCase()])
    .find((name) => Deno.env.get(name));
  return proxy === undefined ? undefined : { reason: `${proxy} is set`, isProxied: true };
}
