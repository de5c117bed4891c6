/** The values of `reasoning_effort`. */

import * as z from "zod";

/** OpenAI's values, weakest first. */
export const REASONING_EFFORTS = [
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

/**
 * Accepts any value, because some vendors define more. `prepare_request.ts` removes these for
 * adapters that convert efforts, so that such adapters see only OpenAI's values.
 */
export const reasoningEffort = z.custom<ReasoningEffort>(
  (value) => typeof value === "string" && value !== "",
  { error: "must be a string" },
).meta({ type: "string" });
