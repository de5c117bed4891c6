/** Lists of numbers within JSON: embeddings consist mostly of them. */

/** The characters that a list of numbers may contain between its brackets. */
const NUMBERS = /[\d\s.,eE+-]*/y;

/** Lists of fewer UTF-16 units are not worth a search. */
const MIN_LENGTH = 64;

/** A list of numbers, and the position behind it. */
export interface NumberList {
  readonly list: number[];
  readonly end: number;
  /** How many line breaks it holds, and the position behind the last one. */
  readonly lines: number;
  readonly lastLine: number;
}

/**
 * Reads a long list of numbers that ends within the text, all at once. Undefined for any other
 * list, and for one that is not valid JSON.
 *
 * @param start of the list's opening bracket
 */
export function readNumberList(text: string, start: number): NumberList | undefined {
  NUMBERS.lastIndex = start + 1;
  NUMBERS.test(text);
  const end = NUMBERS.lastIndex;
  if (text[end] !== "]" || end - start < MIN_LENGTH) return undefined;
  const raw = text.slice(start, end + 1);
  try {
    return { list: JSON.parse(raw), end: end + 1, ...linesOf(raw, start) };
  } catch {
    return undefined;
  }
}

function linesOf(raw: string, start: number): Pick<NumberList, "lines" | "lastLine"> {
  let lines = 0;
  let last = -1;
  for (let at = raw.indexOf("\n"); at !== -1; at = raw.indexOf("\n", at + 1)) {
    lines++;
    last = at;
  }
  return { lines, lastLine: start + last + 1 };
}
