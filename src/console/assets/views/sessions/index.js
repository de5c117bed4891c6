/** The sessions of agents and chats: their cost, and their use of caches and providers. */

import { html, useMemo } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { ErrorBox, IconButton, Loading, MiddleText } from "../../lib/components.js";
import { count, duration, percent, short, usd } from "../../lib/format.js";
import { periodOf } from "../../lib/range.js";
import { serverNow } from "../../lib/server_clock.js";
import { Table } from "../../lib/table.js";
import { currentZone } from "../../lib/zone.js";
import { addressOf, NO_FILTERS } from "../requests/addresses.js";
import { Status } from "../requests/table.js";
import { pathFor, useLoaded, useSession } from "../shared/data.js";
import { ViewHead } from "../shared/parts.js";
import { FilterLine } from "../shared/filter_line.js";
import { fullTime, shortTime } from "../shared/times.js";
import { readPages } from "../usage/pages.js";
import { sessionTexts, turnsOf } from "./figures.js";
import {
  addressOfSessions,
  addWords,
  EXACT,
  OFFERED,
  parametersOf,
  readFilters,
  toSessions,
  withoutFilters,
  wordsOf,
} from "./filters.js";

/** The requests of a session: those of a page, and the maximum number of pages. */
const PAGE = 200;
const MAX_PAGES = 5;

export default function Sessions({ route }) {
  const session = useSession();
  const opened = route.path[0];
  const zone = currentZone();
  const filters = readFilters(route.query);
  const parameters = parametersOf(filters);
  const inputs = [session.hasAdmin, filters.range, filters.from, filters.to, zone];
  const times = useMemo(() => toTimes(filters, zone), inputs);
  const { data, error, isLoading } = useLoaded(
    (signal) => loadSessions(session, { ...times, ...parameters }, signal),
    [...inputs, JSON.stringify(parameters)],
  );
  return html`
    <div class="view" data-view="sessions">
      <${ViewHead}
        title="Sessions"
        note="Requests that clients grouped by a session ID, such as those of one agent."
      />
      <${SessionFilters} filters=${filters} session=${session} opened=${opened} />
      <${ErrorBox} error=${error} title="The sessions cannot be listed" />
      ${data === undefined && !error && html`<${Loading} text="Loading the sessions" />`}
      <div class=${`list-and-details ${opened === undefined ? "" : "has-details"}`}>
        ${data !== undefined && html`
          <div class=${`list stack ${isLoading ? "stale" : ""}`}>
            <${List} data=${data} filters=${filters} opened=${opened} />
          </div>
        `}
        ${opened !== undefined && html`
          <${Details} key=${opened} id=${opened} session=${session} times=${times}
            filters=${filters} />
        `}
      </div>
    </div>
  `;
}

function toTimes(choice, zone) {
  const { from, isOpen, to } = periodOf(choice, serverNow(), zone);
  const text = (time) => new Date(time).toISOString();
  return { from: text(from), ...(!isOpen && { to: text(to) }) };
}

async function loadSessions(session, query, signal) {
  // The hours tell when a session was last used.
  const { parts, hasMore } = await readPages(async (page) => {
    const path = pathFor(session, "usage", { ...query, group_by: "session,hour", ...page });
    const { data, next } = await getJson(path, { signal });
    return { part: data, next };
  });
  return { entries: parts.flat(), hasMore };
}

/** The filters of the list, as words in a line. */
function SessionFilters({ filters, session, opened }) {
  const show = (next) => (location.hash = addressOfSessions(next, opened));
  return html`
    <${FilterLine}
      label="Filter the sessions"
      words=${wordsOf(filters)}
      current=${addressOfSessions(filters, opened)}
      placeholder="Add a filter: key:, model:, provider:, cost>1, moves>0, a part of an ID"
      session=${session}
      completed=${EXACT.filter((name) => session.hasAdmin || !OF_ADMINS.includes(name))}
      offered=${OFFERED}
      onAdd=${(text) => {
        const added = addWords(text, filters);
        if (added.fault === undefined) show(added.filters);
        return added.fault;
      }}
      onRemove=${(filter) => show({ ...filters, [filter]: "" })}
      clear=${wordsOf(filters).length > 0
        ? addressOfSessions(withoutFilters(filters), opened)
        : undefined}
    />
  `;
}

/** The filters that only admins use. */
const OF_ADMINS = ["key", "team", "owner"];

function numbers(id, title, of, text, others = {}) {
  return { id, title, of, text, isNumber: true, ...others };
}

const COLUMNS = [
  { id: "session", title: "Session", of: (entry) => entry.session, isRisingFirst: true },
  numbers("requests", "Requests", ({ requests }) => requests, count, {
    ...{ card: "c", mark: "requests" },
  }),
  {
    ...{ id: "last", title: "Last", of: ({ last }) => last, text: hourText, panel: "low" },
    hint: "The hour of the last request",
  },
  numbers("errors", "Failed", ({ errors }) => errors > 0 ? errors : undefined, count),
  numbers("input", "Input", (entry) => entry.input_tokens, short, {
    ...{ hint: "Input tokens", panel: "hide" },
  }),
  numbers("cached", "Cached", cachedShare, (share) => percent(share, 1), {
    ...{ hint: "The share of the input that came from prompt caches", card: "d", mark: "cached" },
  }),
  numbers(
    "moves",
    "Moves",
    (entry) => entry.affinity_moves > 0 ? entry.affinity_moves : undefined,
    count,
    {
      hint: "How often it moved to another target",
    },
  ),
  numbers("saved", "Saved", (entry) => entry.saved_usd > 0 ? entry.saved_usd : undefined, usd, {
    ...{ hint: "What caches saved", panel: "hide" },
  }),
  numbers(
    "cost",
    "Cost",
    (entry) => entry.cost_usd,
    (cost, entry) =>
      html`<span title=${`$${cost}`}>${entry.unpriced_requests > 0 ? "≥ " : ""}${usd(cost)}</span>`,
    {
      card: "b",
    },
  ),
];

/** The start of an hour; its tooltip is the full time. */
function hourText(hour) {
  const time = Date.parse(hour);
  return html`<span title=${fullTime(time)}>${shortTime(time).replace(/:00$/, "")}</span>`;
}

function cachedShare(entry) {
  return entry.input_tokens > 0 ? entry.cached_input_tokens / entry.input_tokens : undefined;
}

function List({ data, filters, opened }) {
  const sessions = useMemo(() => toSessions(data.entries, filters), [
    data,
    addressOfSessions(filters),
  ]);
  if (sessions.length === 0) {
    return html`
      <p class="card empty">
        ${wordsOf(filters).length > 0
          ? "No session matches these filters in this period."
          : html`No session in this time. A client names one by the header
              <code>x-sluice-session</code>.`}
      </p>
    `;
  }
  return html`
    <${Table}
      label="Sessions"
      columns=${COLUMNS}
      rows=${sessions}
      idOf=${(entry) => entry.session}
      hrefOf=${(entry) => addressOfSessions(filters, entry.session)}
      actionsOf=${(entry) => [
        { text: "Open", href: addressOfSessions(filters, entry.session) },
        { text: "Its requests", href: addressOf({ ...NO_FILTERS, session: entry.session }) },
        { text: "Copy the ID", copy: entry.session },
      ]}
      order=${{ id: "cost", isRising: false }}
      current=${opened}
      hasPanel=${opened !== undefined}
      onClose=${opened === undefined ? undefined : () => close(filters)}
    />
    <p class="faint small" role="status">
      ${sessions.length === 1
        ? "1 session"
        : `${count(sessions.length)} ${data.hasMore ? "or more " : ""}sessions`}
    </p>
  `;
}

function close(filters) {
  location.hash = addressOfSessions(filters);
}

/** The requests of a session, the oldest first. */
async function loadTurns(session, id, times, signal) {
  const rows = [];
  let before;
  for (let page = 0; page < MAX_PAGES && before !== null; page++) {
    const query = { ...times, session: id, limit: String(PAGE), ...(before && { before }) };
    const { data, next } = await getJson(pathFor(session, "requests", query), { signal });
    rows.push(...data);
    before = next;
  }
  return { turns: turnsOf(rows), hasMore: before !== null };
}

function Details({ id, session, times, filters }) {
  const { data, error } = useLoaded(
    (signal) => loadTurns(session, id, times, signal),
    [id, times],
  );
  return html`
    <section class="details card" aria-label="Session">
      <header>
        <h2 class="mono">
          <${MiddleText} text=${id} />
        </h2>
        <${IconButton} icon="close" label="Close the session"
          onClick=${() => close(filters)} />
      </header>
      <div class="stack padded">
        <${ErrorBox} error=${error} title="The session cannot be shown" />
        ${!data && !error && html`<${Loading} />`}
        ${data?.turns.length === 0 && html`
          <p>This session has no request in this time.</p>
          <p><a class="button" href=${addressOfSessions(
            { ...filters, range: "90d", from: "", to: "" },
            id,
          )}>Show the last 90 days</a></p>
        `}
        ${data?.turns.length > 0 && html`<${Turns} ...${data} />`}
      </div>
    </section>
  `;
}

function Turns({ turns, hasMore }) {
  const { text, title } = sessionTexts(turns);
  const columns = useMemo(() => turnColumns(turns), [turns]);
  const agent = turns.findLast((turn) => turn.agent)?.agent;
  return html`
    <p class="said">${title}</p>
    <p class="soft small">${text}${agent && ` Agent: ${agent}.`}</p>
    ${hasMore && html`<p class="hint">The newest ${count(turns.length)} requests.</p>`}
    <${Table} label="Requests of the session" columns=${columns} rows=${turns}
      idOf=${(turn) => `${turn.time} ${turn.id}`}
      hrefOf=${(turn) => addressOf(NO_FILTERS, turn.id, turn.time)}
      order=${{ id: "number", isRising: true }} />
  `;
}

function turnColumns(turns) {
  const most = Math.max(1, ...turns.map((turn) => turn.input_tokens));
  return [
    {
      ...{ id: "number", title: "No.", of: ({ number }) => number, isRisingFirst: true },
      cell: ({ number, time }) => html`<span title=${fullTime(time)}>${number}</span>`,
    },
    {
      ...{ id: "provider", title: "Provider", card: "b", of: ({ provider }) => provider },
      cell: (turn) =>
        html`
          ${turn.hasMoved && html`
            <span class="badge">Moved</span>
          `}
          ${turn.provider === null ? "–" : html`<${MiddleText} text=${turn.provider} />`}
          ${turn.status >= 400 && html`
            <${Status} row=${turn} />
          `}
        `,
    },
    {
      ...{ id: "input", title: "Input", hint: "Input tokens; the dark part was cached", card: "c" },
      of: (turn) => turn.input_tokens,
      cell: (turn) => html`<${InputBar} turn=${turn} most=${most} />`,
    },
    numbers("first", "First", (turn) => turn.first_token_ms, duration, {
      hint: "Time to first content",
    }),
    numbers("cost", "Cost", (turn) => turn.cost_usd, usd, { card: "d" }),
  ];
}

/** The input of a request: its length, and the part that came from the prompt cache. */
function InputBar({ turn: { cached_input_tokens: cached, input_tokens: input }, most }) {
  const title = `${count(cached)} of ${count(input)} from the cache`;
  return html`
    <span class="input-bar" title=${title}>
      <span class="input-track" style=${{ width: `${48 * input / most}px` }}>
        <span style=${{ width: `${input === 0 ? 0 : 100 * cached / input}%` }}></span>
      </span>
      ${short(input)}
    </span>
  `;
}
