/** The levels of `think`: https://docs.ollama.com/capabilities/thinking (2026-08). */

import type { TargetModel } from "../contract/adapter.ts";

const LEVELS = new Map([["minimal", "low"], ["xhigh", "max"], ["max", "max"]]);

/** gpt-oss always thinks, and has three levels. */
const GPT_OSS_LEVELS = new Map([["none", "low"], ["minimal", "low"], ["xhigh", "high"], [
  "max",
  "high",
]]);

/** The value of `think` for an effort of a chat request; false for none. */
export function toThinkLevel(effort: string, { base }: Pick<TargetModel, "base">): string | false {
  const level = (/gpt-oss/.test(base) ? GPT_OSS_LEVELS : LEVELS).get(effort) ?? effort;
  return level === "none" ? false : level;
}
