/**
 * A stream that begins before its first event does, with comments, for callers
 * behind proxies that give up on silence. What fails then is an error event.
 */

import { toGatewayError } from "../errors.ts";
import type { Reply } from "../gateway.ts";
import { KEEP_ALIVE, toErrorEvent } from "../pump.ts";
import type { RouteContext } from "./route.ts";

/**
 * The reply if it comes in time, else a stream that keeps the connection alive
 * until the reply comes.
 *
 * @param patience milliseconds
 */
export async function toEarlyReply(
  pending: Promise<Reply>,
  patience: number,
  context: RouteContext,
): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const cancel = context.deps.clock.after(patience, () => resolve(undefined));
  const reply = await Promise.race([pending, promise]).finally(cancel);
  if (reply !== undefined) return reply;
  context.exchange.open = true;
  return { headers: {}, body: toEarlyBody(pending, patience, context) };
}

function toEarlyBody(
  pending: Promise<Reply>,
  patience: number,
  { deps: { clock }, config, exchange }: RouteContext,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const stream = pending.then(({ body }) => body as ReadableStream<Uint8Array<ArrayBuffer>>);
  const reader = stream.then((body) => body.getReader());
  let cancelTimer = () => {};
  const tick = (controller: Controller) => {
    controller.enqueue(KEEP_ALIVE);
    cancelTimer = clock.after(config.server.keepAlive || patience, () => tick(controller));
  };
  return new ReadableStream({
    start: tick,
    async pull(controller) {
      try {
        const packet = await (await reader).read();
        cancelTimer();
        if (packet.done) controller.close();
        else controller.enqueue(packet.value);
      } catch (thrown) {
        cancelTimer();
        const error = toGatewayError(thrown);
        exchange.outcome = exchange.signal.aborted ? "client_gone" : "failed";
        exchange.error = { kind: error.kind, code: error.code };
        controller.enqueue(toErrorEvent(error));
        controller.close();
        exchange.end();
      }
    },
    async cancel() {
      cancelTimer();
      // The plan ends by the caller's signal; an answer that came just now has to be let go.
      await reader.then((open) => open.cancel(), () => exchange.end());
    },
  });
}

type Controller = ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
