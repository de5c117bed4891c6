/** Where the token counts of a row come from. */
export type UsageSource =
  /** The vendor reported them. */
  | "vendor"
  /** The vendor reported none; they are estimated from the text. */
  | "estimated"
  /** There was no answer, so nothing is billed. */
  | "none";
