/** Connections to vendors, each serving one request after another. */

import { type ConnectionPool, type IdleConnection, MAX_IDLE_MS } from "./connection_pool.ts";
import { BadMessage, type BodyDecoder, createBodyDecoder, type Head, readHead } from "./message.ts";
import type { VendorHeaders } from "../../providers/contract/adapter.ts";
import { toTransportError, TransportError } from "../../core/transport_error.ts";
import type { ConnectionRules } from "../../config/connection_rules.ts";
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

/** Bytes of a connection's buffer, and the most that a head may have. */
const BUFFER = 32 * 1024;
/** Informational heads (1xx) that may come before an answer's own. */
const MAX_INTERIM_HEADS = 100;
/**
 * A vendor closes a connection that was idle for some seconds: for 2 with the shortest defaults of
 * servers, for 5 to 75 with most. One that is closed sooner was closed for the request's sake.
 */
const MIN_RESEND_IDLE_MS = 1000;
/** An end that was on its way when the request was sent arrives within this many milliseconds. */
const MAX_RESEND_WAIT_MS = 1000;

/** One connection, serving one request after another. */
export class Line implements IdleConnection {
  /** True when a byte of an answer to the last request has come. */
  answered = false;
  readyAt = 0;
  readonly #connection: Connection;
  readonly #pool: ConnectionPool<Line>;
  readonly #rules: ConnectionRules;
  readonly #openedAt: number;
  #requests = 0;
  /** When the last request was sent. */
  #sentAt = 0;
  /** How long it had been idle then, in milliseconds. */
  #idleMs = 0;
  /** Milliseconds that the last request waited for its answer, and the first one. */
  #answerMs = 0;
  #firstAnswerMs = 0;
  readonly #bytes = new Uint8Array(BUFFER);
  /** What was read and not taken is between these places. */
  #start = 0;
  #end = 0;
  #written = true;
  #closed = false;
  /** Set while nobody uses it. */
  #cancelRest: (() => void) | undefined;
  #idleSince = 0;
  /** The read that a waiting connection hears of its end by; it brings the next answer's first bytes. */
  #reading: Promise<number | null> | undefined;

  constructor(connection: Connection, pool: ConnectionPool<Line>, rules: ConnectionRules) {
    this.#connection = connection;
    this.#pool = pool;
    this.#rules = rules;
    this.#openedAt = pool.clock.now();
  }

  /** Host and port, for the log. */
  get endpoint(): string {
    return this.#pool.endpoint;
  }

  /** Sends a request and reads the head of its answer. */
  async ask(message: Message, signal: AbortSignal): Promise<VendorResponse> {
    const stop = () => this.close();
    signal.addEventListener("abort", stop, { once: true });
    const { clock } = this.#pool;
    const sentAt = this.#sentAt = clock.now();
    this.#idleMs = sentAt - this.#idleSince;
    try {
      this.answered = false;
      // Not awaited: a vendor may answer before it has read everything.
      void this.#write(message);
      const head = await this.#readHead();
      this.#answerMs = clock.now() - sentAt;
      this.#pool.noteAnswer(this.#answerMs);
      if (this.#requests++ === 0) this.#firstAnswerMs = this.#answerMs;
      return new HttpResponse(head, new Body(this, createBodyDecoder(head), head.keepAlive));
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Whether the vendor had closed the connection before the last request reached it, as far as can be told. */
  get wasClosedBefore(): boolean {
    return !this.answered && this.#idleMs >= MIN_RESEND_IDLE_MS &&
      this.#pool.clock.now() - this.#sentAt <= MAX_RESEND_WAIT_MS;
  }

  /** Whether it has served as many requests as it may, or for as long. */
  isWorn({ maxRequests, maxAge }: ConnectionRules, now: number): boolean {
    return this.#requests >= maxRequests || now - this.#openedAt >= maxAge;
  }

  rest(cancel: () => void): void {
    this.#cancelRest = cancel;
    const reading = this.#reading = this.#connection.read(this.#bytes);
    const hear = () => {
      if (this.#cancelRest !== undefined) this.#pool.drop(this);
    };
    reading.then(hear, hear);
  }

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
    const isClean = keepAlive && this.#written && !this.#closed && this.#end === 0;
    const now = this.#idleSince = this.#pool.clock.now();
    this.readyAt = this.#sentAt + this.#pool.cycleMs(this.#answerMs, this.#firstAnswerMs);
    const isOfUse = this.#rules.reuse && !this.isWorn(this.#rules, now) &&
      this.readyAt < now + MAX_IDLE_MS;
    if (isClean && isOfUse) this.#pool.keep(this);
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
        if (!await this.fill()) {
          throw new TransportError("reset", "connection closed without an answer", this.endpoint);
        }
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
        throw this.#failure = toTransportError(thrown, line.endpoint);
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
