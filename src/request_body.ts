/** Reads what a caller sends, within a limit. */

import { isUtf8 } from "node:buffer";
import type { Clock } from "./clock.ts";
import { shuttingDown } from "./deadline.ts";
import { GatewayError } from "./errors.ts";
import type { Shutdown } from "./shutdown.ts";

const decoder = new TextDecoder();

/** How far a body is waited for. */
export interface BodyLimits {
  /** The most bytes it may have. */
  readonly size: number;
  /** How many milliseconds it may pause. */
  readonly stall: number;
  readonly clock: Clock;
  readonly shutdown: Shutdown;
}

/**
 * Reads a JSON body.
 *
 * @throws {GatewayError} `too_large`, `request_timeout`, `overloaded` when the process ends,
 * `client_gone`, or `invalid_request` when it is not JSON in UTF-8.
 */
export async function readJson(request: Request, limits: BodyLimits): Promise<unknown> {
  const { size } = limits;
  if (Number(request.headers.get("content-length") ?? 0) > size) throw tooLarge(size);
  let bytes: Uint8Array;
  try {
    bytes = await readBytes(request, limits);
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    // Nothing but a connection that broke stops the body, and it breaks before the signal fires.
    throw new GatewayError("client_gone", "The request body broke off", { cause: thrown });
  }
  try {
    return JSON.parse(toText(bytes));
  } catch (cause) {
    const message = bytes.length === 0
      ? "The request body is empty; send a JSON object"
      : "The request body is not valid JSON in UTF-8";
    throw new GatewayError("invalid_request", message, { cause });
  }
}

/**
 * A decoder that refuses what is no UTF-8 takes five times as long for 10 MB,
 * in which nobody else is answered.
 */
function toText(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new TypeError("The bytes are not UTF-8");
  return decoder.decode(bytes);
}

/**
 * Bodies up to this many bytes come in one piece: reading them at once is much
 * cheaper. Nothing is seen of their progress, so the limit is for all of them.
 */
const SMALL = 64 * 1024;

async function readBytes(
  request: Request,
  { size: limit, stall, clock, shutdown }: BodyLimits,
): Promise<Uint8Array> {
  const stopped = Promise.withResolvers<never>();
  const refuse = () => stopped.reject(tooSlow(stall));
  let cancel = clock.after(stall, refuse);
  const forget = shutdown.onBegin(() => stopped.reject(shuttingDown()));
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    const length = Number(request.headers.get("content-length") ?? Infinity);
    // To look at `body` would already make a stream of it.
    if (length <= SMALL) return await Promise.race([request.bytes(), stopped.promise]);
    if (request.body === null) return new Uint8Array();
    reader = request.body.getReader();
    const packets: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const packet = await Promise.race([reader.read(), stopped.promise]);
      if (packet.done) return joined(packets, size);
      cancel();
      cancel = clock.after(stall, refuse);
      size += packet.value.byteLength;
      if (size > limit) throw tooLarge(limit);
      packets.push(packet.value);
    }
  } catch (thrown) {
    // Not awaited: a body that stalls may never let go.
    if (thrown instanceof GatewayError) void reader?.cancel().catch(() => {});
    throw thrown;
  } finally {
    cancel();
    forget();
  }
}

function joined(packets: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const packet of packets) {
    bytes.set(packet, at);
    at += packet.byteLength;
  }
  return bytes;
}

function tooSlow(stall: number): GatewayError {
  const pause = stall < 1000 ? `${stall} ms` : `${Math.round(stall / 100) / 10} s`;
  return new GatewayError(
    "request_timeout",
    `The request body did not go on for ${pause}`,
    { headers: { connection: "close" } },
  );
}

function tooLarge(limit: number): GatewayError {
  return new GatewayError("too_large", `The request body is over ${limit} bytes`, {
    headers: { connection: "close" },
  });
}
