/** The groups of the report in a table that can be sorted. */

import { html } from "../../lib/preact.js";
import { count, duration, short } from "../../lib/format.js";
import { costOf, costText } from "./figures.js";
import { UNITS, usedUnits } from "../shared/units.js";
import { GroupTable, MAX_ROWS } from "./group_table.js";

const TITLES = {
  ...{ model: "Model", provider: "Provider", key: "Key", tag: "Tag", end_user: "End user" },
};

const UNIT_IDS = new Set(UNITS.map(({ id }) => id));

/** The columns of numbers: their titles, values to sort by, and texts. */
const COLUMNS = [
  { id: "requests", title: "Requests", of: (entry) => entry.requests, text: count },
  { id: "errors", title: "Errors", of: (entry) => entry.errors, text: count },
  { id: "input", title: "Input tokens", of: (entry) => entry.input_tokens, text: short },
  { id: "cached", title: "Cached", of: (entry) => entry.cached_input_tokens, text: short },
  { id: "output", title: "Output tokens", of: (entry) => entry.output_tokens, text: short },
  ...UNITS.map((unit) => ({ ...unit, of: (entry) => entry[unit.id] ?? 0 })),
  { id: "cost", title: "Cost", of: costOf, text: (_, entry) => costText(entry) },
  { id: "p50", title: "p50", of: (entry) => entry.p50_ms, text: duration },
  { id: "p95", title: "p95", of: (entry) => entry.p95_ms, text: duration },
];

/** @param linkOf the address of the requests of an entry, or of those that failed */
export function UsageTable({ entries, hasMore, by, linkOf }) {
  const { length } = entries;
  const errors = (value, entry) => {
    const link = value > 0 && linkOf(entry, "error");
    return link ? html`<a href=${link}>${count(value)}</a>` : count(value);
  };
  const used = usedUnits(entries);
  const isShown = ({ id }) => !UNIT_IDS.has(id) || used.some((unit) => unit.id === id);
  const columns = COLUMNS.filter(isShown).map((column) =>
    column.id === "errors" ? { ...column, text: errors } : column
  );
  const note = length > MAX_ROWS && html`
    <p class="hint padded">
      The first ${count(MAX_ROWS)} of ${hasMore ? "more than " : ""}${count(length)}.
      ${hasMore ? "Choose a shorter time to see others." : "The CSV has the others."}
    </p>
  `;
  return html`
    <${GroupTable} entries=${entries} label=${`Usage by ${by}`} by=${by} title=${TITLES[by]}
      columns=${columns} first="requests" note=${note} linkOf=${linkOf} />
  `;
}
