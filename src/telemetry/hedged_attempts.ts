/** The attempts of requests that asked two targets at the same time. */

import type { AttemptRecord } from "../routing/attempt_records.ts";
import type { AttemptState } from "../routing/attempt_state.ts";
import type { RequestRecord } from "../routing/request_record.ts";

/** The attempts that followed one another. */
export function inSequence({ attemptRecords, hedge }: RequestRecord): readonly AttemptRecord[] {
  if (hedge === undefined) return attemptRecords;
  return attemptRecords.filter(({ isHedge, outcome }) => !isHedge && outcome !== "abandoned");
}

/** A second target, and whether it answered first. */
interface Hedge {
  readonly attempt: AttemptState;
  readonly outcome: "won" | "lost" | "failed";
}

/** The second target of a request, if one was asked. */
export function hedgeOf({ attempt, endedAttempts, hedge }: RequestRecord): Hedge | undefined {
  const second = hedge && endedAttempts.find(({ isHedge }) => isHedge);
  if (second === undefined) return undefined;
  if (!attempt?.hasAnswered) return { attempt: second, outcome: "failed" };
  return { attempt: second, outcome: attempt === second ? "won" : "lost" };
}
