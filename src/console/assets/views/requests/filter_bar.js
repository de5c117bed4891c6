/** The filters of the list: a line for filter words, and buttons for common ones. */

import { html } from "../../lib/preact.js";
import { FilterLine } from "../shared/filter_line.js";
import { addressOf, isFiltered, timeOf } from "./addresses.js";
import { addWords, PATHS, wordsOf } from "./filter_words.js";

/** The filters whose values are completed. */
const COMPLETED = ["key", "model", "provider", "tag", "end_user"];
const OFFERED = ["status:error", "status:ok", "status:429", "cost>", "ms>", "session:"];

/** @param {{ filters: object, rows?: object[], session: object, opened?: string, time: string }} props */
export function FilterBar({ filters, rows = [], session, opened, time }) {
  const show = (next) => (location.hash = addressOf(next, opened, time));
  const add = (text, valuesOf) => {
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
      session=${session}
      completed=${COMPLETED.filter((name) => name !== "key" || session.hasAdmin)}
      offered=${OFFERED}
      shownOf=${(name) => rows.flatMap((row) => name === "tag" ? row.tags : row[name] ?? [])}
      onAdd=${add}
      onRemove=${(filter) => show({ ...filters, [filter]: "" })}
      clear=${isFiltered(filters) ? clear : undefined}
    >
      <${QuickFilters} filters=${filters} onChange=${show} />
      <//>
  `;
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
