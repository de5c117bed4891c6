/** Log levels. */

/** Ordered from most to least severe. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** A line's level, or the lowest level that is logged. */
export type LogLevel = typeof LOG_LEVELS[number];

/** Whether a line with this level is logged if `lowest` is the lowest level. */
export function isLogged(level: LogLevel, lowest: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(lowest);
}
