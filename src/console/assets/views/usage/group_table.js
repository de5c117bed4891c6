/** The groups of a report in a sortable table. */

import { html } from "../../lib/preact.js";
import { TableBox } from "../shared/parts.js";
import { sorted, SortHead, useOrder } from "../shared/sort.js";
import { groupName } from "./figures.js";

/** The maximum number of visible rows. */
export const MAX_ROWS = 500;

/**
 * @param label what the table shows
 * @param by the member of an entry with its group, and `title` that of its column
 * @param columns of numbers: their titles, values to sort by, and texts
 * @param first the column that sorts the rows at first
 * @param note what stands below the table, if anything
 * @param linkOf the address of what a group consists of, if there is one
 */
export function GroupTable({ entries, label, by, title, columns, first, note, linkOf }) {
  const [order, sort] = useOrder(first);
  const rows = sorted(entries, columns, order);
  return html`
    <section class="card">
      <${TableBox} label=${label}>
        <thead>
          <tr>
            <th scope="col">${title}</th>
            ${columns.map(({ id, title }) =>
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
                  <${Name} text=${groupName(entry[by], by)} link=${linkOf?.(entry)} />
                </th>
                ${columns.map(({ id, of, text }) =>
                  html`<td key=${id} class="number">${text(of(entry), entry)}</td>`
                )}
              </tr>
            `
          )}
        </tbody>
        <//>
      ${note}
    </section>
  `;
}

function Name({ text, link }) {
  return link ? html`<a href=${link}>${text}</a>` : text;
}
