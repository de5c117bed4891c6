/** The body of a passed response on its way from the vendor to the caller. */

import { closeIfUnread } from "../streaming/unread.ts";
import type { Clock } from "../core/clock.ts";
import { toGatewayError } from "../core/errors.ts";
import type { Packets } from "../upstream/read_response.ts";
import type { AttemptState } from "./attempt_state.ts";
import type { Deadline } from "./deadline.ts";
import type { PassedUsage } from "./passed_usage.ts";
import { type RequestRecord, toErrorRecord } from "./request_record.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The request that a body answers. */
export interface PassedBodyContext {
  readonly record: RequestRecord;
  readonly attempt: AttemptState;
  readonly deadline: Deadline;
  readonly clock: Clock;
  /** Milliseconds after which a client that stopped reading is disconnected. */
  readonly writeTimeout: number;
  /** Reads the usage; undefined for an answer that reports none. */
  readonly usage: PassedUsage | undefined;
}

/** The body of a response, read from the vendor at the caller's pace. Used once. */
export class PassedBody implements UnderlyingDefaultSource<Bytes> {
  readonly #packets: Packets;
  readonly #context: PassedBodyContext;
  #cancelWrite = () => {};
  #ended = false;

  constructor(packets: Packets, context: PassedBodyContext) {
    this.#packets = packets;
    this.#context = context;
  }

  start(controller: ReadableStreamDefaultController<Bytes>): void {
    const { signal } = this.#context.deadline;
    // The limits also apply while the body is not read.
    const stop = () => this.#fail(signal.reason, controller);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  }

  async pull(controller: ReadableStreamDefaultController<Bytes>): Promise<void> {
    const { clock, deadline, record, writeTimeout } = this.#context;
    this.#cancelWrite();
    deadline.touch(clock.now());
    try {
      const packet = await this.#packets.next();
      if (this.#ended) return;
      if (packet === undefined) {
        controller.close();
        return this.#end(true);
      }
      deadline.hold();
      if (record.passed !== undefined) record.passed.received += packet.length;
      this.#context.usage?.push(packet);
      const onUnread = () => {
        this.cancel();
        record.connection?.closeUnread();
      };
      this.#cancelWrite = closeIfUnread({ clock, ms: writeTimeout, onUnread }, controller);
      controller.enqueue(packet.slice() as Bytes);
    } catch (thrown) {
      this.#fail(thrown, controller);
    }
  }

  /** Ends the response so that the caller sees that it is not complete. */
  #fail(thrown: unknown, controller: ReadableStreamDefaultController<Bytes>): void {
    if (this.#ended) return;
    const { record } = this.#context;
    const error = toGatewayError(thrown);
    record.outcome = error.kind === "client_gone" ? "client_gone" : "failed";
    record.error = toErrorRecord(error);
    controller.error(error);
    this.#end();
  }

  /** The caller has disconnected, or has stopped reading. */
  cancel(): void {
    if (this.#ended) return;
    this.#context.record.outcome = "client_gone";
    this.#end();
  }

  #end(isComplete = false): void {
    this.#ended = true;
    const { attempt, clock, record, usage } = this.#context;
    if (record.status === 200 && isComplete) attempt.hasAnswered = true;
    if (usage !== undefined && record.status < 400) {
      attempt.report(usage.end(isComplete));
      attempt.outputChars = usage.chars;
      // The received part is billed even if the client has disconnected.
      if (usage.chars > 0) attempt.firstTokenAt ??= clock.now();
    }
    this.#cancelWrite();
    this.#packets.close();
    this.#context.deadline.end();
    record.end();
  }
}
