/** The savings of each alias, key or provider. */

import { html } from "../../lib/preact.js";
import { count, percent, usd } from "../../lib/format.js";
import { Table } from "../../lib/table.js";
import { costOf, costText, groupName } from "../usage/figures.js";
import { savingsOf } from "./figures.js";

const TITLES = { model: "Alias or model", provider: "Provider", key: "Key" };

/** The columns of numbers. An amount of zero is absent, so that savings stand out. */
const COLUMNS = [
  {
    ...{ id: "net", title: "Net saved", isNumber: true, card: "b" },
    hint: "Prompt caching, response cache and cheapest first, less hedges",
    of: (entry) => savingsOf(entry).net,
    cell: (entry) => {
      const { net, unknown } = savingsOf(entry);
      return `${usd(net)}${unknown > 0 ? " and unknown" : ""}`;
    },
  },
  ...[
    ["prompt", "Prompt caching", "Cached input at its price, less the cost of writes"],
    ["response", "Response cache", "The cost of the answers when they were generated"],
    ["order", "Cheapest first, est.", "Compared with the first target in config.yaml"],
    ["hedges", "Hedges cost", "Attempts whose answer was not used"],
  ].map(([id, title, hint]) => ({
    ...{ id, title, hint, isNumber: true, text: usd },
    of: (entry) => savingsOf(entry)[id] || undefined,
  })),
  {
    ...{ id: "cached", title: "Cached input", isNumber: true, card: "c", mark: "cached" },
    of: (entry) =>
      entry.input_tokens === 0 ? undefined : entry.cached_input_tokens / entry.input_tokens,
    text: (share) => percent(share, 1),
  },
  {
    ...{ id: "requests", title: "Requests", isNumber: true, text: count },
    of: (entry) => entry.requests,
  },
  { id: "cost", title: "Cost", of: costOf, cell: costText, isNumber: true, card: "d" },
];

/** @param {{ entries: any[], hasMore: boolean, by: string }} props */
export function SavingsTable({ entries, hasMore, by }) {
  const columns = [
    { id: "name", title: TITLES[by], of: (entry) => groupName(entry[by], by), isRisingFirst: true },
    ...COLUMNS,
  ];
  return html`
    <${Table} label=${`Savings by ${by}`} columns=${columns} rows=${entries}
      idOf=${(entry) => String(entry[by])} order=${{ id: "net", isRising: false }} />
    ${hasMore && html`<p class="hint">The first ${count(entries.length)}.</p>`}
  `;
}
