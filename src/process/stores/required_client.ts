/** The HTTP client for vendors that the environment of the process requires. */

import type { RequiredClient } from "../../config/warnings.ts";
import { isExporting } from "../../telemetry/tracing.ts";

const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/**
 * Why requests to vendors must use the runtime's `fetch`: only it connects through a proxy, and only
 * it passes a trace on. Undefined when the configuration may choose.
 */
export function readRequiredClient(): RequiredClient | undefined {
  const proxy = PROXY_VARIABLES.flatMap((name) => [name, name.toLowerCase()])
    .find((name) => Deno.env.get(name));
  if (proxy !== undefined) return { reason: `${proxy} is set`, isProxied: true };
  return isExporting() ? { reason: "OpenTelemetry data is exported", isProxied: false } : undefined;
}
