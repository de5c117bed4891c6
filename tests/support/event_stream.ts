/** Writes messages of AWS: https://smithy.io/2.0/aws/amazon-eventstream.html. */

import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";

/** A message by its headers. */
export type EventMessage =
  & (
    | { readonly event: string; readonly data: unknown }
    | { readonly exception: string; readonly data: unknown }
    | { readonly error: string; readonly message: string }
  )
  & {
    /** The number of bytes that are sent. Default: all. */
    readonly cut?: number;
  };

export function encodeMessages(messages: readonly EventMessage[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(messages.map((message) => {
    return encodeMessage(headersOf(message), payloadOf(message)).subarray(0, message.cut);
  })));
}

/** A header's value: text, or the number of another type and its bytes. */
export type HeaderValue = string | readonly [type: number, bytes: Uint8Array];

export function encodeMessage(
  headers: readonly (readonly [name: string, value: HeaderValue])[],
  payload: string | Uint8Array,
): Uint8Array {
  const head = Buffer.concat(headers.map(([name, value]) => encodeHeader(name, value)));
  const body = Buffer.from(payload);
  const message = Buffer.alloc(12 + head.length + body.length + 4);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(head.length, 4);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  head.copy(message, 12);
  body.copy(message, 12 + head.length);
  message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4);
  return message;
}

function headersOf(message: EventMessage): [string, string][] {
  if ("error" in message) {
    const { error, message: text } = message;
    return [[":error-code", error], [":error-message", text], [":message-type", "error"]];
  }
  const [type, name] = "event" in message
    ? ["event", message.event]
    : ["exception", message.exception];
  return [
    [`:${type}-type`, name],
    [":content-type", "application/json"],
    [":message-type", type],
  ];
}

function payloadOf(message: EventMessage): string {
  if ("error" in message) return "";
  return typeof message.data === "string" ? message.data : JSON.stringify(message.data);
}

function encodeHeader(name: string, value: HeaderValue): Buffer {
  const label = Buffer.concat([Buffer.of(name.length), Buffer.from(name)]);
  if (typeof value !== "string") return Buffer.concat([label, Buffer.of(value[0]), value[1]]);
  const text = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([label, Buffer.of(7), length, text]);
}
