/**
 * Text in the form that databases can store. PostgreSQL refuses NUL in texts, and the driver of
 * SQLite truncates them there, so NUL is escaped.
 */

/** A query, with a placeholder for each of its values. */
export interface SqlQuery {
  readonly text: string;
  readonly values: readonly (number | string)[];
}

/** The escape character. The digit after it distinguishes NUL from the character itself. */
const ESCAPE = "\u2400";

/** What may have to be changed. */
const SPECIAL = /[\0\u2400\ud800-\udfff]/;

/** The text to store. Half characters (lone surrogates) become U+FFFD. */
export function toStored(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.toWellFormed().replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll("\0", `${ESCAPE}0`);
}

/** The text that {@linkcode toStored} stored. */
export function fromStored(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(`${ESCAPE}0`, "\0").replaceAll(`${ESCAPE}1`, ESCAPE);
}
