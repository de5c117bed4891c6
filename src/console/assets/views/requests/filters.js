/** The form with the filters of the list. */

import { html, useEffect, useState } from "../../lib/preact.js";
import { useSuggestions } from "../shared/suggestions.js";
import { addressOf, isFiltered, timeOf } from "./addresses.js";
import { toDuration, toDurationText, toPattern } from "./filter_texts.js";

/** The filters whose values are completed, and that match parts of a text. */
const TEXTS = [
  ["key", "Key"],
  ["model", "Model"],
  ["provider", "Provider"],
  ["tag", "Tag"],
  ["end_user", "End user"],
];
/** The filters that are hidden at first. */
const RARE = ["end_user", "session", "min_ms", "min_cost_usd"];

/** The form with the filters. It applies with Enter, or as soon as a field is left. */
export function Filters({ filters, rows = [], session, opened, time }) {
  const [draft, setDraft] = useState(() => toDraft(filters));
  const [fault, setFault] = useState("");
  const [isOpen, setOpen] = useState(false);
  const hasRare = RARE.some((name) => filters[name] !== "");
  const suggestions = useSuggestions(session);
  const current = addressOf(filters, opened, time);
  useEffect(() => {
    setDraft(toDraft(filters));
    setFault("");
  }, [current]);
  const apply = (values) => {
    const minMs = toDuration(values.min_ms);
    const usd = values.min_cost_usd.trim().replace(/^\$/, "");
    if (minMs === undefined) return setFault("A duration is a number with ms, s or min: 1.5 s");
    if (!/^(\d{1,15}(\.\d{1,9})?)?$/.test(usd)) return setFault("A cost is a number: 0.25");
    setFault("");
    const next = { ...filters, ...trimmed(values), min_ms: minMs, min_cost_usd: usd };
    for (const [name] of TEXTS) next[name] = toPattern(next[name], valuesOf(name), filters[name]);
    location.hash = addressOf(next, opened, time);
  };
  const valuesOf = (name) => [...new Set([...shownValues(rows, name), ...suggestions.of(name)])];
  const field = (name, label, { placeholder = "Any", hasValues = false, type = "text" } = {}) =>
    html`
      <div class="field" key=${name}>
        <label for=${`filter-${name}`}>${label}</label>
        <input
          id=${`filter-${name}`}
          type=${type}
          aria-keyshortcuts=${name === "id" ? "Alt+Shift+F" : undefined}
          autocomplete="off"
          spellcheck=${false}
          placeholder=${placeholder}
          value=${draft[name]}
          aria-invalid=${fault !== "" && name.startsWith("min_") ? "true" : undefined}
          onFocus=${() => hasValues && suggestions.load(name)}
          onInput=${(event) => setDraft({ ...draft, [name]: event.target.value })}
          onChange=${(event) => apply({ ...draft, [name]: event.target.value })}
          list=${hasValues ? `filter-${name}-values` : undefined}
        />
        ${hasValues && html`
          <datalist id=${`filter-${name}-values`}>
            ${valuesOf(name).sort().map((value) => html`<option key=${value} value=${value} />`)}
          </datalist>
        `}
      </div>
    `;
  const texts = TEXTS.filter(([name]) => !RARE.includes(name))
    .filter(([name]) => name !== "key" || session.hasAdmin);
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
      ${field("id", "Request ID", { placeholder: "All or its start", type: "search" })}
      ${texts.map(([name, label]) => field(name, label, { hasValues: true }))}
      <${StatusField} value=${filters.status} onChange=${(status) => apply({ ...draft, status })} />
      <div class="filter-actions">
        <button type="submit">Apply</button>
        ${isFiltered(filters) && html`
          <a class="button quiet" href=${addressOf(
            { ...timeOf(filters), sort: filters.sort, order: filters.order },
            opened,
            time,
          )}>
            Clear
          </a>
        `}
      </div>
      <details
        class="more-filters"
        open=${isOpen || hasRare}
        onToggle=${(event) => setOpen(event.target.open)}
      >
        <summary class="soft small">Duration, cost, end user and session</summary>
        <div class="filters">
          ${field("min_ms", "At least this long", { placeholder: "such as 2 s" })}
          ${field("min_cost_usd", "At least this cost, $", { placeholder: "such as 0.05" })}
          ${field("end_user", "End user", { hasValues: true })}
          ${field("session", "Session")}
        </div>
      </details>
      <p class="fault" role="status">${fault}</p>
    </form>
  `;
}

function toDraft(filters) {
  return { ...filters, min_ms: toDurationText(filters.min_ms) };
}

function trimmed(values) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()]));
}

/** The values of a filter that the shown requests have. */
function shownValues(rows, name) {
  return rows.flatMap((row) => name === "tag" ? row.tags : row[name] ?? []);
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
