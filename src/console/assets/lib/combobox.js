/** A text field with suggestions, which are chosen by keyboard or pointer. Any text is valid. */

import { html, useEffect, useRef, useState } from "./preact.js";
import { Icon } from "./icons.js";
import { useElementId } from "./components.js";

/** The maximum number of visible suggestions. */
const MAX_SHOWN = 100;

/**
 * @param {{ label: string, value: string, options: { id: string, text?: string }[], onChange:
 * (value: string) => void, render: (option: object) => unknown, placeholder?: string, children?:
 * unknown }} props `text` is searched too; `render` returns the content after the ID; the children
 * follow the field
 */
export function Combobox({ label, value, options, onChange, render, placeholder, children }) {
  const list = useElementId("options");
  const input = useRef(null);
  const [isOpen, setOpen] = useState(false);
  // Null until the user types: all options are shown until then.
  const [typed, setTyped] = useState(null);
  const [active, setActive] = useState(-1);
  const { shown, total } = search(options, typed);

  const isOffered = shown[active] !== undefined;

  useEffect(() => {
    if (isOpen && isOffered) {
      document.getElementById(`${list}-${active}`)?.scrollIntoView({ block: "nearest" });
    }
  }, [isOpen, active]);

  const open = () => {
    setOpen(true);
    setActive(shown.findIndex(({ id }) => id === value));
  };
  const close = () => {
    setOpen(false);
    setTyped(null);
    setActive(-1);
  };
  const choose = (chosen) => {
    onChange(chosen);
    close();
  };
  const leave = () => {
    if (typed !== null && typed.trim() !== "") onChange(typed.trim());
    close();
  };
  const onKeyDown = (event) => {
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp": {
        event.preventDefault();
        if (!isOpen) return open();
        const step = event.key === "ArrowDown" ? 1 : -1;
        return setActive(shown.length === 0 ? -1 : (active + step + shown.length) % shown.length);
      }
      case "Enter":
        if (!isOpen || event.ctrlKey || event.metaKey) return undefined;
        event.preventDefault();
        return isOffered ? choose(shown[active].id) : leave();
      case "Escape":
        if (isOpen) {
          event.stopPropagation();
          close();
        }
        return undefined;
      default:
        return undefined;
    }
  };

  return html`
    <div class="combobox">
      <input
        ref=${input}
        role="combobox"
        aria-label=${label}
        aria-expanded=${String(isOpen)}
        aria-controls=${list}
        aria-autocomplete="list"
        aria-activedescendant=${isOpen && isOffered ? `${list}-${active}` : undefined}
        autocomplete="off"
        spellcheck=${false}
        placeholder=${placeholder}
        value=${typed ?? value}
        onInput=${(event) => {
          setTyped(event.target.value);
          setOpen(true);
          setActive(event.target.value === "" ? -1 : 0);
        }}
        onClick=${() => !isOpen && open()}
        onFocus=${(event) => event.target.select()}
        onBlur=${leave}
        onKeyDown=${onKeyDown}
      />
      ${children}
      <${Icon} name="down" />
      <ul
        id=${list}
        role="listbox"
        aria-label=${label}
        hidden=${!isOpen}
        onMouseDown=${(event) => event.preventDefault()}
      >
        ${isOpen && shown.map((option, index) =>
          html`
            <li
              key=${option.id}
              id=${`${list}-${index}`}
              role="option"
              aria-selected=${String(index === active)}
              class=${option.id === value ? "chosen" : ""}
              onClick=${() => choose(option.id)}
            >
              <span class="wrap-anywhere">${option.id}</span>${render(option)}
            </li>
          `
        )}
        ${isOpen && total > shown.length && html`
          <li role="presentation" class="hint">${total - shown.length} more: type to search</li>
        `}
        ${isOpen && total === 0 && html`
          <li role="presentation" class="hint">Not in the list. Press Enter to use it unchanged.</li>
        `}
      </ul>
    </div>
  `;
}

/** The options that contain all words; those that start with the text come first. */
function search(options, typed) {
  if (typed === null || typed.trim() === "") {
    return { shown: options.slice(0, MAX_SHOWN), total: options.length };
  }
  const text = typed.trim().toLowerCase();
  const words = text.split(/\s+/);
  const found = options.filter(({ id, text: more = "" }) => {
    const searched = `${id} ${more}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  const starts = ({ id }) => id.toLowerCase().startsWith(text) ? 0 : 1;
  found.sort((a, b) => starts(a) - starts(b));
  return { shown: found.slice(0, MAX_SHOWN), total: found.length };
}
