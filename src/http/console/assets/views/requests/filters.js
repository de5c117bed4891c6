/** The filters of the list. They are in the address, so that a list can be linked. */

import { html, useEffect, useState } from "../../lib/preact.js";

const NAMES = ["key", "model", "provider", "status", "tag"];

/** No filter is set. */
export const NO_FILTERS = Object.fromEntries(NAMES.map((name) => [name, ""]));

/** Reads the filters of an address; an absent one is an empty string. */
export function readFilters(query) {
  return Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ""]));
}

/**
 * The address of the list with these filters, or of a request of it.
 *
 * @param {Record<string, string>} filters
 * @param {string} [id] the ID of a request
 * @param {string | null} [time] when that request ended, which makes the search for it fast
 */
export function addressOf(filters, id, time) {
  const query = new URLSearchParams();
  for (const name of NAMES) if (filters[name] !== "") query.set(name, filters[name]);
  if (id !== undefined && time) query.set("time", time);
  const text = query.toString();
  const path = id === undefined ? "#/requests" : `#/requests/${encodeURIComponent(id)}`;
  return text === "" ? path : `${path}?${text}`;
}

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
  const isFiltered = NAMES.some((name) => filters[name] !== "");
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
  ["499", "499"],
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
