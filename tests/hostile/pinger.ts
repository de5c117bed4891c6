/** Polls /healthz in a separate thread and records the longest wait. */

import { within } from "./within.ts";

/** The observations since the last call. */
export interface Pings {
  /** The longest response time in milliseconds, including an open request. */
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
