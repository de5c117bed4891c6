/** Provider entries of config.yaml for one stub. */

import { VENDOR_KEY } from "./gateway_process.ts";

/** A provider `v` of the OpenAI dialect with the model `m`, which is never asked twice. */
export function toProvider(
  url: string,
  members: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const common = { kind: "openai_compatible", api_key: VENDOR_KEY, models: ["m"], retries: 0 };
  return { v: { ...common, base_url: url, ...members } };
}

/** The least request to that model. */
export const HELLO = { model: "m", messages: [{ role: "user", content: "Hi" }] };
