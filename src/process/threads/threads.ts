/** Threads of the process, and the messages between a thread and the one that started it. */

/** Receives the reports of a thread. */
export interface ThreadListener<Report> {
  onReport(report: Report): void;
  /** The thread has exited with an error of this type. */
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
      // Prevents the end of the process. The runtime has already printed the error.
      event.preventDefault();
      // The message may hold secrets, so only the type of the error is used.
      onExit(/^Uncaught (?:\(in promise\) )?(\w*Error)\b/.exec(event.message)?.[1] ?? "an error");
    };
    return { send: (command) => worker.postMessage(command), end: () => worker.terminate() };
  };
}
