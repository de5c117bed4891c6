/** Sorts tables by a numeric column. */

import { html, useState } from "../../lib/preact.js";

/**
 * The sort order of a table, and a function that changes the column or reverses the order.
 *
 * @param {string} first the ID of the initial column, in descending order
 * @returns {[{ id: string, isRising: boolean }, (id: string) => void]}
 */
export function useOrder(first) {
  const [order, setOrder] = useState({ id: first, isRising: false });
  const sort = (id) =>
    setOrder((before) => ({ id, isRising: before.id === id && !before.isRising }));
  return [order, sort];
}

/** The entries in an order. Unknown values are less than all numbers. */
export function sorted(entries, columns, { id, isRising }) {
  const { of } = columns.find((column) => column.id === id);
  const rank = (entry) => of(entry) ?? -Infinity;
  const sign = isRising ? 1 : -1;
  return entries.toSorted((one, other) => {
    const [first, second] = [rank(one), rank(other)];
    return first === second ? 0 : sign * (first < second ? -1 : 1);
  });
}

/** The header of a sortable column. */
export function SortHead({ title, id, order, onSort, class: name = "number" }) {
  const isSorted = order.id === id;
  const direction = order.isRising ? "ascending" : "descending";
  return html`
    <th scope="col" class=${name} aria-sort=${isSorted ? direction : undefined}>
      <button type="button" class="sort" onClick=${() => onSort(id)}>
        ${title}
        <span aria-hidden="true">${isSorted ? (order.isRising ? "↑" : "↓") : ""}</span>
      </button>
    </th>
  `;
}
