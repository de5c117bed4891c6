/** The groups of the report in a table that can be sorted. */

import { html } from "../../lib/preact.js";
import { count, duration, short } from "../../lib/format.js";
import { TableBox } from "../shared/parts.js";
import { sorted, SortHead, useOrder } from "../shared/sort.js";
import { costOf, costText, groupName } from "./figures.js";

/** The maximum number of rows that are shown. */
const MAX_ROWS = 500;

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
  const [order, sort] = useOrder("requests");
  const rows = sorted(entries, COLUMNS, order);
  return html`
    <section class="card">
      <${TableBox} label=${`Usage by ${by}`}>
        <thead>
          <tr>
            <th scope="col">${TITLES[by]}</th>
            ${COLUMNS.map(({ id, title }) =>
              html`
                <${SortHead} key=${id} title=${title} order=${order} id=${id}
                  onSort=${sort} />
              `
            )}
          </tr>
        </thead>
        <tbody>
          ${rows.slice(0, MAX_ROWS).map((entry) =>
            html`
              <tr key=${String(entry[by])}>
                <th scope="row" class=${`name ${entry[by] === null ? "faint" : "mono"}`}>
                  ${groupName(entry[by], by)}
                </th>
                ${COLUMNS.map(({ id, of, text }) =>
                  html`
                    <td key=${id} class="number">${text(of(entry), entry)}</td>
                  `
                )}
              </tr>
            `
          )}
        </tbody>
        <//>
          ${rows.length > MAX_ROWS && html`
            <p class="hint padded">
              The first ${count(MAX_ROWS)} of ${hasMore ? "more than " : ""}${count(rows.length)}.
              ${hasMore ? "Choose a shorter time to see others." : "The CSV has the others."}
            </p>
          `}
    </section>
  `;
}
