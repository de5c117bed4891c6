/** WebSockets of the runtime. */

import type { Upgraded } from "../../http/responses_socket/sockets.ts";

/** Seconds between two pings; a client that does not answer within them is disconnected. */
const PING_SECONDS = 30;

/**
 * Upgrades a request to a WebSocket.
 *
 * @returns undefined if its connection cannot be upgraded, such as one of HTTP/2
 */
export function upgradeWebSocket(request: Request): Upgraded | undefined {
  try {
    return Deno.upgradeWebSocket(request, { idleTimeout: PING_SECONDS });
  } catch (thrown) {
    if (thrown instanceof TypeError || thrown instanceof Deno.errors.Http) return undefined;
    throw thrown;
  }
}
