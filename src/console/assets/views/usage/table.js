/** The groups of the report in a table, with a second grouping below each. */

import { html, useMemo, useState } from "../../lib/preact.js";
import { count, duration, percent, short, usd } from "../../lib/format.js";
import { Table } from "../../lib/table.js";
import { isAbsent, sortedRows } from "../../lib/table_rows.js";
import { costOf, costText, groupName } from "./figures.js";
import { UNITS } from "../../lib/units.js";

const TITLES = {
  ...{ key: "Key", team: "Team", owner: "Owner", model: "Model", provider: "Provider" },
  ...{ tag: "Tag", end_user: "End user" },
};

const tokens = (member) => ({ of: (entry) => entry[member], text: short, isNumber: true });

/** The columns of numbers. @param {any} total the entry of all requests */
function columnsOf(total, linkOf) {
  const cost = total ? costOf(total) ?? 0 : 0;
  return [
    { id: "cost", title: "Cost", of: costOf, cell: costText, isNumber: true, card: "b" },
    {
      ...{ id: "share", title: "Share", isNumber: true, card: "d" },
      of: (entry) => cost > 0 ? (costOf(entry) ?? 0) / cost : undefined,
      cell: (entry) => percent(costOf(entry) ?? 0, cost),
    },
    {
      ...{ id: "requests", title: "Requests", isNumber: true, card: "c", mark: "Requests" },
      of: (entry) => entry.requests,
      text: count,
    },
    {
      ...{ id: "errors", title: "Errors", isNumber: true, of: (entry) => entry.errors || null },
      cell: (entry) => {
        const link = linkOf(entry, "error");
        return link ? html`<a href=${link}>${count(entry.errors)}</a>` : count(entry.errors);
      },
    },
    { id: "input", title: "Input", hint: "Input tokens", ...tokens("input_tokens") },
    { id: "cached", title: "Cached", hint: "Cached input", ...tokens("cached_input_tokens") },
    { id: "output", title: "Output", hint: "Output tokens", ...tokens("output_tokens") },
    ...UNITS.map((unit) => ({ ...unit, isNumber: true, of: (entry) => entry[unit.id] || null })),
    {
      ...{ id: "unused", title: "Not used", isNumber: true },
      hint: "Cost of attempts whose answer was not used",
      of: (entry) => entry.unused_cost_usd || null,
      text: usd,
    },
    { id: "p50", title: "p50", of: ({ p50_ms }) => p50_ms, text: duration, isNumber: true },
    { id: "p95", title: "p95", of: ({ p95_ms }) => p95_ms, text: duration, isNumber: true },
  ];
}

/** The value of a column for all requests. */
function footOf({ cell, of, text }, total) {
  const value = of(total);
  return isAbsent(value) ? "–" : cell?.(total) ?? text(value);
}

/** @param linkOf the URL of the requests of an entry, or of the failed ones */
export function UsageTable({ entries, detailed, by, then, total, linkOf }) {
  const [order, setOrder] = useState({ id: "cost", isRising: false });
  const title = TITLES[by] + (then === "" ? "" : `, ${TITLES[then].toLowerCase()}`);
  const columns = [
    {
      ...{ id: "name", title, isRisingFirst: true, card: "a", ...(total && { foot: "All" }) },
      of: ({ isSub, ...entry }) => groupName(entry[isSub ? then : by], isSub ? then : by),
    },
    ...columnsOf(total, linkOf).map((column) => ({
      ...column,
      ...(total && { foot: footOf(column, total) }),
    })),
  ];
  const rows = useMemo(() => {
    const column = columns.find(({ id }) => id === order.id);
    const groups = sortedRows(entries, column, order.isRising);
    if (detailed === undefined) return groups;
    const parts = Map.groupBy(detailed, (entry) => entry[by]);
    return groups.flatMap((group) => [
      group,
      ...sortedRows(
        (parts.get(group[by]) ?? []).map((entry) => ({ ...entry, isSub: true })),
        column,
        order.isRising,
      ),
    ]);
  }, [entries, detailed, order]);
  return html`
    <${Table} label=${`Usage by ${title.toLowerCase()}`} columns=${columns} rows=${rows}
      idOf=${(entry) => JSON.stringify([entry[by], entry.isSub ? entry[then] : undefined])}
      hrefOf=${(entry) => entry.isSub ? undefined : linkOf(entry)}
      classOf=${({ isSub }) => isSub ? "sub" : ""} order=${order} onOrder=${setOrder} />
  `;
}
