/** Requests, tokens and cost over time and by key, model, provider or tag. */

import { html, useState } from "../../lib/preact.js";
import { getJson, send } from "../../lib/api.js";
import { Choices, ErrorBox, Loading } from "../../lib/components.js";
import { count, duration, short } from "../../lib/format.js";
import { joinCsv, saveCsv } from "../shared/csv.js";
import { pathFor, useLoaded, useSession } from "../shared/data.js";
import { Figure, ViewHead } from "../shared/parts.js";
import { Chart } from "./chart.js";
import { costText, METRICS, tagNote, toChart } from "./figures.js";
import { readPages } from "./pages.js";
import { RangePicker } from "./range_picker.js";
import { periodOf, readChoice, stepOf, timesOf, toAddress } from "./choice.js";
import { UsageTable } from "./table.js";

/** The share of requests with errors that is shown as bad. */
const HIGH_ERROR_SHARE = 0.05;

/** The maximum number of groups, summed over all times, that are loaded for the chart. */
const MAX_POINTS = 20_000;

/** What usage can be grouped by. */
const GROUPS = [["model", "Model"], ["provider", "Provider"], ["key", "Key"], ["tag", "Tag"]];

export default function Usage({ route }) {
  const session = useSession();
  const choice = readChoice(route.query);
  const { data, error, isLoading, reload } = useUsage(session, choice);
  const change = (members) => (location.hash = toAddress({ ...choice, ...members }));
  const groups = session.hasAdmin ? GROUPS : GROUPS.filter(([group]) => group !== "key");
  return html`
    <div class="view" data-view="usage">
      <${ViewHead}
        title="Usage"
        note=${session.hasAdmin
          ? "Usage of all keys. Times: UTC."
          : "Usage of your key. Times: UTC."}
      >
        <${RangePicker} choice=${choice} onChange=${change} />
        <button type="button" onClick=${reload} disabled=${isLoading}>Refresh</button>
        <${CsvButton} session=${session} choice=${choice} />
      <//>
      <${ErrorBox} error=${error} title="No usage" />
      ${!data && !error && html`<${Loading} text="Loading the usage" />`}
      ${data && html`
        <div class=${`stack wide ${isLoading ? "stale" : ""}`}>
          <${Totals} total=${data.total} />
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
            : html`<${Report} data=${data} show=${choice.show} />`}
        </div>
      `}
    </div>
  `;
}

/** The chart and the table. While new groups are loading, the previous ones stay. */
function Report({ data: { total, series, groups, hasMore, period, by, isTogether }, show }) {
  const chart = toChart(series, period, { by: isTogether ? null : by, show });
  return html`
    <${Chart} chart=${chart} />
    ${isTogether && html`
      <p class="hint">
        There are ${hasMore ? "more than " : ""}${count(groups.length)} groups, so the chart shows
        them together.
      </p>
    `}
    ${by === "tag" && html`<p class="hint">${tagNote(total, groups, hasMore)}</p>`}
    <${UsageTable} entries=${groups} hasMore=${hasMore} by=${by} />
  `;
}

/** Loads the totals, the groups, and the groups over time. */
function useUsage(session, choice) {
  const { range, from, to, by } = choice;
  const load = async (signal) => {
    const period = periodOf(choice, Date.now());
    const get = async (group_by) => {
      const query = { ...timesOf(period), ...(group_by !== "" && { group_by }) };
      const { parts, hasMore } = await readPages(async (page) => {
        const path = pathFor(session, "usage", { ...query, ...page });
        const { data, next } = await getJson(path, { signal });
        return { part: data, next };
      });
      return { entries: parts.flat(), hasMore };
    };
    const [totals, groups] = await Promise.all([get(""), get(by)]);
    const times = (period.to - period.from) / stepOf(period.unit);
    const isTogether = groups.hasMore || groups.entries.length * times > MAX_POINTS;
    const series = await get(isTogether ? period.unit : `${period.unit},${by}`);
    return {
      ...{ total: totals.entries[0], groups: groups.entries, hasMore: groups.hasMore },
      ...{ series: series.entries, period, by, isTogether },
    };
  };
  return useLoaded(load, [session.hasAdmin, range, from, to, by]);
}

function Totals({ total }) {
  const { requests = 0, errors = 0, input_tokens = 0, output_tokens = 0 } = total ?? {};
  return html`
    <dl class="figure-grid card">
      <${Figure} label="Requests" value=${count(requests)} />
      <${Figure}
        label="Errors"
        value=${count(errors)}
        note=${errors > 0 ? `${((100 * errors) / requests).toFixed(1)} % of requests` : ""}
        tone=${errors > requests * HIGH_ERROR_SHARE ? "bad" : ""}
      />
      <${Figure} label="Input tokens" value=${short(input_tokens)} note=${cachedNote(total)} />
      <${Figure} label="Output tokens" value=${short(output_tokens)} note=${estimatedNote(total)} />
      <${Figure}
        label="Cost"
        value=${costText(total)}
        note=${total?.unpriced_requests > 0
          ? `${count(total.unpriced_requests)} with an unknown price`
          : ""}
      />
      <${Figure}
        label="Duration, p50"
        value=${requests > 0 ? duration(total.p50_ms) : "–"}
        note=${requests > 0 ? `p95 ${duration(total.p95_ms)}` : ""}
      />
    </dl>
  `;
}

function cachedNote(total) {
  return total?.cached_input_tokens > 0 ? `${short(total.cached_input_tokens)} cached` : "";
}

function estimatedNote(total) {
  const estimated = total?.estimated_requests ?? 0;
  return estimated > 0 ? `${count(estimated)} requests estimated` : "";
}

/** Downloads the usage over time as CSV. */
function CsvButton({ session, choice }) {
  const [error, setError] = useState(undefined);
  const download = async () => {
    setError(undefined);
    try {
      const { parts, hasMore } = await readCsv(session, choice);
      saveCsv(`usage-by-${choice.by}.csv`, joinCsv(parts));
      if (hasMore) setError(new Error("The file lacks some groups: choose a shorter time"));
    } catch (thrown) {
      setError(thrown);
    }
  };
  return html`
    <button type="button" onClick=${download}>Download CSV</button>
    <${ErrorBox} error=${error} title="Download" />
  `;
}

/** The pages of the usage over time. */
function readCsv(session, choice) {
  const period = periodOf(choice, Date.now());
  const query = { ...timesOf(period), group_by: `${period.unit},${choice.by}`, format: "csv" };
  return readPages(async (page) => {
    const response = await send(pathFor(session, "usage", { ...query, ...page }));
    return { part: await response.text(), next: response.headers.get("x-sluice-next") };
  });
}
