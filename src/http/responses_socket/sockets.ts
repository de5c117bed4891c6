/** All Responses API WebSockets in one process or worker. */

import type { Config, ServiceKey } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import { GatewayError, toGatewayError } from "../../core/errors.ts";
import type { InFlightMemory, MemoryAccount } from "../../core/in_flight_memory.ts";
import { type Counters, NoCounterError } from "../../governance/counters.ts";
import { MemoryStore } from "../../memory/store.ts";
import type { Reauthenticate } from "../../identity/authenticate.ts";
import type { Principal } from "../../identity/principal.ts";
import { ResponsesSession, type Socket } from "./session.ts";

/** An upgraded request: its response and the resulting connection. */
export interface Upgraded {
  readonly response: Response;
  readonly socket: Socket;
}

/** The dependencies of all connections. */
export interface SocketsOptions {
  readonly clock: Clock;
  readonly config: () => Config;
  /** Upgrades a request; undefined if its connection cannot be upgraded. */
  readonly upgrade: (request: Request) => Upgraded | undefined;
  /** Counts all workers' connections. */
  readonly counters: Pick<Counters, "enter" | "leave" | "release" | "slotOf">;
  /** The memory that accounts for messages and conversations. */
  readonly memory: InFlightMemory;
  /** Answers a request through the ordinary path. */
  readonly handle: (request: Request) => Promise<Response>;
  readonly authenticate: Reauthenticate;
}

/** The interval for checking all connections' keys, in milliseconds. */
const CHECK_MS = 1000;

/** The open connections. */
export class ResponsesSockets {
  readonly #options: SocketsOptions;
  /** The sessions, with functions that end those whose keys are no longer valid. */
  readonly #sessions = new Map<ResponsesSession, () => Promise<void>>();
  readonly #messages: MemoryAccount;
  /**
   * The last conversation of each connection. The key with the most bytes loses its oldest
   * conversations first.
   */
  readonly #conversations: MemoryStore;
  #cancelCheck = () => {};

  constructor(options: SocketsOptions) {
    const { clock, config, memory } = options;
    const limit = () => config().server.max_in_flight_bytes;
    this.#options = options;
    this.#messages = memory.accountFor("request", limit);
    this.#conversations = new MemoryStore(
      () => ({ bytes: config().server.responses_memory.bytes, ttlMs: Infinity }),
      () => clock.now(),
      memory.accountFor("stored", limit),
    );
  }

  /** The number of open connections. */
  get size(): number {
    return this.#sessions.size;
  }

  /**
   * Opens a request's connection.
   *
   * @param onEnd called once, when the connection ends
   * @returns undefined if the connection cannot be upgraded
   * @throws {GatewayError} `limit_exceeded` above `server.max_sockets_per_key`, `overloaded` above
   * `server.max_sockets`.
   */
  open(request: Request, { id: owner, key }: Principal, onEnd: () => void): Response | undefined {
    const { authenticate, clock, config, handle, upgrade } = this.#options;
    const leave = this.#enter(key);
    const upgraded = upgrade(request);
    if (upgraded === undefined) {
      leave();
      return undefined;
    }
    const {
      body_timeout: bodyTimeout,
      max_body: maxBody,
      write_timeout: writeTimeout,
      keep_alive: keepAlive,
    } = config().server;
    const { url } = request;
    const headers = requestHeaders(request.headers);
    const session: ResponsesSession = new ResponsesSession(upgraded.socket, {
      ...{ bodyTimeout, clock, writeTimeout, keepAlive },
      memory: {
        take: (bytes) => this.#messages.take(key.name, bytes),
        giveBack: (bytes) => this.#messages.giveBack(key.name, bytes),
      },
      conversations: this.#conversations,
      owner,
      maxBytes: maxBody,
      request: (body, signal) =>
        handle(new Request(url, { method: "POST", headers, body, signal })),
      onEnd: () => {
        this.#sessions.delete(session);
        if (this.#sessions.size === 0) this.#cancelCheck();
        leave();
        onEnd();
      },
    });
    const probe = new Request(url, { headers });
    if (this.#sessions.size === 0) this.#scheduleCheck();
    this.#sessions.set(session, async () => {
      session.checkProgress();
      try {
        await authenticate("service_key", probe, config());
      } catch (thrown) {
        session.refuse(toGatewayError(thrown));
      }
    });
    return upgraded.response;
  }

  /** Closes all connections, each after its current request. */
  leave(): void {
    for (const session of [...this.#sessions.keys()]) session.leave();
  }

  /** Counts a connection until the returned function is called. */
  #enter({ name }: ServiceKey): () => void {
    const { counters, config } = this.#options;
    const { max_sockets: maxSockets, max_sockets_per_key: maxSocketsPerKey } = config().server;
    const ofKey = take(counters, `sockets:${name}`, maxSocketsPerKey);
    if (ofKey === undefined) {
      const message =
        `The service key '${name}' has ${maxSocketsPerKey} open WebSockets, which is ` +
        "the maximum ('server.max_sockets_per_key'); close one, or use POST";
      throw new GatewayError("limit_exceeded", message, { headers: { "retry-after": "10" } });
    }
    const ofAll = take(counters, "sockets", maxSockets);
    if (ofAll !== undefined) {
      return () => {
        ofKey();
        ofAll();
      };
    }
    ofKey();
    const message = "The gateway has too many open WebSockets ('server.max_sockets'); use POST";
    throw new GatewayError("overloaded", message, { headers: { "retry-after": "10" } });
  }

  #scheduleCheck(): void {
    this.#cancelCheck = this.#options.clock.after(CHECK_MS, () => {
      for (const check of [...this.#sessions.values()]) void check();
      if (this.#sessions.size > 0) this.#scheduleCheck();
    });
  }
}

/** Takes a slot from a counter; undefined if none is free. The returned function frees it. */
function take(
  counters: SocketsOptions["counters"],
  name: string,
  limit: number,
): (() => void) | undefined {
  try {
    const slot = counters.slotOf(name);
    if (counters.enter(slot, limit)) {
      return () => {
        counters.leave(slot);
        counters.release(name);
      };
    }
    counters.release(name);
  } catch (thrown) {
    if (!(thrown instanceof NoCounterError)) throw thrown;
  }
  return undefined;
}

/** Headers of the connection, not of its requests. */
const OF_CONNECTION = /^(?:connection|upgrade|sec-websocket-.*|content-.*|x-request-id)$/;

function requestHeaders(own: Headers): Headers {
  const headers = new Headers([...own].filter(([name]) => !OF_CONNECTION.test(name)));
  headers.set("content-type", "application/json");
  return headers;
}
