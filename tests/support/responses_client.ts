/** Clients of the WebSocket of the Responses API, and gateways for them. */

import { assertEquals } from "@std/assert";
import { isObject, type JsonObject } from "../../src/contract/chat.ts";
import { SERVICE_KEY, type TestOptions, VENDOR_KEY } from "./gateway.ts";
import { sayHello } from "./scripted_vendor.ts";
import { Gate, type ServedGateway, serveGateway, serveVendor } from "./server.ts";

export const MODEL = "some-model";
export const AUTHORIZED = { authorization: `Bearer ${SERVICE_KEY}` };

/** A client that reads messages one by one. */
export class Client implements AsyncDisposable {
  readonly socket: WebSocket;
  readonly #arrived: JsonObject[] = [];
  readonly #closed = new Gate<CloseEvent>();
  #wake = () => {};

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.onmessage = ({ data }) => {
      this.#arrived.push(JSON.parse(data));
      this.#wake();
    };
    socket.onclose = (event) => {
      this.#closed.open(event);
      this.#wake();
    };
  }

  static async open({ url }: ServedGateway, headers: Record<string, string> = AUTHORIZED) {
    const socket = new WebSocket(`${url.replace("http", "ws")}/v1/responses`, { headers });
    const client = new Client(socket);
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve();
      socket.onerror = (event) =>
        reject(new Error(event instanceof ErrorEvent ? event.message : ""));
    });
    socket.onerror = null;
    return client;
  }

  get closed(): Promise<CloseEvent> {
    return this.#closed.opened;
  }

  send(message: JsonObject): void {
    this.socket.send(JSON.stringify({ type: "response.create", model: MODEL, ...message }));
  }

  async next(): Promise<JsonObject> {
    while (this.#arrived.length === 0) {
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error("The socket is closed");
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    return this.#arrived.shift() as JsonObject;
  }

  /** The messages up to the one that ends an answer. */
  async answer(): Promise<JsonObject[]> {
    const messages: JsonObject[] = [];
    for (;;) {
      const message = await this.next();
      messages.push(message);
      if (/^(?:error|response\.(?:completed|failed|incomplete))$/.test(String(message.type))) {
        return messages;
      }
    }
  }

  async [Symbol.asyncDispose]() {
    this.socket.close();
    await this.closed;
  }
}

export interface World extends AsyncDisposable {
  readonly served: ServedGateway;
  readonly arrived: JsonObject[];
}

/** A gateway in front of a vendor that greets. */
export function createWorld(
  members: JsonObject,
  script: (body: JsonObject, request: Request) => Response | Promise<Response> = (body, { url }) =>
    sayHello({ url, body }),
  server: JsonObject = {},
  options: Omit<TestOptions, "config" | "fetch"> = {},
): World {
  const arrived: JsonObject[] = [];
  const vendor = serveVendor(async (request) => {
    const body: JsonObject = await request.json();
    arrived.push(body);
    return await script(body, request);
  });
  const provider = {
    api_key: VENDOR_KEY,
    base_url: `${vendor.url}/v1`,
    models: [MODEL],
    retries: 0,
    ...members,
  };
  const served = serveGateway({ ...options, config: { server, providers: { vendor: provider } } });
  return {
    served,
    arrived,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
      assertEquals(served.gateway.bugs, []);
      assertEquals(served.gateway.clock.pending, 0, "a timer was left behind");
    },
  };
}

/** The ID of the response that an answer is about. */
export function idOf(messages: readonly JsonObject[]): string {
  const { response } = messages.at(-1) ?? {};
  return isObject(response) ? String(response.id) : "";
}

/** The text of an answer. */
export function textOf(messages: readonly JsonObject[]): string {
  return messages.filter(({ type }) => type === "response.output_text.delta")
    .map(({ delta }) => delta).join("");
}
