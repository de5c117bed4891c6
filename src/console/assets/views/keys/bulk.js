/** Bulk actions on keys. */

import { html, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { Dialog, ErrorBox } from "../../lib/components.js";
import { count, usd } from "../../lib/format.js";
import { pathOf, useAction } from "./dialogs.js";
import { PERIODS, toChanges, toFields } from "./settings.js";
import { isChangeable } from "./table.js";

/** The bar for the selected keys. Keys of config.yaml cannot be changed. */
export function BulkLine({ keys, onAction, onClear }) {
  const spent = keys.reduce((sum, { usage }) => sum + (usage?.budget?.spent_usd ?? 0), 0);
  const canChange = keys.some(isChangeable);
  const button = (kind, text, name = "") =>
    html`
      <button type="button" class=${`small ${name}`} disabled=${!canChange}
        onClick=${() => onAction(kind)}>${text}</button>
    `;
  return html`
    <div class="row bulk" role="status">
      <span><strong>${count(keys.length)} selected</strong>, ${usd(spent)} spent together</span>
      ${button("budget", "Change budget")} ${button("team", "Change team")}
      ${button("revoke", "Revoke", "danger")}
      <button type="button" class="quiet small" onClick=${onClear}>Clear</button>
    </div>
  `;
}

const TITLES = { budget: "Change the budget", team: "Change the team", revoke: "Revoke" };

/** @param {{ kind: "budget" | "team" | "revoke", keys: any[], onChanged: () => void,
 *   onClose: () => void }} props */
export function BulkDialog({ kind, keys, onChanged, onClose }) {
  const changed = keys.filter(isChangeable);
  const [fields, setFields] = useState({ usd: "", per: "month", team: "" });
  const [done, setDone] = useState(0);
  const set = (name) => (event) => setFields({ ...fields, [name]: event.target.value });
  const { isBusy, error, start } = useAction(async () => {
    try {
      for (const [index, entry] of changed.slice(done).entries()) {
        await changeOne(kind, entry, fields);
        setDone(done + index + 1);
      }
    } finally {
      onChanged();
    }
    onClose();
  });
  const left = keys.length - changed.length;
  return html`
    <${Dialog} title=${`${TITLES[kind]} of ${count(changed.length)} keys`} onClose=${onClose}
      class="narrow">
      <form class="stack" onSubmit=${start}>
        <p class="wrap-anywhere">${changed.slice(0, 8).map(({ name }) => name).join(
          ", ",
        )}${changed.length > 8 ? `, and ${count(changed.length - 8)} more` : ""}</p>
        ${left > 0 && html`
          <p class="soft">${count(left)} of them ${left === 1 ? "is" : "are"} in config.yaml or
            revoked, and stay as they are.</p>
        `}
        ${kind === "revoke" && html`
          <p>Their requests will be rejected from now on. This cannot be undone.</p>
        `}
        ${kind === "team" && html`
          <div class="field">
            <label for="bulk-team">Team</label>
            <input id="bulk-team" type="text" maxlength="128" value=${fields.team}
              onInput=${set("team")} />
          </div>
        `}
        ${kind === "budget" && html`<${BudgetFields} fields=${fields} set=${set} />`}
        <${ErrorBox} error=${error}
          title=${`${count(done)} of ${count(changed.length)} are done`} />
        <div class="row end">
          <button type="button" onClick=${onClose}>Cancel</button>
          <button type="submit" class=${`primary ${kind === "revoke" ? "destructive" : ""}`}
            disabled=${isBusy || changed.length === 0}
          >${isBusy ? `${count(done)} of ${count(changed.length)}` : TITLES[kind]}</button>
        </div>
      </form>
      <//>
  `;
}

function BudgetFields({ fields, set }) {
  return html`
    <div class="two-fields">
      <div class="field">
        <label for="bulk-usd">US dollars</label>
        <input id="bulk-usd" type="text" inputmode="decimal" placeholder="None"
          value=${fields.usd} onInput=${set("usd")} />
      </div>
      <div class="field">
        <label for="bulk-per">per</label>
        <select id="bulk-per" value=${fields.per} onChange=${set("per")}>
          ${PERIODS.map(([value, text]) =>
            html`<option key=${value} value=${value}>${text}</option>`
          )}
        </select>
      </div>
    </div>
  `;
}

async function changeOne(kind, entry, { team, usd, per }) {
  if (kind === "revoke") return await getJson(pathOf(entry), { method: "DELETE" });
  const change = kind === "team" ? { team } : { usd, per };
  const body = toChanges({ ...toFields(entry), ...change }, entry);
  if (Object.keys(body).length === 0) return undefined;
  return await getJson(pathOf(entry), { method: "PATCH", body });
}
