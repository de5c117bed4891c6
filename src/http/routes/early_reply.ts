/**
 * Starts a stream with keep-alive comments before the first event, for callers behind proxies that
 * close silent connections. A failure after that becomes an error event.
 */

import { KeepAlive } from "../../streaming/keep_alive.ts";
import type { Clock } from "../../core/clock.ts";
import { toGatewayError } from "../../core/errors.ts";
import type { RequestRecord } from "../../routing/request_record.ts";
import { type Reply, streamHeaders } from "../../routing/answer.ts";
import type { RouteContext } from "./route.ts";

/**
 * Returns the reply if it arrives in time, else a stream of keep-alive comments that continues with
 * the reply. Without `early_keep_alive`, only a request that waits in a queue gets comments.
 *
 * @param delayMs how long to wait for the reply
 */
export async function toEarlyReply(
  pending: Promise<Reply>,
  delayMs: number,
  context: RouteContext,
): Promise<Reply> {
  const { config, record, deps: { clock } } = context;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const isDue = () => config.server.earlyKeepAlive !== undefined || record.isQueued;
  const check = () => {
    if (isDue()) resolve(undefined);
    else cancel = clock.after(delayMs, check);
  };
  let cancel = clock.after(delayMs, check);
  const reply = await Promise.race([pending, promise]).finally(() => cancel());
  if (reply !== undefined) return reply;
  record.open = true;
  record.early = true;
  const body = new EarlyBody(pending, config.server.keepAlive || delayMs, context);
  const headers = streamHeaders(record.format);
  return { status: 200, headers, body: new ReadableStream(body) };
}

type Bytes = Uint8Array<ArrayBuffer>;
type Controller = ReadableStreamDefaultController<Bytes>;

/** Writes comments until the reply arrives, then the stream of the reply. */
class EarlyBody implements UnderlyingDefaultSource<Bytes> {
  readonly #reader: Promise<ReadableStreamDefaultReader<Bytes>>;
  readonly #keepAliveMs: number;
  readonly #config: RouteContext["config"];
  readonly #record: RequestRecord;
  readonly #clock: Clock;
  #stopKeepAlive = () => {};
  #cancelled = false;

  constructor(
    pending: Promise<Reply>,
    keepAliveMs: number,
    { config, record, deps: { clock } }: RouteContext,
  ) {
    this.#reader = pending.then(({ body }) => (body as ReadableStream<Bytes>).getReader());
    this.#keepAliveMs = keepAliveMs;
    this.#config = config;
    this.#record = record;
    this.#clock = clock;
  }

  start(controller: Controller): void {
    const { format } = this.#record;
    const comment = format.earlyKeepAlive ?? format.keepAlive;
    controller.enqueue(comment);
    const keepAlive = new KeepAlive(controller, {
      clock: this.#clock,
      ms: this.#keepAliveMs,
      comment,
    });
    this.#stopKeepAlive = () => keepAlive.stop();
    // `pull` may be called late, so the timer is stopped here.
    this.#reader.then(this.#stopKeepAlive, this.#stopKeepAlive);
  }

  async pull(controller: Controller): Promise<void> {
    try {
      const packet = await (await this.#reader).read();
      if (packet.done) controller.close();
      else controller.enqueue(packet.value);
    } catch (thrown) {
      // A response stream that fails after its start has already ended the record.
      if (!this.#recordFailure(thrown)) return controller.error(thrown);
      const { format, id } = this.#record;
      controller.enqueue(format.writeStreamError(toGatewayError(thrown), id));
      if (!this.#cancelled) controller.close();
    }
  }

  /** Handles a disconnect. The request's signal ends the attempts; a reply is cancelled. */
  async cancel(): Promise<void> {
    this.#cancelled = true;
    this.#stopKeepAlive();
    await this.#reader.then((open) => open.cancel(), (thrown) => this.#recordFailure(thrown));
  }

  /** Records the failure and ends the record. Returns false when the record has ended already. */
  #recordFailure(thrown: unknown): boolean {
    // An ended record must not change: the log may write it later.
    if (this.#record.ended) return false;
    this.#record.failed(toGatewayError(thrown), this.#config);
    return this.#record.end();
  }
}
