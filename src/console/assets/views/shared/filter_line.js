/** A line with the filters of a list as words, and a field for more. */

import { html, useEffect, useRef, useState } from "../../lib/preact.js";
import { Icon } from "../../lib/icons.js";
import { useSuggestions } from "./suggestions.js";

/** The maximum number of values that complete a word. */
const MAX_OFFERED = 200;

/**
 * @param {object} props
 * @param {string} props.label what is filtered
 * @param {{ filter: string, name: string, sign: string, value: string }[]} props.words
 * @param {string} props.current the address; the field is empty after it has changed
 * @param {string} props.placeholder
 * @param {object} props.session
 * @param {readonly string[]} props.completed the filters whose values are completed
 * @param {readonly string[]} props.offered other words that are offered
 * @param {(filter: string) => readonly string[]} [props.shownOf] the values of a filter in the list
 * @param {(text: string, valuesOf: (filter: string) => readonly string[]) => string | undefined}
 *   props.onAdd adds words, or returns a fault
 * @param {(filter: string) => void} props.onRemove
 * @param {string} [props.clear] the address without filters
 */
export function FilterLine(props) {
  const { label, words, current, placeholder, onAdd, onRemove, clear } = props;
  const { session, completed, offered, shownOf } = props;
  const suggestions = useSuggestions(session);
  const valuesOf = (
    filter,
  ) => [...new Set([...shownOf?.(filter) ?? [], ...suggestions.of(filter)])];
  const [text, setText] = useState("");
  const [fault, setFault] = useState("");
  const input = useRef(null);
  useEffect(() => {
    setText("");
    setFault("");
  }, [current]);
  const add = (event) => {
    event.preventDefault();
    const found = onAdd(text, valuesOf) ?? "";
    setFault(found);
    if (found === "") setText("");
  };
  const onKeyDown = (event) => {
    const last = words.at(-1);
    if (event.key === "Backspace" && text === "" && last !== undefined) onRemove(last.filter);
    else if (event.key === "Escape") input.current.blur();
  };
  return html`
    <form class="filter-bar" role="search" aria-label=${label} onSubmit=${add}>
      <div class="filter-line">
        <${Icon} name="search" />
        ${words.map((word) =>
          html`<${Chip} key=${word.filter} word=${word} onRemove=${() => onRemove(word.filter)} />`
        )}
        <input
          ref=${input}
          aria-label="Add a filter"
          aria-keyshortcuts="Alt+Shift+F"
          aria-invalid=${fault !== "" ? "true" : undefined}
          aria-describedby="filter-fault"
          autocomplete="off"
          spellcheck=${false}
          placeholder=${placeholder}
          list="filter-words"
          value=${text}
          onInput=${({ target: { value } }) => {
            setText(value);
            const { filter } = typedFilter(value);
            if (completed.includes(filter)) suggestions.load(filter);
          }}
          onKeyDown=${onKeyDown}
        />
        <datalist id="filter-words">
          ${completedTexts(text, completed, offered, valuesOf).map((word) =>
            html`<option key=${word} value=${word} />`
          )}
        </datalist>
        ${clear !== undefined && html`<a class="button quiet" href=${clear}>Clear</a>`}
      </div>
      <p class="fault" id="filter-fault" role="status">${fault}</p>
      ${props.children}
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

/** The texts that complete the last word of a text: by the values of its filter, or by words. */
function completedTexts(text, completed, offered, valuesOf) {
  const { filter, part } = typedFilter(text);
  if (completed.includes(filter)) {
    const before = text.slice(0, text.length - part.length);
    return valuesOf(filter).filter((value) => value.includes(part)).sort().slice(0, MAX_OFFERED)
      .map((value) => before + (/\s/.test(value) ? `"${value}"` : value));
  }
  const [, before, last] = /^(.*?)(\S*)$/s.exec(text);
  const names = completed.map((name) => `${name === "end_user" ? "user" : name}:`);
  return [...offered, ...names].filter((word) => word.startsWith(last))
    .map((word) => before + word);
}

/** The filter that a text ends with, such as `model` for `model:gp`, and what follows its name. */
function typedFilter(text) {
  const [, name = "", part = ""] = /(?:^|\s)([a-z_]+):(\S*)$/.exec(text) ?? [];
  return { filter: name === "user" ? "end_user" : name, part };
}
