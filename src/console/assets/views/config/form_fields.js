/** The fields of a form for one object of the configuration. Each change is an edit of the text. */

import { html, useEffect, useRef, useState } from "../../lib/preact.js";
import { IconButton, MiddleText, useElementId } from "../../lib/components.js";
import { Icon } from "../../lib/icons.js";

/** @typedef {{ path: (string | number)[], fields: object[], kept: string[] }} FormObject */

const isSame = (one, other) => one.join("\n") === other.join("\n");

/** The field of an object at a path; undefined if the text does not have it. */
export function fieldAt(object, path) {
  return object.fields.find((field) => isSame(field.path, path));
}

/** Whether the text contains a member in a form that cannot be edited here. */
function isKept(object, path) {
  const name = path.join(".");
  return object.kept.some((kept) => kept === name || name.startsWith(`${kept}.`));
}

/** The edit for a new value of a field: an empty one removes it. Numbers stay numbers. */
function editOf(object, path, text, isNumber) {
  const at = [...object.path, ...path];
  const value = text.trim();
  if (value === "") return { path: at, remove: true };
  return { path: at, value: isNumber && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value };
}

/**
 * A text, a number or a choice of an object.
 *
 * @param {{ object: FormObject, path: string[], label: string, hint?: string, isNumber?: boolean,
 *   options?: string[], isRequired?: boolean, onEdit: (edits: object[]) => void }} props
 */
export function ValueField({ object, path, label, hint, isNumber, options, isRequired, onEdit }) {
  const id = useElementId("form");
  const field = fieldAt(object, path);
  const isText = isKept(object, path) || field?.items !== undefined;
  const value = String(field?.value ?? "");
  const onChange = ({ target }) => {
    if (target.value.trim() === "" && (isRequired || field === undefined)) {
      target.value = value;
    } else if (target.value !== value) onEdit([editOf(object, path, target.value, isNumber)]);
  };
  const shared = { id, onChange, "aria-describedby": hint || isText ? `${id}-hint` : undefined };
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      ${isText && html`<input id=${id} disabled aria-describedby=${`${id}-hint`} />`}
      ${!isText && options === undefined && html`
        <input
          ...${shared}
          value=${value}
          inputmode=${isNumber ? "decimal" : undefined}
          autocomplete="off"
          spellcheck=${false}
        />
      `}
      ${!isText && options !== undefined && html`
        <select ...${shared} value=${value}>
          ${!options.includes(value) && html`<option value=${value}>${value}</option>`}
          ${options.map((option) => html`<option key=${option} value=${option}>${option}</option>`)}
        </select>
      `}
      ${(hint || isText) && html`
        <span class="hint" id=${`${id}-hint`}>
          ${isText ? "Only the text can change it." : hint}
        </span>
      `}
    </div>
  `;
}

/** Moves one index to another position. */
export function moved(count, from, to) {
  const order = Array.from({ length: count }, (_, index) => index);
  if (to < 0 || to >= count) return order;
  order.splice(to, 0, ...order.splice(from, 1));
  return order;
}

/**
 * A list of names. Entries are moved by their buttons, or are dragged.
 *
 * @param {{ object: FormObject, path: string[], label: string, isOrdered?: boolean,
 *   suggestions?: string[], onEdit: (edits: object[]) => void }} props
 */
export function ListField({ object, path, label, isOrdered, suggestions = [], onEdit }) {
  const id = useElementId("list");
  const list = useRef(null);
  const moving = useRef(undefined);
  const dragged = useRef(undefined);
  const field = fieldAt(object, path);
  // A single string is equivalent to a list with one entry.
  const items = field?.items ??
    (field === undefined ? [] : [{ name: String(field.value), is_text: false }]);
  const order = items.map((_, index) => index);
  const arrange = (next) => {
    const at = [...object.path, ...path];
    onEdit([field === undefined ? { path: at, value: next } : { path: at, items: next }]);
  };
  const move = (from, to) => {
    if (from === to || to < 0 || to >= items.length) return;
    moving.current = `[data-at="${to}"][data-step="${Math.sign(to - from)}"]`;
    arrange(moved(items.length, from, to));
  };
  // The button moves with its entry.
  useEffect(() => {
    if (moving.current !== undefined) list.current?.querySelector(moving.current)?.focus();
    moving.current = undefined;
  }, [items.map(({ name }) => name).join("\n")]);
  if (isKept(object, path)) {
    return html`<p class="hint">${label}: only the text can change this list.</p>`;
  }
  return html`
    <div class="field" role="group" aria-labelledby=${id}>
      <span class="label" id=${id}>${label}</span>
      <ol class="config-chain" ref=${list}>
        ${items.map((item, index) =>
          html`
            <li
              key=${`${item.name} ${index}`}
              draggable=${isOrdered && items.length > 1}
              onDragStart=${(event) => {
                dragged.current = index;
                event.dataTransfer?.setData("text/plain", item.name);
              }}
              onDragOver=${(event) => dragged.current !== undefined && event.preventDefault()}
              onDragEnd=${() => (dragged.current = undefined)}
              onDrop=${(event) => {
                event.preventDefault();
                if (dragged.current !== undefined) move(dragged.current, index);
                dragged.current = undefined;
              }}
            >
              <span class="mono"><${MiddleText} text=${item.name} /></span>
              ${item.is_text && html`
                <span class="badge" title="Its other members stay as they are in the text">text</span>
              `}
              ${isOrdered && [["up", -1], ["down", 1]].map(([icon, step]) =>
                html`
                  <${IconButton}
                    key=${icon}
                    icon=${icon}
                    data-at=${index}
                    data-step=${step}
                    label=${`Move ${item.name} ${icon}`}
                    disabled=${items[index + step] === undefined}
                    onClick=${() => move(index, index + step)}
                  />
                `
              )}
              <${IconButton}
                icon="close"
                label=${`Remove ${item.name}`}
                disabled=${items.length < 2}
                onClick=${() => arrange(order.filter((at) => at !== index))}
              />
            </li>
          `
        )}
      </ol>
      <${AddItem}
        label=${label}
        suggestions=${suggestions}
        onAdd=${(name) => arrange([...order, name])}
      />
    </div>
  `;
}

/** A field to add an entry. */
function AddItem({ label, suggestions, onAdd }) {
  const id = useElementId("names");
  const [name, setName] = useState("");
  const add = (event) => {
    event.preventDefault();
    if (name.trim() === "") return;
    onAdd(name.trim());
    setName("");
  };
  return html`
    <form class="row nowrap" onSubmit=${add}>
      <input
        aria-label=${`One more: ${label}`}
        list=${id}
        value=${name}
        autocomplete="off"
        spellcheck=${false}
        onInput=${({ target }) => setName(target.value)}
      />
      <datalist id=${id}>
        ${suggestions.map((suggestion) => html`<option key=${suggestion} value=${suggestion} />`)}
      </datalist>
      <button type="submit" disabled=${name.trim() === ""}><${Icon} name="add" /> Add</button>
    </form>
  `;
}
