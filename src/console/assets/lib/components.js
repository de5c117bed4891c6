/** Elements that several views use. */

import { html, useEffect, useLayoutEffect, useRef, useState } from "./preact.js";
import { copyText } from "./clipboard.js";
import { Icon } from "./icons.js";
import { splitName } from "./table_rows.js";

/** An error of the API: message, status, code, parameter and request ID. */
export function ErrorBox({ error, title }) {
  if (!error) return null;
  const facts = [
    ["status", error.status || null],
    ["type", error.type],
    ["code", error.code],
    ["param", error.param],
    ["request", error.requestId],
  ].filter(([, value]) => value !== null && value !== undefined);
  return html`
    <div class="error-box" role="alert">
      <strong>${title ?? "Error"}:</strong> ${error.message}
      ${facts.length > 0 && html`
        <dl>
          ${facts.map(([name, value]) =>
            html`
              <div key=${name}>
                <dt>${name}</dt>
                <dd class="mono">${String(value)}</dd>
              </div>
            `
          )}
        </dl>
      `}
    </div>
  `;
}

/** A list of facts: the name and the value of each. */
export function FactList({ facts, class: name }) {
  return html`
    <dl class=${name}>
      ${facts.map(([label, value]) =>
        html`
          <div key=${label}>
            <dt>${label}</dt>
            <dd>${value}</dd>
          </div>
        `
      )}
    </dl>
  `;
}

/** A button with only an icon. Its label is for screen readers, and is shown as a tooltip. */
export function IconButton({ icon, label, class: name = "", ...others }) {
  return html`
    <button type="button" class=${`icon quiet ${name}`} aria-label=${label} title=${label} ...${others}>
      <${Icon} name=${icon} />
    </button>
  `;
}

/** How long a copy button shows its confirmation, in milliseconds. */
const COPIED_MS = 1500;

/** A button that copies a text. `text` may be a function. */
export function CopyButton({ text, label = "Copy", isIcon = false, class: name = "quiet small" }) {
  const [state, setState] = useState("");
  useEffect(() => {
    if (state === "") return undefined;
    const timer = setTimeout(() => setState(""), COPIED_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    const copied = await copyText(typeof text === "function" ? text() : text);
    setState(copied ? "Copied" : "Cannot copy");
  };
  return html`
    <button
      type="button"
      class=${isIcon ? `${name} icon` : name}
      title=${isIcon ? label : undefined}
      onClick=${copy}
    >
      <${Icon} name=${state === "Copied" ? "check" : "copy"} />
      <span aria-live="polite" class=${isIcon ? "only-read" : ""}>${state || label}</span>
    </button>
  `;
}

/** The fields whose content would be lost when a dialog closes. A choice is easy to repeat. */
const TEXTS = "textarea, input:not([type=checkbox], [type=radio], [type=range])";

/**
 * A modal dialog. Escape and a click outside close it, unless its form contains typed text. A held
 * dialog, which shows something only once, is closed by its buttons only.
 */
export function Dialog({ title, onClose, children, class: name = "", isHeld = false }) {
  const dialog = useRef(null);
  /** Whether a form was changed, and whether the pointer was pressed outside the dialog. */
  const state = useRef({ isChanged: false, isBeside: false });
  const staysOpen = () => isHeld || state.current.isChanged;
  // Runs before the browser paints, so that Escape works from the start.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current.showModal();
    return () => before?.focus?.();
  }, []);
  const onEscape = (event) => {
    if ((event.type === "cancel" || event.key === "Escape") && staysOpen()) event.preventDefault();
  };
  return html`
    <dialog
      ref=${dialog}
      class=${name}
      aria-label=${title}
      onClose=${() => staysOpen() ? dialog.current.showModal() : onClose()}
      onCancel=${onEscape}
      onKeyDown=${onEscape}
      onInput=${({ target }) => {
        if (target.form != null && target.matches(TEXTS)) state.current.isChanged = true;
      }}
      onSubmit=${() => (state.current.isChanged = false)}
      onPointerDown=${(event) => (state.current.isBeside = event.target === dialog.current)}
      onClick=${(event) => {
        // A text selection may end outside the dialog.
        const isBeside = event.target === dialog.current && state.current.isBeside;
        if (isBeside && !staysOpen()) onClose();
      }}
    >
      <header>
        <h2>${title}</h2>
        ${!isHeld && html`<${IconButton} icon="close" label="Close" onClick=${onClose} />`}
      </header>
      <div class="dialog-body">${children}</div>
    </dialog>
  `;
}

/** A choice among a few short options. `options` is a list of [value, label]. */
export function Choices({ label, value, options, onChange }) {
  return html`
    <div class="choices" role="group" aria-label=${label}>
      ${options.map(([option, text]) =>
        html`
          <button
            type="button"
            key=${option}
            aria-pressed=${String(option === value)}
            onClick=${() => onChange(option)}
          >${text}</button>
        `
      )}
    </div>
  `;
}

/** A name that is truncated in the middle if necessary. Its tooltip is the whole name. */
export function MiddleText({ text }) {
  const [start, end] = splitName(text);
  return html`
    <span class="mid" title=${end === "" ? undefined : text}><span>${start}</span>${end !== "" &&
      html`<span>${end}</span>`}</span>
  `;
}

/** A loading message. */
export function Loading({ text = "Loading" }) {
  return html`
    <p class="row soft" role="status"><span class="loading" aria-hidden="true"></span>${text}</p>
  `;
}

let lastId = 0;

/** A unique element ID, stable for the component. */
export function useElementId(prefix) {
  const id = useRef("");
  if (id.current === "") id.current = `${prefix}-${++lastId}`;
  return id.current;
}
