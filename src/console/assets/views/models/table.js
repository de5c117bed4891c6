/** The table of all names. It shows many, and more on request, so that it stays fluent. */

import { html, useMemo, useState } from "../../lib/preact.js";
import { count, duration, percent, price, short } from "../../lib/format.js";
import { capabilitiesOf } from "../../lib/models.js";
import { TableBox } from "../shared/parts.js";
import { sorted, SortHead, useOrder } from "../shared/sort.js";
import { Breaker } from "../status/breaker.js";
import { HEALTH } from "../status/health.js";
import { FORMS } from "./figures.js";

/** The rows in the beginning, and how many each request for more adds. */
const ROWS = 50;
const MORE_ROWS = 100;

/** The columns of numbers: their titles, values to sort by, and texts. */
const COLUMNS = [
  { id: "context", title: "Context", of: (entry) => entry.context_window, text: short },
  { id: "output", title: "Output", of: (entry) => entry.max_output_tokens, text: short },
  { id: "input_price", title: "In, $/M", of: ({ prices }) => prices?.input, text: price },
  { id: "output_price", title: "Out, $/M", of: ({ prices }) => prices?.output, text: price },
  { id: "attempts", title: "Attempts", of: (entry) => entry.attempts, text: count },
  { id: "p50", title: "p50", of: (entry) => entry.p50, text: duration },
  { id: "p95", title: "p95", of: (entry) => entry.p95, text: duration },
  {
    id: "uptime",
    title: "Uptime",
    of: (entry) => entry.uptime,
    text: (value) => percent(value, 1),
  },
];

/** @param {{ entries: object[], opened: string | undefined, filter: string }} props */
export function ModelTable({ entries, opened, filter }) {
  const [order, sort] = useOrder("attempts");
  // Another filter begins with few rows again.
  const [more, setMore] = useState({ filter, rows: ROWS });
  const rows = more.filter === filter ? more.rows : ROWS;
  const all = useMemo(() => sorted(entries, COLUMNS, order), [entries, order.id, order.isRising]);
  if (entries.length === 0) return html`<p class="card empty">No name fits.</p>`;
  return html`
    <section class="card" aria-label="Names">
      <${TableBox} label="Models, aliases and pinned names">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Goes to</th>
            <th scope="col">Health</th>
            ${COLUMNS.map(({ id, title }) =>
              html`
                <${SortHead} key=${id} id=${id} title=${title} order=${order}
                  onSort=${sort} />
              `
            )}
            <th scope="col">Capabilities</th>
            <th scope="col"><span class="only-read">Actions</span></th>
          </tr>
        </thead>
        <tbody>
          ${all.slice(0, rows).map((entry) =>
            html`<${Row} key=${entry.id} entry=${entry} isOpened=${entry.id === opened} />`
          )}
        </tbody>
      <//>
      ${all.length > rows && html`
        <p class="row more padded">
          <button type="button" onClick=${() => setMore({ filter, rows: rows + MORE_ROWS })}>
            Show ${count(Math.min(MORE_ROWS, all.length - rows))} more of ${count(all.length)}
          </button>
        </p>
      `}
    </section>
  `;
}

function Row({ entry, isOpened }) {
  const { form, id } = entry;
  return html`
    <tr class=${isOpened ? "opened" : ""}>
      <th scope="row" class="name">
        <a class="mono wrap-anywhere" href=${`#/models/${encodeURIComponent(id)}`}>${id}</a>
        ${form !== "model" && html`${" "}<span class="badge">${FORMS.get(form)}</span>`}
      </th>
      <td class="soft goes-to">${goesTo(entry)}</td>
      <td><${Health} entry=${entry} /></td>
      ${COLUMNS.map(({ id: column, of, text }) =>
        html`<td key=${column} class="number">${known(of(entry), text)}</td>`
      )}
      <td class="soft small">${capabilitiesOf(entry).join(", ") || "–"}</td>
      <td class="row-actions">${form !== "pattern" && html`<${Try} id=${id} />`}</td>
    </tr>
  `;
}

/** Opens the playground with this model. */
export function Try({ id }) {
  return html`
    <a
      class="button small"
      href=${`#/playground?model=${encodeURIComponent(id)}`}
      aria-label=${`Try ${id}`}
    >Try</a>
  `;
}

/** The providers of the first step, and how many others follow. */
function goesTo({ all, steps }) {
  const first = [...new Set((steps[0]?.targets ?? []).map(({ provider }) => provider))];
  const others = all.length - (steps[0]?.targets.length ?? 0);
  return `${first.join(", ")}${others > 0 ? `, then ${others} more` : ""}`;
}

export function Health({ entry: { health, state } }) {
  if (state !== undefined && state.breaker !== "closed") {
    return html`<${Breaker} state=${state.breaker} />`;
  }
  const { text, tone } = HEALTH.get(health);
  return html`<span class=${`badge ${tone}`}>${text}</span>`;
}

/** A value as text; a dash for one that is unknown. */
export function known(value, text) {
  return value === null || value === undefined ? "–" : text(value);
}
