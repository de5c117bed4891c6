/** Which routes a listener serves. */

import { LISTENER_PARTS, type ListenerPart, type ListenerRules } from "../config/listeners.ts";
import type { Route } from "./routes/route.ts";

/** The rules of a listener that serves everything, to the names of `server.hosts`. */
export function serveAllParts(isLocal: boolean): ListenerRules {
  return { serves: new Set(LISTENER_PARTS), hosts: undefined, host: undefined, isLocal };
}

/** Whether a listener serves a route. */
export function isServed(route: Route, { serves }: ListenerRules): boolean {
  const part = partOf(route);
  return part === undefined || serves.has(part);
}

/** The part that a route belongs to; undefined for routes that every listener serves. */
export function partOf({ auth, path }: Route): ListenerPart | undefined {
  if (typeof auth === "object") return "admin";
  if (auth === "metrics") return "metrics";
  if (path.startsWith("/console/")) return "console";
  // `GET /` describes the routes, and is the console if the listener serves it.
  return auth === "none" ? undefined : "api";
}
