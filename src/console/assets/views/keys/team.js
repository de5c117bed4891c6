/** The page of a team: what its keys spend together, and the keys. */

import { html } from "../../lib/preact.js";
import { ErrorBox, FactList, Loading } from "../../lib/components.js";
import { count, countOf, usd } from "../../lib/format.js";
import { Crumb } from "./create.js";
import { Days } from "./details.js";
import { daysText, teamOf } from "./spending.js";
import { KeyTable } from "./table.js";

/**
 * @param {{ name: string, keys?: any[], error?: Error,
 *   onAction: (type: string, entry: any) => void }} props `keys` are those of all teams
 */
export function TeamPage({ name, keys, error, onAction }) {
  if (!keys) {
    return html`
      <${Crumb} text=${name} />
      <h1>Team</h1>
      <${ErrorBox} error=${error} title="The team cannot be shown" />
      ${!error && html`<${Loading} text="Loading the team" />`}
    `;
  }
  const own = keys.filter(({ team }) => team === name);
  const { active, budget, days, lastUsed, near, owners, spent } = teamOf(own);
  const query = new URLSearchParams({ team: name });
  const facts = [
    ["Keys", count(active)],
    ["Over 90 %", near > 0 && countOf(near, "key")],
    ["Budgets", budget > 0 && `${usd(spent)} of ${usd(budget)} spent`],
    ["Owners", owners.length > 0 && owners.join(", ")],
    ["Last used", lastUsed ?? "not in 30 days"],
  ].filter(([, value]) => value);
  return html`
    <${Crumb} text=${name} />
    <header class="view-head">
      <div class="view-title">
        <h1 class="wrap-anywhere">${name}: ${countOf(active, "key")}${near > 0
          ? `, ${count(near)} over 90 % of ${near === 1 ? "its budget" : "their budgets"}`
          : ""}</h1>
        <p class="soft">${daysText(days)}</p>
      </div>
      <div class="view-tools">
        <a class="button" href=${`#/usage?${query}`}>Usage</a>
      </div>
    </header>
    <div class="hand-over">
      <section class="card stack padded">
        <h2>The last 30 days</h2>
        <${Days} days=${days} />
      </section>
      <aside class="card stack padded">
        <h2>Team</h2>
        <${FactList} facts=${facts} class="key-facts" />
      </aside>
    </div>
    ${own.length === 0
      ? html`<div class="card empty">No key has this team.</div>`
      : html`<${KeyTable} keys=${own} onAction=${onAction} />`}
  `;
}
