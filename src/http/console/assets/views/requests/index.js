/** The latest requests, and the details of one of them. */

import { html, useEffect, useRef, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { ErrorBox, Loading } from "../../lib/components.js";
import { pathFor, useLoaded, useSession } from "../shared/data.js";
import { ViewHead } from "../shared/parts.js";
import { zoneName } from "../shared/times.js";
import { addressOf, readFilters } from "./addresses.js";
import { Filters } from "./filters.js";
import { RequestDetails } from "./details.js";
import { RequestTable } from "./table.js";

const PAGE = 50;

export default function Requests({ route }) {
  const session = useSession();
  const filters = readFilters(route.query);
  const opened = route.path[0];
  const time = route.query.get("time");
  const list = useRequests(session, filters);
  return html`
    <div class="view" data-view="requests">
      <${ViewHead}
        title="Requests"
        note=${session.hasAdmin
          ? `Requests of all keys, newest first. Their content is not stored. Times: ${zoneName()}.`
          : `Requests of your key, newest first. Their content is not stored. Times: ${zoneName()}.`}
      >
        <button type="button" onClick=${list.reload} disabled=${list.isLoading}>Refresh</button>
        <//>
        <div class=${`list-and-details ${opened ? "has-details" : ""}`}>
        <div class="list stack">
          <${Filters}
            filters=${filters}
            rows=${list.rows}
            hasAdmin=${session.hasAdmin}
            opened=${opened}
            time=${time}
          />
          <${ErrorBox} error=${list.error} title="The requests cannot be listed" />
          <${List} list=${list} filters=${filters} opened=${opened} session=${session} />
        </div>
        ${opened && html`
          <${RequestDetails}
            key=${opened}
            id=${opened}
            time=${time}
            session=${session}
            closeAddress=${addressOf(filters)}
          />
        `}
      </div>
        </div>
  `;
}

function List({ list, filters, opened, session }) {
  const { rows, error, moreError, isLoading, isLoadingMore, hasMore, loadMore } = list;
  const isFiltered = Object.values(filters).some((value) => value !== "");
  if (rows === undefined) return error ? null : html`<${Loading} text="Loading the requests" />`;
  if (rows.length === 0 && !hasMore) {
    return html`
      <div class="card empty">
        ${isFiltered
          ? "No request matches these filters."
          : "No requests yet. They appear here as soon as they end."}
      </div>
    `;
  }
  return html`
    <div class=${`card ${isLoading ? "stale" : ""}`}>
      <${RequestTable} rows=${rows} filters=${filters} opened=${opened} showsKey=${session
        .hasAdmin} />
    </div>
    <${ErrorBox} error=${moreError} title="Cannot load more" />
    <div class="row more">
      <span class="soft small" role="status">${rows.length} shown</span>
      ${hasMore && html`
        <button type="button" onClick=${loadMore} disabled=${isLoadingMore}>
          ${isLoadingMore ? "Loading" : isFiltered ? "Search older requests" : "Load more"}
        </button>
      `}
    </div>
  `;
}

/** The first page of requests, and more of them on demand. */
function useRequests(session, filters) {
  const query = new URLSearchParams({ limit: String(PAGE) });
  for (const [name, value] of Object.entries(filters)) if (value !== "") query.set(name, value);
  const path = pathFor(session, "requests", query);
  const first = useLoaded((signal) => getJson(path, { signal }), [path]);
  const [more, setMore] = useState(NO_MORE);
  // A page that arrives after the list has changed is not shown.
  const shown = useRef(undefined);
  shown.current = first.data;
  useEffect(() => setMore(NO_MORE), [first.data]);

  const last = more.pages.at(-1) ?? first.data;
  const loadMore = async () => {
    const list = first.data;
    setMore((before) => ({ ...before, isLoading: true, error: undefined }));
    try {
      const page = await getJson(`${path}&before=${encodeURIComponent(last.next)}`);
      if (shown.current !== list) return;
      setMore((before) => ({ ...NO_MORE, pages: [...before.pages, page] }));
    } catch (error) {
      if (shown.current === list) setMore((before) => ({ ...before, isLoading: false, error }));
    }
  };
  return {
    rows: first.data && [first.data, ...more.pages].flatMap((page) => page.data),
    error: first.error,
    isLoading: first.isLoading,
    reload: first.reload,
    hasMore: last?.has_more === true && last.next !== null,
    isLoadingMore: more.isLoading,
    moreError: more.error,
    loadMore,
  };
}

const NO_MORE = { pages: [], isLoading: false, error: undefined };
