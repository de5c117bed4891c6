/** Connections to vendors, each serving one request after another, and those that wait for one. */

import type { Clock } from "../../core/clock.ts";
import { BadMessage, type BodyDecoder, createBodyDecoder, type Head, readHead } from "./message.ts";
import type { VendorHeaders } from "../../providers/contract/adapter.ts";
import type { PacketRead, PacketReader, VendorResponse } from "../transport.ts";

/** A connection as the runtime gives it. */
export interface Connection {
  /** How many bytes were read, or null at the end. */
  read(into: Uint8Array): Promise<number | null>;
  /** How many of the bytes were written. */
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}

/** The bytes of a request, piece by piece: each must have been sent before the next is taken. */
export type Message = Iterable<Uint8Array>;

/** Milliseconds that an unused connection is kept: less than vendors keep it. */
const KEPT = 30_000;
/** Bytes of a connection's buffer, and the most that a head may have. */
const BUFFER = 32 * 1024;
/** Informational heads (1xx) that may come before an answer's own. */
const MAX_INTERIM_HEADS = 100;

/** Connections of one origin that wait for a request. The last that came goes first. */
export class Pool {
  readonly #lines: Line[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(): Line | undefined {
    const line = this.#lines.pop();
    line?.wake();
    return line;
  }

  /** Keeps a connection until it is taken, closes, or has waited too long. */
  keep(line: Line): void {
    this.#lines.push(line);
    line.rest(this.#clock.after(KEPT, () => this.drop(line)));
  }

  drop(line: Line): void {
    const at = this.#lines.indexOf(line);
    if (at !== -1) this.#lines.splice(at, 1);
    line.wake();
    line.close();
  }

  close(): void {
    for (const line of [...this.#lines]) this.drop(line);
  }
}

/** One connection, serving one request after another. */
export class Line {
  /** True when a byte of an answer to the last request has come. */
  answered = false;
  readonly #connection: Connection;
  readonly #pool: Pool;
  readonly #bytes = new Uint8Array(BUFFER);
  /** What was read and not taken is between these places. */
  #start = 0;
  #end = 0;
  #written = true;
  #closed = false;
  /** Set while nobody uses it. */
  #cancelRest: (() => void) | undefined;
  /** The read that a waiting connection hears of its end by; it brings the next answer's first bytes. */
  #reading: Promise<number | null> | undefined;

  constructor(connection: Connection, pool: Pool) {
    this.#connection = connection;
    this.#pool = pool;
  }

  /** Sends a request and reads the head of its answer. */
  async ask(message: Message, signal: AbortSignal): Promise<VendorResponse> {
    const stop = () => this.close();
    signal.addEventListener("abort", stop, { once: true });
    try {
      this.answered = false;
      // Not awaited: a vendor may answer before it has read everything.
      void this.#write(message);
      const head = await this.#readHead();
      return new HttpResponse(head, new Body(this, createBodyDecoder(head), head.keepAlive));
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Nobody uses it from now on. */
  rest(cancel: () => void): void {
    this.#cancelRest = cancel;
    const reading = this.#reading = this.#connection.read(this.#bytes);
    const hear = () => {
      if (this.#cancelRest !== undefined) this.#pool.drop(this);
    };
    reading.then(hear, hear);
  }

  /** It is used again. */
  wake(): void {
    this.#cancelRest?.();
    this.#cancelRest = undefined;
  }

  /** The bytes that were read and not taken. */
  get unread(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  skip(count: number): void {
    this.#start += count;
    if (this.#start === this.#end) this.#start = this.#end = 0;
  }

  /** Reads on; false at the end of the connection. What was taken before is overwritten. */
  async fill(): Promise<boolean> {
    const reading = this.#reading ?? this.#connection.read(this.#bytes.subarray(this.#end));
    this.#reading = undefined;
    const size = await reading;
    if (size === null) {
      // An answer may end like this, but no other can follow.
      this.close();
      return false;
    }
    this.answered = true;
    this.#end += size;
    return true;
  }

  /** The answer has been taken: the connection serves again if it can. */
  release(keepAlive: boolean): void {
    if (keepAlive && this.#written && !this.#closed && this.#end === 0) this.#pool.keep(this);
    else this.close();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#connection.close();
  }

  async #write(message: Message): Promise<void> {
    this.#written = false;
    try {
      for (let bytes of message) {
        while (bytes.length > 0) bytes = bytes.subarray(await this.#connection.write(bytes));
      }
      this.#written = true;
    } catch {
      // Whoever reads hears of it; an answer that came before counts.
    }
  }

  async #readHead(): Promise<Head> {
    for (let interim = 0, seen = 0;;) {
      const head = readHead(this.unread, seen);
      if (head === undefined) {
        seen = this.unread.length;
        this.#makeRoom();
        if (!await this.fill()) throw new BadMessage("The connection closed without an answer");
        continue;
      }
      seen = 0;
      this.skip(head.length);
      if (head.status >= 200) return head;
      if (head.status === 101) throw new BadMessage("The answer switches to another protocol");
      // What comes before the answer proper, such as 103 Early Hints, is of no use here.
      if (++interim > MAX_INTERIM_HEADS) {
        throw new BadMessage("The answer has too many heads before its own");
      }
    }
  }

  /** Moves an unfinished head to the start of the buffer, behind which the rest of it has room. */
  #makeRoom(): void {
    if (this.#start > 0) {
      this.#bytes.copyWithin(0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
    }
    if (this.#end === BUFFER) throw new BadMessage("The head of the answer is too long");
  }
}

class HttpResponse implements VendorResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: VendorHeaders;
  readonly body: Body;

  constructor({ status, headers }: Head, body: Body) {
    this.status = status;
    this.ok = status >= 200 && status < 300;
    this.headers = {
      get: (name) => headers.get(name) ?? null,
      [Symbol.iterator]: () => headers[Symbol.iterator](),
    };
    this.body = body;
  }
}

const DONE: PacketRead = { done: true };

/** The body of one answer, at the reader's pace. */
class Body implements PacketReader {
  /** Until the answer has ended, or nobody wants it. */
  #line: Line | undefined;
  readonly #decoder: BodyDecoder;
  readonly #keepAlive: boolean;
  #failure: unknown;

  constructor(line: Line, decoder: BodyDecoder, keepAlive: boolean) {
    this.#line = line;
    this.#decoder = decoder;
    this.#keepAlive = keepAlive;
  }

  getReader(): PacketReader {
    return this;
  }

  async read(): Promise<PacketRead> {
    if (this.#failure !== undefined) throw this.#failure;
    for (let line = this.#line; line !== undefined; line = this.#line) {
      try {
        const { unread } = line;
        if (unread.length > 0 && !this.#decoder.ended) {
          const value = this.#decoder.take(unread);
          line.skip(this.#decoder.taken);
          if (value.length > 0) return { done: false, value };
        } else if (this.#decoder.ended) this.#leave(line);
        else if (!await line.fill()) this.#decoder.close();
      } catch (thrown) {
        if (this.#line === undefined) break;
        this.#line = undefined;
        line.close();
        throw this.#failure = thrown;
      }
    }
    return DONE;
  }

  cancel(): Promise<void> {
    if (this.#line !== undefined) this.#leave(this.#line);
    return Promise.resolve();
  }

  #leave(line: Line): void {
    this.#line = undefined;
    line.release(this.#decoder.ended && this.#keepAlive);
  }
}
