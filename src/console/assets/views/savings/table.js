/** The savings of each alias, key or provider. */

import { html } from "../../lib/preact.js";
import { count, percent, usd } from "../../lib/format.js";
import { costOf, costText } from "../usage/figures.js";
import { GroupTable, MAX_ROWS } from "../usage/group_table.js";
import { savingsOf } from "./figures.js";

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

/** An amount; a dash for zero, so that savings stand out. */
function amountText(amount) {
  return amount === 0 ? "–" : usd(amount);
}

export function SavingsTable({ entries, hasMore, by }) {
  const { length } = entries;
  const note = (hasMore || length > MAX_ROWS) && html`
    <p class="hint padded">
      The first ${count(Math.min(MAX_ROWS, length))} of
      ${hasMore ? "more than " : ""}${count(length)}.
    </p>
  `;
  return html`
    <${GroupTable} entries=${entries} label=${`Savings by ${by}`} by=${by} title=${TITLES[by]}
      columns=${COLUMNS} first="net" note=${note} />
  `;
}
