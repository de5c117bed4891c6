/** The groups of the report in a table that can be sorted. */

import { html, useState } from "../../lib/preact.js";
import { count, duration, short } from "../../lib/format.js";
import { TableBox } from "../shared/parts.js";
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
  const [order, setOrder] = useState({ id: "requests", isRising: false });
  const column = COLUMNS.find(({ id }) => id === order.id);
  const sign = order.isRising ? 1 : -1;
  // Unknown values sort before all numbers.
  const rank = (entry) => column.of(entry) ?? -1;
  const sorted = entries.toSorted((one, other) => sign * (rank(one) - rank(other)));
  const sort = (id) =>
    setOrder((before) => ({ id, isRising: before.id === id && !before.isRising }));
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
          ${sorted.slice(0, MAX_ROWS).map((entry) =>
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
          ${sorted.length > MAX_ROWS && html`
            <p class="hint padded">
              The first ${count(MAX_ROWS)} of ${hasMore ? "more than " : ""}${count(sorted.length)}.
              ${hasMore ? "Choose a shorter time to see others." : "The CSV has the others."}
            </p>
          `}
    </section>
  `;
}

function SortHead({ title, id, order, onSort }) {
  const isSorted = order.id === id;
  const direction = order.isRising ? "ascending" : "descending";
  return html`
    <th scope="col" class="number" aria-sort=${isSorted ? direction : undefined}>
      <button type="button" class="sort" onClick=${() => onSort(id)}>
        ${title}
        <span aria-hidden="true">${isSorted ? (order.isRising ? "↑" : "↓") : ""}</span>
      </button>
    </th>
  `;
}
