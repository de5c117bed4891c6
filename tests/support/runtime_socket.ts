/** WebSockets of the runtime, for gateways that the runtime's own server serves. */

import type { Socket } from "../../src/http/responses_socket/session.ts";
import type { Upgraded } from "../../src/http/responses_socket/sockets.ts";

/** Seconds between two pings; a client that does not answer within them is disconnected. */
const PING_SECONDS = 30;

/** Upgrades a request; undefined if its connection cannot be upgraded, such as one of HTTP/2. */
export function upgradeRuntimeSocket(request: Request): Upgraded | undefined {
  try {
    const { response, socket } = Deno.upgradeWebSocket(request, { idleTimeout: PING_SECONDS });
    return { response, socket: new RuntimeSocket(socket) };
  } catch (thrown) {
    if (thrown instanceof TypeError || thrown instanceof Deno.errors.Http) return undefined;
    throw thrown;
  }
}

class RuntimeSocket implements Socket {
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  get bufferedAmount(): number {
    return this.#socket.bufferedAmount;
  }

  start({ grow, message, closed }: Parameters<Socket["start"]>[0]): void {
    this.#socket.addEventListener("message", ({ data }) => {
      const isText = typeof data === "string";
      const bytes = isText ? new TextEncoder().encode(data) : new Uint8Array(data);
      message(grow(bytes.length) ? isText ? data : bytes : undefined);
    });
    this.#socket.addEventListener("close", closed);
    this.#socket.addEventListener("error", closed);
  }

  send(message: string): void {
    this.#socket.send(message);
  }

  close(code?: number, reason?: string): void {
    if (this.isOpen) this.#socket.close(code, reason);
  }
}
