/** Saves the table as a small file of comma-separated values, with the totals. */

import { html } from "../../lib/preact.js";
import { count } from "../../lib/format.js";
import { saveCsv } from "../shared/csv.js";
import { fileName, toText } from "./csv_text.js";

/** @param {{ data: any }} props a loaded report */
export function CsvButton({ data }) {
  const rows = data.detailed ?? data.groups;
  const limit = data.hasMore
    ? `the first ${count(rows.length)} rows`
    : `${count(rows.length)} rows`;
  return html`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" title=${fileName(data)}
      onClick=${() => saveCsv(fileName(data), toText(data))}>CSV, ${limit}</button>
  `;
}
