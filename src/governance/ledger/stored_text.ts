/**
 * Text in the form that databases can store. PostgreSQL refuses NUL in texts, and the driver of
 * SQLite truncates them there, so NUL is escaped.
 */

/** The escape character. The digit after it distinguishes NUL from the character itself. */
const ESCAPE = "\u2400";

/** The text to store. Half characters (lone surrogates) become U+FFFD. */
export function toStored(text: string): string {
  const wellFormed = text.toWellFormed();
  if (!wellFormed.includes(ESCAPE) && !wellFormed.includes("\0")) return wellFormed;
  return wellFormed.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll("\0", `${ESCAPE}0`);
}

/** The text that {@linkcode toStored} stored. */
export function fromStored(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(`${ESCAPE}0`, "\0").replaceAll(`${ESCAPE}1`, ESCAPE);
}
