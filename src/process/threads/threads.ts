/** Threads of the process, and the messages between a thread and its parent. */

import { CallError, OpenCalls } from "../../core/open_calls.ts";
import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";

/** Receives the reports of a thread. */
export interface ThreadListener<Report> {
  onReport(report: Report): void;
  /** Called when the thread has exited with an error of this type. */
  onExit(reason: string): void;
}

/** A thread that runs commands. */
export interface Thread<Command> {
  send(command: Command): void;
  end(): void;
}

/** Starts a thread that reports to the listener. */
export type Spawn<Command, Report> = (
  name: string,
  listener: ThreadListener<Report>,
) => Thread<Command>;

/** Starts a module as a thread. */
export function spawnFrom<Command, Report>(url: string): Spawn<Command, Report> {
  return (name, { onReport, onExit }) => {
    const worker = new Worker(url, { type: "module", name });
    worker.onmessage = ({ data }: MessageEvent<Report>) => onReport(data);
    worker.onerror = (event) => {
      // Keeps the process running. The runtime has already printed the error.
      event.preventDefault();
      // The message may contain secrets, so only the error's type is used.
      onExit(/^Uncaught (?:\(in promise\) )?(\w*Error)\b/.exec(event.message)?.[1] ?? "an error");
    };
    return { send: (command) => worker.postMessage(command), end: () => worker.terminate() };
  };
}

/** A call message to the other thread. */
export interface CallMessage<Call> {
  readonly type: "call";
  readonly id: number;
  readonly call: Call;
}

/** The reply to a {@linkcode CallMessage}: a result, or the reason for a failure. */
export type ReplyMessage<Result> =
  & { readonly type: "reply"; readonly id: number }
  & ({ readonly result: Result } | { readonly failure: string });

/** The results of calls, by the type of the call. */
type ResultsOf<Call extends { readonly type: string }> = Readonly<Record<Call["type"], unknown>>;

/** The calling side of a connection to another thread. */
export class CallChannel<
  Call extends { readonly type: string },
  Results extends ResultsOf<Call>,
> {
  readonly #send: (message: CallMessage<Call>) => void;
  readonly #open: OpenCalls<number, ReplyMessage<Results[Call["type"]]>>;

  /** @param send posts a message to the other thread */
  constructor(send: (message: CallMessage<Call>) => void, clock: Pick<Clock, "after">) {
    let lastId = 0;
    this.#send = send;
    this.#open = new OpenCalls(clock, () => ++lastId);
  }

  /** The number of calls without a reply. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Calls the other thread.
   *
   * @throws {CallError} when it fails, exits, or does not reply within the time limit.
   */
  async call<Type extends Call["type"]>(
    call: Extract<Call, { readonly type: Type }>,
    timeoutMs: number,
  ): Promise<Results[Type]> {
    let reply: ReplyMessage<Results[Call["type"]]> | undefined;
    await this.#open.run({
      send: (id) => this.#send({ type: "call", id, call }),
      onReply(message) {
        reply = message;
        return true;
      },
      timeoutMs,
    });
    if (reply === undefined) throw new CallError(`no reply within ${timeoutMs / 1000} s`);
    if ("failure" in reply) throw new CallError(reply.failure);
    // The thread replies to each call with the result of its type.
    return reply.result as Results[Type];
  }

  /** Called when the other thread has replied. A reply after the time limit is ignored. */
  onReply(message: ReplyMessage<Results[Call["type"]]>): void {
    this.#open.onReply(message.id, message);
  }

  /** Called when the other thread has exited; its open calls fail. */
  failAll(reason: string): void {
    this.#open.failAll(reason);
  }
}

/** The called side, which runs a call and sends exactly one reply, even if the call throws. */
export async function replyTo<Call, Result>(
  { id, call }: CallMessage<Call>,
  run: (call: Call) => Promise<Result>,
  send: (message: ReplyMessage<Result>) => void,
): Promise<void> {
  let reply: ReplyMessage<Result>;
  try {
    reply = { type: "reply", id, result: await run(call) };
  } catch (thrown) {
    reply = { type: "reply", id, failure: messageOf(thrown) };
  }
  send(reply);
}
