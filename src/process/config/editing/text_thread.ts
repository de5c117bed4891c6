/**
 * Hides secrets in texts of config.yaml and checks texts, in a separate thread with a time limit,
 * because some texts take long to process and requests must not wait for this.
 */

import { type Clock, systemClock } from "../../../core/clock.ts";
import {
  CallChannel,
  type CallMessage,
  type ReplyMessage,
  replyTo,
  type Spawn,
  spawnFrom,
  type Thread,
} from "../../threads/threads.ts";
import type { TextCall, TextResults } from "./text_calls.ts";

/** The name of the thread. */
export const TEXT_THREAD = "config text";

/** The time limits for starting the thread and for a call, in milliseconds. */
const START_TIMEOUT_MS = 60_000;
const CALL_TIMEOUT_MS = 20_000;
/** How long the thread waits for the next call. */
const IDLE_MS = 30_000;

type TextReport = ReplyMessage<TextResults[TextCall["type"]]>;
type SpawnText = Spawn<CallMessage<TextCall>, TextReport>;

/** Runs calls, one at a time, in a thread that exits after a while without calls. */
export class TextThread {
  readonly #spawn: SpawnText;
  readonly #calls: CallChannel<TextCall, TextResults>;
  readonly #clock: Pick<Clock, "after">;
  #thread: Thread<CallMessage<TextCall>> | undefined;
  #cancelEnd = () => {};

  constructor(
    spawn: SpawnText = spawnFrom(import.meta.url),
    clock: Pick<Clock, "after"> = systemClock,
  ) {
    this.#spawn = spawn;
    this.#clock = clock;
    this.#calls = new CallChannel((message) => this.#thread?.send(message), clock);
  }

  /**
   * Runs a call.
   *
   * @throws {CallError} when it fails or takes too long; the next call starts another thread.
   */
  async run<Type extends TextCall["type"]>(
    call: Extract<TextCall, { readonly type: Type }>,
  ): Promise<TextResults[Type]> {
    this.#cancelEnd();
    try {
      if (this.#thread === undefined) {
        this.#thread = this.#start();
        await this.#calls.call({ type: "start" }, START_TIMEOUT_MS);
      }
      const result = await this.#calls.call(call, CALL_TIMEOUT_MS);
      this.#cancelEnd = this.#clock.after(IDLE_MS, () => this.#end());
      return result;
    } catch (thrown) {
      this.#end();
      throw thrown;
    }
  }

  #start(): Thread<CallMessage<TextCall>> {
    return this.#spawn(TEXT_THREAD, {
      onReport: (report) => this.#calls.onReply(report),
      onExit: (reason) => this.#calls.failAll(`its thread has ended with ${reason}`),
    });
  }

  #end(): void {
    this.#thread?.end();
    this.#thread = undefined;
  }
}

/** The global scope of the thread. */
interface TextScope {
  postMessage(report: TextReport): void;
  onmessage: ((event: { readonly data: CallMessage<TextCall> }) => void) | null;
}

function runTextThread(scope: TextScope): void {
  const run = async (call: TextCall) => {
    // Loaded only here, because it takes time and memory.
    const { runCall } = await import("./text_calls.ts");
    return await runCall(call);
  };
  scope.onmessage = ({ data }) => void replyTo(data, run, (message) => scope.postMessage(message));
}

// The thread runs this file or, in an executable, the whole program.
const { name: thread } = globalThis as { readonly name?: string };
if ("DedicatedWorkerGlobalScope" in globalThis && thread === TEXT_THREAD) {
  runTextThread(globalThis as unknown as TextScope);
}
