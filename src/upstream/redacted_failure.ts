/** Changes the bodies of pass-through answers, and removes a provider's credentials from errors. */

import { Buffer } from "node:buffer";
import type { Provider } from "../config/providers.ts";
import type { Packets } from "./read_response.ts";
import { isObject, type JsonObject } from "../core/json/object.ts";
import { PARAMETERS } from "../contract/chat.ts";

/** A change to the body of a pass-through answer. */
export interface AnswerChange {
  /** The maximum length in bytes of a body to change; a longer one is forwarded unchanged. */
  readonly maxBytes: number;
  readonly change: (bytes: Buffer) => Uint8Array;
}

/** A changed answer's packets. The body is read before its first packet. */
export function changedAnswer(packets: Packets, { change, maxBytes }: AnswerChange): Packets {
  let waiting: Uint8Array[] | undefined;
  const read = async () => {
    const read: Uint8Array[] = [];
    let size = 0;
    for (let packet = await packets.next(); packet !== undefined; packet = await packets.next()) {
      // A packet is valid only until the next one is read.
      read.push(packet.slice());
      size += packet.length;
      if (size > maxBytes) return read;
    }
    return size === 0 ? [] : [change(Buffer.concat(read))];
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

/** Bodies over this many bytes are forwarded unchanged, since they are not error messages. */
const MAX_BYTES = 64 * 1024;

/** An error's packets without the provider's credentials. */
export function redactedFailure(packets: Packets, provider: Provider): Packets {
  const change = (bytes: Buffer) => redacted(bytes, provider);
  return changedAnswer(packets, { maxBytes: MAX_BYTES, change });
}

/** The same bytes if there is nothing to redact. */
function redacted(bytes: Buffer, provider: Provider): Uint8Array {
  const utf8 = bytes.toString("utf8");
  const encoding = Buffer.from(utf8).equals(bytes) ? "utf8" : "latin1";
  const text = bytes.toString(encoding);
  const clean = provider.redactor.redact(text);
  return clean === text ? bytes : Buffer.from(clean, encoding);
}

/**
 * Whether the request contains this text: in a value, in a name inside an object, or in the name of
 * a field that the gateway does not know. Takes time proportional to the size of the request.
 */
export function isWrittenByCaller(text: string, request: JsonObject): boolean {
  const pending: unknown[] = [];
  for (const [name, value] of Object.entries(request)) {
    if (!FIELDS.has(name) && name.includes(text)) return true;
    pending.push(value);
  }
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string") {
      if (value.includes(text)) return true;
    } else if (Array.isArray(value)) {
      for (const entry of value) pending.push(entry);
    } else if (isObject(value)) {
      for (const name in value) {
        if (name.includes(text)) return true;
        pending.push(value[name]);
      }
    }
  }
  return false;
}

/** Fields that any request may have, whose names the client does not choose. */
const FIELDS = new Set<string>([...PARAMETERS, "model", "models", "messages"]);
