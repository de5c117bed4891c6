/** The costs by provider, for comparison with its invoice. */

import { html } from "../../lib/preact.js";
import { count, percent, short, usd } from "../../lib/format.js";
import { Table } from "../../lib/table.js";
import { costOf, costText, groupName } from "./figures.js";

const COLUMNS = [
  {
    ...{ id: "name", title: "Billed by", isRisingFirst: true, card: "a" },
    of: (entry) => groupName(entry.provider, "provider"),
  },
  { id: "cost", title: "Cost", of: costOf, cell: costText, isNumber: true, card: "b" },
  {
    ...{ id: "unused", title: "Paid but not used", isNumber: true, card: "d" },
    hint: "Failed attempts that were billed, and hedges that lost",
    of: (entry) => entry.unused_cost_usd,
    text: usd,
  },
  {
    ...{ id: "share", title: "Of its cost", isNumber: true },
    of: (entry) => costOf(entry) ? entry.unused_cost_usd / costOf(entry) : undefined,
    text: (share) => percent(share, 1),
  },
  {
    ...{ id: "requests", title: "Answered", isNumber: true, card: "c", mark: "Answered" },
    hint: "Requests that the provider answered: attempts that it bills may be more",
    of: (entry) => entry.requests,
    text: count,
  },
  { id: "input", title: "Input", of: (entry) => entry.input_tokens, text: short, isNumber: true },
  {
    id: "cached",
    title: "Cached",
    of: ({ cached_input_tokens: tokens }) => tokens,
    text: short,
    isNumber: true,
  },
  {
    id: "output",
    title: "Output",
    of: (entry) => entry.output_tokens,
    text: short,
    isNumber: true,
  },
];

/** @param {{ entries: any[], total: any }} props an entry of each provider */
export function Bill({ entries, total }) {
  const unused = total?.unused_cost_usd ?? 0;
  return html`
    <p>
      ${unused > 0
        ? html`<strong>${usd(unused)}</strong> was paid for answers that were not used, ${
          percent(unused, costOf(total) ?? 0)
        } of the cost.`
        : "Everything that was paid for was used."}
      <span class="soft"> Tokens and dollars are those of the attempts at each provider.</span>
    </p>
    <${Table} label="Cost by provider" columns=${COLUMNS} rows=${entries}
      idOf=${(entry) => String(entry.provider)} order=${{ id: "cost", isRising: false }} />
  `;
}
