/** Navigation by the part of the address after `#`, such as `#/requests/req_1?status=500`. */

import { useEffect, useState } from "./preact.js";
import { RANGE_NAMES, readRange, rememberedRange, rememberRange, writeRange } from "./range.js";
import { currentZone, setZone } from "./zone.js";

/**
 * The views in the order of the navigation. `needs` is the key without which a view has nothing to
 * show. `range` is what a view shows in the beginning, if it has the range of the state line.
 */
export const VIEWS = [
  {
    ...{ id: "overview", title: "Overview", group: "Now", needs: "admin" },
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

/** The view for an address that names none. */
const DEFAULT_VIEW = "playground";

/**
 * Reads an address.
 *
 * @param {string} hash such as `#/requests/req_1?status=500`
 * @returns {{ view: string, path: string[], query: URLSearchParams }} the path holds the parts
 *   after the view; an unknown view is the playground
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
 * Puts the range and the zone of the tab into the address of a view that names none, and remembers
 * those that it names.
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

/** Shows another range in the current view, and later in the others. */
export function changeRange(choice) {
  rememberRange(choice);
  const { query } = readRoute(location.hash);
  writeRange(query, choice);
  const [path] = location.hash.split("?", 1);
  location.hash = `${path}?${query}`;
}

/** Shows the times of all views in another zone. */
export function changeZone(zone) {
  setZone(zone);
  const { query, view } = readRoute(location.hash);
  if (VIEWS.find(({ id }) => id === view).range === undefined) query.delete("zone");
  else writeZone(query);
  replaceQuery(query);
}

/** The address that must not be left, and what is called in place of leaving it. */
let held;

/**
 * Keeps the current address, because something in the page would be lost.
 *
 * @param {(hash: string) => void} onLeave called with the address that was to be shown
 * @returns {() => void} ends it
 */
export function holdAddress(onLeave) {
  const own = held = { address: location.hash, onLeave };
  return () => {
    if (held === own) held = undefined;
  };
}

/** Whether the new address may be shown; else the held one is put back. */
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
