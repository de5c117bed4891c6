/** The reasoning efforts of OpenAI's format, in order. */

import type { ReasoningEffort } from "../../chat/chat.ts";

/** Every effort, weakest first. */
export const REASONING_EFFORTS: readonly ReasoningEffort[] = [
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
];
