/** The groups of the report in a table that can be sorted. */

import { html } from "../../lib/preact.js";
import { count, duration, short } from "../../lib/format.js";
import { costOf, costText } from "./figures.js";
import { GroupTable, MAX_ROWS } from "./group_table.js";

const TITLES = { model: "Model", provider: "Provider", key: "Key", tag: "Tag" };

/** The columns of numbers: their titles, values to sort by, and texts. */
const COLUMNS = [
  { id: "requests", title: "Requests", of: (entry) => entry.requests, text: count },
  { id: "errors", title: "Errors", of: (entry) => entry.errors, text: count },
  { id: "input", title: "Input tokens", of: (entry) => entry.input_tokens, text: short },
  { id: "cached", title: "Cached", of: (entry) => entry.cached_input_tokens, text: short },
  { id: "output", title: "Output tokens", of: (entry) => entry.output_tokens, text: short },
  { id: "cost", title: "Cost", of: costOf, text: (_, entry) => costText(entry) },
  { id: "p50", title: "p50", of: (entry) => entry.p50_ms, text: duration },
  { id: "p95", title: "p95", of: (entry) => entry.p95_ms, text: duration },
];

export function UsageTable({ entries, hasMore, by }) {
  const { length } = entries;
  const note = length > MAX_ROWS && html`
    <p class="hint padded">
      The first ${count(MAX_ROWS)} of ${hasMore ? "more than " : ""}${count(length)}.
      ${hasMore ? "Choose a shorter time to see others." : "The CSV has the others."}
    </p>
  `;
  return html`
    <${GroupTable} entries=${entries} label=${`Usage by ${by}`} by=${by} title=${TITLES[by]}
      columns=${COLUMNS} first="requests" note=${note} />
  `;
}
