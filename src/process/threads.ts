/** Threads, and the messages between a thread and its supervisor. */

import type { WorkerCommand, WorkerReport } from "./worker.ts";

/** Receives the reports of a thread. */
export interface ThreadListener {
  onReport(report: WorkerReport): void;
  /** The thread has exited with an error of this type. */
  onExit(reason: string): void;
}

/** A thread that runs commands. */
export interface Thread {
  send(command: WorkerCommand): void;
  end(): void;
}

/** Starts a thread that reports to the listener. */
export type Spawn = (name: string, listener: ThreadListener) => Thread;

/** Starts a module as a thread. */
export function spawnFrom(url: string): Spawn {
  return (name, { onReport, onExit }) => {
    const worker = new Worker(url, { type: "module", name });
    worker.onmessage = ({ data }: MessageEvent<WorkerReport>) => onReport(data);
    worker.onerror = (event) => {
      // Prevents the end of the process. The runtime has already printed the error.
      event.preventDefault();
      // The message may hold secrets, so only the type of the error is used.
      onExit(/^Uncaught (?:\(in promise\) )?(\w*Error)\b/.exec(event.message)?.[1] ?? "an error");
    };
    return { send: (command) => worker.postMessage(command), end: () => worker.terminate() };
  };
}
