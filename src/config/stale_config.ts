/** The state of a gateway whose configuration file cannot be used. */

/** Why the current configuration differs from the file. */
export interface StaleConfig {
  /** Safe to show to clients: it contains no names. */
  readonly reason: string;
  /** The errors of the file, for admins. */
  readonly faults: readonly string[];
}
