/** Compares counts with the committed ones. */

import type { Counts } from "./counting.ts";
import type { Figures } from "./figures.ts";
import type { RequestPath } from "./path.ts";

/** The content of `counts.json`. */
export interface Committed {
  readonly counts: Readonly<Record<string, Counts>>;
  readonly path: RequestPath;
  /** Those of `--full`. */
  readonly figures: Figures;
}

/** How much a count may grow, as a factor. Promises are few, and each one costs. */
const MAX_GROWTH: Readonly<Record<keyof Counts, number>> = {
  ...{ promises: 1, bytes: 1.03, calls: 1.02, functions: 1.02, runtime_calls: 1.02 },
};

/** Memory and time differ from machine to machine; a kept byte per request is a leak. */
const MAX_FIGURE_GROWTH: Readonly<Record<keyof Figures, number>> = {
  ...{ cpu_ratio: 1.3, modules: 1.02, resident_mib: 1.15, system_calls: 1.3, kept_bytes: 1 },
};

function grown(
  name: string,
  now: Readonly<Record<string, number | null>>,
  before: Readonly<Record<string, number | null>> | undefined,
  factors: Readonly<Record<string, number>>,
): string[] {
  return Object.entries(factors).flatMap(([unit, factor]) => {
    const { [unit]: count = null } = now;
    const committed = before?.[unit] ?? null;
    // A figure that this machine cannot measure.
    if (count === null || committed === null || count <= committed * factor) return [];
    const percent = committed > 0 ? ` (+${((count / committed - 1) * 100).toFixed(1)} %)` : "";
    return [`${name}: ${count} ${unit}, ${committed} committed${percent}`];
  });
}

/** What has grown in the counts of all cases. @param units those that are compared */
export function judgeCounts(
  now: ReadonlyMap<string, Counts>,
  committed: Committed["counts"],
  units: readonly (keyof Counts)[] = Object.keys(MAX_GROWTH) as (keyof Counts)[],
): string[] {
  const factors = Object.fromEntries(units.map((unit) => [unit, MAX_GROWTH[unit]]));
  const names = new Set([...now.keys(), ...Object.keys(committed)]);
  return [...names].flatMap((name) => {
    const counts = now.get(name);
    const { [name]: before } = committed;
    if (counts === undefined) return [`${name}: committed, but not counted`];
    if (before === undefined) return [`${name}: not committed`];
    return grown(name, { ...counts }, { ...before }, factors);
  });
}

/** What has grown in the figures of `--full`. */
export function judgeFigures(now: Figures, committed: Figures): string[] {
  return grown("full", { ...now }, { ...committed }, MAX_FIGURE_GROWTH);
}

/**
 * What has grown in the path of the plain request. A class that was not on it may be that of a
 * feature that is off, so each one is reported; of the rest only the number counts.
 */
export function judgePath(now: RequestPath, committed: RequestPath): string[] {
  const added = (kind: "files" | "classes" | "async_functions") =>
    now[kind].filter((name) => !committed[kind].includes(name));
  const classes = added("classes").map((name) => `path: instantiates ${name}, not committed`);
  const longer = (["files", "async_functions"] as const).flatMap((kind) => {
    const [count, before] = [now[kind].length, committed[kind].length];
    const names = added(kind).join(", ");
    return count > before ? [`path: ${count} ${kind}, ${before} committed; new: ${names}`] : [];
  });
  const functions = now.functions > committed.functions
    ? [`path: ${now.functions} functions, ${committed.functions} committed`]
    : [];
  return [...longer, ...functions, ...classes];
}
