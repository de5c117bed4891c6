/** Service keys: list, create, limit, rotate and revoke. It needs the admin key. */

import { html, useEffect, useRef, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { ErrorBox, Loading } from "../../lib/components.js";
import { Icon } from "../../lib/icons.js";
import { useLoaded, useSession } from "../shared/data.js";
import { NeedsAdminKey, ViewHead } from "../shared/parts.js";
import { CreateDialog, EditDialog, RevokeDialog, RotateDialog } from "./dialogs.js";
import { KeyTable } from "./table.js";

const PAGE = 100;

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
  const [action, setAction] = useState(null);
  const list = useKeys(showsRevoked);
  const { keys, error, isLoading, hasMore, loadMore, reload } = list;
  const needsStore = error?.code === "store_required";
  const ActionDialog = action && DIALOGS[action.type];
  return html`
    <${ViewHead} title="Keys" note="Service keys of config.yaml and of the store.">
      <label class="check">
        <input
          type="checkbox"
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
      <div class="card empty">No keys yet. Create one for each application or team.</div>
    `}
    ${keys?.length > 0 && html`
      <div class=${`card ${isLoading ? "stale" : ""}`}>
        <${KeyTable} keys=${keys} onAction=${(type, entry) => setAction({ type, entry })} />
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

/** The first page of keys, and more of them on demand. */
function useKeys(showsRevoked) {
  const query = `limit=${PAGE}&revoked=${showsRevoked}&usage=true`;
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
  return {
    ...first,
    error: first.error ?? moreError,
    keys: first.data && [first.data, ...pages].flatMap((page) => page.data),
    hasMore: last?.has_more === true,
    loadMore,
  };
}
