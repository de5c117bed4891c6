/**
 * Calls to other threads that wait for replies; each ends when its replies arrive or a time limit
 * expires.
 */

import type { Clock } from "./clock.ts";

/** The reason for a missing reply: the time limit expired, or the other thread exited or failed. */
export class CallError extends Error {
  override readonly name = "CallError";
}

/** A call that waits for replies. */
export interface CallOptions<Id, Reply> {
  /** Sends the call; replies contain its ID. */
  readonly send: (id: Id) => void;
  /** Receives a reply. Returns whether it is the last reply that the call needs. */
  readonly onReply: (reply: Reply) => boolean;
  readonly timeoutMs: number;
  /** How long replies are still accepted after the time limit, in milliseconds. Default: 0. */
  readonly lateMs?: number;
}

interface OpenCall<Reply> {
  readonly onReply: (reply: Reply) => boolean;
  readonly end: () => void;
  readonly fail: (error: CallError) => void;
}

/** One sender's open calls. A call is stored until it ends. */
export class OpenCalls<Id, Reply> {
  readonly #open = new Map<Id, OpenCall<Reply>>();
  readonly #clock: Pick<Clock, "after">;
  readonly #newId: () => Id;

  /** @param newId returns a new ID, unique among the threads that see the replies */
  constructor(clock: Pick<Clock, "after">, newId: () => Id) {
    this.#clock = clock;
    this.#newId = newId;
  }

  /** The number of stored calls. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Sends a call and waits for its replies.
   *
   * @returns whether the last reply arrived within the time limit
   * @throws {CallError} when {@linkcode failAll} ends the call.
   */
  async run({ send, onReply, timeoutMs, lateMs = 0 }: CallOptions<Id, Reply>): Promise<boolean> {
    const id = this.#newId();
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    let cancel = this.#clock.after(timeoutMs, () => {
      if (lateMs > 0) cancel = this.#clock.after(lateMs, () => this.#open.delete(id));
      else this.#open.delete(id);
      resolve(false);
    });
    const remove = () => {
      cancel();
      this.#open.delete(id);
    };
    this.#open.set(id, {
      onReply,
      end() {
        remove();
        resolve(true);
      },
      fail(error) {
        remove();
        reject(error);
      },
    });
    try {
      send(id);
    } catch (thrown) {
      remove();
      throw thrown;
    }
    return await promise;
  }

  /** Delivers a reply. Replies to calls that have ended are ignored. */
  onReply(id: Id, reply: Reply): void {
    const call = this.#open.get(id);
    if (call?.onReply(reply)) call.end();
  }

  /** Ends all open calls with an error. */
  failAll(reason: string): void {
    const error = new CallError(reason);
    for (const call of [...this.#open.values()]) call.fail(error);
  }
}
