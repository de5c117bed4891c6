/** The words in which two texts differ, in time proportional to their length. */

/**
 * The most edits that are searched for between two places. Longer ones are shown as replaced, so that
 * the time stays proportional to the length.
 */
const MAX_EDITS = 500;

const TOKEN = /\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;

/**
 * Compares two texts word by word.
 *
 * @param {string} before
 * @param {string} after
 * @returns {{ kind: "same" | "removed" | "added", text: string }[]} in order; without the removed
 *   parts it is `after`, and without the added ones `before`
 */
export function diffWords(before, after) {
  const [a, b] = [before.match(TOKEN) ?? [], after.match(TOKEN) ?? []];
  const parts = new Parts(a, b);
  const whole = { a0: 0, a1: a.length, b0: 0, b1: b.length };
  diffRange(a, b, whole, parts, true);
  return parts.end();
}

/** Finds the common start and end, then the edits between; in long changes, unique words first. */
function diffRange(a, b, { a0, a1, b0, b1 }, parts, mayAnchor) {
  while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) {
    parts.same(a0++, a0);
    b0++;
  }
  let tail = 0;
  while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) {
    a1--;
    b1--;
    tail++;
  }
  const range = { a0, a1, b0, b1 };
  const edits = a0 === a1 || b0 === b1 ? undefined : shortestEdits(a, b, range);
  if (edits !== undefined) {
    for (const { a0: from, a1: to, b0: other, b1: end, isSame } of edits) {
      if (isSame) parts.same(from, to);
      else parts.changed(from, to, other, end);
    }
  } else if (mayAnchor && a0 < a1 && b0 < b1) diffAnchored(a, b, range, parts);
  else parts.changed(a0, a1, b0, b1);
  parts.same(a1, a1 + tail);
}

/** Divides a long change at the words that both texts have exactly once, in the same order. */
function diffAnchored(a, b, { a0, a1, b0, b1 }, parts) {
  let [x, y] = [a0, b0];
  for (const [atA, atB] of anchorsOf(a, b, { a0, a1, b0, b1 })) {
    diffRange(a, b, { a0: x, a1: atA, b0: y, b1: atB }, parts, false);
    parts.same(atA, atA + 1);
    [x, y] = [atA + 1, atB + 1];
  }
  diffRange(a, b, { a0: x, a1, b0: y, b1 }, parts, false);
}

/** The longest list of unique common words whose order is the same in both. */
function anchorsOf(a, b, { a0, a1, b0, b1 }) {
  const inB = uniquePlaces(b, b0, b1);
  const pairs = [];
  for (const [word, at] of uniquePlaces(a, a0, a1)) {
    const other = inB.get(word);
    if (at >= 0 && other >= 0) pairs.push({ at, other, before: undefined });
  }
  // Patience sorting: each pile ends with the least place in `b`.
  const piles = [];
  for (const pair of pairs) {
    let [low, high] = [0, piles.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (piles[middle].other < pair.other) low = middle + 1;
      else high = middle;
    }
    pair.before = piles[low - 1];
    piles[low] = pair;
  }
  const chain = [];
  for (let pair = piles.at(-1); pair !== undefined; pair = pair.before) {
    chain.push([pair.at, pair.other]);
  }
  return chain.reverse();
}

/** The place of each word; -1 for one that is there more than once. */
function uniquePlaces(words, from, to) {
  const places = new Map();
  for (let at = from; at < to; at++) places.set(words[at], places.has(words[at]) ? -1 : at);
  return places;
}

/**
 * The shortest list of edits (E. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986).
 *
 * @returns {object[] | undefined} undefined if there are more than {@linkcode MAX_EDITS}
 */
function shortestEdits(a, b, { a0, a1, b0, b1 }) {
  const [lengthA, lengthB] = [a1 - a0, b1 - b0];
  const max = Math.min(MAX_EDITS, lengthA + lengthB);
  const reached = new Int32Array(2 * max + 2);
  const trace = [];
  for (let edits = 0; edits <= max; edits++) {
    for (let line = -edits; line <= edits; line += 2) {
      const isDown = line === -edits ||
        line !== edits && reached[max + line - 1] < reached[max + line + 1];
      let x = isDown ? reached[max + line + 1] : reached[max + line - 1] + 1;
      while (x < lengthA && x - line < lengthB && a[a0 + x] === b[b0 + x - line]) x++;
      reached[max + line] = x;
      if (x >= lengthA && x - line >= lengthB) {
        return toEdits(trace, { edits, line, x, a0, b0 });
      }
    }
    trace.push(reached.slice(max - edits, max + edits + 1));
  }
  return undefined;
}

/** Follows the trace from the end to the start. */
function toEdits(trace, { edits, line, x, a0, b0 }) {
  const found = [];
  const add = (fromX, toX, fromY, toY, isSame) => {
    if (fromX === toX && fromY === toY) return;
    found.push({ a0: a0 + fromX, a1: a0 + toX, b0: b0 + fromY, b1: b0 + toY, isSame });
  };
  for (let count = edits; count > 0; count--) {
    const before = trace[count - 1];
    // The entry of line 0 is in the middle.
    const at = (other) => before[count - 1 + other] ?? -1;
    const isDown = line === -count || line !== count && at(line - 1) < at(line + 1);
    const from = isDown ? line + 1 : line - 1;
    const fromX = at(from);
    const start = isDown ? fromX : fromX + 1;
    add(start, x, start - line, x - line, true);
    add(fromX, start, fromX - from, start - line, false);
    [x, line] = [fromX, from];
  }
  add(0, x, 0, x - line, true);
  return found.reverse();
}

/** Joins tokens to parts: what was removed in one place comes before what was added there. */
class Parts {
  #a;
  #b;
  #parts = [];
  #same = [];
  #removed = [];
  #added = [];

  constructor(a, b) {
    this.#a = a;
    this.#b = b;
  }

  /** Both texts have these tokens. */
  same(from, to) {
    for (let at = from; at < to; at++) this.#same.push(this.#a[at]);
  }

  /** Tokens of the first text are replaced by tokens of the second one. */
  changed(a0, a1, b0, b1) {
    if (a0 === a1 && b0 === b1) return;
    const hasChange = this.#removed.length + this.#added.length > 0;
    // A space alone between two changes would tear words that belong together apart.
    if (hasChange && this.#same.every((token) => /^\s+$/.test(token))) {
      this.#removed.push(...this.#same);
      this.#added.push(...this.#same);
      this.#same = [];
    } else this.#flush();
    for (let at = a0; at < a1; at++) this.#removed.push(this.#a[at]);
    for (let at = b0; at < b1; at++) this.#added.push(this.#b[at]);
  }

  end() {
    this.#flush();
    return this.#parts;
  }

  #flush() {
    this.#push("removed", this.#removed);
    this.#push("added", this.#added);
    this.#push("same", this.#same);
    [this.#removed, this.#added, this.#same] = [[], [], []];
  }

  #push(kind, tokens) {
    if (tokens.length > 0) this.#parts.push({ kind, text: tokens.join("") });
  }
}
