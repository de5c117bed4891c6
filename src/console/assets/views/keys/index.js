/** Service keys: list, create, limit, rotate and revoke. It needs the admin key. */

import { html, useEffect, useMemo, useRef, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { ErrorBox, Loading } from "../../lib/components.js";
import { Icon } from "../../lib/icons.js";
import { useLoaded, useSession } from "../shared/data.js";
import { NeedsAdminKey, ViewHead } from "../shared/parts.js";
import { CreateDialog, EditDialog, RevokeDialog, RotateDialog } from "./dialogs.js";
import { KeyTable } from "./table.js";

const PAGE = 100;
/** Milliseconds without typing after which a search begins. */
const PAUSE_MS = 150;
/** The part of a key's text that the gateway stores: the rest must not be in an address. */
const PREFIX_CHARS = 18;

export default function Keys() {
  const { hasAdmin } = useSession();
  return html`
    <div class="view" data-view="keys">
      ${hasAdmin ? html`<${Manager} />` : html`
        <${ViewHead} title="Keys" />
        <${NeedsAdminKey} what="Managing keys needs an admin key." />
      `}
    </div>
  `;
}

const DIALOGS = {
  create: CreateDialog,
  edit: EditDialog,
  rotate: RotateDialog,
  revoke: RevokeDialog,
};

function Manager() {
  const [showsRevoked, setShowsRevoked] = useState(false);
  const [text, setText] = useState("");
  const [action, setAction] = useState(null);
  const search = usePaused(toSearch(text), PAUSE_MS);
  const list = useKeys(showsRevoked, search);
  const { keys, error, isLoading, hasMore, loadMore, reload } = list;
  // The rows are not rendered again for each character of a search.
  const table = useMemo(
    () =>
      keys && html`
        <${KeyTable} keys=${keys} onAction=${(type, entry) => setAction({ type, entry })} />
      `,
    [keys],
  );
  const needsStore = error?.code === "store_required";
  const ActionDialog = action && DIALOGS[action.type];
  return html`
    <${ViewHead} title="Keys" note="Service keys of config.yaml and of the store.">
      <input
        type="search"
        aria-label="Search keys"
        aria-keyshortcuts="Alt+Shift+F"
        placeholder="Name, or start of the key"
        autocomplete="off"
        spellcheck=${false}
        value=${text}
        onInput=${(event) => setText(event.target.value)}
      />
      <label class="check">
        <input
          type="checkbox"
          aria-keyshortcuts="Alt+Shift+V"
          checked=${showsRevoked}
          onChange=${(event) => setShowsRevoked(event.target.checked)}
        />
        Show revoked keys
      </label>
      <button
        type="button"
        class="primary"
        disabled=${needsStore}
        aria-keyshortcuts="Alt+Shift+N"
        onClick=${() => setAction({ type: "create" })}
      >
        <${Icon} name="add" /> Create key
      </button>
    <//>
    ${needsStore
      ? html`
        <div class="card empty">
          <p>${error.message}</p>
        </div>
      `
      : html`<${ErrorBox} error=${error} title="The keys cannot be listed" />`}
    ${!keys && !error && html`<${Loading} text="Loading the keys" />`}
    ${keys?.length === 0 && html`
      <div class="card empty" role="status">
        ${search === ""
          ? "No keys yet. Create one for each application or team."
          : "No key has this text in its name, or begins with it."}
      </div>
    `}
    ${keys?.length > 0 && html`
      <div class=${`card ${isLoading ? "stale" : ""}`}>
        ${table}
      </div>
    `}
    ${hasMore && html`
      <div class="row more"><button type="button" onClick=${loadMore}>Load more</button></div>
    `}
    ${action && html`
      <${ActionDialog}
        entry=${action.entry}
        onChanged=${reload}
        onClose=${() => setAction(null)}
      />
    `}
  `;
}

/** What is searched: of the text of a key, only its public beginning. */
function toSearch(text) {
  const trimmed = text.trim();
  return trimmed.startsWith("sk-") ? trimmed.slice(0, PREFIX_CHARS) : trimmed;
}

/** A value that changes only after it has been the same for a time. */
function usePaused(value, ms) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** The first page of keys, and more of them on demand. */
function useKeys(showsRevoked, search) {
  const parameters = { limit: PAGE, revoked: showsRevoked, usage: true, search };
  const query = new URLSearchParams(parameters).toString();
  const first = useLoaded((signal) => getJson(`/v1/admin/keys?${query}`, { signal }), [query]);
  const [pages, setPages] = useState([]);
  const [moreError, setMoreError] = useState(undefined);
  // A page that arrives after the list has changed is not shown.
  const shown = useRef(undefined);
  shown.current = first.data;
  useEffect(() => {
    setPages([]);
    setMoreError(undefined);
  }, [first.data]);
  const last = pages.at(-1) ?? first.data;
  const loadMore = async () => {
    const list = first.data;
    try {
      const after = encodeURIComponent(last.data.at(-1).id);
      const page = await getJson(`/v1/admin/keys?${query}&after=${after}`);
      if (shown.current === list) setPages((before) => [...before, page]);
    } catch (thrown) {
      setMoreError(thrown);
    }
  };
  const keys = useMemo(
    () => first.data && [first.data, ...pages].flatMap((page) => page.data),
    [first.data, pages],
  );
  return {
    ...first,
    error: first.error ?? moreError,
    keys,
    hasMore: last?.has_more === true,
    loadMore,
  };
}
