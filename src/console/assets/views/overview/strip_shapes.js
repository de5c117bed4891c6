/** The shapes of an incident strip: a day in cells, whose height is the share of failures. */

/** The number of cells of a day, and the height of the drawing. */
const CELLS = 288;
const HEIGHT = 100;
/** The minimum height of a cell with failures, so that a small share is visible. */
const MIN_HEIGHT = 12;

/**
 * The sums of several targets by cell.
 *
 * @param {readonly (readonly [number, number, number])[][]} all start, attempts and failures of
 *   each cell of each target
 * @returns {Map<number, [number, number]>} attempts and failures by start
 */
export function sumCells(all) {
  const sums = new Map();
  for (const cells of all) {
    for (const [start, attempts, failures] of cells) {
      const [before, failed] = sums.get(start) ?? [0, 0];
      sums.set(start, [before + attempts, failed + failures]);
    }
  }
  return sums;
}

/** A day's range begins at a full hour, so it may be shorter by this many cells. */
const HOUR_CELLS = 12;

/**
 * The cells of a strip: those of the range, as far as they are in the last day; without any, those
 * of the last day.
 *
 * @param {{ from: number, to: number }} period in milliseconds
 * @param {number} end the current time
 * @param {number} cellMs
 * @returns {{ first: number, count: number, cellMs: number, isDay: boolean, isNow: boolean }}
 *   `first` counts cells since 1970
 */
export function stripWindow({ from, to }, end, cellMs) {
  const last = Math.floor(end / cellMs);
  const oldest = last - CELLS + 1;
  const first = Math.max(oldest, Math.floor(from / cellMs));
  const final = Math.min(last, Math.ceil(to / cellMs) - 1);
  if (final < first) return { first: oldest, count: CELLS, cellMs, isDay: true, isNow: true };
  const count = final - first + 1;
  return { first, count, cellMs, isDay: count >= CELLS - HOUR_CELLS, isNow: final === last };
}

/** The sums of the cells in a window. */
export function sumsWithin(sums, { cellMs, count, first }) {
  return new Map([...sums].filter(([start]) => {
    const index = start / cellMs - first;
    return index >= 0 && index < count;
  }));
}

/**
 * The paths of a strip: of the failures, and of the cells without attempts.
 *
 * @param {Map<number, [number, number]>} sums
 * @param {ReturnType<typeof stripWindow>} window
 * @param {number} top the share at the top, from 0 to 1
 */
export function stripPaths(sums, { cellMs, count, first }, top = 1) {
  const failed = [];
  const quiet = [];
  for (let index = 0; index < count; index++) {
    const [attempts, failures] = sums.get((first + index) * cellMs) ?? [0, 0];
    if (attempts === 0) quiet.push(`M${index} 95h1v5h-1z`);
    if (failures === 0) continue;
    const share = Math.min(1, failures / attempts / top);
    const height = Math.round(Math.max(MIN_HEIGHT, HEIGHT * share));
    failed.push(`M${index} ${HEIGHT - height}h.8v${height}h-.8z`);
  }
  return { failed: failed.join(""), quiet: quiet.join("") };
}

/** The largest share of failures of a cell, rounded up to an axis value. */
export function topShare(sums) {
  let largest = 0;
  for (const [attempts, failures] of sums.values()) {
    largest = Math.max(largest, attempts === 0 ? 0 : failures / attempts);
  }
  return [0.02, 0.04, 0.1, 0.2, 0.5].find((share) => largest <= share) ?? 1;
}

/** The position of a time in a strip, in percent; undefined outside of it. */
export function positionOf(time, { cellMs, count, first }) {
  const share = (time / cellMs - first) / count;
  return share < 0 || share > 1 ? undefined : 100 * share;
}

/** Steps between the times of an axis, in minutes. */
const AXIS_MINUTES = [5, 15, 30, 60, 180, 360];

/** The times below a strip: at most five. */
export function axisTimes({ cellMs, count, first }) {
  const [start, end] = [first * cellMs, (first + count) * cellMs];
  const step = 60_000 *
    (AXIS_MINUTES.find((minutes) => (end - start) / (minutes * 60_000) <= 5) ?? 360);
  const times = [];
  for (let time = Math.ceil(start / step) * step; time <= end; time += step) times.push(time);
  return times;
}
