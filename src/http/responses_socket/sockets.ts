/** All WebSockets of the Responses API of one process or worker. */

import type { Config } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import { GatewayError } from "../../core/errors.ts";
import { ConversationBudget } from "./conversation.ts";
import { ResponsesSession, type Socket } from "./session.ts";

/** An upgraded request: its response, and the connection after it. */
export interface Upgraded {
  readonly response: Response;
  readonly socket: Socket;
}

/** The dependencies of all connections. */
export interface SocketsOptions {
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  readonly config: () => Config;
  /** Upgrades a request; undefined if its connection cannot be upgraded. */
  readonly upgrade: (request: Request) => Upgraded | undefined;
  /** Answers a request through the ordinary path. */
  readonly handle: (request: Request) => Promise<Response>;
}

/** The open connections. */
export class ResponsesSockets {
  readonly #options: SocketsOptions;
  readonly #sessions = new Set<ResponsesSession>();
  readonly #budget: ConversationBudget;

  constructor(options: SocketsOptions) {
    this.#options = options;
    this.#budget = new ConversationBudget(() => options.config().server.responsesMemory.bytes);
  }

  /** The number of open connections. */
  get size(): number {
    return this.#sessions.size;
  }

  /**
   * Opens the connection of a request.
   *
   * @param onEnd called once, when the connection ends
   * @returns undefined if the connection cannot be upgraded
   * @throws {GatewayError} `overloaded` above `server.max_connections`.
   */
  open(request: Request, onEnd: () => void): Response | undefined {
    const { clock, newId, config, handle, upgrade } = this.#options;
    const { maxBody, maxConnections, writeTimeout, keepAlive } = config().server;
    if (this.#sessions.size >= maxConnections) {
      throw new GatewayError("overloaded", "The gateway has too many connections");
    }
    const upgraded = upgrade(request);
    if (upgraded === undefined) return undefined;
    const { url } = request;
    const headers = requestHeaders(request.headers);
    const session: ResponsesSession = new ResponsesSession(upgraded.socket, {
      ...{ clock, newId, writeTimeout, keepAlive },
      budget: this.#budget,
      maxBytes: maxBody,
      request: (body, signal) =>
        handle(new Request(url, { method: "POST", headers, body, signal })),
      onEnd: () => {
        this.#sessions.delete(session);
        onEnd();
      },
    });
    this.#sessions.add(session);
    return upgraded.response;
  }

  /** Closes all connections, each after the request that it answers. */
  leave(): void {
    for (const session of [...this.#sessions]) session.leave();
  }
}

/** Headers of the connection, not of its requests. */
const OF_CONNECTION = /^(?:connection|upgrade|sec-websocket-.*|content-.*|x-request-id)$/;

function requestHeaders(own: Headers): Headers {
  const headers = new Headers([...own].filter(([name]) => !OF_CONNECTION.test(name)));
  headers.set("content-type", "application/json");
  return headers;
}
