/** The step after a failed attempt, as data and as text. */

/** Why a target that could be retried is not. */
export type SkipReason =
  /** The vendor requests a longer wait than `max_wait` allows. */
  | { readonly type: "wait_too_long"; readonly waitMs: number }
  /** The caller's deadline leaves no time for another attempt. */
  | { readonly type: "deadline" }
  /** The target's breaker is open, and another target may answer. */
  | { readonly type: "breaker_open" };

/** The step after a failed attempt. */
export type NextStep =
  | { readonly type: "other_key" }
  | { readonly type: "retry"; readonly waitMs: number }
  /** The same request was sent once more, on a new connection. */
  | { readonly type: "resent" }
  /** Another target continues a stream that was cut. */
  | { readonly type: "continued" }
  | { readonly type: "give_up"; readonly reason: SkipReason }
  | { readonly type: "next_target"; readonly reason?: SkipReason };

/** The text of a step for the log and for error messages. */
export function describeNextStep(step: NextStep): string {
  switch (step.type) {
    case "other_key":
      return "next key";
    case "retry":
      return `retry in ${Math.round(step.waitMs)} ms`;
    case "resent":
      return "sent again on a new connection";
    case "continued":
      return "continued by another target";
    case "give_up":
      return describeReason(step.reason);
    case "next_target":
      return step.reason === undefined
        ? "next target"
        : `next target: ${describeReason(step.reason)}`;
  }
}

function describeReason(reason: SkipReason): string {
  switch (reason.type) {
    case "wait_too_long":
      return `asked to wait ${Math.ceil(reason.waitMs / 1000)} s`;
    case "deadline":
      return "the caller's deadline is too near";
    case "breaker_open":
      return "its breaker is open";
  }
}
