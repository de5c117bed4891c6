/** One connection, whose requests are answered one at a time through the ordinary path. */

import type { Clock } from "../../core/clock.ts";
import { GatewayError, toGatewayError } from "../../core/errors.ts";
import { statusOf, writeError } from "../../apis/responses/errors.ts";
import { keepAliveMessage } from "../../apis/responses/format.ts";
import { KeepAlive } from "../../streaming/keep_alive.ts";
import type { StateStore } from "../../memory/store.ts";
import { MAX_PAUSES, MEMORY_PER_BYTE } from "../request_body.ts";
import {
  AnswerEvents,
  joinEntries,
  readMessage,
  type SocketRequest,
  toBody,
  toErrorMessage,
} from "./message.ts";

/** The server's end of a WebSocket. */
export interface Socket {
  readonly isOpen: boolean;
  /** Bytes that the client has not read yet. */
  readonly bufferedAmount: number;
  /** Starts reading. */
  start(handlers: SocketHandlers): void;
  send(message: string): void;
  close(code?: number, reason?: string): void;
}

/** Receives a client's messages. */
export interface SocketHandlers {
  /**
   * Called before this many more bytes of a message are read. If it returns false, the rest of the
   * message is dropped.
   */
  readonly grow: (bytes: number) => boolean;
  /** Called when a part of a message has arrived. */
  readonly progress: () => void;
  /** Called with a message: a text, bytes, or undefined for one that was dropped. */
  readonly message: (data: string | Uint8Array | undefined) => void;
  /** Called at least once, when the connection is closed. */
  readonly closed: () => void;
}

/** The dependencies of a session. */
export interface SessionOptions {
  readonly clock: Clock;
  /** The service key's memory account; messages are charged to it until they are answered. */
  readonly memory: {
    readonly take: (bytes: number) => boolean;
    readonly giveBack: (bytes: number) => void;
  };
  /** Stores the last conversation of each connection. */
  readonly conversations: StateStore;
  /** The owner of the conversation. */
  readonly owner: string;
  /** Sends a body as the client's request, with its connection's headers. */
  readonly request: (body: string, signal: AbortSignal) => Promise<Response>;
  /** The maximum length of a message, in bytes. */
  readonly maxBytes: number;
  /** Milliseconds without progress of a partial message after which the session ends. */
  readonly bodyTimeout: number;
  /** Milliseconds after which a client that does not read is disconnected. */
  readonly writeTimeout: number;
  /** Milliseconds of silence within an answer after which a keep-alive is sent; 0 for never. */
  readonly keepAlive: number;
  /** Called once, when the connection ends. */
  readonly onEnd: () => void;
}

/** A queued message, and its size in bytes. */
interface Message {
  readonly text: string;
  readonly bytes: number;
}

/** An incoming message: its size so far, and the reason if it is rejected. */
interface PartialMessage {
  readonly bytes: number;
  readonly refusal: GatewayError | undefined;
  /** When it started, and when its last part arrived. */
  readonly began: number;
  readonly at: number;
}

const NO_MESSAGE: PartialMessage = {
  bytes: 0,
  refusal: undefined,
  began: Infinity,
  at: Infinity,
};

/**
 * The same limit as OpenAI's: https://developers.openai.com/api/docs/guides/websocket-mode
 * (2026-11-25).
 */
const MAX_AGE_MS = 3_600_000;
/** The time without a request after which a connection is closed. */
const MAX_IDLE_MS = 900_000;
/** The maximum number of requests queued behind the current one. */
const MAX_WAITING = 8;
/** The number of unread bytes above which no further events are read. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** The interval for checking a slow client's progress, in milliseconds. */
const READ_CHECK_MS = 20;

/** The maximum length of a message that is stored for the next keep-alive, in UTF-16 units. */
const MAX_KEPT_LENGTH = 64 * 1024;

const NO_BYTES = new Uint8Array();
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Status codes from RFC 6455, section 7.4.1. */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const POLICY = 1008;

/** Answers one connection's requests. */
export class ResponsesSession {
  readonly #socket: Socket;
  readonly #options: SessionOptions;
  /** The last response, if the next request may continue it although it is not stored. */
  #kept: Pick<SocketRequest, "previous"> & { readonly id: string } | undefined;
  readonly #abort = new AbortController();
  readonly #waiting: Message[] = [];
  /** The incoming message. */
  #partial = NO_MESSAGE;
  #isBusy = false;
  #keepAlive: KeepAlive | undefined;
  /** The last message of the current answer, whose number keep-alives repeat. */
  #lastMessage = "";
  /** Whether the connection is closed after the current request, since the gateway drains. */
  #isLeaving = false;
  #isEnded = false;
  /** Whether the connection has reached its maximum age. */
  #isOld = false;
  readonly #cancelAge: () => void;
  #cancelIdle: () => void;

  constructor(socket: Socket, options: SessionOptions) {
    this.#socket = socket;
    this.#options = options;
    const { clock } = options;
    this.#cancelAge = clock.after(MAX_AGE_MS, () => this.#onAge());
    this.#cancelIdle = clock.after(MAX_IDLE_MS, () => this.#end(NORMAL, "idle"));
    socket.start({
      grow: (bytes) => this.#grow(bytes),
      progress: () => this.#partial = { ...this.#partial, at: clock.now() },
      message: (data) => this.#onMessage(data),
      closed: () => this.#end(),
    });
  }

  /** Ends the session if a message arrives too slowly, like the body of a POST request. */
  checkProgress(): void {
    const { bodyTimeout, clock } = this.#options;
    const { at, began } = this.#partial;
    const now = clock.now();
    if (now - at <= bodyTimeout && now - began <= MAX_PAUSES * bodyTimeout) return;
    this.refuse(new GatewayError("request_timeout", "The message did not arrive in time"));
  }

  /** Closes the connection: at once, or after the current request. */
  leave(): void {
    this.#isLeaving = true;
    this.#dropWaiting();
    if (!this.#isBusy) this.#end(GOING_AWAY, "the gateway is shutting down");
  }

  /** Ends the session at once with an error, for example because its key is no longer valid. */
  refuse(error: GatewayError): void {
    this.#fail(error);
    this.#end(POLICY, "refused");
  }

  #onAge(): void {
    this.#isOld = true;
    if (!this.#isBusy) this.#endOld();
  }

  #endOld(): void {
    const message = "The connection is 60 minutes old; open another one";
    const code = "websocket_connection_limit_reached";
    this.#send(toErrorMessage(400, JSON.stringify({ error: { message, type: TYPE, code } })));
    this.#end(NORMAL, "connection limit");
  }

  /** Whether more of a message may arrive, within its size limit and the key's memory. */
  #grow(more: number): boolean {
    if (this.#isEnded) return false;
    const { clock, maxBytes, memory } = this.#options;
    const { bytes, refusal } = this.#partial;
    const now = clock.now();
    if (this.#partial === NO_MESSAGE) this.#partial = { ...NO_MESSAGE, began: now, at: now };
    if (refusal !== undefined) return false;
    const error = bytes + more > maxBytes
      ? new GatewayError("too_large", "The message exceeds 'server.max_body'")
      : memory.take(more * MEMORY_PER_BYTE)
      ? undefined
      : outOfMemory();
    if (error !== undefined) memory.giveBack(bytes * MEMORY_PER_BYTE);
    const kept = error === undefined ? bytes + more : 0;
    this.#partial = { ...this.#partial, bytes: kept, refusal: error };
    return error === undefined;
  }

  #onMessage(data: string | Uint8Array | undefined): void {
    const { bytes, refusal } = this.#partial;
    this.#partial = NO_MESSAGE;
    const error = refusal ?? this.#refusalOf(data);
    if (typeof data === "string" && error === undefined && !this.#isEnded && !this.#isLeaving) {
      this.#waiting.push({ text: data, bytes });
      if (!this.#isBusy) void this.#answerAll();
      return;
    }
    this.#options.memory.giveBack(bytes * MEMORY_PER_BYTE);
    if (error !== undefined) this.#fail(error);
  }

  #refusalOf(data: string | Uint8Array | undefined): GatewayError | undefined {
    if (typeof data !== "string") {
      return new GatewayError("invalid_request", "Messages must be text");
    }
    if (this.#waiting.length < MAX_WAITING) return undefined;
    return new GatewayError("overloaded", "Too many requests are waiting on this connection");
  }

  async #answerAll(): Promise<void> {
    this.#isBusy = true;
    this.#cancelIdle();
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const release = this.#releaserOf(next);
      try {
        await this.#answer(await readMessage(next.text), release);
      } catch (thrown) {
        if (!this.#isEnded) this.#fail(toGatewayError(thrown));
      } finally {
        release();
      }
      if (this.#isOld) break;
    }
    this.#isBusy = false;
    if (this.#isEnded) return;
    if (this.#isLeaving) return this.leave();
    if (this.#isOld) return this.#endOld();
    this.#cancelIdle = this.#options.clock.after(MAX_IDLE_MS, () => this.#end(NORMAL, "idle"));
  }

  /** Drops the queued messages. */
  #dropWaiting(): void {
    for (const message of this.#waiting.splice(0)) this.#releaserOf(message)();
  }

  /** Releases a message's memory, once. */
  #releaserOf({ bytes }: Message): () => void {
    let isHeld = true;
    return () => {
      if (isHeld) this.#options.memory.giveBack(bytes * MEMORY_PER_BYTE);
      isHeld = false;
    };
  }

  /** @param release called when the message is a request, whose memory is charged separately */
  async #answer(request: SocketRequest, release: () => void): Promise<void> {
    const earlier = await this.#findKept(request.previous);
    const input = joinEntries(earlier?.entries ?? "", request.input);
    const previous = earlier === undefined ? request.previous : earlier.previous;
    const body = toBody(request, input, previous);
    this.#keepAlive = this.#startKeepAlive();
    release();
    const events = await this.#pass(body).finally(() => this.#stopKeepAlive());
    if (events?.id === undefined || this.#isEnded) return;
    this.#forget();
    if (request.generates && !request.isUnstored) return;
    const { conversations, owner } = this.#options;
    const entries = encoder.encode(joinEntries(input, ...events.items));
    if (conversations.put(owner, events.id, entries)) this.#kept = { id: events.id, previous };
  }

  /** The conversation that ends with a response: its entries, and the stored response before them. */
  async #findKept(
    id: string | undefined,
  ): Promise<Pick<SocketRequest, "previous"> & { readonly entries: string } | undefined> {
    if (id === undefined || id !== this.#kept?.id) return undefined;
    const { previous } = this.#kept;
    const { conversations, owner } = this.#options;
    const entries = (await conversations.get(owner, [id])).get(id);
    return entries && { entries: decoder.decode(entries), previous };
  }

  #forget(): void {
    if (this.#kept === undefined) return;
    this.#options.conversations.remove(this.#options.owner, this.#kept.id);
    this.#kept = undefined;
  }

  /** Codex has a time limit for each message, including the first one of an answer. */
  #startKeepAlive(): KeepAlive | undefined {
    const { clock, keepAlive: ms } = this.#options;
    if (ms === 0) return undefined;
    const socket = {
      desiredSize: 1,
      enqueue: () => this.#send(keepAliveMessage(this.#lastMessage)),
    };
    return new KeepAlive(socket, { clock, ms, comment: NO_BYTES });
  }

  #stopKeepAlive(): void {
    this.#keepAlive?.stop();
    this.#keepAlive = undefined;
    this.#lastMessage = "";
  }

  /** Sends an answer's events; undefined for an error. */
  async #pass(body: string): Promise<AnswerEvents | undefined> {
    const response = await this.#options.request(body, this.#abort.signal);
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    if (response.body === null || !isStream) {
      const headers = errorHeaders(response.headers);
      this.#send(toErrorMessage(response.status, await response.text(), headers));
      return undefined;
    }
    const events = new AnswerEvents();
    const reader = response.body.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      for (const message of events.push(read.value)) this.#send(message);
      await this.#untilRead();
      if (this.#isEnded) {
        await reader.cancel();
        return undefined;
      }
    }
    for (const message of events.end()) this.#send(message);
    return events;
  }

  /** Waits while the client has too many unread bytes, at most for the write timeout. */
  async #untilRead(): Promise<void> {
    const { clock, writeTimeout } = this.#options;
    const began = clock.now();
    while (!this.#isEnded && this.#socket.bufferedAmount > MAX_UNREAD_BYTES) {
      if (clock.now() - began > writeTimeout) return this.#end(POLICY, "unread");
      await new Promise<void>((resolve) => clock.after(READ_CHECK_MS, resolve));
    }
  }

  #fail(error: GatewayError): void {
    this.#send(toErrorMessage(statusOf(error), writeError(error), error.headers));
  }

  #send(message: string): void {
    if (this.#isEnded || !this.#socket.isOpen) return;
    this.#socket.send(message);
    if (this.#keepAlive === undefined) return;
    // A long message is not stored, since it would take memory.
    this.#lastMessage = message.length > MAX_KEPT_LENGTH ? keepAliveMessage(message) : message;
    this.#keepAlive.wrote(this.#options.clock.now());
  }

  /** Ends the session and the current request. */
  #end(code?: number, reason?: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#cancelAge();
    this.#cancelIdle();
    this.#dropWaiting();
    this.#forget();
    this.#abort.abort();
    this.#options.memory.giveBack(this.#partial.bytes * MEMORY_PER_BYTE);
    this.#partial = NO_MESSAGE;
    if (code !== undefined) this.#socket.close(code, reason);
    this.#options.onEnd();
  }
}

const TYPE = "invalid_request_error";

function outOfMemory(): GatewayError {
  const message = "The service key holds too many large messages at the moment; try again";
  return new GatewayError("overloaded", message, { headers: { "retry-after": "1" } });
}

/** The error headers that clients act on. */
const ERROR_HEADERS = ["retry-after", "x-request-id", "x-should-retry"];

function errorHeaders(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries(ERROR_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  }));
}
