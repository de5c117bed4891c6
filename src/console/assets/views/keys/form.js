/** The fields of a key. */

import { html, useState } from "../../lib/preact.js";
import { LIMITS, MAIN_LIMITS, PERIODS } from "./settings.js";

/** @param {{ fields: any, onChange: (fields: any) => void, isNew: boolean, knownTeams?: string[] }} props */
export function KeyFields({ fields, onChange, isNew, knownTeams = [] }) {
  const set = (name) => (event) => onChange({ ...fields, [name]: event.target.value });
  const number = (name, label) =>
    html`
      <div class="field">
        <label for=${`key-${name}`}>${label}</label>
        <input
          id=${`key-${name}`}
          type="text"
          inputmode="numeric"
          autocomplete="off"
          placeholder="Default"
          value=${fields[name]}
          onInput=${set(name)}
        />
      </div>
    `;
  const [hasMore] = useState(() => LIMITS.slice(MAIN_LIMITS).some(([name]) => fields[name] !== ""));
  const text = (name, label, known = []) =>
    html`
      <div class="field">
        <label for=${`key-${name}`}>${label}</label>
        <input
          id=${`key-${name}`}
          type="text"
          maxlength="128"
          autocomplete="off"
          spellcheck=${name === "note"}
          list=${known.length > 0 ? `key-${name}-known` : undefined}
          value=${fields[name]}
          onInput=${set(name)}
        />
        ${known.length > 0 && html`
          <datalist id=${`key-${name}-known`}>
            ${known.map((value) => html`<option key=${value} value=${value}></option>`)}
          </datalist>
        `}
      </div>
    `;
  return html`
    ${isNew && html`
      <div class="field">
        <label for="key-name">Name</label>
        <input
          id="key-name"
          type="text"
          autofocus
          required
          maxlength="100"
          autocomplete="off"
          spellcheck=${false}
          value=${fields.name}
          aria-describedby="key-name-hint"
          onInput=${set("name")}
        />
        <p class="hint" id="key-name-hint">Shown in usage and logs. It cannot be changed later.</p>
      </div>
    `}
    <div class="two-fields">
      ${text("team", "Team", knownTeams)}
      ${text("owner", "Owner")}
    </div>
    ${text("note", "Note")}
    <div class="field">
      <label for="key-models">Models</label>
      <textarea
        id="key-models"
        autofocus=${!isNew}
        class="code"
        rows="3"
        spellcheck=${false}
        placeholder="All models"
        value=${fields.models}
        aria-describedby="key-models-hint"
        onInput=${set("models")}
      ></textarea>
      <p class="hint" id="key-models-hint">
        One name per line, such as <code>gpt-*</code>. Without any, the key may use all models.
      </p>
    </div>
    <div class="three-fields">
      <div class="field">
        <label for="key-usd">Budget in US dollars</label>
        <input
          id="key-usd"
          type="text"
          inputmode="decimal"
          autocomplete="off"
          placeholder="None"
          value=${fields.usd}
          onInput=${set("usd")}
        />
      </div>
      <div class="field">
        <label for="key-per">Budget per</label>
        <select id="key-per" value=${fields.per} onChange=${set("per")}>
          ${PERIODS.map(([value, text]) =>
            html`<option key=${value} value=${value}>${text}</option>`
          )}
        </select>
      </div>
      <div class="field">
        <label for="key-expires">Expires on, UTC</label>
        <input id="key-expires" type="date" value=${fields.expires} onInput=${set("expires")} />
      </div>
    </div>
    <fieldset>
      <legend>Limits</legend>
      <div class="three-fields">
        ${LIMITS.slice(0, MAIN_LIMITS).map(([name, title]) => number(name, title))}
      </div>
      <details class="more-limits" open=${hasMore}>
        <summary>More limits</summary>
        <div class="three-fields">
          ${LIMITS.slice(MAIN_LIMITS).map(([name, title]) => number(name, title))}
        </div>
      </details>
    </fieldset>
  `;
}
