/** Connections to vendors, each serving one request after another. */

import type { StopSignal } from "../../core/stop_signal.ts";
import { type ConnectionPool, type IdleConnection, MAX_IDLE_MS } from "./connection_pool.ts";
import { TransportError } from "../../core/transport_error.ts";
import { BadMessage } from "./chunked_body.ts";
import type { ConnectionRules } from "../../config/connection_rules.ts";
import { hasNoBody } from "../request_body.ts";
import type { Message, Upload } from "./request_message.ts";
import {
  type BodySource,
  createBodyDecoder,
  type Head,
  HttpResponse,
  readHead,
} from "./response.ts";
import { RequestBodyError, type VendorResponse } from "../transport.ts";

/** A runtime connection. */
export interface Connection {
  /** Returns the number of bytes read, or null at the end. */
  read(into: Uint8Array): Promise<number | null>;
  /** Returns the number of bytes written. */
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}

/** The size of a connection's buffer, and the maximum size of a head, in bytes. */
const BUFFER_BYTES = 32 * 1024;
/** The size of the buffer for large answers, which saves reads. */
const LARGE_BUFFER_BYTES = 128 * 1024;
/** The maximum number of informational responses (1xx) before the final one. */
const MAX_INTERIM_HEADS = 100;
/**
 * Milliseconds after which a server may close an idle connection. The shortest server default is 2
 * seconds; most use 5 to 75. If a connection is closed sooner, it was closed because of the
 * request.
 */
const MIN_RESEND_IDLE_MS = 1000;
/**
 * If the server closed the connection before the request arrived, the close is seen within this
 * time.
 */
const MAX_RESEND_WAIT_MS = 1000;

/** A request whose response has not begun. */
interface PendingAnswer {
  readonly method: string;
  readonly signal: StopSignal;
  readonly resolve: (response: VendorResponse | Promise<VendorResponse>) => void;
  readonly onFailure: FailureHandler;
  /** The informational heads so far. */
  interim: number;
  /** Bytes of an incomplete head. */
  seen: number;
}

/** Receives the reason why a request has no response, and may retry it. */
export type FailureHandler = (thrown: unknown) => Promise<VendorResponse>;

/** The pending read also fails; a response that has already arrived is still valid. */
function ignore(): void {}

const ONCE = { once: true } as const;

/** Decodes bodies that have arrived as a whole. */
const wholeText = new TextDecoder();

/** One connection, serving one request after another. */
export class PooledConnection implements IdleConnection, BodySource {
  /** Whether a byte of the response to the last request has arrived. */
  answered = false;
  readyAt = 0;
  idleSince = 0;
  readonly #connection: Connection;
  readonly #pool: ConnectionPool<PooledConnection>;
  readonly #rules: ConnectionRules;
  readonly #openedAt: number;
  #requests = 0;
  /** When the last request was sent. */
  #sentAt = 0;
  /** How long the connection had been idle before that request, in milliseconds. */
  #idleMs = 0;
  /** Milliseconds that the first request waited for its response. */
  #firstAnswerMs = 0;
  /** Milliseconds from the last request until the next one may be sent. */
  #cycleMs = 0;
  #bytes = new Uint8Array(BUFFER_BYTES);
  /** The unread bytes are between these positions. */
  #start = 0;
  #end = 0;
  /** Whether a read has filled the default buffer. */
  #isFilled = false;
  #written = true;
  /** The streamed body of the last request, and why it could not be read. */
  #upload: Upload | undefined;
  #uploadFailure: RequestBodyError | undefined;
  #closed = false;
  /** Whether it is in its pool. */
  #isIdle = false;
  /** The request whose head is awaited. */
  #pending: PendingAnswer | undefined;
  /** Whether a read is pending that was begun for a head, or while the connection was idle. */
  #isReading = false;

  constructor(
    connection: Connection,
    pool: ConnectionPool<PooledConnection>,
    rules: ConnectionRules,
  ) {
    this.#connection = connection;
    this.#pool = pool;
    this.#rules = rules;
    this.#openedAt = pool.clock.now();
  }

  /** Host and port, for the log. */
  get endpoint(): string {
    return this.#pool.endpoint;
  }

  /** Sends a request and reads the head of its response. */
  ask(
    message: Message,
    signal: StopSignal,
    now: number,
    onFailure: FailureHandler,
  ): Promise<VendorResponse> {
    // The request may have been aborted since the connection opened.
    if (signal.aborted) return onFailure(signal.reason);
    const { promise, resolve } = Promise.withResolvers<VendorResponse>();
    signal.addEventListener("abort", this.#stop, ONCE);
    this.#sentAt = now;
    this.#idleMs = now - this.idleSince;
    this.#isIdle = false;
    this.answered = false;
    this.#pending = { method: message.method, signal, resolve, onFailure, interim: 0, seen: 0 };
    // Not awaited, since a vendor may answer before it has read the whole body.
    this.#write(message);
    // An idle connection already has a pending read.
    if (!this.#isReading) this.#readHead();
    return promise;
  }

  readonly #stop = (): void => this.close();

  /** Reads until there is a complete head. */
  #readHead(): void {
    if (this.#start === this.#end) this.#start = this.#end = 0;
    const free = this.#end === 0 ? this.#bytes : this.#bytes.subarray(this.#end);
    this.#isReading = true;
    this.#connection.read(free).then(this.#onHeadRead, this.#onHeadFailure);
  }

  /** Called when bytes have arrived while the connection was idle or waiting for a head. */
  readonly #onHeadRead = (size: number | null): void => {
    this.#isReading = false;
    const pending = this.#pending;
    if (pending === undefined) return this.#dropIdle();
    try {
      if (!this.#onRead(size)) {
        throw new TransportError("reset", "connection closed without an answer", this.endpoint);
      }
      let head = readHead(this.unread, pending.seen);
      while (head !== undefined && head.status < 200) {
        this.#skipInterim(pending, head);
        head = readHead(this.unread);
      }
      if (head !== undefined) return this.#answer(pending, head);
      pending.seen = this.#end - this.#start;
      this.#makeRoom();
      this.#readHead();
    } catch (thrown) {
      this.#fail(pending, thrown);
    }
  };

  readonly #onHeadFailure = (thrown: unknown): void => {
    this.#isReading = false;
    if (this.#pending === undefined) this.#dropIdle();
    else this.#fail(this.#pending, thrown);
  };

  /** An idle connection is no longer usable. */
  #dropIdle(): void {
    if (this.#isIdle) this.#pool.drop(this);
  }

  #answer(pending: PendingAnswer, head: Head): void {
    this.#start += head.length;
    const isBare = hasNoBody(pending.method, head.status);
    const decoder = isBare ? undefined : createBodyDecoder(head);
    this.#pending = undefined;
    pending.signal.removeEventListener("abort", this.#stop);
    const ms = this.#pool.clock.now() - this.#sentAt;
    if (this.#requests++ === 0) this.#firstAnswerMs = ms;
    this.#cycleMs = this.#pool.answered(ms, this.#firstAnswerMs);
    if (decoder === undefined) this.release(head.keepAlive);
    pending.resolve(new HttpResponse(head, this, decoder));
  }

  #fail(pending: PendingAnswer, thrown: unknown): void {
    this.#pending = undefined;
    pending.signal.removeEventListener("abort", this.#stop);
    pending.resolve(pending.onFailure(this.#uploadFailure ?? thrown));
  }

  /** Whether the vendor had probably closed the connection before the last request reached it. */
  get wasClosedBefore(): boolean {
    return !this.answered && this.#idleMs >= MIN_RESEND_IDLE_MS &&
      this.#pool.clock.now() - this.#sentAt <= MAX_RESEND_WAIT_MS;
  }

  isWorn({ maxRequests, maxAge }: ConnectionRules, now: number): boolean {
    return this.#requests >= maxRequests || now - this.#openedAt >= maxAge;
  }

  /** The unconsumed bytes. */
  get unread(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  skip(count: number): void {
    this.#start += count;
  }

  takeText(bytes: number, keepAlive: boolean): string | undefined {
    const end = this.#start + bytes;
    if (end > this.#end) return undefined;
    // The next read may overwrite these bytes.
    const text = wholeText.decode(this.#bytes.subarray(this.#start, end));
    this.#start = end;
    this.release(keepAlive);
    return text;
  }

  /** Reads more bytes; false at the end of the connection. Overwrites bytes that were consumed. */
  fill(): Promise<boolean> {
    if (this.#start === this.#end) this.#start = this.#end = 0;
    if (this.#isFilled && this.#end === 0) {
      this.#isFilled = false;
      this.#bytes = new Uint8Array(LARGE_BUFFER_BYTES);
    }
    const free = this.#end === 0 ? this.#bytes : this.#bytes.subarray(this.#end);
    return this.#connection.read(free).then(this.#onRead);
  }

  readonly #onRead = (size: number | null): boolean => {
    if (size === null) {
      // This may end a response, but no other response can follow.
      this.close();
      return false;
    }
    this.answered = true;
    this.#end += size;
    if (size === BUFFER_BYTES && this.#bytes.length === BUFFER_BYTES) this.#isFilled = true;
    return true;
  };

  /** Called at the end of a response: returns the connection to the pool if possible. */
  release(keepAlive: boolean): void {
    const isClean = keepAlive && this.#written && !this.#closed && this.#start === this.#end;
    const now = this.idleSince = this.#pool.clock.now();
    this.readyAt = Math.max(this.#sentAt + this.#cycleMs, now + this.#pool.minCooldownMs);
    const isOfUse = this.#rules.reuse && this.readyAt < now + MAX_IDLE_MS &&
      !this.isWorn(this.#rules, now);
    this.#isIdle = isClean && isOfUse && this.#pool.keep(this);
    if (!this.#isIdle) return this.close();
    this.#isFilled = false;
    if (this.#bytes.length > BUFFER_BYTES) this.#bytes = new Uint8Array(BUFFER_BYTES);
    // The read detects a close, or receives the bytes of the next response.
    this.#readHead();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#isIdle = false;
    this.#connection.close();
    this.#upload?.cancel();
  }

  #write({ pieces, upload }: Message): void {
    this.#written = false;
    this.#upload = upload;
    const rest = pieces[Symbol.iterator]();
    const first = rest.next();
    if (first.done === true) return;
    const { value: bytes } = first;
    const isWhole = Array.isArray(pieces) && pieces.length === 1 && upload === undefined;
    this.#connection.write(bytes).then((written) => {
      if (isWhole && written === bytes.length) this.#written = true;
      else void this.#writeRest(bytes.subarray(written), rest, upload);
    }, ignore);
  }

  async #writeRest(
    first: Uint8Array,
    pieces: Iterator<Uint8Array>,
    upload: Upload | undefined,
  ): Promise<void> {
    try {
      let bytes: Uint8Array | undefined = first;
      while (bytes !== undefined) {
        while (bytes.length > 0) bytes = bytes.subarray(await this.#connection.write(bytes));
        const next: IteratorResult<Uint8Array> = pieces.next();
        bytes = next.done === true ? undefined : next.value;
      }
      if (upload !== undefined) await this.#writeUpload(upload);
      this.#written = true;
    } catch (thrown) {
      // The pending read also fails; a response that has already arrived is still valid.
      if (!(thrown instanceof RequestBodyError)) return;
      this.#uploadFailure = thrown;
      // The vendor must not mistake the part that was sent for the whole body.
      this.close();
    }
  }

  async #writeUpload(upload: Upload): Promise<void> {
    for (let next = await upload.next(); next !== undefined; next = await upload.next()) {
      for (let bytes = next; bytes.length > 0;) {
        bytes = bytes.subarray(await this.#connection.write(bytes));
      }
    }
  }

  /** Skips the head of an informational response, such as 103 Early Hints. */
  #skipInterim(pending: PendingAnswer, head: Head): void {
    this.#start += head.length;
    if (head.status === 101) throw new BadMessage("The answer switches to another protocol");
    if (++pending.interim > MAX_INTERIM_HEADS) {
      throw new BadMessage("The answer has too many informational heads");
    }
  }

  /** Moves an incomplete head to the start of the buffer, to make room for the rest. */
  #makeRoom(): void {
    if (this.#start > 0) {
      this.#bytes.copyWithin(0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
    }
    if (this.#end === this.#bytes.length) {
      throw new BadMessage("The head of the answer is too long");
    }
  }
}
