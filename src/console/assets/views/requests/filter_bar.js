/** The filters of the list: a line for filter words, and buttons for common ones. */

import { html, useEffect, useRef, useState } from "../../lib/preact.js";
import { Icon } from "../../lib/icons.js";
import { useSuggestions } from "../shared/suggestions.js";
import { addressOf, isFiltered, timeOf } from "./addresses.js";
import { addWords, PATHS, wordsOf } from "./filter_words.js";

/** The filters whose values are completed. */
const COMPLETED = ["key", "model", "provider", "tag", "end_user"];
const OFFERED = ["status:error", "status:ok", "status:429", "cost>", "ms>", "session:"];
const MAX_OFFERED = 200;

/** @param {{ filters: object, rows?: object[], session: object, opened?: string, time: string }} props */
export function FilterBar({ filters, rows = [], session, opened, time }) {
  const [text, setText] = useState("");
  const [fault, setFault] = useState("");
  const input = useRef(null);
  const suggestions = useSuggestions(session);
  const current = addressOf(filters, opened, time);
  useEffect(() => {
    setText("");
    setFault("");
  }, [current]);
  const show = (next) => (location.hash = addressOf(next, opened, time));
  const names = COMPLETED.filter((name) => name !== "key" || session.hasAdmin);
  const valuesOf = (name) => [...new Set([...shownValues(rows, name), ...suggestions.of(name)])];
  const add = (event) => {
    event.preventDefault();
    const added = addWords(text, filters, valuesOf);
    if (added.fault !== undefined) return setFault(added.fault);
    setFault("");
    setText("");
    show(added.filters);
  };
  const onKeyDown = (event) => {
    const last = wordsOf(filters).at(-1);
    if (event.key === "Backspace" && text === "" && last !== undefined) {
      show({ ...filters, [last.filter]: "" });
    } else if (event.key === "Escape") input.current.blur();
  };
  const onInput = ({ target: { value } }) => {
    setText(value);
    const name = /(?:^|\s)([a-z_]+):\S*$/.exec(value)?.[1] ?? "";
    const filter = name === "user" ? "end_user" : name;
    if (names.includes(filter)) suggestions.load(filter);
  };
  return html`
    <form class="filter-bar" role="search" aria-label="Filter the requests" onSubmit=${add}>
      <div class="filter-line">
        <${Icon} name="search" />
        ${wordsOf(filters).map((word) =>
          html`<${Chip} key=${word.filter} word=${word} onRemove=${() =>
            show({ ...filters, [word.filter]: "" })} />`
        )}
        <input
          ref=${input}
          aria-label="Add a filter"
          aria-keyshortcuts="Alt+Shift+F"
          aria-invalid=${fault !== "" ? "true" : undefined}
          aria-describedby="filter-fault"
          autocomplete="off"
          spellcheck=${false}
          placeholder="Add a filter: status:error, model:, tag:team:, cost>0.3, ms>5000, an ID"
          list="filter-words"
          value=${text}
          onInput=${onInput}
          onKeyDown=${onKeyDown}
        />
        <datalist id="filter-words">
          ${offeredWords(text, names, valuesOf).map((word) =>
            html`<option key=${word} value=${word} />`
          )}
        </datalist>
        ${isFiltered(filters) && html`
          <a class="button quiet" href=${addressOf(
            { ...timeOf(filters), sort: filters.sort, order: filters.order },
            opened,
            time,
          )}>Clear</a>
        `}
      </div>
      <p class="fault" id="filter-fault" role="status">${fault}</p>
      <${QuickFilters} filters=${filters} onChange=${show} />
    </form>
  `;
}

function Chip({ word: { name, sign, value }, onRemove }) {
  const text = `${name}${sign}${value}`;
  return html`
    <span class="chip">
      <span title=${text}>${name}<i>${sign}</i><b>${value}</b></span>
      <button type="button" aria-label=${`Remove ${text}`} onClick=${onRemove}>
        <${Icon} name="close" size=${10} />
      </button>
    </span>
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

/** The completions of the last word of a text. */
function offeredWords(text, names, valuesOf) {
  const [, before, last] = /^(.*?)(\S*)$/s.exec(text);
  const [, name, part] = /^([a-z_]+):(.*)$/.exec(last) ?? [];
  const filter = name === "user" ? "end_user" : name;
  if (names.includes(filter)) {
    return valuesOf(filter).filter((value) => value.includes(part)).sort().slice(0, MAX_OFFERED)
      .map((value) => `${before}${name}:${/\s/.test(value) ? `"${value}"` : value}`);
  }
  const words = [...OFFERED, ...names.map((name) => `${name === "end_user" ? "user" : name}:`)];
  return words.filter((word) => word.startsWith(last)).map((word) => before + word);
}

/** The values of a filter in the visible requests. */
function shownValues(rows, name) {
  return rows.flatMap((row) => name === "tag" ? row.tags : row[name] ?? []);
}
