/** Callers that keep many streams open. */

import { sleep } from "./children.ts";
import { Wire } from "./wire.ts";

/** Streams are opened a few at a time, so that their events are spread. */
const AT_ONCE = 10;
/** The time for the other side to notice that the streams are closed, in milliseconds. */
const SETTLE_MS = 150;

const latin1 = new TextDecoder("latin1");

/** Callers that read streams and record the delay of each event. */
export class Caller implements AsyncDisposable {
  /** In milliseconds. */
  readonly delays: number[] = [];
  readonly #port: number;
  readonly #request: Uint8Array;
  readonly #wires: Wire[] = [];
  readonly #readers: Promise<void>[] = [];
  #closing = false;
  #fault: unknown;

  constructor(port: number, request: Uint8Array) {
    this.#port = port;
    this.#request = request;
  }

  /** Opens streams; resolves when all have begun. */
  async open(count: number): Promise<void> {
    for (let opened = 0; opened < count; opened += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => this.#openOne()));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    for (const wire of this.#wires) wire.close();
    await Promise.all(this.#readers);
    await sleep(SETTLE_MS);
    if (this.#fault !== undefined) throw this.#fault;
  }

  async #openOne(): Promise<void> {
    const wire = await Wire.open(this.#port);
    this.#wires.push(wire);
    await wire.write(this.#request);
    const first = await wire.packet();
    const text = latin1.decode(first);
    if (!text.startsWith("HTTP/1.1 200 ")) throw new Error(`A stream was refused: ${text}`);
    this.#readers.push(
      this.#read(wire).catch((thrown) => {
        if (!this.#closing) this.#fault ??= thrown;
      }),
    );
  }

  async #read(wire: Wire): Promise<void> {
    for (let packet = await wire.packet(); packet !== undefined; packet = await wire.packet()) {
      const now = performance.timeOrigin + performance.now();
      // Events contain the time when they were written, between two markers.
      const parts = latin1.decode(packet).split("@");
      for (let at = 1; at < parts.length; at += 2) this.delays.push(now - Number(parts[at]));
    }
    if (!this.#closing) throw new Error("A stream ended too early");
  }
}
