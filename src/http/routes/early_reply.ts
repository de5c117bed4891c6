/**
 * A stream that begins before its first event does, with comments, for callers
 * behind proxies that give up on silence. What fails then is an error event.
 */

import type { CallerFormat } from "../../chat/caller_format.ts";
import type { Clock } from "../../core/clock.ts";
import { toGatewayError } from "../../core/errors.ts";
import { type Exchange, toErrorRecord } from "../../routing/request_record.ts";
import type { Reply } from "../../routing/complete.ts";
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
  format: CallerFormat,
  { config, exchange, deps: { clock } }: RouteContext,
): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const cancel = clock.after(patience, () => resolve(undefined));
  const reply = await Promise.race([pending, promise]).finally(cancel);
  if (reply !== undefined) return reply;
  exchange.open = true;
  exchange.early = true;
  const body = new EarlyBody(pending, format, config.server.keepAlive || patience, exchange, clock);
  return { headers: {}, body: new ReadableStream(body) };
}

type Bytes = Uint8Array<ArrayBuffer>;
type Controller = ReadableStreamDefaultController<Bytes>;

/** Comments until the reply is there, then the reply's own stream. */
class EarlyBody implements UnderlyingDefaultSource<Bytes> {
  readonly #reader: Promise<ReadableStreamDefaultReader<Bytes>>;
  readonly #format: CallerFormat;
  readonly #pause: number;
  readonly #exchange: Exchange;
  readonly #clock: Clock;
  #cancelTimer = () => {};
  #left = false;

  constructor(
    pending: Promise<Reply>,
    format: CallerFormat,
    pause: number,
    exchange: Exchange,
    clock: Clock,
  ) {
    this.#reader = pending.then(({ body }) => (body as ReadableStream<Bytes>).getReader());
    this.#format = format;
    this.#pause = pause;
    this.#exchange = exchange;
    this.#clock = clock;
  }

  start(controller: Controller): void {
    this.#tick(controller);
    // Pulling waits for the caller to read, and so does no harm to the timer.
    this.#reader.then(() => this.#cancelTimer(), () => this.#cancelTimer());
  }

  async pull(controller: Controller): Promise<void> {
    try {
      const packet = await (await this.#reader).read();
      if (packet.done) controller.close();
      else controller.enqueue(packet.value);
    } catch (thrown) {
      // A stream of the pump's own keeps its books itself.
      if (!this.#end(thrown)) return controller.error(thrown);
      controller.enqueue(this.#format.writeStreamError(toGatewayError(thrown)));
      if (!this.#left) controller.close();
    }
  }

  /** The caller has left: the plan ends by its signal, an answer that came just now is let go. */
  async cancel(): Promise<void> {
    this.#left = true;
    this.#cancelTimer();
    await this.#reader.then((open) => open.cancel(), (thrown) => this.#end(thrown));
  }

  #tick(controller: Controller): void {
    if ((controller.desiredSize ?? 0) > 0) controller.enqueue(this.#format.keepAlive);
    // The runtime may find within a write that the caller has left, and cancel at once.
    if (this.#left) return;
    this.#cancelTimer = this.#clock.after(this.#pause, () => this.#tick(controller));
  }

  /** The plan has failed; false when the books are closed already. */
  #end(thrown: unknown): boolean {
    // What is written in closed books is read all the same: the log is behind.
    if (this.#exchange.ended) return false;
    const error = toGatewayError(thrown);
    this.#exchange.outcome = this.#exchange.signal.aborted || error.kind === "client_gone"
      ? "client_gone"
      : "failed";
    this.#exchange.error = toErrorRecord(error);
    return this.#exchange.end();
  }
}
