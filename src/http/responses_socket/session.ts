/** One connection: its requests are answered one after the other, through the ordinary path. */

import type { Clock } from "../../core/clock.ts";
import { GatewayError, toGatewayError } from "../../core/errors.ts";
import { statusOf, writeError } from "../../formats/responses/errors.ts";
import { keepAliveMessage } from "../../formats/responses/format.ts";
import { RESPONSE_PREFIX } from "../../formats/responses/output_items.ts";
import { KeepAlive } from "../../streaming/keep_alive.ts";
import { Conversation, type ConversationBudget } from "./conversation.ts";
import { AnswerEvents, toErrorMessage, toPreparedEvents } from "./events.ts";
import { joinEntries, readMessage, type SocketRequest, textOf, toBody } from "./message.ts";

/** The part of a WebSocket that a session uses. */
export type Socket = Pick<
  WebSocket,
  "addEventListener" | "bufferedAmount" | "close" | "readyState" | "send"
>;

/** The dependencies of a session. */
export interface SessionOptions {
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  readonly budget: ConversationBudget;
  /** Sends a body as a request of the client, with the headers of its connection. */
  readonly request: (body: string, signal: AbortSignal) => Promise<Response>;
  /** The longest message, in bytes. */
  readonly maxBytes: number;
  /** Milliseconds after which a client that does not read is disconnected. */
  readonly writeTimeout: number;
  /** Milliseconds of silence within an answer after which a message is sent; 0 for never. */
  readonly keepAlive: number;
  /** Called once, when the connection ends. */
  readonly onEnd: () => void;
}

/** As OpenAI: https://developers.openai.com/api/docs/guides/websocket-mode (2026-11-25). */
const MAX_AGE_MS = 3_600_000;
/** The time without a request after which a connection is closed. */
const MAX_IDLE_MS = 900_000;
/** The requests that may wait for the current one. */
const MAX_WAITING = 8;
/** Bytes that the client has not read yet, above which no more events are read. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** Milliseconds between two looks at what a slow client has read. */
const READ_CHECK_MS = 20;

/** The longest message that is kept for the next keep-alive, in UTF-16 units. */
const MAX_KEPT_LENGTH = 64 * 1024;

const OPEN = 1;

const NO_BYTES = new Uint8Array();

/** Status codes of RFC 6455, section 7.4.1. */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const POLICY = 1008;

/** Answers the requests of one connection. */
export class ResponsesSession {
  readonly #socket: Socket;
  readonly #options: SessionOptions;
  readonly #conversation: Conversation;
  readonly #abort = new AbortController();
  readonly #waiting: string[] = [];
  #isBusy = false;
  #keepAlive: KeepAlive | undefined;
  /** The last message of the current answer, whose number keep-alives repeat. */
  #lastMessage = "";
  /** Whether the connection is closed after the current request, since the gateway drains. */
  #isLeaving = false;
  #isEnded = false;
  /** Whether the connection has reached its age. */
  #isOld = false;
  readonly #cancelAge: () => void;
  #cancelIdle: () => void;

  constructor(socket: Socket, options: SessionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#conversation = new Conversation(options.budget);
    const { clock } = options;
    this.#cancelAge = clock.after(MAX_AGE_MS, () => this.#onAge());
    this.#cancelIdle = clock.after(MAX_IDLE_MS, () => this.#end(NORMAL, "idle"));
    socket.addEventListener("message", ({ data }) => this.#onMessage(data));
    socket.addEventListener("close", () => this.#end());
    socket.addEventListener("error", () => this.#end());
  }

  /** Closes the connection: at once, or after the current request. */
  leave(): void {
    this.#isLeaving = true;
    this.#waiting.length = 0;
    if (!this.#isBusy) this.#end(GOING_AWAY, "the gateway shuts down");
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

  #onMessage(data: unknown): void {
    if (this.#isEnded || this.#isLeaving) return;
    if (typeof data !== "string") {
      return this.#fail(new GatewayError("invalid_request", "Messages must be text"));
    }
    const length = this.#waiting.reduce((sum, text) => sum + text.length, data.length);
    if (this.#waiting.length >= MAX_WAITING || length > this.#options.maxBytes) {
      const isLong = data.length > this.#options.maxBytes;
      return this.#fail(
        isLong
          ? new GatewayError("too_large", "The message exceeds 'server.max_body'")
          : new GatewayError("overloaded", "Too many requests wait on this connection"),
      );
    }
    this.#waiting.push(data);
    if (!this.#isBusy) void this.#answerAll();
  }

  async #answerAll(): Promise<void> {
    this.#isBusy = true;
    this.#cancelIdle();
    for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) {
      try {
        await this.#answer(await readMessage(text));
      } catch (thrown) {
        if (!this.#isEnded) this.#fail(toGatewayError(thrown));
      }
      if (this.#isOld) break;
    }
    this.#isBusy = false;
    if (this.#isEnded) return;
    if (this.#isLeaving) return this.leave();
    if (this.#isOld) return this.#endOld();
    this.#cancelIdle = this.#options.clock.after(MAX_IDLE_MS, () => this.#end(NORMAL, "idle"));
  }

  async #answer(request: SocketRequest): Promise<void> {
    const { previous, generates, isUnstored } = request;
    const earlier = this.#conversation.find(previous);
    const input = joinEntries(earlier ?? "", request.input);
    if (!generates) return this.#prepare(request, input);
    const body = toBody(request, input, earlier === undefined ? previous : undefined);
    this.#keepAlive = this.#startKeepAlive();
    const events = await this.#pass(body).finally(() => this.#stopKeepAlive());
    if (events?.id === undefined) return;
    if (isUnstored) this.#conversation.keep(events.id, joinEntries(input, ...events.items));
    else this.#conversation.forget();
  }

  /** Codex waits only for a while for each message, also for the first one of an answer. */
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

  /** Keeps the input for the next request. The model is not asked. */
  #prepare({ members }: SocketRequest, input: string): void {
    const { clock, newId } = this.#options;
    const id = newId(RESPONSE_PREFIX);
    this.#conversation.keep(id, input);
    const createdAt = Math.floor(clock.wallTime() / 1000);
    for (const event of toPreparedEvents(id, textOf(members.get("model")), createdAt)) {
      this.#send(event);
    }
  }

  /** Sends the events of an answer; undefined for one that is an error. */
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

  /** Waits while the client has much to read, as long as a response may be unread. */
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
    if (this.#isEnded || this.#socket.readyState !== OPEN) return;
    this.#socket.send(message);
    if (this.#keepAlive === undefined) return;
    // A keep-alive stands for a long message, which would take memory.
    this.#lastMessage = message.length > MAX_KEPT_LENGTH ? keepAliveMessage(message) : message;
    this.#keepAlive.wrote(this.#options.clock.now());
  }

  /** Ends the session, and the request that is being answered. */
  #end(code?: number, reason?: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#cancelAge();
    this.#cancelIdle();
    this.#waiting.length = 0;
    this.#conversation.forget();
    this.#abort.abort();
    if (code !== undefined && this.#socket.readyState === OPEN) this.#socket.close(code, reason);
    this.#options.onEnd();
  }
}

const TYPE = "invalid_request_error";

/** The headers of an error that clients act on. */
const ERROR_HEADERS = ["retry-after", "x-request-id", "x-should-retry"];

function errorHeaders(headers: Headers): Readonly<Record<string, string>> {
  return Object.fromEntries(ERROR_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  }));
}
