/** The words by which a caller says how much a model is to reason. */

import { z } from "zod";

/** OpenAI's words, weakest first. */
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
 * Takes words that only some vendors have as well: preparation.ts keeps them from adapters that
 * convert efforts, so that these see OpenAI's alone.
 */
export const reasoningEffort = z.custom<ReasoningEffort>(
  (value) => typeof value === "string" && value !== "",
  { error: "must be a string" },
);
