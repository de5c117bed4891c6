/** Asks /healthz all the time, in a thread of its own, and keeps the longest wait. */

import { within } from "./within.ts";

/** What the pinger saw since it was last asked. */
export interface Pings {
  /** The longest time from a question to its answer, in milliseconds; an open question counts. */
  readonly longest: number;
}

const REPLY_MS = 5000;

export class Pinger implements Disposable {
  readonly #worker: Worker;

  constructor(port: number) {
    this.#worker = new Worker(new URL("./pinger_worker.ts", import.meta.url), { type: "module" });
    this.#worker.postMessage({ port });
  }

  /** What was seen since the last call. */
  async read(): Promise<Pings> {
    const { promise, resolve } = Promise.withResolvers<Pings>();
    this.#worker.onmessage = ({ data }) => resolve(data as Pings);
    this.#worker.postMessage("read");
    return await within(REPLY_MS, promise) ?? { longest: Infinity };
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}
