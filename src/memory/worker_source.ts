/** Entries in the memory of a process's other workers. */

import type { Clock } from "../core/clock.ts";
import { OpenCalls } from "../core/open_calls.ts";
import type { OnceStore, StateSource, StateStore } from "./store.ts";

/** A message between workers. All workers but the sender receive it. */
export type StateMessage =
  | {
    readonly type: "ask";
    /** The unique ID of the query. */
    readonly question: string;
    readonly owner: string;
    readonly ids: readonly string[];
    /** Whether the answering worker transfers its entries. */
    readonly takes?: true;
  }
  | {
    readonly type: "answer";
    readonly question: string;
    readonly entries: ReadonlyMap<string, Uint8Array>;
  }
  | { readonly type: "remove"; readonly owner: string; readonly id: string };

/** The part of a `BroadcastChannel` that is used. */
export interface StateChannel {
  postMessage(message: StateMessage): void;
  addEventListener(type: "message", listener: (event: MessageEvent<StateMessage>) => void): void;
}

/** The dependencies of a {@linkcode WorkerSource}. */
export interface WorkerSourceOptions {
  /** This worker's entries. */
  readonly local: OnceStore & StateStore;
  readonly channel: StateChannel;
  /** Returns the number of other workers. */
  readonly others: () => number;
  readonly clock: Pick<Clock, "after">;
  readonly newId: (prefix: string) => string;
  /** How long the other workers have to answer, in milliseconds. Default: {@linkcode ANSWER_MS}. */
  readonly waitMs?: number;
}

/**
 * The time limit for answers from the other workers, in milliseconds. They answer at once unless
 * they are busy, for example with a body of many megabytes; a shorter limit would cause errors for
 * valid references.
 */
const ANSWER_MS = 1000;

/** The maximum time that a transferred entry is in transit, in milliseconds. */
const LATE_MS = 5000;

const NOTHING: ReadonlyMap<string, Uint8Array> = new Map();

/**
 * An entry stays in the memory of the worker that stored it. A worker without the entry requests it
 * from the others.
 */
export class WorkerSource implements StateSource {
  readonly #options: WorkerSourceOptions;
  readonly #questions: OpenCalls<string, ReadonlyMap<string, Uint8Array>>;

  constructor(options: WorkerSourceOptions) {
    this.#options = options;
    this.#questions = new OpenCalls(options.clock, () => options.newId("state_"));
    options.channel.addEventListener("message", ({ data }) => void this.#onMessage(data));
  }

  onPut(): void {}

  onRemove(owner: string, id: string): void {
    this.#options.channel.postMessage({ type: "remove", owner, id });
  }

  /** Resolves when all IDs are found, all workers have answered, or the time limit has passed. */
  async find(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    let waiting = this.#options.others();
    if (waiting === 0) return NOTHING;
    const found = new Map<string, Uint8Array>();
    await this.#questions.run({
      send: (question) => this.#options.channel.postMessage({ type: "ask", question, owner, ids }),
      onReply(entries) {
        for (const [id, state] of entries) found.set(id, state);
        return --waiting === 0 || found.size === ids.length;
      },
      timeoutMs: this.#options.waitMs ?? ANSWER_MS,
    });
    return found;
  }

  /** Requests the transfer of an entry. An entry that arrives late is stored here. */
  async take(owner: string, id: string, hasIt: boolean): Promise<Uint8Array | undefined> {
    const { channel, local, others } = this.#options;
    let waiting = others();
    if (hasIt || waiting === 0) return undefined;
    let isLate = false;
    let state: Uint8Array | undefined;
    await this.#questions.run({
      send: (question) =>
        channel.postMessage({ type: "ask", question, owner, ids: [id], takes: true }),
      onReply(entries) {
        waiting--;
        if (isLate) { for (const [late, entry] of entries) local.put(owner, late, entry); }
        else state = entries.get(id);
        return waiting === 0 || state !== undefined;
      },
      timeoutMs: this.#options.waitMs ?? ANSWER_MS,
      lateMs: LATE_MS,
    });
    isLate = true;
    return state;
  }

  async #onMessage(message: StateMessage): Promise<void> {
    const { channel, local } = this.#options;
    if (message.type === "remove") return local.remove(message.owner, message.id);
    const { question } = message;
    if (message.type === "ask") {
      const entries = message.takes
        ? await takeAll(local, message.owner, message.ids)
        : await local.get(message.owner, message.ids);
      return channel.postMessage({ type: "answer", question, entries });
    }
    this.#questions.onReply(question, message.entries);
  }
}

async function takeAll(
  store: OnceStore,
  owner: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const taken = new Map<string, Uint8Array>();
  for (const id of ids) {
    const state = await store.take(owner, id);
    if (state !== undefined) taken.set(id, state);
  }
  return taken;
}
