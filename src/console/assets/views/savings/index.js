/** The savings of caches, sessions and the order by price, and the cost of hedges. */

import { html } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { Choices, ErrorBox, Loading } from "../../lib/components.js";
import { count, percent, short, usd } from "../../lib/format.js";
import { useZone } from "../../lib/range_menu.js";
import { serverNow } from "../../lib/server_clock.js";
import { pathFor, useLoaded, useSession } from "../shared/data.js";
import { Figure, ViewHead } from "../shared/parts.js";
import { periodOf, readChoice, timesOf, toAddress } from "../usage/choice.js";
import { costText } from "../usage/figures.js";
import { readPages } from "../usage/pages.js";
import { PrintedHead } from "../usage/filters.js";
import { Cards } from "./cards.js";
import { NOTHING, savedShare, savingsOf, sumText } from "./figures.js";
import { SavingsTable } from "./table.js";

/** The groupings of savings. Tags are excluded, since a request may have several. */
const GROUPS = [["model", "Alias or model"], ["provider", "Provider"], ["key", "Key"]];

export default function Savings({ route }) {
  const session = useSession();
  const groups = session.hasAdmin ? GROUPS : GROUPS.filter(([group]) => group !== "key");
  const read = readChoice(route.query);
  const isGroup = groups.some(([group]) => group === read.by);
  const choice = isGroup ? read : { ...read, by: "model" };
  const zone = useZone();
  const { data, error, isLoading, reload } = useSavings(session, choice, zone);
  const change = (members) => (location.hash = toAddress({ ...choice, ...members }, "savings"));
  return html`
    <div class="view" data-view="savings">
      <${ViewHead}
        title=${data?.total ? titleOf(data.total) : "Savings"}
        note=${session.hasAdmin ? "Requests from all keys." : "Requests from your key."}
      >
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${reload} disabled=${isLoading}>Refresh</button>
        <button type="button" aria-keyshortcuts="Alt+Shift+P" onClick=${() =>
          print()}>Print</button>
      <//>
      ${data &&
        html`<${PrintedHead} period=${periodOf(choice, serverNow(), zone)} />`}
      <${ErrorBox} error=${error} title="No savings" />
      ${!data && !error && html`<${Loading} text="Loading the savings" />`}
      ${data && html`
        <div class=${`stack wide ${isLoading ? "stale" : ""}`}>
          ${data.total && html`
            <${Totals} total=${data.total} />
            <p class="soft small">${sumText(data.total)}</p>
          `}
          ${!data.total && html`
            <p class="card empty">No request has ended in this period.</p>
          `}
          <${Cards} total=${data.total ?? NOTHING} />
          ${data.total && html`
            <div class="row no-print">
              <${Choices}
                label="Group by"
                value=${choice.by}
                options=${groups}
                onChange=${(by) => change({ by })}
              />
            </div>
            <${SavingsTable} entries=${data.groups} hasMore=${data.hasMore} by=${data.by} />
          `}
        </div>
      `}
    </div>
  `;
}

/** Loads the totals and the groups. */
function useSavings(session, choice, zone) {
  const { range, from, to, by } = choice;
  const load = async (signal) => {
    const times = timesOf(periodOf(choice, serverNow(), zone), zone);
    const get = (query) => getJson(pathFor(session, "usage", { ...times, ...query }), { signal });
    const [totals, groups] = await Promise.all([
      get({}),
      readPages(async (page) => {
        const { data, next } = await get({ group_by: by, ...page });
        return { part: data, next };
      }),
    ]);
    return { total: totals.data[0], groups: groups.parts.flat(), hasMore: groups.hasMore, by };
  };
  return useLoaded(load, [session.hasAdmin, range, from, to, by, zone]);
}

/** The net amount, and its share of what the requests would have cost. */
function titleOf(total) {
  const { net } = savingsOf(total);
  const share = savedShare(total);
  if (net < 0) return `Spent ${usd(-net)} more than was saved`;
  const part = share === null ? "" : `, ${percent(share, 1)} of what it would have cost`;
  return `Saved ${usd(net)}${part}`;
}

function Totals({ total }) {
  const { net, unknown } = savingsOf(total);
  return html`
    <dl class="figure-grid card">
      <${Figure} label="Saved, net" value=${usd(net)}
        note=${unknown > 0 ? `${count(unknown)} with an unknown price` : ""} />
      <${Figure}
        label="Cost"
        value=${costText(total)}
        note=${total.unpriced_requests > 0
          ? `${count(total.unpriced_requests)} with an unknown price`
          : ""}
      />
      <${Figure} label="Requests" value=${count(total.requests)} />
      <${Figure}
        label="Cached input"
        value=${percent(total.cached_input_tokens, total.input_tokens)}
        note=${`of ${short(total.input_tokens)} tokens`}
      />
    </dl>
  `;
}
