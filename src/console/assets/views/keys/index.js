/** Service keys: list, create, limit, rotate and revoke. It needs the admin key. */

import { html, useEffect, useMemo, useState } from "../../lib/preact.js";
import { Choices, ErrorBox, Loading } from "../../lib/components.js";
import { count } from "../../lib/format.js";
import { Icon } from "../../lib/icons.js";
import { PREFIX_CHARS } from "../../lib/session.js";
import { readKeys, useLoaded, useSession } from "../shared/data.js";
import { NeedsAdminKey, ViewHead } from "../shared/parts.js";
import { BulkDialog, BulkLine } from "./bulk.js";
import { CreatePage } from "./create.js";
import { KeyPage } from "./details.js";
import { EditDialog, RevokeDialog, RotateDialog } from "./dialogs.js";
import { headlineOf, isNear } from "./spending.js";
import { addressOf, KeyTable } from "./table.js";
import { TeamPage } from "./team.js";

export default function Keys({ route }) {
  const { hasAdmin } = useSession();
  return html`
    <div class="view" data-view="keys">
      ${hasAdmin ? html`<${Manager} path=${route.path} query=${route.query} />` : html`
        <${ViewHead} title="Keys" />
        <${NeedsAdminKey} what="Managing keys needs an admin key." />
      `}
    </div>
  `;
}

const DIALOGS = { edit: EditDialog, rotate: RotateDialog, revoke: RevokeDialog };

function Manager({ path: [page, name], query }) {
  const [showsRevoked, setShowsRevoked] = useState(false);
  const [action, setAction] = useState(null);
  const [version, setVersion] = useState(0);
  const list = useLoaded(
    (signal) => readKeys({ revoked: showsRevoked, usage: true }, signal),
    [showsRevoked, version],
  );
  const onChanged = () => setVersion((count) => count + 1);
  const onAction = (type, entry) => setAction({ type, entry });
  const teams = useMemo(() => valuesOf(list.data ?? [], "team"), [list.data]);
  const ActionDialog = action && DIALOGS[action.type];
  return html`
    ${page === "new"
      ? html`<${CreatePage} onCreated=${onChanged} teams=${teams} />`
      : name !== undefined
      ? html`
        <${TeamPage} name=${name} keys=${list.data} error=${list.error} onAction=${onAction} />
      `
      : page !== undefined
      ? html`<${KeyPage} id=${page} version=${version} onAction=${onAction} />`
      : html`
        <${List} ...${list} search=${query.get("search") ?? ""} onAction=${onAction}
          onChanged=${onChanged} showsRevoked=${showsRevoked} onRevoked=${setShowsRevoked} />
      `}
    ${action && html`
      <${ActionDialog} entry=${action.entry} onChanged=${onChanged}
        onClose=${() => setAction(null)} />
    `}
  `;
}

function valuesOf(keys, member) {
  return [...new Set(keys.map((entry) => entry[member]).filter((value) => value))].sort();
}

const FILTERS = [
  ["all", "All", () => true],
  ["near", "Over 90 %", isNear],
  ["unused", "Not used in 30 d", ({ status, usage }) => status === "active" && !usage?.last_used],
];

function List(props) {
  const { data: keys, error, isLoading, showsRevoked, onRevoked, onAction, onChanged } = props;
  const [text, setText] = useState(props.search);
  const [filter, setFilter] = useState("all");
  const [marked, setMarked] = useState(() => new Set());
  const [bulk, setBulk] = useState(undefined);
  const needsStore = error?.code === "store_required";
  const [, , passes] = FILTERS.find(([name]) => name === filter);
  const search = toSearch(text);
  const shown = useMemo(
    () => (keys ?? []).filter((entry) => passes(entry) && matches(entry, search)),
    [keys, filter, search],
  );
  // A link with the beginning of a key leads to that key.
  const found = props.search.startsWith("sk-") && text === props.search && shown.length === 1
    ? addressOf(shown[0])
    : undefined;
  useEffect(() => found && location.replace(found), [found]);
  const chosen = shown.filter(({ id }) => marked.has(id));
  const marks = {
    ids: marked,
    onToggle: (id) =>
      setMarked(
        new Set(marked.has(id) ? [...marked].filter((one) => one !== id) : [...marked, id]),
      ),
    onAll: (isOn) => setMarked(new Set(isOn ? shown.map(({ id }) => id) : [])),
  };
  return html`
    <${Head} keys=${keys}>
      <label class="check">
        <input type="checkbox" aria-keyshortcuts="Alt+Shift+V" checked=${showsRevoked}
          onChange=${(event) => onRevoked(event.target.checked)} />
        Show revoked keys
      </label>
      ${needsStore ? null : html`
        <a class="button primary" aria-keyshortcuts="Alt+Shift+N" href="#/keys/new">
          <${Icon} name="add" /> Create key
        </a>
      `}
    <//>
    ${needsStore
      ? html`
        <div class="card empty">
          <p>${error.message}</p>
        </div>
      `
      : html`<${ErrorBox} error=${error} title="The keys cannot be listed" />`}
    ${!keys && !error && html`<${Loading} text="Loading the keys" />`}
    ${keys && html`
      <div class="row">
        <${Choices} label="Which keys" value=${filter} onChange=${setFilter}
          options=${FILTERS.map(([name, title, test]) => [
            name,
            `${title} ${count(keys.filter(test).length)}`,
          ])} />
        <input type="search" class="key-search" aria-label="Search keys"
          aria-keyshortcuts="Alt+Shift+F" autocomplete="off" spellcheck=${false}
          placeholder="Name, team, owner, note, or a key" value=${text}
          onInput=${(event) => setText(event.target.value)} />
      </div>
      ${chosen.length > 0 && html`
        <${BulkLine} keys=${chosen} onAction=${setBulk} onClear=${() => setMarked(new Set())} />
      `}
      ${shown.length === 0
        ? html`<div class="card empty" role="status">${emptyText(keys, search)}</div>`
        : html`
          <div class=${isLoading ? "stale" : ""}>
            <${KeyTable} keys=${shown} marks=${marks} onAction=${onAction} />
          </div>
        `}
    `}
    ${bulk && html`
      <${BulkDialog} kind=${bulk} keys=${chosen} onChanged=${onChanged}
        onClose=${() => setBulk(undefined)} />
    `}
  `;
}

function Head({ keys, children }) {
  const { title, text, used } = keys ? headlineOf(keys) : { title: "Keys", text: "" };
  return html`
    <header class="view-head">
      <div class="view-title">
        <h1>${title}</h1>
        <p class="soft">${used && html`
          <a class="wrap-anywhere" href=${addressOf(used)}>${used
            .name}</a>:
        `}${text}</p>
      </div>
      <div class="view-tools">${children}</div>
    </header>
  `;
}

function emptyText(keys, search) {
  if (search !== "") {
    return "No key has this text in its name, team, owner or note, or begins with it.";
  }
  return keys.length === 0
    ? "No keys yet. Create one for each application or team."
    : "No key matches.";
}

/** Whether a key matches a search text. The text is not sent anywhere. */
function matches({ name, note, owner, prefix, team }, search) {
  const text = search.toLowerCase();
  return [name, note, owner, prefix, team].some((value) => value?.toLowerCase().includes(text));
}

/** The searchable text: of the text of a key, only its public prefix. */
function toSearch(text) {
  const trimmed = text.trim();
  return trimmed.startsWith("sk-") ? trimmed.slice(0, PREFIX_CHARS) : trimmed;
}
