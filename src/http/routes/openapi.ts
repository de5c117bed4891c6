/** `GET /openapi.json`: the description of what a listener serves. It needs no key. */

import type { ListenerRules } from "../../config/listeners.ts";
import { isServed } from "../listener_routes.ts";
import type { Route, RouteResponse } from "./route.ts";

/** The descriptions that were written, which the first request for each does. */
const WRITTEN = new WeakMap<ListenerRules, string>();

/** Describes the routes that a listener serves. */
export async function describe(
  routes: readonly Route[],
  listener: ListenerRules,
): Promise<RouteResponse> {
  let body = WRITTEN.get(listener);
  if (body === undefined) {
    // Loaded on demand: few clients ask for it.
    const { describeRoutes } = await import("../openapi/document.ts");
    body = JSON.stringify(describeRoutes(routes.filter((route) => isServed(route, listener))));
    WRITTEN.set(listener, body);
  }
  return { status: 200, headers: { "content-type": "application/json" }, body };
}
