/** Callers on raw connections, with a time limit. */

import { type Message, statusOf, toRequestBytes, Wire } from "../bench/wire.ts";
import { SERVICE_KEY } from "./gateway_process.ts";
import { within } from "./within.ts";

/** The result of a request. */
export interface Reply {
  /** 0 when there was no answer in time. */
  readonly status: number;
  readonly ms: number;
  /** The head in lower case, and the beginning of the body. */
  readonly head: string;
  readonly body: string;
}

export interface CallOptions {
  /** Default: POST for a body, else GET. */
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The time limit of the answer, in milliseconds. */
  readonly patience?: number;
}

const PATIENCE_MS = 5000;

/** Sends one request on a new connection; a text or bytes are sent unchanged. */
export async function call(
  port: number,
  body: unknown,
  { method, path = "/v1/chat/completions", headers = {}, patience = PATIENCE_MS }: CallOptions = {},
): Promise<Reply> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const own = { authorization: `Bearer ${SERVICE_KEY}`, ...headers };
  const wire = await Wire.open(port);
  try {
    return await exchange(wire, toRequestBytes(path, own, text, method), patience);
  } finally {
    wire.close();
  }
}

/** Sends one request on an open connection. */
export async function exchange(wire: Wire, bytes: Uint8Array, patience: number): Promise<Reply> {
  const begun = performance.now();
  const asked = async (): Promise<Message | undefined> => {
    // The gateway may answer and close before it has read everything.
    const writing = wire.write(bytes).catch(() => {});
    const answer = await wire.next();
    void writing;
    return answer;
  };
  const answer = await within(patience, asked().catch(() => undefined));
  const ms = performance.now() - begun;
  if (answer === undefined) return { status: 0, ms, head: "", body: "" };
  return { status: statusOf(answer), ms, head: answer.head, body: answer.body };
}

/** Whether the other side closes a connection within this time. */
export async function closes(wire: Wire, ms: number): Promise<boolean> {
  const drained = async () => {
    while (await wire.packet() !== undefined);
    return true;
  };
  return await within(ms, drained().catch(() => true)) ?? false;
}
