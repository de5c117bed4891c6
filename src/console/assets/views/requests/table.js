/** The table of requests. */

import { html, useMemo } from "../../lib/preact.js";
import { MiddleText } from "../../lib/components.js";
import { count, duration, usd } from "../../lib/format.js";
import { Table } from "../../lib/table.js";
import { currentZone } from "../../lib/zone.js";
import { fullTime, shortTime } from "../shared/times.js";
import { addressOf, timeOf } from "./addresses.js";
import { PATHS } from "./filter_words.js";
import { idOf } from "./list_pages.js";

/** The status of a request whose client disconnected before the end. */
const STOPPED = 499;

/**
 * @param {{ onSort: (order: { sort: string, order: string }) => void, note: string }} props `note`
 * describes the rows of a sorted list
 */
export function RequestTable({ rows, filters, opened, showsKey, note, onSort }) {
  const order = { id: filters.sort || "time", isRising: filters.order === "asc" };
  const sort = ({ id, isRising }) =>
    // In order of time, the newest requests are always first.
    onSort(
      id === "time" && !isRising
        ? { sort: "", order: "" }
        : { sort: id, order: isRising ? "asc" : "" },
    );
  const columns = useMemo(() => columnsOf(showsKey), [showsKey, currentZone()]);
  const current = rows.find(({ id }) => id === opened);
  return html`
    <p class=${note === "" ? "only-read" : "hint"} role="status">${note}</p>
    <${Table}
      label="Requests"
      columns=${columns}
      rows=${rows}
      idOf=${idOf}
      hrefOf=${(row) => addressOf(filters, row.id, row.time)}
      actionsOf=${(row) => actionsOf(row, filters)}
      order=${order}
      onOrder=${sort}
      current=${current && idOf(current)}
      hasPanel=${opened !== undefined}
      onClose=${opened === undefined ? undefined : () => (location.hash = addressOf(filters))}
    />
  `;
}

function actionsOf(row, filters) {
  const like = (name, title) =>
    row[name] == null ? [] : [{
      text: `All of this ${title}`,
      href: addressOf({ ...timeOf(filters), [name]: row[name] }),
    }];
  return [
    { text: "Open", href: addressOf(filters, row.id, row.time) },
    { text: "Copy ID", copy: row.id },
    ...like("model", "model"),
    ...like("provider", "provider"),
    ...like("key", "key"),
    ...like("session", "session"),
  ];
}

/** The columns. Those with an `of` are sorted by the gateway, under these names. */
function columnsOf(showsKey) {
  return [
    { id: "time", title: "Time", card: "c", of: ({ time }) => time, cell: timeCell },
    {
      id: "status",
      title: "Status",
      card: "b",
      of: ({ status }) => status,
      cell: (row) => html`<${Status} row=${row} />`,
    },
    nameColumn("model", "Model", { card: "a" }),
    nameColumn("provider", "Provider", { panel: "hide" }),
    ...showsKey ? [nameColumn("key", "Key", { panel: "hide" })] : [],
    {
      ...{ id: "path", title: "Path", panel: "low", isRisingFirst: true },
      ...{ of: ({ path }) => path[0], cell: pathCell },
    },
    {
      ...{ id: "ms", title: "Duration", isNumber: true, panel: "low" },
      ...{ of: ({ ms }) => ms, text: duration },
    },
    {
      ...{ id: "first_token_ms", title: "First", hint: "Time to first content", isNumber: true },
      ...{ panel: "hide", of: (row) => row.first_token_ms, text: duration },
    },
    tokenColumn("input_tokens", "In"),
    tokenColumn("output_tokens", "Out"),
    {
      ...{ id: "attempt_count", title: "Attempts", isNumber: true, panel: "hide" },
      of: (row) => row.attempt_count > 1 ? row.attempt_count : undefined,
    },
    {
      ...{ id: "cost_usd", title: "Cost", isNumber: true, card: "d" },
      ...{ of: (row) => row.cost_usd, cell: costCell },
    },
  ];
}

function tokenColumn(id, title) {
  return {
    ...{ id, title, hint: `${title === "In" ? "Input" : "Output"} tokens` },
    ...{ isNumber: true, panel: "hide" },
    of: (row) => hasUsage(row) ? row[id] : undefined,
    cell: (row) => tokens(row[id], hasUsage(row), row.usage_source === "estimated"),
  };
}

function hasUsage({ usage_source: source }) {
  return source !== "none";
}

function timeCell(row) {
  const path = row.path.map((name) => `, ${name}`).join("");
  return html`
    <span title=${`${fullTime(row.time)}, ${row.id}`}>${shortTime(row.time)}</span>
    <span class="phone-only">, ${duration(row.ms)}${path}</span>
  `;
}

function nameColumn(id, title, others) {
  return {
    ...{ id, title, isRisingFirst: true, of: (row) => row[id], ...others },
    text: (name) => html`<${MiddleText} text=${name} />`,
  };
}

function pathCell({ path }) {
  return path.map((name) => html`<span key=${name} class="badge">${PATHS.get(name)}</span>`);
}

function costCell(row) {
  if (row.cost_usd == null) return hasUsage(row) ? html`<span class="faint">unknown</span>` : "–";
  return html`<span title=${`$${row.cost_usd}`}>${usd(row.cost_usd)}</span>`;
}

/** The status, and the error code of a request that failed. */
export function Status({ row, isLong = false }) {
  const { error, status } = row;
  const isFailed = status !== STOPPED && (status >= 400 || error != null);
  const state = status === STOPPED ? "stopped" : isFailed ? "failed" : "ok";
  const title = status === STOPPED ? "Stopped by the client" : error ?? undefined;
  return html`
    <span class=${`st ${state}`} title=${title}>${status}</span>
    ${isLong && status === STOPPED && html`<span class="soft small"> stopped by the client</span>`}
    ${isLong && isFailed && error && html`<span class="error-code small"> ${error}</span>`}
  `;
}

/** A number of tokens; an estimate is marked. */
export function tokens(value, hasUsage, isEstimated) {
  if (!hasUsage) return "–";
  if (!isEstimated) return count(value);
  return html`<span title="Estimated: the vendor reported no usage">≈ ${count(value)}</span>`;
}
