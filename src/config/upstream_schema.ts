/** The schema of the `upstream` section of config.yaml. */

import * as z from "zod";

const HTTP_CLIENTS = ["native", "fetch"] as const;
const DEFAULT_HTTP_CLIENT = "native";
const DEFAULT_TEMPLATE_CACHE = "on";

/** The HTTP clients for vendors by their names in config.yaml. */
export type HttpClientName = (typeof HTTP_CLIENTS)[number];

/** How requests to all vendors are sent and their streams converted: `upstream` of config.yaml. */
export interface UpstreamSettings {
  readonly httpClient: HttpClientName;
  /** Whether similar events of a stream are converted without parsing each of them. */
  readonly templateCache: boolean;
}

/** The schema of `upstream`. */
export const upstreamSection = z.strictObject({
  http_client: z.enum(HTTP_CLIENTS).default(DEFAULT_HTTP_CLIENT).describe(
    "HTTP client for requests to vendors: native, or the runtime's fetch, which ignores " +
      "connections.max_age, connections.max_requests and resend and may take twice timeout.connect; " +
      "a proxy variable requires fetch",
  ),
  template_cache: z.enum(["on", "off"]).default(DEFAULT_TEMPLATE_CACHE).describe(
    "Whether events of a stream that differ only in their text are converted without parsing each",
  ),
});

/** The settings of a validated `upstream` section. */
export function toUpstreamSettings(
  { http_client, template_cache }: z.infer<typeof upstreamSection>,
): UpstreamSettings {
  return { httpClient: http_client, templateCache: template_cache === "on" };
}
