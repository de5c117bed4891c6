/** The shapes of an incident strip: a day in cells, whose height is the share of failures. */

/** The number of cells of a strip, and the height of the drawing. */
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

/**
 * The paths of a strip: of the failures, and of the cells without attempts.
 *
 * @param {Map<number, [number, number]>} sums
 * @param {number} end the time at the right, in milliseconds
 * @param {number} cellMs
 * @param {number} top the share at the top, from 0 to 1
 */
export function stripPaths(sums, end, cellMs, top = 1) {
  const last = Math.floor(end / cellMs);
  const failed = [];
  const quiet = [];
  for (let index = 0; index < CELLS; index++) {
    const [attempts, failures] = sums.get((last - CELLS + 1 + index) * cellMs) ?? [0, 0];
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

/** The position of a time in a strip, in percent; undefined before its start. */
export function positionOf(time, end, cellMs) {
  const last = (Math.floor(end / cellMs) + 1) * cellMs;
  const share = 1 - (last - time) / (CELLS * cellMs);
  return share < 0 ? undefined : 100 * share;
}
