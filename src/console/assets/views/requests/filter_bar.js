/** The filters of the list: a line for filter words, and buttons for common ones. */

import { html } from "../../lib/preact.js";
import { completedWords, FilterLine, typedFilter } from "../shared/filter_line.js";
import { useSuggestions } from "../shared/suggestions.js";
import { addressOf, isFiltered, timeOf } from "./addresses.js";
import { addWords, PATHS, wordsOf } from "./filter_words.js";

/** The filters whose values are completed. */
const COMPLETED = ["key", "model", "provider", "tag", "end_user"];
const OFFERED = ["status:error", "status:ok", "status:429", "cost>", "ms>", "session:"];
const MAX_OFFERED = 200;

/** @param {{ filters: object, rows?: object[], session: object, opened?: string, time: string }} props */
export function FilterBar({ filters, rows = [], session, opened, time }) {
  const suggestions = useSuggestions(session);
  const show = (next) => (location.hash = addressOf(next, opened, time));
  const names = COMPLETED.filter((name) => name !== "key" || session.hasAdmin);
  const valuesOf = (name) => [...new Set([...shownValues(rows, name), ...suggestions.of(name)])];
  const add = (text) => {
    const added = addWords(text, filters, valuesOf);
    if (added.fault === undefined) show(added.filters);
    return added.fault;
  };
  const clear = addressOf(
    { ...timeOf(filters), sort: filters.sort, order: filters.order },
    opened,
    time,
  );
  return html`
    <${FilterLine}
      label="Filter the requests"
      words=${wordsOf(filters)}
      current=${addressOf(filters, opened, time)}
      placeholder="Add a filter: status:error, model:, tag:team:, cost>0.3, ms>5000, an ID"
      offered=${(text) => offeredWords(text, names, valuesOf)}
      onAdd=${add}
      onRemove=${(filter) => show({ ...filters, [filter]: "" })}
      onType=${(text) => {
        const filter = filterOf(typedFilter(text).name);
        if (names.includes(filter)) suggestions.load(filter);
      }}
      clear=${isFiltered(filters) ? clear : undefined}
    >
      <${QuickFilters} filters=${filters} onChange=${show} />
      <//>
  `;
}

/** The filter of a written name. */
function filterOf(name) {
  return name === "user" ? "end_user" : name;
}

/** Common filters, each with a toggle button. */
function QuickFilters({ filters, onChange }) {
  const all = [
    ["status", "error", "Failed"],
    ...[...PATHS].map(([path, text]) => ["path", path, text]),
  ];
  return html`
    <div class="quick" role="group" aria-label="Usual filters">
      ${all.map(([name, value, text]) => {
        const isOn = filters[name] === value;
        return html`
          <button type="button" key=${value} aria-pressed=${String(isOn)}
            onClick=${() => onChange({ ...filters, [name]: isOn ? "" : value })}>
            ${value === "error" && html`<span class="st failed only" aria-hidden="true"></span>`}
            ${text}
          </button>
        `;
      })}
    </div>
  `;
}

/** The words that complete the last one of a text. */
function offeredWords(text, names, valuesOf) {
  const { name, part } = typedFilter(text);
  const filter = filterOf(name);
  if (names.includes(filter)) {
    const words = valuesOf(filter).filter((value) => value.includes(part)).sort();
    const before = text.slice(0, text.length - part.length);
    return words.slice(0, MAX_OFFERED)
      .map((value) => before + (/\s/.test(value) ? `"${value}"` : value));
  }
  return completedWords(text, [
    ...OFFERED,
    ...names.map((name) => `${name === "end_user" ? "user" : name}:`),
  ]);
}

/** The values of a filter in the visible requests. */
function shownValues(rows, name) {
  return rows.flatMap((row) => name === "tag" ? row.tags : row[name] ?? []);
}
