/** Text as comma-separated values (RFC 4180), safe to open in a spreadsheet. */

import { printable } from "./printable.ts";

/**
 * What a spreadsheet takes for the start of a formula, also in East Asian forms.
 * https://owasp.org/www-community/attacks/CSV_Injection (2026-11-22)
 */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** The same behind a sign at which spreadsheets of other languages divide a line. */
const INNER_FORMULA = /([;|])(?=[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** Rows as lines; a null is an empty cell. */
export function toCsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => row.map(toCell).join(",") + "\n").join("");
}

/** A cell. Text that looks like a formula gets a quotation mark in front. */
function toCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const inner = value.replace(INNER_FORMULA, "$1'");
  const text = printable(FORMULA.test(inner) ? `'${inner}` : inner);
  return /[",;\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
