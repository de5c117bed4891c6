/** Cost and usage over time: by group, and by provider bill. */

import { html } from "../../lib/preact.js";
import { Choices, ErrorBox, Loading } from "../../lib/components.js";
import { count } from "../../lib/format.js";
import { rangeText } from "../../lib/range.js";
import { useZone } from "../../lib/range_menu.js";
import { useSession } from "../shared/data.js";
import { Bill } from "./bill.js";
import { Chart } from "./chart.js";
import { filtersOf, readChoice, toAddress } from "./choice.js";
import { CsvButton } from "./csv_button.js";
import { METRICS, tagNote, toChart, toLatencyChart } from "./figures.js";
import { PrintedHead, UsageFilters } from "./filters.js";
import { headlineOf } from "./forecast.js";
import { requestsAt, requestsOfGroup } from "./links.js";
import { useUsage } from "./load.js";
import { MonthChart } from "./month_chart.js";
import { UnknownPrices } from "./prices.js";
import { UsageTable } from "./table.js";
import { Totals } from "./totals.js";

/** The groupings of usage. */
const GROUPS = [
  ["model", "Model"],
  ["provider", "Provider"],
  ["team", "Team"],
  ["owner", "Owner"],
  ["key", "Key"],
  ["tag", "Tag"],
  ["end_user", "End user"],
];
const LABELS = ["tag", "end_user"];
const OF_ADMINS = ["team", "owner", "key"];

/** The groups of a report. It has one kind of label: that of the filter or the other group. */
function groupsOf(session, choice, other = "") {
  const used = LABELS.filter((name) => choice[name] !== "" || name === other);
  return GROUPS.filter(([group]) =>
    (session.hasAdmin || !OF_ADMINS.includes(group)) && group !== other &&
    (!LABELS.includes(group) || used.every((name) => name === group))
  );
}

function toValid(session, choice) {
  const has = (groups, name) => groups.some(([group]) => group === name);
  const by = has(groupsOf(session, choice), choice.by) ? choice.by : "model";
  const then = has(groupsOf(session, choice, by), choice.then) ? choice.then : "";
  return { ...choice, by, then };
}

export default function Usage({ route }) {
  const session = useSession();
  const zone = useZone();
  const choice = toValid(session, readChoice(route.query));
  const { data, error, isLoading, reload } = useUsage(session, choice, zone);
  const change = (members) => (location.hash = toAddress({ ...choice, ...members }));
  const { title, text } = data
    ? headlineOf({ ...data.headline, rangeName: rangeText(choice, zone) })
    : { title: "Usage", text: "" };
  return html`
    <div class="view" data-view="usage">
      <header class="view-head">
        <div class="view-title">
          <h1>${title}</h1>
          <p class="soft">${text} ${session.hasAdmin ? "All keys." : "Your key's usage."}</p>
        </div>
        <div class="view-tools">
          <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${reload}
            disabled=${isLoading}>Refresh</button>
          ${data && html`<${CsvButton} data=${data} />`}
          <button type="button" aria-keyshortcuts="Alt+Shift+P" onClick=${() => print()}>
            Print
          </button>
        </div>
      </header>
      <${UsageFilters} choice=${choice} session=${session} onChange=${change} />
      ${data && html`<${PrintedHead} filters=${filtersOf(choice)} period=${data.period} />`}
      <${ErrorBox} error=${error} title="No usage" />
      ${!data && !error && html`<${Loading} text="Loading the usage" />`}
      ${data && html`
        <div class=${`stack wide ${isLoading ? "stale" : ""}`}>
          <${Totals} data=${data} />
          <${UnknownPrices} entries=${data.unpriced} canSet=${session.hasAdmin} />
          <div class="row no-print"><${Choices} label="Kind of report" value=${choice.tab}
            options=${[["use", "By use"], ["bill", "By bill"]]}
            onChange=${(tab) => change({ tab })} /></div>
          ${data.groups.length === 0
            ? html`<div class="card empty">No request has ended in this period.</div>`
            : choice.tab === "bill"
            ? html`<${Bill} entries=${data.bill} total=${data.total} />`
            : html`
              <${ByUse} data=${data} choice=${choice} session=${session} onChange=${change} />
            `}
        </div>
      `}
    </div>
  `;
}

/** The chart and the table. While new groups are loading, the previous ones are shown. */
function ByUse({ data, choice, session, onChange }) {
  const { by, detailed, groups, hasMore, isLatency, isTogether, period, series, then, total } =
    data;
  const chart = isLatency
    ? toLatencyChart(series, period, total)
    : toChart(series, period, { by: isTogether ? null : by, show: shownOf(choice) });
  const hasMonth = data.course !== undefined && shownOf(choice) === "cost";
  const linkOf = (entry, status) =>
    data.choice.prefix === ""
      ? requestsOfGroup(data.choice, period, by, entry[by], status)
      : requestsOfGroup(data.choice, period, by, `${data.choice.prefix}:${entry[by]}`, status);
  return html`
    <div class="row spread no-print">
      <div class="row">
        <${Choices} label="Group by" value=${choice.by} options=${groupsOf(session, choice)}
          onChange=${(by) => onChange({ by, prefix: "" })} />
        <span class="small soft">then by</span>
        <select class="inline" aria-label="Then by" value=${choice.then}
            onChange=${(event) => onChange({ then: event.target.value })}>
            <option value="">nothing</option>
            ${groupsOf(session, choice, choice.by).map(([name, text]) =>
              html`<option key=${name} value=${name}>${text}</option>`
            )}
          </select>
        ${by === "tag" && data.prefixes.length > 0 && html`
          <span class="small soft">of</span>
          <select class="inline" aria-label="Prefix of tags" value=${choice.prefix}
            onChange=${(event) => onChange({ prefix: event.target.value })}>
              <option value="">all tags</option>
              ${data.prefixes.map((name) =>
                html`<option key=${name} value=${name}>${name}:</option>`
              )}
            </select>
        `}
      </div>
      <${Choices} label="Figure of the chart" value=${choice.show}
        options=${METRICS.map(({ id, name }) => [id, name])}
        onChange=${(show) => onChange({ show })} />
    </div>
    <div class=${hasMonth ? "usage-charts" : ""}>
      <${Chart} chart=${chart} linkOf=${(index) => requestsAt(data.choice, period, index)} />
      ${hasMonth && html`<${MonthChart} data=${data} />`}
    </div>
    ${isTogether && !isLatency && html`
      <p class="hint">
        There are ${hasMore ? "more than " : ""}${count(groups.length)} groups, so the chart shows
        them together.
      </p>
    `}
    ${by === "tag" && html`<p class="hint">${tagNote(total, groups, hasMore)}</p>`}
    <section>
      <${UsageTable} entries=${groups} detailed=${detailed} by=${by} then=${then}
        total=${total}
        linkOf=${linkOf} />
    </section>
  `;
}

/** The metric of the bars. Durations are shown once they are loaded. */
function shownOf({ show }) {
  return show === "latency" ? "requests" : show;
}
