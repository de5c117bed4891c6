/** Files of comma-separated values. */

import { saveFile } from "./save_file.js";

/** Joins pages of CSV, each of which starts with the column names. */
export function joinCsv(pages) {
  return pages.map((text, index) => index === 0 ? text : text.slice(text.indexOf("\n") + 1))
    .join("");
}

/** Downloads a text as a file. */
export function saveCsv(name, text) {
  saveFile(name, text, "text/csv");
}
