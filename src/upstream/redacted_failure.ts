/** Removes a provider's credentials from the body of a passed error. */

import { Buffer } from "node:buffer";
import type { Provider } from "../config/providers.ts";
import type { Packets } from "./read_response.ts";

/** Bodies over this many bytes pass unchanged: they are not error messages. */
const MAX_BYTES = 64 * 1024;

/**
 * The packets of an error without the provider's credentials. The body is read before its first
 * packet, unless it is longer than a message.
 */
export function redactedFailure(packets: Packets, provider: Provider): Packets {
  let waiting: Uint8Array[] | undefined;
  const read = async () => {
    const read: Uint8Array[] = [];
    let size = 0;
    for (let packet = await packets.next(); packet !== undefined; packet = await packets.next()) {
      // A packet is valid only until the next one is read.
      read.push(packet.slice());
      size += packet.length;
      if (size > MAX_BYTES) return read;
    }
    return size === 0 ? [] : [redacted(Buffer.concat(read), provider)];
  };
  return {
    async next() {
      waiting ??= await read();
      return waiting.shift() ?? await packets.next();
    },
    take: () => undefined,
    arrival: () => packets.arrival(),
    close: () => packets.close(),
    finish: (clock) => packets.finish(clock),
  };
}

/** The same bytes if there is nothing to redact. */
function redacted(bytes: Buffer, provider: Provider): Uint8Array {
  const utf8 = bytes.toString("utf8");
  const encoding = Buffer.from(utf8).equals(bytes) ? "utf8" : "latin1";
  const text = bytes.toString(encoding);
  const clean = provider.redactor.redact(text);
  return clean === text ? bytes : Buffer.from(clean, encoding);
}
