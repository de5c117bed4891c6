/** Elements shared by the views of status, requests, usage and keys. */

import { html, useState } from "../../lib/preact.js";
import { Dialog } from "../../lib/components.js";
import { SignIn } from "../../lib/sign_in.js";

/** The title of a view, with its tools on the right. */
export function ViewHead({ title, note, children }) {
  return html`
    <header class="view-head">
      <div class="view-title">
        <h1>${title}</h1>
        ${note && html`<p class="soft">${note}</p>`}
      </div>
      <div class="view-tools">${children}</div>
    </header>
  `;
}

/** States that a view requires the admin key, with a button to sign in. */
export function NeedsAdminKey({ what }) {
  const [asks, setAsks] = useState(false);
  return html`
    <div class="card empty stack">
      <p><strong>${what}</strong></p>
      <p>
        Admin keys are set in <code>server.admin_keys</code> of <code>config.yaml</code>.
      </p>
      <p>
        <button type="button" class="primary" onClick=${() => setAsks(true)}>
          Enter the admin key
        </button>
      </p>
    </div>
    ${asks && html`
      <${Dialog} title="Your keys" onClose=${() => setAsks(false)}>
        <${SignIn} onDone=${() => setAsks(false)} />
        <//>
    `}
  `;
}

/** One figure with its name. */
export function Figure({ label, value, note, tone = "", children }) {
  return html`
    <div class=${`figure ${tone}`}>
      <dt>${label}</dt>
      <dd>
        <div class="figure-line">
          <span class="figure-value">${value}</span>
          ${note && html`
            <span class="figure-note">${note}</span>
          `}
        </div>
        ${children}
      </dd>
    </div>
  `;
}

/** A table that scrolls inside its own box. The box can be scrolled with the keyboard. */
export function TableBox({ label, children, class: name = "" }) {
  return html`
    <div class=${`table-scroll ${name}`} role="group" aria-label=${label} tabindex="0">
      <table>
        <caption class="only-read">${label}</caption>
        ${children}
      </table>
    </div>
  `;
}

/** Shows a value; unknown values are shown as unknown, never as 0. */
export function Known({ value, format = String }) {
  if (value === null || value === undefined) {
    return html`<span class="faint">unknown</span>`;
  }
  return html`${format(value)}`;
}
