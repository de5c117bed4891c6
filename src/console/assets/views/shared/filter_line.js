/** A line with the filters of a list as words, and a field for more. */

import { html, useEffect, useRef, useState } from "../../lib/preact.js";
import { Icon } from "../../lib/icons.js";

/**
 * @param {object} props
 * @param {string} props.label what is filtered
 * @param {{ filter: string, name: string, sign: string, value: string }[]} props.words
 * @param {string} props.current the address; the field is empty after it has changed
 * @param {string} props.placeholder
 * @param {(text: string) => readonly string[]} props.offered texts that complete a text
 * @param {(text: string) => string | undefined} props.onAdd adds words, or returns a fault
 * @param {(filter: string) => void} props.onRemove
 * @param {(text: string) => void} [props.onType]
 * @param {string} [props.clear] the address without filters
 */
export function FilterLine(props) {
  const { label, words, current, placeholder, offered, onAdd, onRemove, onType, clear } = props;
  const [text, setText] = useState("");
  const [fault, setFault] = useState("");
  const input = useRef(null);
  useEffect(() => {
    setText("");
    setFault("");
  }, [current]);
  const add = (event) => {
    event.preventDefault();
    const found = onAdd(text) ?? "";
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
            onType?.(value);
          }}
          onKeyDown=${onKeyDown}
        />
        <datalist id="filter-words">
          ${offered(text).map((word) => html`<option key=${word} value=${word} />`)}
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

/** The words that complete the last one of a text. @param {string[]} words */
export function completedWords(text, words) {
  const [, before, last] = /^(.*?)(\S*)$/s.exec(text);
  return words.filter((word) => word.startsWith(last)).map((word) => before + word);
}

/** The name of the filter that a text ends with, such as `model` of `model:gp`, and what follows. */
export function typedFilter(text) {
  const [, name = "", part = ""] = /(?:^|\s)([a-z_]+):(\S*)$/.exec(text) ?? [];
  return { name, part };
}
