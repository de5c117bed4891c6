/** A vendor with connections in memory, which tests control. */

import type { Dial, Origin } from "../../src/upstream/http1/client.ts";
import type { Connection } from "../../src/upstream/http1/connection.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A request that the vendor received. */
export interface Heard {
  readonly head: string;
  readonly body: string;
}

/** Plays the vendor on one connection. Connections are numbered from 1. */
export type Serve = (line: MemoryLine, number: number) => Promise<void>;

export class MemoryVendor {
  /** All connections. */
  readonly lines: MemoryLine[] = [];
  readonly origins: Origin[] = [];
  /** Errors of the vendor. */
  readonly failures: unknown[] = [];
  readonly #serve: Serve;

  constructor(serve: Serve) {
    this.#serve = serve;
  }

  readonly dial: Dial = (origin) => {
    this.origins.push(origin);
    return Promise.resolve(this.connect());
  };

  /** A connection for tests that call dial() directly. */
  connect(): MemoryLine {
    const line = new MemoryLine();
    const number = this.lines.push(line);
    this.#serve(line, number).catch((thrown) => this.failures.push(thrown));
    return line;
  }

  /** Connections that the client has not closed. */
  get open(): number {
    return this.lines.filter((line) => !line.closed).length;
  }
}

/** A connection: the client's side with the interface of the runtime, and the vendor's side. */
export class MemoryLine implements Connection {
  /** True once the client has closed it. */
  closed = false;
  /** The maximum number of bytes of one write. */
  pace = Infinity;
  /** The number of bytes that are accepted before the vendor stops reading. */
  room = Infinity;
  /** Complete requests. */
  requests = 0;
  /** How often the client has read the end of the stream. */
  ends = 0;
  /** Received bytes of no request yet: the first `#length` bytes. */
  #sent = new Uint8Array(1024);
  #length = 0;
  #said: Uint8Array[] = [];
  #ending: "open" | "ended" | "reset" = "open";
  #wakes: (() => void)[] = [];

  async read(into: Uint8Array): Promise<number | null> {
    for (;;) {
      if (this.closed) throw new Deno.errors.Interrupted("operation canceled");
      const [first, ...others] = this.#said;
      if (first !== undefined) {
        const size = Math.min(first.length, into.length);
        into.set(first.subarray(0, size));
        this.#said = size < first.length ? [first.subarray(size), ...others] : others;
        return size;
      }
      if (this.#ending === "reset") throw new Deno.errors.ConnectionReset("reset by peer");
      if (this.#ending === "ended") {
        this.ends++;
        return null;
      }
      await this.#change();
    }
  }

  async write(bytes: Uint8Array): Promise<number> {
    while (this.room === 0 && !this.closed && this.#ending === "open") await this.#change();
    if (this.closed) throw new Deno.errors.Interrupted("operation canceled");
    if (this.#ending !== "open") throw new Deno.errors.BrokenPipe("broken pipe");
    const size = Math.min(bytes.length, this.pace, this.room);
    this.room -= size;
    if (this.#length + size > this.#sent.length) {
      const grown = new Uint8Array(2 * (this.#length + size));
      grown.set(this.#sent.subarray(0, this.#length));
      this.#sent = grown;
    }
    this.#sent.set(bytes.subarray(0, size), this.#length);
    this.#length += size;
    this.#wakeAll();
    return size;
  }

  /** As in the runtime, a second call is an error. */
  close(): void {
    if (this.closed) throw new Deno.errors.BadResource("bad resource ID");
    this.closed = true;
    this.#wakeAll();
  }

  /** The next complete request, or undefined when the client has closed the connection. */
  async request(): Promise<Heard | undefined> {
    for (;;) {
      const heard = this.#take();
      if (heard !== undefined) {
        this.requests++;
        return heard;
      }
      if (this.closed) return undefined;
      await this.#change();
    }
  }

  /** Sends bytes in separate packets. */
  say(...packets: readonly (string | Uint8Array)[]): void {
    for (const packet of packets) {
      this.#said.push(typeof packet === "string" ? encoder.encode(packet) : packet);
    }
    this.#wakeAll();
  }

  /** Closes the vendor's side after the sent bytes were read. */
  end(how: "ended" | "reset" = "ended"): void {
    this.#ending = how;
    this.#wakeAll();
  }

  /** The received bytes that belong to no request yet. */
  get pending(): number {
    return this.#length;
  }

  #take(): Heard | undefined {
    const sent = this.#sent.subarray(0, this.#length);
    const text = decoder.decode(sent.subarray(0, 4096));
    const end = text.indexOf("\r\n\r\n");
    if (end === -1) return undefined;
    const head = text.slice(0, end);
    const start = encoder.encode(head).length + 4;
    const stop = start + Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    if (sent.length < stop) return undefined;
    const body = decoder.decode(sent.subarray(start, stop));
    this.#length = sent.length - stop;
    this.#sent.copyWithin(0, stop, sent.length);
    return { head, body };
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#wakes.push(resolve));
  }

  #wakeAll(): void {
    const wakes = this.#wakes;
    this.#wakes = [];
    for (const wake of wakes) wake();
  }
}
