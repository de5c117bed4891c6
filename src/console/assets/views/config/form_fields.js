/** The fields of a form for one object of the configuration. Each change is an edit of the text. */

import { html, useLayoutEffect, useRef, useState } from "../../lib/preact.js";
import { IconButton, MiddleText, useElementId } from "../../lib/components.js";
import { Icon } from "../../lib/icons.js";

/** @typedef {{ path: (string | number)[], fields: object[], kept: string[] }} FormObject */

const isSame = (one, other) => one.join("\n") === other.join("\n");

/** The field of an object at a path; undefined if the text does not have it. */
export function fieldAt(object, path) {
  return object.fields.find((field) => isSame(field.path, path));
}

/** Whether the text contains a member in a form that cannot be edited here. */
export function isKept(object, path) {
  const name = path.join(".");
  return object.kept.some((kept) => kept === name || name.startsWith(`${kept}.`));
}

/** The edit for a new value of a field: an empty one removes it. */
function editOf(object, path, text, types) {
  const at = [...object.path, ...path];
  const value = text.trim();
  return value === "" ? { path: at, remove: true } : { path: at, value: toValue(value, types) };
}

function toValue(text, types) {
  if (types.includes("boolean") && /^(true|false)$/.test(text)) return text === "true";
  const isNumber = types.includes("number") || types.includes("integer");
  return isNumber && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/**
 * A text, a number or a choice of an object.
 *
 * @param {{ object: FormObject, path: string[], label: string, hint?: string, types?: string[],
 *   options?: string[], isRequired?: boolean, onEdit: (edits: object[]) => void }} props `types`
 *   are those of JSON Schema
 */
export function ValueField(
  { object, path, label, hint, types = [], options = [], isRequired, onEdit },
) {
  const id = useElementId("form");
  const field = fieldAt(object, path);
  const isText = isKept(object, path) || field?.items !== undefined;
  const value = String(field?.value ?? "");
  // What is typed stays while the form is drawn again, until it is in the text.
  const [draft, setDraft] = useState(undefined);
  const onChange = async ({ target }) => {
    if (target.value.trim() === "" && (isRequired || field === undefined)) {
      target.value = value;
    } else if (target.value !== value) {
      await onEdit([editOf(object, path, target.value, [...types, typeof field?.value])]);
    }
    setDraft(undefined);
  };
  const shared = { id, onChange, "aria-describedby": hint || isText ? `${id}-hint` : undefined };
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      ${isText && html`<input id=${id} disabled aria-describedby=${`${id}-hint`} />`}
      ${!isText && options.length === 0 && html`
        <input
          ...${shared}
          value=${draft ?? value}
          onInput=${({ target }) => setDraft(target.value)}
          inputmode=${types.some((type) => type === "number" || type === "integer")
            ? "decimal"
            : undefined}
          autocomplete="off"
          spellcheck=${false}
        />
      `}
      ${!isText && options.length > 0 && html`
        <select ...${shared} value=${value}>
          ${!(isRequired && field) && html`<option value="">not set</option>`}
          ${value !== "" && !options.includes(value) && html`
            <option value=${value}>${value}</option>
          `}
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
 * Moves of the entries of a list: by the arrow keys on a handle, or by dragging it with any pointer.
 *
 * @param {object} list the reference to the element of the list
 * @param {(from: number, to: number) => void} move
 */
function useDragging(list, move) {
  const [drag, setDrag] = useState(undefined);
  const placeAt = (from, y) =>
    [...list.current.children].filter((entry, index) => {
      const { height, top } = entry.getBoundingClientRect();
      return index !== from && top + height / 2 < y;
    }).length;
  const handleOf = (index) => ({
    onPointerDown(event) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setDrag({ from: index, to: index });
    },
    onPointerMove({ clientY }) {
      if (drag?.from === index) setDrag({ from: index, to: placeAt(index, clientY) });
    },
    onPointerUp({ clientY }) {
      if (drag?.from === index) move(index, placeAt(index, clientY));
      setDrag(undefined);
    },
    onPointerCancel: () => setDrag(undefined),
    onKeyDown(event) {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (event.key === "Escape" && drag !== undefined) setDrag(undefined);
      else if (step === undefined) return;
      else move(index, index + step);
      event.preventDefault();
    },
  });
  const classOf = (index) => {
    if (drag === undefined) return "";
    if (drag.from === index) return "dragged";
    if (drag.to !== index) return "";
    return drag.to < drag.from ? "drop-above" : "drop-below";
  };
  return { handleOf, classOf };
}

/**
 * A list of names. The entries of an ordered one are dragged, or moved by keys and buttons.
 *
 * @param {{ object: FormObject, path: string[], label: string, isOrdered?: boolean,
 *   suggestions?: string[], onEdit: (edits: object[]) => void,
 *   detailsOf?: (item: object, index: number) => unknown,
 *   stepTextOf?: (item: object, index: number) => string }} props `stepTextOf` says when an entry
 *   comes after the one above it
 */
export function ListField(
  { object, path, label, isOrdered, suggestions = [], onEdit, detailsOf, stepTextOf },
) {
  const id = useElementId("list");
  const list = useRef(null);
  const moving = useRef(undefined);
  const field = fieldAt(object, path);
  // A single string is equivalent to a list with one entry.
  const items = field?.items ??
    (field === undefined ? [] : [{ name: String(field.value), is_text: false }]);
  const order = items.map((_, index) => index);
  const arrange = (next) => {
    const at = [...object.path, ...path];
    onEdit([field === undefined ? { path: at, value: next } : { path: at, items: next }]);
  };
  const move = (from, to, control = "grip") => {
    if (from === to || to < 0 || to >= items.length) return;
    moving.current = `[data-at="${to}"][data-control="${control}"]`;
    arrange(moved(items.length, from, to));
  };
  const { handleOf, classOf } = useDragging(list, move);
  // The focus moves with the entry, before the next key.
  useLayoutEffect(() => {
    if (moving.current !== undefined) list.current?.querySelector(moving.current)?.focus();
    moving.current = undefined;
  }, [items.map(({ name }) => name).join("\n")]);
  if (isKept(object, path)) {
    return html`<p class="hint">${label}: only the text can change this list.</p>`;
  }
  return html`
    <div class="field" role="group" aria-labelledby=${id}>
      <span class="label" id=${id}>${label}</span>
      <ol class=${`config-chain${stepTextOf ? " graph" : ""}`} ref=${list}>
        ${items.map((item, index) =>
          html`
            <li
              key=${`${item.name} ${index}`}
              class=${classOf(index)}
              data-step=${index > 0 ? stepTextOf?.(item, index) : undefined}
            >
              ${isOrdered && items.length > 1 && html`
                <${IconButton}
                  icon="grip"
                  class="grip"
                  data-at=${index}
                  data-control="grip"
                  label=${`Move ${item.name}: drag, or up and down arrow keys`}
                  ...${handleOf(index)}
                />
              `}
              <span class="mono"><${MiddleText} text=${item.name} /></span>
              ${item.is_text && !(detailsOf && item.fields) && html`
                <span class="badge" title="Its other members are unchanged in the text">text</span>
              `}
              ${isOrdered && [["up", -1], ["down", 1]].map(([icon, step]) =>
                html`
                  <${IconButton}
                    key=${icon}
                    icon=${icon}
                    data-at=${index}
                    data-control=${icon}
                    label=${`Move ${item.name} ${icon}`}
                    disabled=${items[index + step] === undefined}
                    onClick=${() => move(index, index + step, icon)}
                  />
                `
              )}
              <${IconButton}
                icon="close"
                label=${`Remove ${item.name}`}
                disabled=${items.length < 2}
                onClick=${() => arrange(order.filter((at) => at !== index))}
              />
              ${detailsOf?.(item, index)}
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
