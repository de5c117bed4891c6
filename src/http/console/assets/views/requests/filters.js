/** The form with the filters of the list. */

import { html, useEffect, useState } from "../../lib/preact.js";
import { addressOf, FILTERS, NO_FILTERS } from "./addresses.js";

/** The form with the filters. It applies with Enter, or as soon as a field is left. */
export function Filters({ filters, rows = [], hasAdmin, opened, time }) {
  const [draft, setDraft] = useState(filters);
  const current = addressOf(filters, opened, time);
  useEffect(() => setDraft(filters), [current]);
  const apply = (values) => {
    const next = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, value.trim()]),
    );
    location.hash = addressOf(next, opened, time);
  };
  const field = (name, label) =>
    html`
      <div class="field">
        <label for=${`filter-${name}`}>${label}</label>
        <input
          id=${`filter-${name}`}
          type="text"
          autocomplete="off"
          spellcheck=${false}
          placeholder="Any"
          value=${draft[name]}
          onInput=${(event) => setDraft({ ...draft, [name]: event.target.value })}
          onChange=${(event) => apply({ ...draft, [name]: event.target.value })}
          list=${`filter-${name}-values`}
        />
        <datalist id=${`filter-${name}-values`}>
          ${valuesOf(rows, name).map((value) => html`<option key=${value} value=${value} />`)}
        </datalist>
      </div>
    `;
  const isFiltered = FILTERS.some((name) => filters[name] !== "");
  return html`
    <form
      class="filters"
      role="search"
      aria-label="Filter the requests"
      onSubmit=${(event) => {
        event.preventDefault();
        apply(draft);
      }}
    >
      ${hasAdmin && field("key", "Key")}
      ${field("model", "Model")} ${field("provider", "Provider")}
      <${StatusField} value=${filters.status} onChange=${(status) => apply({ ...draft, status })} />
      ${field("tag", "Tag")}
      <div class="filter-actions">
        <button type="submit">Apply</button>
        ${isFiltered &&
          html`<a class="button quiet" href=${addressOf(NO_FILTERS, opened, time)}>Clear</a>`}
      </div>
    </form>
  `;
}

/** The values of a filter that the shown requests have. */
function valuesOf(rows, name) {
  const values = rows.flatMap((row) => name === "tag" ? row.tags : row[name] ?? []);
  return [...new Set(values)].sort();
}

/** The statuses that are offered, and their names. */
const STATUSES = [
  ["", "Any"],
  ["ok", "Succeeded"],
  ["error", "Failed"],
  ["200", "200"],
  ["400", "400"],
  ["401", "401"],
  ["403", "403"],
  ["404", "404"],
  ["413", "413"],
  ["429", "429"],
  ["499", "499, stopped by the client"],
  ["500", "500"],
  ["502", "502"],
  ["503", "503"],
  ["504", "504"],
];

function StatusField({ value, onChange }) {
  const isListed = STATUSES.some(([status]) => status === value);
  const options = isListed ? STATUSES : [...STATUSES, [value, value]];
  return html`
    <div class="field">
      <label for="filter-status">Status</label>
      <select
        id="filter-status"
        value=${value}
        onChange=${(event) => onChange(event.target.value)}
      >
        ${options.map(([status, text]) =>
          html`<option key=${status} value=${status}>${text}</option>`
        )}
      </select>
    </div>
  `;
}
