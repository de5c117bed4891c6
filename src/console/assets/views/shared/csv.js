/** Files of comma-separated values. */

import { saveFile } from "./save_file.js";

/** Pages of CSV as one text: the names of the columns are in the first line of each. */
export function joinCsv(pages) {
  return pages.map((text, index) => index === 0 ? text : text.slice(text.indexOf("\n") + 1))
    .join("");
}

/** Saves a text as a file of the person. */
export function saveCsv(name, text) {
  saveFile(name, text, "text/csv");
}
