/** Skips events of native streams that all begin alike and need no reading. */

const LF = 10;

/**
 * The position after the complete events at `start` that consist of this beginning and the rest of
 * one line.
 *
 * @param beginning the lines up to the rest, in ASCII
 * @param count is called with where the rest of each event is
 */
export function skipAlike(
  bytes: Uint8Array,
  start: number,
  beginning: Uint8Array,
  count?: (bytes: Uint8Array, start: number, end: number) => void,
): number {
  let at = start;
  while (startsWith(bytes, at, beginning)) {
    const data = at + beginning.length;
    const end = bytes.indexOf(LF, data);
    // An event with another line is read.
    if (end === -1 || bytes[end + 1] !== LF) break;
    count?.(bytes, data, end);
    at = end + 2;
  }
  return at;
}

function startsWith(bytes: Uint8Array, at: number, start: Uint8Array): boolean {
  for (let index = 0; index < start.length; index++) {
    if (bytes[at + index] !== start[index]) return false;
  }
  return true;
}
