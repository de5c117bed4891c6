/** The requests in a range: their histogram, the latest ones, and the details of one of them. */

import { html, useState } from "../../lib/preact.js";
import { ErrorBox, Loading } from "../../lib/components.js";
import { serverNow } from "../../lib/server_clock.js";
import { currentZone, dayOf } from "../../lib/zone.js";
import { count } from "../../lib/format.js";
import { saveCsv } from "../shared/csv.js";
import { useSession } from "../shared/data.js";
import { ViewHead } from "../shared/parts.js";
import { addressOf, isFiltered, periodOf, readFilters, withTimes } from "./addresses.js";
import { FilterBar } from "./filter_bar.js";
import { RequestDetails } from "./details.js";
import { Histogram } from "./histogram.js";
import { intervalsOf } from "./histogram_shapes.js";
import { MAX_CSV_ROWS, MAX_SORTED, readCsv, useCounts, useRequests } from "./list.js";
import { RequestTable } from "./table.js";

export default function Requests({ route }) {
  const session = useSession();
  const filters = readFilters(route.query);
  const opened = route.path[0];
  const time = route.query.get("time");
  const { isOpen } = periodOf(filters, serverNow(), currentZone());
  const isCustom = filters.range === "custom";
  const [wantsLive, setLive] = useState(false);
  // A closed range gets no new requests, and in other orders the newest ones are not first.
  const canBeLive = isOpen && filters.sort === "";
  const isLive = wantsLive && canBeLive;
  const list = useRequests(session, filters, isLive);
  const counts = useCounts(session, filters, isLive);
  const show = (next) => (location.hash = addressOf(next, opened, time));
  const refresh = () => {
    list.reload();
    counts.recount();
  };
  return html`
    <div class="view wide-view" data-view="requests">
      <${ViewHead}
        title="Requests"
        note=${`Requests of ${
          session.hasAdmin ? "all keys" : "your key"
        }. Their content is not stored.`}
      >
        <button
          type="button"
          aria-pressed=${String(isLive)}
          class=${isLive ? "live-button on" : "live-button"}
          title=${canBeLive
            ? "Show requests as they end"
            : `Choose ${isOpen ? "the order by time" : "a range up to now"}`}
          disabled=${!canBeLive}
          aria-keyshortcuts="Alt+Shift+L"
          onClick=${() => setLive(!isLive)}
        ><span class="dot" aria-hidden="true"></span>Live</button>
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${refresh}
          disabled=${list.isLoading}>Refresh</button>
        <${CsvButton} session=${session} filters=${filters} counts=${counts} />
      <//>
      <${FilterBar}
        filters=${filters}
        rows=${list.rows}
        session=${session}
        opened=${opened}
        time=${time}
      />
      ${counts.pages && html`
        <${Histogram}
          intervals=${intervalsOf(counts.pages)}
          isComplete=${counts.isComplete}
          isCustom=${isCustom}
          onZoom=${(from, to) => show(withTimes(filters, from, to))}
        />
      `}
      <div class=${`list-and-details ${opened ? "has-details" : ""}`}>
        <div class="list stack">
          <${ErrorBox} error=${list.error} title="The requests cannot be listed" />
          <${List}
            list=${list}
            filters=${filters}
            opened=${opened}
            session=${session}
            onSort=${(order) => show({ ...filters, ...order })}
          />
        </div>
        ${opened && html`
          <${RequestDetails}
            key=${opened}
            id=${opened}
            time=${time}
            session=${session}
            filters=${filters}
            rows=${list.rows}
          />
        `}
      </div>
    </div>
  `;
}

function List({ list, filters, opened, session, onSort }) {
  const { rows, error, moreError, isLoading, isLoadingMore, isSorting, next, loadMore } = list;
  if (rows === undefined) return error ? null : html`<${Loading} text="Loading the requests" />`;
  if (rows.length === 0 && next === null && !isSorting && !isLoading) {
    return html`<${Nothing} filters=${filters} />`;
  }
  return html`
    <div class=${`stack ${isLoading ? "stale" : ""}`}>
      <${RequestTable} rows=${rows} filters=${filters} opened=${opened} onSort=${onSort}
        showsKey=${session.hasAdmin} note=${isLoading ? "" : sortNote(filters, list)} />
    </div>
    <${ErrorBox} error=${moreError} title="Cannot load more" />
    <div class="row more">
      <span class="soft small" role="status">${rows.length} shown${isLoadingMore
        ? ", searching older requests"
        : ""}</span>
      ${next !== null && html`
        <button type="button" class="no-print" aria-keyshortcuts="Alt+Shift+M" onClick=${loadMore}
          disabled=${isLoadingMore}>
          ${isLoadingMore ? "Loading" : isFiltered(filters) ? "Search older requests" : "Load more"}
        </button>
      `}
    </div>
  `;
}

/** States which requests a sorted list contains. */
function sortNote({ sort }, { rows, isSorting }) {
  if (sort === "") return "";
  if (isSorting) return "Sorting: older requests are still being read.";
  const others = ["cost_usd", "first_token_ms", "path", "model", "provider"].includes(sort)
    ? " Requests without this value are left out."
    : "";
  return rows.length < MAX_SORTED
    ? `All requests in this period that match these filters.${others}`
    : `The first ${MAX_SORTED} in this order, of all requests in this period that match these filters.${others}`;
}

/** Shown if there are no requests, with suggestions for where to find some. */
function Nothing({ filters }) {
  const all = { ...filters, range: "90d", from: "", to: "" };
  return html`
    <div class="card empty stack">
      <p>
        ${isFiltered(filters)
          ? "No request matches these filters in this period."
          : "No requests in this period. They appear here as soon as they end."}
      </p>
      ${filters.range !== "90d" && html`
        <p><a class="button" href=${addressOf(all)}>Show the last 90 days</a></p>
      `}
    </div>
  `;
}

/** The name of the file, with its days. */
function csvName(filters) {
  const zone = currentZone();
  const { from, to } = periodOf(filters, serverNow(), zone);
  return `requests_${dayOf(from, zone)}_${dayOf(to - 1, zone)}.csv`;
}

/** Downloads the filtered requests as CSV. */
function CsvButton({ session, filters, counts: { isComplete, pages = [] } }) {
  const [state, setState] = useState({});
  const download = async () => {
    setState({ isLoading: true });
    try {
      const { text, hasMore } = await readCsv(session, filters);
      saveCsv(csvName(filters), text);
      const error = hasMore &&
        new Error("The file contains only the newest requests: choose a shorter period");
      setState({ error });
    } catch (error) {
      setState({ error });
    }
  };
  const found = pages.flatMap(({ data }) => data)
    .reduce((sum, { requests }) => sum + requests, 0);
  const isCut = found > MAX_CSV_ROWS;
  const rows = isCut ? `newest ${count(MAX_CSV_ROWS)} rows` : `${count(found)} rows`;
  return html`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" onClick=${download}
      disabled=${state.isLoading}
      title=${`Download CSV: at most the newest ${count(MAX_CSV_ROWS)} requests`}
    >${isComplete || isCut ? `CSV, ${rows}` : "CSV"}</button>
    <${ErrorBox} error=${state.error} title="Download" />
  `;
}
