/** Escapes text from outside for output on a terminal. */

/** A fast check: most texts are ASCII. */
const HAS_OTHER_THAN_ASCII = /[^\x20-\x7e\n]/;

/**
 * Characters that control a terminal or change the order of the text: control characters except
 * newlines, formatting characters such as bidirectional overrides, line and paragraph separators,
 * lone surrogates, and unassigned code points.
 */
const UNPRINTABLE = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu;

/** Replaces each such character by its JSON escape, such as `\u001b`. */
export function printable(text: string): string {
  return HAS_OTHER_THAN_ASCII.test(text) ? text.replace(UNPRINTABLE, escaped) : text;
}

function escaped(character: string): string {
  // A character outside the first plane has two units.
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}
