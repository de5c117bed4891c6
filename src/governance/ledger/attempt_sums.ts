/** Adds the attempts of requests up, for the targets that they were made at. */

import { attemptsOf } from "./attempts.ts";
import type { CountedRow } from "./row.ts";
import { toStored } from "./stored_text.ts";
import { GroupSums, toName } from "./summary.ts";

/** Adds the attempts of a row to the sums of its targets: by the stored model and provider. */
export function addAttempts(row: CountedRow, targets: Map<string, GroupSums>): void {
  const hasSucceeded = row.status < 400 && row.error === undefined;
  for (const attempt of attemptsOf(row)) {
    const { upstream, provider } = attempt;
    const id = `${toStored(toName(upstream))}\0${toStored(toName(provider))}`;
    let sums = targets.get(id);
    if (sums === undefined) targets.set(id, sums = new GroupSums());
    sums.addAttempt(attempt, hasSucceeded);
  }
}
