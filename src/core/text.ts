/**
 * Text for people: shortened and printable text, numbers with nouns, names in snake_case, and CSV.
 */

/** A text with at most this many UTF-16 units, and an ellipsis if it was longer. */
export function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** A fast check: most texts are ASCII. */
const HAS_OTHER_THAN_ASCII = /[^\x20-\x7e\n]/;

/**
 * Characters that control a terminal or change the order of the text: control characters except
 * newlines, formatting characters such as bidirectional overrides, line and paragraph separators,
 * lone surrogates, and unassigned code points.
 */
const UNPRINTABLE = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu;

/** Replaces each such character with its JSON escape, such as `\u001b`. */
export function printable(text: string): string {
  return HAS_OTHER_THAN_ASCII.test(text) ? text.replace(UNPRINTABLE, escaped) : text;
}

function escaped(character: string): string {
  // A character outside the Basic Multilingual Plane has two units.
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}

/** A number with its noun, such as `1 provider` or `2 providers`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A name in camelCase as snake_case, the other spelling of protobuf's JSON. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Characters that a spreadsheet treats as the start of a formula, including full-width forms.
 * https://owasp.org/www-community/attacks/CSV_Injection (2026-11-22)
 */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** The same after a delimiter that spreadsheets use in some locales. */
const INNER_FORMULA = /([;|])(?=[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** Rows as lines; a null is an empty cell. */
export function toCsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => row.map(toCell).join(",") + "\n").join("");
}

/** A cell. Text that looks like a formula is prefixed with a quotation mark. */
function toCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const inner = value.replace(INNER_FORMULA, "$1'");
  const text = printable(FORMULA.test(inner) ? `'${inner}` : inner);
  return /[",;\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
