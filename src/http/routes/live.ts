/**
 * `GET /v1/live` for a service key and `GET /v1/admin/live` for admins: the state of the gateway as
 * a stream of events, one per second.
 */

import type { Config } from "../../config/config.ts";
import type { LiveFeed, Watcher } from "../../console/live_feed.ts";
import type { Reauthenticate } from "../../identity/authenticate.ts";
import type { RouteContext, RouteResponse } from "./route.ts";

/** A client that has not read this many states in a row is considered disconnected. */
const MAX_UNREAD = 30;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/** The dependencies for a state stream. */
export interface LiveAccess {
  readonly feed: Pick<LiveFeed, "watch">;
  readonly authenticate: Reauthenticate;
}

/** The state of the models that the key may use, with the key's own usage. */
export function ownLive(
  request: Request,
  context: RouteContext,
  { feed, authenticate }: LiveAccess,
): RouteResponse {
  const check = async (config: Config) => (await authenticate("service_key", request, config)).key;
  return watch(request, context, feed, context.principal.key.name, check);
}

/** The state of everything, with all keys' usage. */
export function allLive(
  request: Request,
  context: RouteContext,
  { feed, authenticate }: LiveAccess,
): RouteResponse {
  return watch(request, context, feed, undefined, async (config) => {
    await authenticate({ admin: "live.watch" }, request, config);
    return undefined;
  });
}

function watch(
  { method }: Request,
  { record }: RouteContext,
  feed: LiveAccess["feed"],
  key: string | undefined,
  authorize: Watcher["authorize"],
): RouteResponse {
  if (method === "HEAD") return { status: 200, headers: HEADERS, body: null };
  const encoder = new TextEncoder();
  let unread = 0;
  let leave = () => {};
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      const close = () => {
        leave();
        record.end();
      };
      const watcher: Watcher = {
        key,
        authorize,
        send(event) {
          if ((controller.desiredSize ?? 0) > 0) {
            unread = 0;
            return controller.enqueue(encoder.encode(event));
          }
          if (++unread < MAX_UNREAD) return;
          record.connection?.closeUnread();
          close();
          controller.error(new TypeError("The client stopped reading"));
        },
        end() {
          close();
          controller.close();
        },
      };
      leave = feed.watch(watcher);
    },
    cancel() {
      leave();
      record.end();
    },
  });
  record.open = true;
  return { status: 200, headers: HEADERS, body };
}
