/** The header that controls how a request uses the response cache. */

import { GatewayError } from "../core/errors.ts";
import type { CacheChoice } from "../gateway/feature.ts";

/** The milliseconds of each unit. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/**
 * Reads `x-sluice-cache: ttl=60s`, `refresh` or `off`. A client's retry bypasses the cache, because
 * the client rejected the previous answer.
 *
 * @throws {GatewayError} `invalid_value` for anything else.
 */
export function readCacheChoice(headers: Headers): CacheChoice | undefined {
  const text = headers.get("x-sluice-cache");
  const choice = text === null ? undefined : parse(text);
  // The SDKs of OpenAI and Anthropic send it (checked 2026-11-24).
  return Number(headers.get("x-stainless-retry-count") ?? 0) > 0 ? { mode: "off" } : choice;
}

function parse(text: string): CacheChoice {
  const [, number, unit = ""] = /^ttl=(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  if (number !== undefined) {
    return { mode: "use", ttlMs: Number(number) * (UNITS.get(unit) ?? 0) };
  }
  if (text === "refresh" || text === "off") return { mode: text };
  throw new GatewayError(
    "invalid_value",
    "Invalid value for 'x-sluice-cache': must be 'ttl=60s' or another duration, 'refresh' or 'off'",
    { param: "x-sluice-cache" },
  );
}
