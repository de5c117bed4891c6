/** The table of keys. */

import { html } from "../../lib/preact.js";
import { count } from "../../lib/format.js";
import { TableBox } from "../shared/parts.js";
import { dayOfSeconds } from "../shared/times.js";
import { Budget, LastUse } from "./budget.js";
import { LIMITS, previousUntil } from "./settings.js";

/** How the statuses of keys look. */
const TONES = new Map([["active", "good"], ["expired", "warn"], ["disabled", "bad"]]);

export function KeyTable({ keys, onAction }) {
  return html`
    <${TableBox} label="Keys">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Status</th>
          <th scope="col" class="rest">Models</th>
          <th scope="col" class="rest">Limits</th>
          <th scope="col">Budget</th>
          <th scope="col" class="rest">Last use</th>
          <th scope="col" class="rest">Created, valid until</th>
          <th scope="col"><span class="only-read">Actions</span></th>
        </tr>
      </thead>
      <tbody>
        ${keys.map((entry) => html`<${Row} key=${entry.id} entry=${entry} onAction=${onAction} />`)}
      </tbody>
      <//>
  `;
}

function Row({ entry, onAction }) {
  const { name, prefix, source, status, reason, models, limits, budget, expires, created } = entry;
  const previous = previousUntil(entry, Date.now());
  return html`
    <tr class=${status === "revoked" ? "revoked" : ""}>
      <th scope="row" class="key-name">
        <span class="wrap-anywhere">${name}</span>
        ${prefix && html`<span class="faint mono small">${prefix}…</span>`}
      </th>
      <td>
        <span class=${`badge ${TONES.get(status) ?? ""}`} title=${reason ?? ""}>${status}</span>
        ${previous && html`
          <span class="small soft"> the text before is valid until ${timeOf(previous)}</span>
        `}
      </td>
      <td class="models rest">
        ${models === null ? html`<span class="soft">all</span>` : html`
          <span class="mono wrap-anywhere">${models.join(", ")}</span>
        `}
      </td>
      <td class="rest">${limitTexts(limits).map((text) =>
        html`<div key=${text} class="limit">${text}</div>`
      )}</td>
      <td>
        <${Budget} budget=${budget} spending=${entry.usage?.budget} />
      </td>
      <td class="rest">
        <${LastUse} usage=${entry.usage} />
      </td>
      <td class="limit rest">
        <div>${source === "config" ? html`<code>config.yaml</code>` : dayOfSeconds(created)}</div>
        ${expires !== null && html`<div class="soft small">until ${dayOfSeconds(expires)}</div>`}
      </td>
      <td class="row-actions">
        ${source === "store" && status !== "revoked" && html`
          <div class="row nowrap">
            ${[["edit", "Edit"], ["rotate", "Rotate"], ["revoke", "Revoke"]].map(([type, text]) =>
              html`
                <button
                  type="button"
                  key=${type}
                  class=${`small ${type === "revoke" ? "danger" : ""}`}
                  aria-label=${`${text} ${name}`}
                  onClick=${() => onAction(type, entry)}
                >${text}</button>
              `
            )}
          </div>
        `}
      </td>
    </tr>
  `;
}

/** The limits of a key; unset ones are the defaults from config.yaml. */
function limitTexts(limits) {
  const texts = LIMITS.flatMap(([name, , unit]) =>
    limits?.[name] == null ? [] : `${count(limits[name])} ${unit}`
  );
  return texts.length > 0 ? texts : ["default"];
}

function timeOf(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString("en-GB");
}
