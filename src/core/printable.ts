/** Text from outside as it may be shown on a terminal. */

/** Most texts hold nothing else, and are seen at a glance. */
const HAS_OTHER_THAN_ASCII = /[^\x20-\x7e\n]/;

/**
 * What a terminal obeys instead of showing it, or what changes the order of the
 * text around it: control characters but for newlines, formatting characters
 * such as bidirectional overrides, line and paragraph separators, halves of
 * surrogate pairs, and what Unicode has not assigned.
 */
const UNPRINTABLE = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu;

/** The text with each such character written as in JSON, e.g. `\u001b`. */
export function printable(text: string): string {
  return HAS_OTHER_THAN_ASCII.test(text) ? text.replace(UNPRINTABLE, escaped) : text;
}

function escaped(character: string): string {
  // The characters beyond the first plane are two units.
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}
