/** Which Claude models share rate limits. */

/**
 * The classes whose versions have one combined limit; other versions have limits of their own
 * (https://platform.claude.com/docs/en/api/rate-limits, as of 2026-10-17).
 */
const COMBINED = /claude-(?:opus-4|sonnet-4|fable-5)(?=$|[-.@])/;

/** The date of a snapshot, or the name of the latest one. */
const SNAPSHOT = /[-@](?:20\d{6}|latest)$/;

/** The family of a model, by the vendor's name of it. */
export function claudeQuotaFamily(model: string): string {
  return COMBINED.exec(model)?.[0] ?? model.replace(SNAPSHOT, "");
}
