/**
 * Rate limits as the Messages API writes them in headers.
 *
 * Names and values: https://docs.aws.amazon.com/claude-platform/latest/userguide/rate-limits.html (2026-11-20).
 */

import { LIMIT_KINDS } from "../../core/limit_kinds.ts";
import type { RateLimitHeaders } from "../../chat/caller_format.ts";

/** One of the headers of chat completions: the value's meaning, and what is limited. */
const CHAT_NAME = /^x-ratelimit-(limit|remaining|reset)-((?:requests|tokens)(?:-hour|-day)?)$/;

/** The names of the headers that the gateway writes. */
export const RATE_LIMIT_NAMES: readonly string[] = LIMIT_KINDS.flatMap((kind) =>
  [kind.limitHeader, kind.remainingHeader, kind.resetHeader].map((name) =>
    name.replace(CHAT_NAME, "anthropic-ratelimit-$2-$1")
  )
);

/** Replaces the headers of chat completions. */
export const rateLimitHeaders: RateLimitHeaders = {
  prefix: "anthropic-ratelimit-",
  rename(headers, now) {
    for (const [name, value] of Object.entries(headers)) {
      if (!name.startsWith("x-ratelimit-")) continue;
      delete headers[name];
      const [, meaning, what] = CHAT_NAME.exec(name) ?? [];
      const own = meaning === "reset" ? toTime(value, now) : value;
      if (meaning === undefined || own === undefined) continue;
      headers[`anthropic-ratelimit-${what}-${meaning}`] ??= own;
    }
  },
};

/** A duration such as `1m30.5s` or `20ms`. */
const DURATION =
  /^(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,6}(?:\.\d{1,9})?)s)?(?:(\d{1,12})ms)?$/;

/** The time after a duration, in seconds as RFC 3339 writes it; undefined for any other text. */
function toTime(text: string, now: number): string | undefined {
  const [all = "", hours = 0, minutes = 0, seconds = 0, ms = 0] = DURATION.exec(text) ?? [];
  if (all === "") return undefined;
  const end = now + (Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000 +
    Number(ms);
  return new Date(Math.ceil(end / 1000) * 1000).toISOString().replace(".000Z", "Z");
}
