/** Requests, tokens, cost and durations over time and by key, model, provider, tag or end user. */

import { html } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { Choices, ErrorBox, Loading } from "../../lib/components.js";
import { count } from "../../lib/format.js";
import { pathFor, useLoaded, useSession } from "../shared/data.js";
import { ViewHead } from "../shared/parts.js";
import { Chart } from "./chart.js";
import {
  filtersOf,
  monthOf,
  offsetOf,
  periodOf,
  previousOf,
  readChoice,
  stepOf,
  timesOf,
  toAddress,
  zoneText,
} from "./choice.js";
import { CsvButton } from "./csv_button.js";
import { METRICS, tagNote, toChart, toLatencyChart } from "./figures.js";
import { UsageFilters } from "./filters.js";
import { requestsAt, requestsOfGroup } from "./links.js";
import { readPages } from "./pages.js";
import { DaysPicker } from "./days_picker.js";
import { UsageTable } from "./table.js";
import { Totals } from "./totals.js";

/** The maximum number of groups, summed over all times, that are loaded for the chart. */
const MAX_POINTS = 20_000;

/** What usage can be grouped by. */
const GROUPS = [
  ["model", "Model"],
  ["provider", "Provider"],
  ["key", "Key"],
  ["tag", "Tag"],
  ["end_user", "End user"],
];

/** The groups of a report. It has one kind of label: that of the filter, if there is one. */
function groupsOf(session, { tag, end_user }) {
  const hidden = new Set([
    ...session.hasAdmin ? [] : ["key"],
    ...tag === "" ? [] : ["end_user"],
    ...end_user === "" ? [] : ["tag"],
  ]);
  return GROUPS.filter(([group]) => !hidden.has(group));
}

export default function Usage({ route }) {
  const session = useSession();
  const read = readChoice(route.query);
  const groups = groupsOf(session, read);
  const choice = groups.some(([group]) => group === read.by) ? read : { ...read, by: "model" };
  const { data, error, isLoading, reload } = useUsage(session, choice);
  const change = (members) => (location.hash = toAddress({ ...choice, ...members }));
  const zone = zoneText(offsetOf(choice, Date.now()));
  return html`
    <div class="view" data-view="usage">
      <${ViewHead}
        title="Usage"
        note=${`Usage of ${session.hasAdmin ? "all keys" : "your key"}. Times: ${zone}.`}
      >
        <${Choices}
          label="Time zone"
          value=${choice.zone}
          options=${[["utc", "UTC"], ["local", "Local"]]}
          onChange=${(zone) => change({ zone })}
        />
        <${DaysPicker} choice=${choice} onChange=${change} />
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${reload}
          disabled=${isLoading}>Refresh</button>
        <${CsvButton} session=${session} choice=${choice} />
        <button type="button" aria-keyshortcuts="Alt+Shift+P" onClick=${() => print()}>
          Print
        </button>
      <//>
      <${UsageFilters} choice=${choice} session=${session} onChange=${change} />
      <${PrintedHead} choice=${choice} zone=${zone} />
      <${ErrorBox} error=${error} title="No usage" />
      ${!data && !error && html`<${Loading} text="Loading the usage" />`}
      ${data && html`
        <div class=${`stack wide ${isLoading ? "stale" : ""}`}>
          <${Totals} data=${data} />
          <div class="row spread">
            <${Choices}
              label="Group by"
              value=${choice.by}
              options=${groups}
              onChange=${(by) => change({ by })}
            />
            <${Choices}
              label="Figure of the chart"
              value=${choice.show}
              options=${METRICS.map(({ id, name }) => [id, name])}
              onChange=${(show) => change({ show })}
            />
          </div>
          ${data.groups.length === 0
            ? html`<div class="card empty">No request has ended in this time.</div>`
            : html`<${Report} data=${data} choice=${choice} />`}
        </div>
      `}
    </div>
  `;
}

/** What the printed report is about: the controls that say it are not printed. */
function PrintedHead({ choice, zone }) {
  const { from, to } = periodOf(choice, Date.now());
  const offset = offsetOf(choice, Date.now());
  const text = (time) => new Date(time + offset).toISOString().slice(0, 16).replace("T", " ");
  const filters = Object.entries(filtersOf(choice)).map(([name, value]) =>
    `${name.replace("_", " ")} ${value}`
  );
  return html`
    <p class="only-print">
      ${[`${text(from)} to ${text(to)} ${zone}`, ...filters].join(", ")}
    </p>
  `;
}

/** The chart and the table. While new groups are loading, the previous ones stay. */
function Report({ data, choice }) {
  const { total, series, groups, hasMore, period, by, isTogether, isLatency } = data;
  const chart = isLatency
    ? toLatencyChart(series, period, total)
    : toChart(series, period, { by: isTogether ? null : by, show: shownOf(choice) });
  const linkOf = (entry, status) => requestsOfGroup(data.choice, period, by, entry[by], status);
  return html`
    <${Chart} chart=${chart} linkOf=${(index) =>
      requestsAt(data.choice, period, chart.times[index])} />
    ${isTogether && !isLatency && html`
      <p class="hint">
        There are ${hasMore ? "more than " : ""}${count(groups.length)} groups, so the chart shows
        them together.
      </p>
    `}
    ${by === "tag" && html`<p class="hint">${tagNote(total, groups, hasMore)}</p>`}
    <${UsageTable} entries=${groups} hasMore=${hasMore} by=${by} linkOf=${linkOf} />
  `;
}

/** The figure of the bars: durations are shown once they are loaded. */
function shownOf({ show }) {
  return show === "latency" ? "requests" : show;
}

/** Loads the totals, also of the time before and of the month, the groups, and them over time. */
function useUsage(session, choice) {
  const { range, from, to, by, zone } = choice;
  const isLatency = choice.show === "latency";
  const filters = filtersOf(choice);
  const load = async (signal) => {
    const now = Date.now();
    const period = periodOf(choice, now);
    const month = monthOf(now, period.offset);
    const get = async (group_by, time = period) => {
      const query = { ...timesOf(time), ...filters, ...(group_by !== "" && { group_by }) };
      const { parts, hasMore } = await readPages(async (page) => {
        const path = pathFor(session, "usage", { ...query, ...page });
        const { data, next } = await getJson(path, { signal });
        return { part: data, next };
      });
      return { entries: parts.flat(), hasMore };
    };
    const [totals, previous, months, groups] = await Promise.all([
      get(""),
      get("", previousOf(period)),
      get("", month),
      get(by),
    ]);
    const times = (period.to - period.from) / stepOf(period.unit);
    const isTogether = groups.hasMore || groups.entries.length * times > MAX_POINTS;
    const series = await get(isTogether || isLatency ? period.unit : `${period.unit},${by}`);
    return {
      ...{ total: totals.entries[0], previous: previous.entries[0] },
      ...{ month: { total: months.entries[0], share: month.share } },
      ...{ groups: groups.entries, hasMore: groups.hasMore },
      ...{ series: series.entries, period, choice, by, isTogether, isLatency },
    };
  };
  const inputs = [session.hasAdmin, range, from, to, by, zone, isLatency];
  return useLoaded(load, [...inputs, JSON.stringify(filters)]);
}
