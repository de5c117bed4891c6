/** The dialogs that change, rotate and revoke a key. */

import { html, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { CopyButton, Dialog, ErrorBox } from "../../lib/components.js";
import { KeyFields } from "./form.js";
import { toChanges, toFields } from "./settings.js";

/** Sends one request at a time, and stores its error. */
export function useAction(run) {
  const [state, setState] = useState({ isBusy: false, error: undefined });
  const start = async (event) => {
    event.preventDefault();
    if (state.isBusy) return;
    setState({ isBusy: true, error: undefined });
    try {
      await run();
      setState({ isBusy: false, error: undefined });
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  return { ...state, start };
}

/** The path of a key in the API. */
export function pathOf({ id }) {
  return `/v1/admin/keys/${encodeURIComponent(id)}`;
}

export function EditDialog({ entry, onChanged, onClose }) {
  const [fields, setFields] = useState(() => toFields(entry));
  const { isBusy, error, start } = useAction(async () => {
    const body = toChanges(fields, entry);
    if (Object.keys(body).length > 0) {
      await getJson(pathOf(entry), { method: "PATCH", body });
      onChanged();
    }
    onClose();
  });
  return html`
    <${Dialog} title=${`Edit ${entry.name}`} onClose=${onClose}>
      <form class="stack" onSubmit=${start}>
        <${KeyFields} fields=${fields} onChange=${setFields} isNew=${false} />
        <${ErrorBox} error=${error} title="Not changed" />
        <${Buttons} text="Save" isBusy=${isBusy} onClose=${onClose} />
      </form>
      <//>
  `;
}

export function RotateDialog({ entry, onChanged, onClose }) {
  const [overlap, setOverlap] = useState("1h");
  const [rotated, setRotated] = useState(undefined);
  const { isBusy, error, start } = useAction(async () => {
    const body = { overlap: overlap.trim() || "0s" };
    setRotated(await getJson(`${pathOf(entry)}/rotate`, { body }));
    onChanged();
  });
  if (rotated !== undefined) return html`<${KeyText} entry=${rotated} onClose=${onClose} />`;
  return html`
    <${Dialog} title=${`Rotate ${entry.name}`} onClose=${onClose} class="narrow">
      <form class="stack" onSubmit=${start}>
        <p>The key gets a new value. Its name, settings and usage are unchanged.</p>
        <div class="field">
          <label for="rotate-overlap">The old value stays valid for</label>
          <input
            id="rotate-overlap"
            type="text"
            autofocus
            autocomplete="off"
            value=${overlap}
            aria-describedby="rotate-hint"
            onInput=${(event) => setOverlap(event.target.value)}
          />
          <p class="hint" id="rotate-hint">
            Such as <code>30m</code> or <code>24h</code>; <code>0s</code> ends it at once.
          </p>
        </div>
        <${ErrorBox} error=${error} title="Not rotated" />
        <${Buttons} text="Rotate" isBusy=${isBusy} onClose=${onClose} />
      </form>
      <//>
  `;
}

export function RevokeDialog({ entry, onChanged, onClose }) {
  const { isBusy, error, start } = useAction(async () => {
    await getJson(pathOf(entry), { method: "DELETE" });
    onChanged();
    onClose();
  });
  return html`
    <${Dialog} title=${`Revoke ${entry.name}`} onClose=${onClose} class="narrow">
      <form class="stack" onSubmit=${start}>
        <p>
          Requests with the key <strong class="wrap-anywhere">${entry
            .name}</strong> will be rejected from now on. This cannot be undone. Its name stays taken, and its usage is kept.
        </p>
        <${ErrorBox} error=${error} title="Not revoked" />
        <${Buttons} text="Revoke key" isBusy=${isBusy} onClose=${onClose} tone="destructive" />
      </form>
      <//>
  `;
}

function Buttons({ text, isBusy, onClose, tone = "" }) {
  return html`
    <div class="row end">
      <button type="button" onClick=${onClose}>Cancel</button>
      <button type="submit" class=${`primary ${tone}`} disabled=${isBusy}>${text}</button>
    </div>
  `;
}

/** Shows the text of a key once. */
function KeyText({ entry, onClose }) {
  return html`
    <${Dialog} title=${`The key ${entry.name}`} onClose=${onClose} class="narrow" isHeld=${true}>
      <div class="stack">
        <p>Copy the key now. It is not stored and cannot be shown again.</p>
        <div class="row key-text">
          <code class="wrap-anywhere" data-secret="key">${entry.key}</code>
          <${CopyButton} text=${entry.key} label="Copy" class="primary" />
        </div>
        <div class="row end">
          <button type="button" onClick=${onClose}>I have copied it</button>
        </div>
      </div>
      <//>
  `;
}
