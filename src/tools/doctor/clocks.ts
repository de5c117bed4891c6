/** Compares the clock of this machine with those of vendors and stores. */

import { counted } from "../../core/text.ts";
import { type Finding, findingsOf } from "./system.ts";
import type { OtherClock } from "./vendors.ts";

/** A difference that is worth a warning, in milliseconds: signatures of clouds allow minutes. */
const MAX_SKEW_MS = 30_000;

const { ok, info, warn } = findingsOf("clock");

/** The median is compared: a single clock may be wrong itself. */
export function examineClocks(clocks: readonly OtherClock[]): readonly Finding[] {
  if (clocks.length === 0) return [info("this machine", "no other clock was reached")];
  const sorted = clocks.map(({ skewMs }) => skewMs).toSorted((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const count = counted(clocks.length, "other clock");
  const seconds = Math.round(Math.abs(median) / 1000);
  const direction = median > 0 ? "ahead of" : "behind";
  const apart = clocks.filter(({ skewMs }) => Math.abs(skewMs - median) > MAX_SKEW_MS)
    .map(({ name }) => warn(name, "its clock differs from the others"));
  const text = seconds < 2 ? `agrees with ${count}` : `${seconds} s ${direction} ${count}`;
  return Math.abs(median) > MAX_SKEW_MS
    ? [
      warn("this machine", `${text}: signed requests and budgets need the right time`),
      ...apart,
    ]
    : [ok("this machine", text), ...apart];
}
