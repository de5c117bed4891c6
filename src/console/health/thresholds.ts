/** When a target counts as failing, degraded, slow, silent or unused. */

const MINUTE_MS = 60_000;

/** The states of a target, the worst first. */
export const STATES = ["failing", "degraded", "slow", "silent", "ok", "unused"] as const;
export type TargetState = (typeof STATES)[number];

/** The numbers that decide, which the API reports beside the states. */
export const THRESHOLDS = {
  /** The period that the states are about, in milliseconds. */
  window_ms: 10 * MINUTE_MS,
  failing: {
    min_attempts: 5,
    failed_share: 0.5,
    /** So many failures in a row are enough, however few attempts there are. */
    failed_in_a_row: 5,
  },
  degraded: { min_attempts: 20, failed_share: 0.05 },
  /** How many times its own median of the last day the time to the first content must be. */
  slow: { min_attempts: 20, factor: 2 },
  /** The period after which a target without attempts is unused, in milliseconds. */
  unused_ms: 24 * 60 * MINUTE_MS,
} as const;

/** The length of a cell of the history, in milliseconds, and the cells of a target: a day. */
export const CELL_MS = 5 * MINUTE_MS;
export const CELLS = 288;
