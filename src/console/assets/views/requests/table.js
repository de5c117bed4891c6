/** The table of requests. */

import { html } from "../../lib/preact.js";
import { count, duration, usd } from "../../lib/format.js";
import { Known, TableBox } from "../shared/parts.js";
import { SortHead } from "../shared/sort.js";
import { fullTime, shortTime } from "../shared/times.js";
import { addressOf } from "./addresses.js";

/** The columns that can be sorted, with the names of the API. */
const COLUMNS = [
  { id: "time", title: "Time", isText: true },
  { id: "input_tokens", title: "Tokens in", isExtra: true },
  { id: "output_tokens", title: "Tokens out", isExtra: true },
  { id: "cost_usd", title: "Cost" },
  { id: "first_token_ms", title: "First token", isExtra: true },
  { id: "ms", title: "Duration" },
  { id: "attempt_count", title: "Attempts", isExtra: true },
];

/**
 * @param {{ onSort: (order: { sort: string, order: string }) => void, note: string }} props
 *   `note` says what the rows of a sorted list are
 */
export function RequestTable({ rows, filters, opened, showsKey, note, onSort }) {
  const order = { id: filters.sort || "time", isRising: filters.order === "asc" };
  const sort = (id) => {
    // By time, the newest are always first.
    if (id === "time") return onSort({ sort: "", order: "" });
    return onSort({ sort: id, order: id === order.id && !order.isRising ? "asc" : "" });
  };
  const head = ({ id, title, isText, isExtra }) =>
    html`
      <${SortHead} key=${id} title=${title} id=${id} order=${order} onSort=${sort}
        class=${`${isText ? "" : "number"} ${isExtra ? "extra" : ""}`} />
    `;
  const [time, ...numbers] = COLUMNS;
  return html`
    <p class=${note === "" ? "only-read" : "hint padded"} role="status">${note}</p>
    <${TableBox} label="Requests" class="tall">
      <thead>
        <tr>
          ${head(time)}
          <th scope="col">Status</th>
          <th scope="col">Model</th>
          <th scope="col">Provider</th>
          ${showsKey && html`<th scope="col">Key</th>`}
          ${numbers.map(head)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) =>
          html`
            <${Row}
              key=${`${row.time} ${row.id}`}
              row=${row}
              address=${addressOf(filters, row.id, row.time)}
              isOpened=${row.id === opened}
              showsKey=${showsKey}
            />
          `
        )}
      </tbody>
      <//>
  `;
}

function Row({ row, address, isOpened, showsKey }) {
  const hasUsage = row.usage_source !== "none";
  const isEstimated = row.usage_source === "estimated";
  const open = (event) => {
    // The link itself, and a selection of text, keep their own meaning.
    if (event.target.closest("a") || String(getSelection()) !== "") return;
    location.hash = address;
  };
  return html`
    <tr class=${`clickable ${isOpened ? "opened" : ""}`} onClick=${open}>
      <th scope="row" class="name">
        <a
          href=${address}
          title=${`${fullTime(row.time)}, ${row.id}`}
          aria-current=${isOpened ? "true" : undefined}
        >${shortTime(row.time)}</a>
      </th>
      <td><${Status} row=${row} /></td>
      <td class="mono short-text" title=${row.model}><${Known} value=${row.model} /></td>
      <td class="mono short-text" title=${row.provider}>
        ${row.provider ?? html`<span class="faint">none</span>`}
      </td>
      ${showsKey && html`
        <td class="short-text" title=${row.key}>
          <${Known} value=${row.key} />
        </td>
      `}
      <td class="number extra">${tokens(row.input_tokens, hasUsage, isEstimated)}</td>
      <td class="number extra">${tokens(row.output_tokens, hasUsage, isEstimated)}</td>
      <td class="number">
        ${hasUsage ? html`<${Known} value=${row.cost_usd} format=${usd} />` : "–"}
      </td>
      <td class="number extra">${row.first_token_ms == null
        ? "–"
        : duration(row.first_token_ms)}</td>
      <td class="number">${duration(row.ms)}</td>
      <td class="number extra">
        ${row.attempt_count > 1
          ? html`<span class="badge warn">${row.attempt_count}</span>`
          : row.attempt_count}
      </td>
    </tr>
  `;
}

/** The status of a request whose client disconnected before the end. */
const STOPPED = 499;

/** The status, and the error code of a request that failed. */
export function Status({ row }) {
  if (row.status === STOPPED) {
    return html`
      <span class="badge">${row.status}</span>
      <span class="small soft">stopped by the client</span>
    `;
  }
  const isFailed = row.status >= 400 || row.error != null;
  return html`
    <span class=${`badge ${isFailed ? "bad" : "good"}`}>${row.status}</span>
    ${row.error && html`<span class="error-code small">${row.error}</span>`}
  `;
}

/** A number of tokens; an estimate is marked. */
export function tokens(value, hasUsage, isEstimated) {
  if (!hasUsage) return "–";
  if (!isEstimated) return count(value);
  return html`<span title="Estimated: the vendor reported no usage">≈ ${count(value)}</span>`;
}
