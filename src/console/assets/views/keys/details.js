/** The page of one key: its permissions, spending and last use. */

import { html } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { ErrorBox, FactList, Loading } from "../../lib/components.js";
import { count, countOf, usd } from "../../lib/format.js";
import { useLoaded } from "../shared/data.js";
import { dayOfSeconds } from "../shared/times.js";
import { Budget } from "./budget.js";
import { Crumb } from "./create.js";
import { pathOf } from "./dialogs.js";
import { budgetText, limitTexts } from "./settings.js";
import { budgetState, daysText } from "./spending.js";
import { isChangeable, Status, teamAddressOf } from "./table.js";

/** @param {{ id: string, version: number, onAction: (type: string, entry: any) => void }} props
 *   `version` changes when the key may have changed */
export function KeyPage({ id, version, onAction }) {
  const { data: entry, error } = useLoaded(
    (signal) => getJson(pathOf({ id }), { signal }),
    [id, version],
  );
  if (!entry) {
    return html`
      <${Crumb} text=${id} />
      <h1>Key</h1>
      <${ErrorBox} error=${error} title="The key cannot be shown" />
      ${!error && html`<${Loading} text="Loading the key" />`}
    `;
  }
  const { budget, name, usage } = entry;
  const days = usage?.days ?? [];
  const query = (member) => new URLSearchParams({ [member]: name });
  return html`
    <${Crumb} text=${name} />
    <header class="view-head">
      <div class="view-title">
        <h1 class="wrap-anywhere">${titleOf(entry)}</h1>
        <p class="soft"><${Status} entry=${entry} />${usage?.last_used
          ? `, last used on ${usage.last_used}`
          : usage
          ? ", not used in 30 days"
          : ""}</p>
      </div>
      <div class="view-tools">
        <a class="button" href=${`#/requests?${query("key")}`}>Requests</a>
        <a class="button" href=${`#/usage?${query("key")}`}>Usage</a>
        ${isChangeable(entry) && [["edit", "Edit"], ["rotate", "Rotate"], ["revoke", "Revoke"]].map(
          ([type, text]) =>
            html`
              <button type="button" key=${type} class=${type === "revoke" ? "danger" : ""}
                onClick=${() => onAction(type, entry)}>${text}</button>
            `,
        )}
      </div>
    </header>
    <div class="hand-over">
      <div class="stack wide">
        ${budget !== null && html`
          <section class="card stack padded">
            <h2>Budget</h2>
            <${Budget} budget=${budget} spending=${usage?.budget} />
            <p class="soft">${usage?.budget && budgetState(usage.budget).notes.join(", ")}</p>
          </section>
        `}
        <section class="card stack padded"><h2>The last 30 days</h2>
          <p>${daysText(days).replace(/^.*?: /, "")}</p>
          <${Days} days=${days} />
        </section>
      </div>
      <aside class="card stack padded">
        <h2>Settings</h2>
        <${FactList} facts=${factsOf(entry)} class="key-facts" />
      </aside>
    </div>
  `;
}

/** The name, and problems with the budget. */
function titleOf({ name, usage }) {
  if (!usage?.budget) return name;
  const { share } = budgetState(usage.budget);
  if (share >= 1) return `${name} has used up its budget`;
  return `${name} has spent ${Math.floor(100 * share)} % of its budget`;
}

/** The requests of each day as bars. */
export function Days({ days }) {
  const most = Math.max(1, ...days.map(({ requests }) => requests));
  return html`
    <div class="day-bars" role="img" aria-label=${daysText(days)}>
      ${days.map(({ cost_usd, requests }, index) =>
        html`
          <span key=${index} title=${`${count(requests)} requests, ${usd(cost_usd)}`}
            style=${{ height: `${(100 * requests) / most}%` }}></span>
        `
      )}
    </div>
    <div
      class="row spread small soft"><span>30 days ago</span><span>at most ${countOf(
        most,
        "request",
      )} a day</span><span>today, UTC</span></div>
  `;
}

function factsOf(entry) {
  const { budget, created, expires, limits, models, note, owner, prefix, source, team } = entry;
  return [
    ["Team", team && html`<a href=${teamAddressOf(team)}>${team}</a>`],
    ["Owner", owner],
    ["Note", note],
    ["Begins with", prefix && html`<code>${prefix}…</code>`],
    ["Models", models === null ? "all" : models.join(", ")],
    ["Limits", limitTexts(limits).join(", ") || "default"],
    ["Budget", budget === null ? "none" : budgetText(budget)],
    ["Priority", entry.priority],
    ["Weight", entry.weight],
    ["Created", source === "config" ? "in config.yaml" : dayOfSeconds(created)],
    ["Expires", expires === null ? "never" : dayOfSeconds(expires)],
  ].filter(([, value]) => value !== null && value !== undefined);
}
