/** The savings of each alias, key or provider. */

import { html } from "../../lib/preact.js";
import { count, percent, usd } from "../../lib/format.js";
import { TableBox } from "../shared/parts.js";
import { sorted, SortHead, useOrder } from "../shared/sort.js";
import { costOf, costText, groupName } from "../usage/figures.js";
import { savingsOf } from "./figures.js";

/** The maximum number of rows that are shown. */
const MAX_ROWS = 500;

const TITLES = { model: "Alias or model", provider: "Provider", key: "Key" };

/** The columns of numbers: their titles, values to sort by, and texts. */
const COLUMNS = [
  { id: "requests", title: "Requests", of: (entry) => entry.requests, text: count },
  {
    id: "cached",
    title: "Cached input",
    of: (entry) => entry.input_tokens === 0 ? null : entry.cached_input_tokens / entry.input_tokens,
    text: (_, entry) => percent(entry.cached_input_tokens, entry.input_tokens),
  },
  ...[
    ["prompt", "Prompt caching"],
    ["response", "Response cache"],
    ["order", "Cheapest first, est."],
    ["hedges", "Hedges cost"],
  ].map(([id, title]) => ({ id, title, of: (entry) => savingsOf(entry)[id], text: amountText })),
  {
    id: "net",
    title: "Net saved",
    of: (entry) => savingsOf(entry).net,
    text: (net, entry) => `${amountText(net)}${savingsOf(entry).unknown > 0 ? " and unknown" : ""}`,
  },
  { id: "cost", title: "Cost", of: costOf, text: (_, entry) => costText(entry) },
];

/** An amount; a dash for nothing, so that what was saved stands out. */
function amountText(amount) {
  return amount === 0 ? "–" : usd(amount);
}

export function SavingsTable({ entries, hasMore, by }) {
  const [order, sort] = useOrder("net");
  const rows = sorted(entries, COLUMNS, order);
  return html`
    <section class="card">
      <${TableBox} label=${`Savings by ${by}`}>
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
                  html`<td key=${id} class="number">${text(of(entry), entry)}</td>`
                )}
              </tr>
            `
          )}
        </tbody>
        <//>
      ${(hasMore || rows.length > MAX_ROWS) && html`
        <p class="hint padded">
          The first ${count(Math.min(MAX_ROWS, rows.length))} of
          ${hasMore ? "more than " : ""}${count(rows.length)}.
        </p>
      `}
    </section>
  `;
}
