/** Navigation by the URL fragment, such as `#/requests/req_1?status=500`. */

import { useEffect, useState } from "./preact.js";
import { RANGE_NAMES, readRange, rememberedRange, rememberRange, writeRange } from "./range.js";
import { currentZone, setZone } from "./zone.js";

/**
 * The views in the order of the navigation. `needs` is the key that a view requires. `range` is the
 * default range of a view that has one.
 */
export const VIEWS = [
  {
    ...{ id: "overview", title: "Overview", group: "Now", needs: "admin", range: "24h" },
    load: () => import("../views/overview/index.js"),
  },
  {
    ...{ id: "requests", title: "Requests", group: "Now", range: "24h" },
    load: () => import("../views/requests/index.js"),
  },
  {
    ...{ id: "sessions", title: "Sessions", group: "Now", range: "24h" },
    load: () => import("../views/sessions/index.js"),
  },
  {
    ...{ id: "status", title: "Providers", group: "Now" },
    load: () => import("../views/status/index.js"),
  },
  {
    ...{ id: "usage", title: "Usage", group: "Spend", range: "month" },
    load: () => import("../views/usage/index.js"),
  },
  {
    ...{ id: "savings", title: "Savings", group: "Spend", range: "month" },
    load: () => import("../views/savings/index.js"),
  },
  {
    ...{ id: "keys", title: "Keys", group: "Spend", needs: "admin" },
    load: () => import("../views/keys/index.js"),
  },
  {
    ...{ id: "playground", title: "Playground", group: "Build", needs: "service" },
    load: () => import("../views/playground/index.js"),
  },
  {
    ...{ id: "models", title: "Models", group: "Build" },
    load: () => import("../views/models/index.js"),
  },
  {
    ...{ id: "clients", title: "Clients", group: "Build", needs: "service" },
    load: () => import("../views/clients/index.js"),
  },
  {
    ...{ id: "config", title: "Config", group: "Admin", needs: "admin" },
    load: () => import("../views/config/index.js"),
  },
];

/** The default view. */
const DEFAULT_VIEW = "playground";

/**
 * Parses a URL fragment.
 *
 * @param {string} hash such as `#/requests/req_1?status=500`
 * @returns {{ view: string, path: string[], query: URLSearchParams }} `path` contains the parts
 * after the view; an unknown view becomes the playground
 */
function readRoute(hash) {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view = "", ...parts] = path.split("/").map(decoded);
  const known = VIEWS.some(({ id }) => id === view);
  return {
    view: known ? view : DEFAULT_VIEW,
    path: known ? parts : [],
    query: new URLSearchParams(query),
  };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * Adds the tab's range and time zone to the URL of a view without them; otherwise remembers those
 * in the URL.
 *
 * @param {{ view: string, path: string[], query: URLSearchParams }} route
 */
function withTabChoice(route) {
  const { query, view } = route;
  const fallback = VIEWS.find(({ id }) => id === view).range;
  if (query.has("zone")) setZone(query.get("zone"));
  if (fallback === undefined) return route;
  const before = query.toString();
  if (RANGE_NAMES.some((name) => query.has(name))) rememberRange(readRange(query, fallback));
  else writeRange(query, rememberedRange() ?? readRange(query, fallback));
  writeZone(query);
  if (query.toString() !== before) replaceQuery(query);
  return route;
}

function writeZone(query) {
  if (currentZone() === "UTC") query.delete("zone");
  else query.set("zone", currentZone());
}

function replaceQuery(query) {
  const [path] = location.hash.split("?", 1);
  const text = query.toString();
  history.replaceState(history.state, "", text === "" ? path : `${path}?${text}`);
}

/** Changes the range of the current view, and of all others. */
export function changeRange(choice) {
  rememberRange(choice);
  const { query } = readRoute(location.hash);
  writeRange(query, choice);
  const [path] = location.hash.split("?", 1);
  location.hash = `${path}?${query}`;
}

/** Changes the time zone of all views. */
export function changeZone(zone) {
  setZone(zone);
  const { query, view } = readRoute(location.hash);
  if (VIEWS.find(({ id }) => id === view).range === undefined) query.delete("zone");
  else writeZone(query);
  replaceQuery(query);
}

/** The URL to stay at, and the callback that is called instead of leaving it. */
let held;

/**
 * Blocks navigation, because unsaved data would be lost.
 *
 * @param {(hash: string) => void} onLeave called with the requested URL
 * @returns {() => void} ends it
 */
export function holdAddress(onLeave) {
  const own = held = { address: location.hash, onLeave };
  return () => {
    if (held === own) held = undefined;
  };
}

/** Whether navigation is allowed; otherwise restores the previous URL. */
function mayFollow() {
  if (held === undefined || location.hash === held.address) return true;
  const { address, onLeave } = held;
  const wanted = location.hash;
  history.pushState(history.state, "", address);
  onLeave(wanted);
  return false;
}

/** The current route. The component renders again when it changes. */
export function useRoute() {
  const [route, setRoute] = useState(() => withTabChoice(readRoute(location.hash)));
  useEffect(() => {
    const update = () => mayFollow() && setRoute(withTabChoice(readRoute(location.hash)));
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return route;
}
