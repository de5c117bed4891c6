import { isObject, type JsonObject } from "../chat.ts";
import type { Failure, Verdict } from "./adapter.ts";
import { dialectOf, lacks } from "./dialect_row.ts";
import { openAiCompatible } from "./openai.ts";
import { toVerdict } from "./openai_errors.ts";

/** OpenRouter (https://openrouter.ai/docs/api-reference, 2026-08-22). */
export const openrouter = openAiCompatible(dialectOf({
  kind: "openrouter",
  baseUrl: "https://openrouter.ai/api/v1",
  requestIdHeader: "x-generation-id",
  streamUsage: false,
  stops: 4,
  parameters: lacks("no such field", "n"),
  alsoTakes: [
    ...["metadata", "prediction", "service_tier", "modalities"],
    ...["prompt_cache_key", "verbosity", "audio"],
  ],
  developer: true,
  replays: "reasoning",
  replaysDetails: true,
  detailsInPieces: true,
  error: toOwnVerdict,
}));

/**
 * The words of the vendor behind it stand in `metadata.raw`; 403 with reasons is
 * a moderated prompt (https://openrouter.ai/docs/api-reference/errors, 2026-08-22).
 */
function toOwnVerdict(failure: Failure): Verdict | undefined {
  const error = isObject(failure.body) && isObject(failure.body.error) ? failure.body.error : {};
  // The balance may do for other requests: https://github.com/QwenLM/qwen-code/issues/73 (2025-07).
  if (typeof error.message === "string" && error.message.startsWith(NOT_AFFORDABLE)) {
    return { ...toVerdict(failure), suspends: undefined };
  }
  const metadata = isObject(error.metadata) ? error.metadata : undefined;
  if (metadata === undefined) return undefined;
  const message = [messageIn(metadata.raw), error.message].find((text) => typeof text === "string");
  const body = { ...failure.body as JsonObject, error: { ...error, message } };
  const verdict = toVerdict({ ...failure, body });
  return Array.isArray(metadata.reasons) ? { ...verdict, kind: "content_filter" } : verdict;
}

const NOT_AFFORDABLE = "This request requires more credits, or fewer max_tokens";

function messageIn(raw: unknown): unknown {
  if (typeof raw !== "string" || raw === "") return undefined;
  try {
    return toVerdict({ where: "stream", body: JSON.parse(raw) }).message ?? raw;
  } catch {
    return raw;
  }
}
