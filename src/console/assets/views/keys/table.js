/** The table of keys, sorted by their remaining budgets. */

import { html } from "../../lib/preact.js";
import { MiddleText } from "../../lib/components.js";
import { count, usd } from "../../lib/format.js";
import { Table } from "../../lib/table.js";
import { dayOfSeconds } from "../shared/times.js";
import { Budget } from "./budget.js";
import { limitTexts, previousUntil } from "./settings.js";
import { shareOf } from "./spending.js";

/** The presentation of key statuses. */
const TONES = new Map([["expired", "warn"], ["disabled", "bad"]]);

/** The URL of a key's page. */
export function addressOf({ id }) {
  return `#/keys/${encodeURIComponent(id)}`;
}

/** The address of the page of a team. */
export function teamAddressOf(team) {
  return `#/keys/team/${encodeURIComponent(team)}`;
}

/** The status of a key; the normal status is plain text. */
export function Status({ entry }) {
  const { reason, status } = entry;
  const previous = previousUntil(entry, Date.now());
  return html`
    <span class=${TONES.has(status) ? `badge ${TONES.get(status)}` : "soft"} title=${reason ?? ""}
    >${status}</span>
    ${previous && html`
      <span class="small soft"> the old value is valid until ${new Date(previous * 1000)
        .toLocaleTimeString("en-GB")}</span>
    `}
  `;
}

const requestsOf = ({ usage }) => usage?.days.reduce((sum, { requests }) => sum + requests, 0);

const COLUMNS = [
  { id: "name", title: "Key", of: ({ name }) => name, isRisingFirst: true, card: "a" },
  {
    id: "team",
    title: "Team",
    of: ({ team }) => team,
    isRisingFirst: true,
    panel: "low",
    text: (team) => html`<a href=${teamAddressOf(team)}><${MiddleText} text=${team} /></a>`,
  },
  { id: "owner", title: "Owner", of: ({ owner }) => owner, isRisingFirst: true, panel: "low" },
  {
    ...{ id: "share", title: "Of the budget", of: shareOf, card: "c" },
    hint: "Spent in the current period; an arrow means that the forecast passes the budget",
    cell: ({ budget, usage }) =>
      budget && html`<${Budget} budget=${budget} spending=${usage?.budget} />`,
  },
  {
    ...{ id: "spent", title: "Spent", isNumber: true, card: "b" },
    of: ({ usage }) => usage?.budget?.spent_usd,
    text: usd,
  },
  {
    ...{ id: "used", title: "Last used", card: "d" },
    hint: "The last day in UTC with a request, in the last 30 days",
    of: ({ usage }) => usage?.last_used,
  },
  { id: "requests", title: "Requests, 30 d", of: requestsOf, text: count, isNumber: true },
  {
    ...{ id: "limits", title: "Limits", isProse: true },
    of: ({ limits }) => limitTexts(limits).join(", "),
  },
  {
    ...{ id: "status", title: "Status", of: ({ status }) => status },
    cell: (entry) => html`<${Status} entry=${entry} />`,
  },
  {
    ...{ id: "created", title: "Created", of: ({ created }) => created ?? "config.yaml" },
    text: (created) =>
      typeof created === "number" ? dayOfSeconds(created) : html`<code>config.yaml</code>`,
  },
  {
    ...{ id: "prefix", title: "Begins with", of: ({ prefix }) => prefix, isRisingFirst: true },
    text: (prefix) => html`<code>${prefix}…</code>`,
  },
];

/** Whether a key can be changed here: keys of config.yaml are changed in the file. */
export function isChangeable({ source, status }) {
  return source === "store" && status !== "revoked";
}

export function KeyTable({ keys, marks, onAction }) {
  const actionsOf = (entry) => [
    { text: "Open", href: addressOf(entry) },
    { text: "Requests", href: `#/requests?${new URLSearchParams({ key: entry.name })}` },
    { text: "Copy name", copy: entry.name },
    ...isChangeable(entry)
      ? [
        { text: "Edit", run: () => onAction("edit", entry) },
        { text: "Rotate", run: () => onAction("rotate", entry) },
        { text: "Revoke", run: () => onAction("revoke", entry), isDanger: true },
      ]
      : [],
  ];
  return html`
    <${Table} label="Keys" columns=${COLUMNS} rows=${keys} idOf=${({ id }) => id}
      hrefOf=${addressOf} actionsOf=${actionsOf} order=${{ id: "share", isRising: false }}
      marks=${marks} classOf=${({ status }) => status === "revoked" ? "revoked" : ""} />
  `;
}
