/** The command palette: views, actions of the page, models, keys, providers and request IDs. */

import { html, useEffect, useMemo, useState } from "./preact.js";
import { getJson } from "./api.js";
import { Dialog } from "./components.js";
import { namedEntries, search } from "./palette_search.js";
import { adminKey, PREFIX_CHARS, serviceKey } from "./session.js";

/** The period whose names are suggested, and the maximum number of each kind. */
const NAMES_MS = 30 * 86_400_000;
const MAX_NAMES = 2000;
/** The time in which requests are searched by their ID. */
const SEARCHED_MS = 90 * 86_400_000;

/**
 * @param {{ commands: { text: string, kind: string, address?: string, run?: () => void,
 *   keys?: string[] }[], onClose: () => void }} props the commands of the page
 */
export function Palette({ commands, onClose }) {
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const names = useNames();
  const entries = useMemo(
    () => [...commands, ...namedEntries(names, serviceKey() !== "")],
    [commands, names],
  );
  const shown = useMemo(() => [...search(entries, text), ...idEntries(text)], [entries, text]);
  const index = Math.min(active, shown.length - 1);
  useEffect(() => {
    document.getElementById(`palette-${index}`)?.scrollIntoView({ block: "nearest" });
  }, [index]);
  const choose = (entry) => {
    onClose();
    if (entry?.address !== undefined) location.hash = entry.address;
    // The dialog must close first, since it blocks the page behind it.
    else if (entry?.run !== undefined) setTimeout(entry.run);
  };
  const onKeyDown = (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && shown.length > 0) {
      setActive((index + step + shown.length) % shown.length);
    } else if (event.key === "Enter") choose(shown[index]);
    else return;
    event.preventDefault();
  };
  return html`
    <${Dialog} title="Go to" onClose=${onClose} class="palette">
      <input
        type="text"
        role="combobox"
        aria-label="Search views, actions, models, keys and request IDs"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant=${shown.length > 0 ? `palette-${index}` : undefined}
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck=${false}
        autofocus
        placeholder="View, action, model, key or request ID"
        value=${text}
        onInput=${(event) => {
          setText(event.target.value);
          setActive(0);
        }}
        onKeyDown=${onKeyDown}
      />
      <ul id="palette-list" role="listbox" aria-label="Results">
        ${shown.map((entry, position) =>
          html`
            <li
              key=${`${entry.kind} ${entry.text}`}
              id=${`palette-${position}`}
              role="option"
              aria-selected=${String(position === index)}
              onPointerMove=${() => setActive(position)}
              onClick=${() => choose(entry)}
            >
              <span class="wrap-anywhere">${entry.text}</span>
              <span class="row nowrap small">
                ${entry.keys?.map((key) => html`<kbd key=${key}>${key}</kbd>`)}
                <span class="faint">${entry.kind}</span>
              </span>
            </li>
          `
        )}
      </ul>
      <p class="hint" role="status">${shown.length === 0 ? "Nothing found" : ""}</p>
      <//>
  `;
}

/**
 * A search for the key whose text this is, or for requests by the start of their ID. Of the text of a
 * key, only its public beginning leaves the palette.
 */
function idEntries(text) {
  const id = text.trim();
  if (!/^\S{4,}$/.test(id)) return [];
  if (id.startsWith("sk-")) {
    const search = id.slice(0, PREFIX_CHARS);
    return adminKey() === "" ? [] : [{
      ...{ text: `Key that begins with ${search}…`, kind: "Key" },
      address: `#/keys?${new URLSearchParams({ search })}`,
    }];
  }
  return [{
    ...{ text: `Requests whose ID begins with ${id}`, kind: "Requests" },
    run: () => void openRequest(id),
  }];
}

/** Opens the only request whose ID begins like this, or the list of all of them. */
async function openRequest(id) {
  const query = new URLSearchParams({ id, range: "90d" });
  const from = new Date(Date.now() - SEARCHED_MS).toISOString();
  const path = `/v1/${adminKey() === "" ? "" : "admin/"}requests`;
  const { data } = await getJson(`${path}?${new URLSearchParams({ id, from, limit: "2" })}`)
    // The list shows what is wrong.
    .catch(() => ({ data: [] }));
  const [only, ...others] = data;
  const page = only === undefined || others.length > 0 ? "" : `/${encodeURIComponent(only.id)}`;
  if (page !== "") query.set("time", only.time);
  location.hash = `#/requests${page}?${query}`;
}

const NO_NAMES = { models: [], keys: [], providers: [] };

/** The names of available models, and of models, keys and providers with requests. */
function useNames() {
  const [names, setNames] = useState(NO_NAMES);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const admin = adminKey() !== "";
    const from = new Date(Date.now() - NAMES_MS).toISOString();
    const used = async (group) => {
      const query = new URLSearchParams({ from, group_by: group, limit: String(MAX_NAMES) });
      const path = `/v1/${admin ? "admin/" : ""}usage?${query}`;
      const { data } = await getJson(path, { signal });
      return data.flatMap((entry) => entry[group] ?? []);
    };
    const listed = async () =>
      serviceKey() === "" ? [] : (await getJson("/v1/models", { signal })).data.map(({ id }) => id);
    const load = async () => {
      // Names that cannot be loaded are omitted.
      const [own, models, keys, providers] = await Promise.all(
        [listed(), used("model"), admin ? used("key") : [], used("provider")]
          .map((names) => Promise.resolve(names).catch(() => [])),
      );
      if (signal.aborted) return;
      setNames({ models: [...new Set([...own, ...models])].sort(), keys, providers });
    };
    void load();
    return () => controller.abort();
  }, []);
  return names;
}
