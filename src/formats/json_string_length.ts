/** The length of a string in JSON text, without parsing it. */

const QUOTE = '"';
const BACKSLASH = 92;

/**
 * The UTF-16 units, as they are written, of the string that is the value of a member.
 *
 * @param name the member's name in quotes; the first one after `from` counts
 * @returns undefined if there is no such member, or its value is no string
 */
export function stringLengthAfter(json: string, name: string, from = 0): number | undefined {
  const named = json.indexOf(name, from);
  if (named === -1) return undefined;
  const open = json.indexOf(QUOTE, named + name.length);
  if (open === -1 || !/^\s*:\s*$/.test(json.slice(named + name.length, open))) return undefined;
  for (let close = json.indexOf(QUOTE, open + 1); close !== -1;) {
    if (!isEscaped(json, close)) return close - open - 1;
    close = json.indexOf(QUOTE, close + 1);
  }
  return undefined;
}

/** Whether an odd number of backslashes stands before this position. */
function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
