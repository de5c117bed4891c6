/** The schema of the `upstream` section of config.yaml. */

import * as z from "zod";

const DEFAULT_TEMPLATE_CACHE = "on";

/** How the streams of all vendors are converted: `upstream` of config.yaml. */
export interface UpstreamSettings {
  /** Whether similar events of a stream are converted without parsing each of them. */
  readonly templateCache: boolean;
}

/** The schema of `upstream`. */
export const upstreamSection = z.strictObject({
  template_cache: z.enum(["on", "off"]).default(DEFAULT_TEMPLATE_CACHE).describe(
    "Whether events of a stream that differ only in their text are converted without parsing each",
  ),
});

/** The settings of a validated `upstream` section. */
export function toUpstreamSettings(
  { template_cache }: z.infer<typeof upstreamSection>,
): UpstreamSettings {
  return { templateCache: template_cache === "on" };
}
