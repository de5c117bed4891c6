/** Navigation by the part of the address after `#`, such as `#/requests/req_1?status=500`. */

import { useEffect, useState } from "./preact.js";

/** The views in the order of the navigation. */
export const VIEWS = [
  { id: "playground", title: "Playground", load: () => import("../views/playground/index.js") },
  { id: "status", title: "Status", load: () => import("../views/status/index.js") },
  { id: "requests", title: "Requests", load: () => import("../views/requests/index.js") },
  { id: "usage", title: "Usage", load: () => import("../views/usage/index.js") },
  { id: "savings", title: "Savings", load: () => import("../views/savings/index.js") },
  { id: "keys", title: "Keys", load: () => import("../views/keys/index.js") },
  { id: "clients", title: "Clients", load: () => import("../views/clients/index.js") },
  { id: "models", title: "Models", load: () => import("../views/models/index.js") },
  { id: "config", title: "Config", load: () => import("../views/config/index.js") },
];

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
    view: known ? view : VIEWS[0].id,
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
