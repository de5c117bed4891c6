/** Reads what a caller sends, within a limit. */

import { GatewayError } from "./errors.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a JSON body.
 *
 * @param limit the most bytes it may have
 * @throws {GatewayError} `too_large`, or `invalid_request` when it is not JSON in UTF-8.
 */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge(limit);
  let bytes: Uint8Array;
  try {
    bytes = await readBytes(request, limit);
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    // Nothing but a connection that broke stops the body, and it breaks before the signal fires.
    throw new GatewayError("client_gone", "The request body broke off", { cause: thrown });
  }
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    const message = bytes.length === 0
      ? "The request body is empty; send a JSON object"
      : "The request body is not valid JSON in UTF-8";
    throw new GatewayError("invalid_request", message, { cause });
  }
}

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  // With a known length the runtime reads at once; else the count is ours.
  if (request.headers.has("content-length")) return await request.bytes();
  if (request.body === null) return new Uint8Array();
  const packets: Uint8Array[] = [];
  let size = 0;
  for await (const packet of request.body) {
    size += packet.byteLength;
    if (size > limit) throw tooLarge(limit);
    packets.push(packet);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const packet of packets) {
    bytes.set(packet, at);
    at += packet.byteLength;
  }
  return bytes;
}

function tooLarge(limit: number): GatewayError {
  return new GatewayError("too_large", `The request body is over ${limit} bytes`);
}
