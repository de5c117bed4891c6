/** Navigation by the part of the address after `#`, such as `#/requests/req_1?status=500`. */

import { useEffect, useState } from "./preact.js";

/**
 * The views in the order of the navigation. `needs` is the key without which a view has nothing to
 * show.
 */
export const VIEWS = [
  {
    ...{ id: "overview", title: "Overview", group: "Now", needs: "admin" },
    load: () => import("../views/overview/index.js"),
  },
  {
    ...{ id: "requests", title: "Requests", group: "Now" },
    load: () => import("../views/requests/index.js"),
  },
  {
    ...{ id: "status", title: "Providers", group: "Now" },
    load: () => import("../views/status/index.js"),
  },
  {
    ...{ id: "usage", title: "Usage", group: "Spend" },
    load: () => import("../views/usage/index.js"),
  },
  {
    ...{ id: "savings", title: "Savings", group: "Spend" },
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
export function readRoute(hash) {
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

/** The current route. The component renders again when it changes. */
export function useRoute() {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const update = () => setRoute(readRoute(location.hash));
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return route;
}
