/** Provider entries of config.yaml for one stub. */

import { VENDOR_KEY } from "./gateway_process.ts";

/** An OpenAI-compatible provider `v` with the model `m` and without retries. */
export function toProvider(
  url: string,
  members: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const common = { kind: "openai_compatible", api_key: VENDOR_KEY, models: ["m"], retries: 0 };
  return { v: { ...common, base_url: url, ...members } };
}

/** A minimal request to that model. */
export const HELLO = { model: "m", messages: [{ role: "user", content: "Hi" }] };
