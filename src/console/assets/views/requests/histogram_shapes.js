/** The bars of the histogram of requests, and the selection of some of them. */

/**
 * All intervals of an answer with their counts, including empty ones.
 *
 * @param {{ from: string, to: string, step_seconds: number, data: { start: string, requests:
 * number, errors: number }[] }[]} pages at least one
 * @returns {{ start: number, end: number, requests: number, errors: number }[]} in milliseconds
 */
export function intervalsOf(pages) {
  const [{ from, to, step_seconds }] = pages;
  const step = step_seconds * 1000;
  const first = Date.parse(from);
  const intervals = [];
  for (let start = first; start < Date.parse(to); start += step) {
    intervals.push({ start, end: start + step, requests: 0, errors: 0 });
  }
  // An interval at a page boundary is part of two pages.
  for (const { start, requests, errors } of pages.flatMap(({ data }) => data)) {
    const interval = intervals[Math.round((Date.parse(start) - first) / step)];
    if (interval === undefined) continue;
    interval.requests += requests;
    interval.errors += errors;
  }
  return intervals;
}

/**
 * Maps a selection to the current intervals: those of an open range move as time passes.
 *
 * @param {{ anchor: number, focus: number, first: number, step: number } | null} selection two
 * indexes, with the start and the length of the first interval at the time of the selection
 * @param {{ start: number, end: number }[]} intervals
 * @returns {{ anchor: number, focus: number } | null} null if none of it is left
 */
export function placed(selection, intervals) {
  if (selection === null || intervals.length === 0) return null;
  const [{ start, end }] = intervals;
  if (selection.step !== end - start) return null;
  const passed = Math.round((start - selection.first) / selection.step);
  const [from, to] = sortedSelection(selection);
  const last = intervals.length - 1;
  if (to - passed < 0 || from - passed > last) return null;
  const inside = (index) => Math.min(last, Math.max(0, index - passed));
  return { anchor: inside(selection.anchor), focus: inside(selection.focus) };
}

/** The first and the last index of a selection, in order. */
export function sortedSelection({ anchor, focus }) {
  return [Math.min(anchor, focus), Math.max(anchor, focus)];
}

/**
 * The selection after a keystroke; undefined for keys without effect.
 *
 * @param {{ anchor: number, focus: number } | null} selection
 * @param {{ key: string, shiftKey: boolean }} event
 * @param {number} length the number of intervals
 */
export function moved(selection, { key, shiftKey }, length) {
  const last = length - 1;
  const from = selection?.focus ?? (key === "ArrowRight" ? -1 : length);
  const targets = {
    ArrowLeft: Math.max(0, from - 1),
    ArrowRight: Math.min(last, from + 1),
    PageUp: Math.max(0, from - 10),
    PageDown: Math.min(last, from + 10),
    Home: 0,
    End: last,
  };
  if (!Object.hasOwn(targets, key) || last < 0) return undefined;
  const focus = targets[key];
  return { anchor: shiftKey && selection !== null ? selection.anchor : focus, focus };
}

/** Extends the period to three times its length around the same center, but not into the future. */
export function widened({ from, to }, now) {
  const length = to - from;
  const end = Math.min(to + length, now);
  return { from: end - 3 * length, to: end };
}

/** The axis ticks, from the top: a round number that no bar exceeds, half of it, and zero. */
export function axisOf(highest) {
  if (highest < 2) return [1, 0];
  const power = 10 ** Math.floor(Math.log10(highest));
  const top = [1, 2, 4, 6, 8, 10].map((step) => step * power).find((value) => value >= highest);
  return [top, top / 2, 0];
}

/** The heights of the two parts of a bar in pixels: a request is visible among thousands. */
export function heightsOf({ requests, errors }, highest, height) {
  if (requests === 0 || highest === 0) return { others: 0, errors: 0 };
  const whole = Math.max(2, requests / highest * height);
  const failed = errors === 0 ? 0 : Math.min(whole, Math.max(2, errors / highest * height));
  return { others: whole - failed, errors: failed };
}
