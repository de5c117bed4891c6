/** Clients that stop reading a response. */

import type { Clock } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";

/**
 * Closes a response unless it is read in time. Returns a function that stops the timer.
 *
 * @param ms the time limit
 * @param onUnread called before the response is closed, to end what it reads from
 */
export function closeIfUnread(
  { clock, ms, onUnread }: {
    readonly clock: Clock;
    readonly ms: number;
    readonly onUnread: () => void;
  },
  controller: ReadableStreamDefaultController,
): () => void {
  return clock.after(ms, () => {
    onUnread();
    // Drops the queued output.
    controller.error(new GatewayError("client_gone", "The client stopped reading the response"));
  });
}
