/** The table of requests. */

import { html } from "../../lib/preact.js";
import { count, duration, usd } from "../../lib/format.js";
import { Known, TableBox } from "../shared/parts.js";
import { fullTime, shortTime } from "../shared/times.js";
import { addressOf } from "./addresses.js";

export function RequestTable({ rows, filters, opened, showsKey }) {
  return html`
    <${TableBox} label="Requests">
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Status</th>
          <th scope="col">Model</th>
          <th scope="col">Provider</th>
          ${showsKey && html`<th scope="col">Key</th>`}
          <th scope="col" class="number extra">Tokens in</th>
          <th scope="col" class="number extra">Tokens out</th>
          <th scope="col" class="number">Cost</th>
          <th scope="col" class="number extra">First token</th>
          <th scope="col" class="number">Duration</th>
          <th scope="col" class="number extra">Attempts</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) =>
          html`
            <${Row}
              key=${row.id}
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
