/**
 * The frames of a WebSocket as a server reads and writes them (RFC 6455). The runtime's own reader
 * accepts frames without a mask, and assembles fragments without a limit (Deno 2.9.6, 2026-11-28).
 */

import { Buffer } from "node:buffer";

/** The opcodes of frames (RFC 6455, section 5.2). */
export const OPCODES = { continuation: 0, text: 1, bytes: 2, close: 8, ping: 9, pong: 10 } as const;

/** Status codes of RFC 6455, section 7.4.1, which end a connection that breaks the protocol. */
const PROTOCOL_ERROR = 1002;
const INVALID_TEXT = 1007;

const NOTHING = new Uint8Array();

/** The maximum length of a control frame, in bytes. */
const MAX_CONTROL_BYTES = 125;

/** A violation of the protocol, with the status code that closes the connection. */
export class FrameError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Receives the content of frames. */
export interface FrameHandlers {
  /**
   * Called before this many more bytes of a message are read. If it returns false, the rest of the
   * message is dropped as it arrives.
   */
  readonly grow: (bytes: number) => boolean;
  /** Called with a message: a text, bytes, or undefined for one that was dropped. */
  readonly message: (data: string | Uint8Array | undefined) => void;
  readonly ping: (payload: Uint8Array) => void;
  readonly close: (code: number | undefined) => void;
}

/** The current frame. */
interface Frame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly mask: Uint8Array;
  readonly length: number;
  /** The number of its bytes that have been read. */
  read: number;
  /** The buffer for them; undefined if they are dropped. */
  readonly payload: Uint8Array | undefined;
}

/**
 * Shorter parts are joined, because each array takes about 200 bytes in addition to its content.
 */
const SHORT_BYTES = 1024;

/**
 * The parts of an incomplete message. There may be millions of one-byte parts. Exported for tests.
 */
export class MessageParts {
  #parts: Uint8Array[] = [];
  /** The buffer for short parts, and how much of it is used. */
  #short = NOTHING;
  #used = 0;

  /** The stored arrays. */
  get arrays(): number {
    return this.#parts.length + (this.#used > 0 ? 1 : 0);
  }

  /** @param isLast whether no other part follows */
  add(part: Uint8Array, isLast = false): void {
    if (part.length >= SHORT_BYTES || (isLast && this.arrays === 0)) {
      this.#endShort();
      this.#parts.push(part);
      return;
    }
    if (this.#used + part.length > this.#short.length) {
      this.#endShort();
      this.#short = new Uint8Array(SHORT_BYTES);
    }
    this.#short.set(part, this.#used);
    this.#used += part.length;
  }

  /** Returns all parts joined, and clears them. */
  take(): Uint8Array {
    this.#endShort();
    const parts = this.#parts;
    this.#parts = [];
    const [only = NOTHING] = parts;
    return parts.length > 1 ? Buffer.concat(parts) : only;
  }

  #endShort(): void {
    if (this.#used > 0) this.#parts.push(this.#short.slice(0, this.#used));
    this.#short = NOTHING;
    this.#used = 0;
  }
}

/** Reads the frames of one client, which may be split anywhere. */
export class FrameReader {
  readonly #handlers: FrameHandlers;
  /** The start of a frame with an incomplete head. */
  #head = Buffer.alloc(0);
  #frame: Frame | undefined;
  readonly #parts: MessageParts;
  /** The opcode of this message; undefined between messages. */
  #opcode: number | undefined;
  #isDropped = false;

  /** @param parts stores the parts of a message */
  constructor(handlers: FrameHandlers, parts = new MessageParts()) {
    this.#handlers = handlers;
    this.#parts = parts;
  }

  /** Whether a message is incomplete. */
  get isWithin(): boolean {
    return this.#opcode !== undefined || this.#frame !== undefined || this.#head.length > 0;
  }

  /** @throws {FrameError} for bytes that break the protocol. */
  push(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      const frame = this.#frame;
      if (frame === undefined) {
        at += this.#readHead(bytes.subarray(at));
        continue;
      }
      const size = Math.min(frame.length - frame.read, bytes.length - at);
      if (frame.payload !== undefined) unmask(bytes.subarray(at, at + size), frame);
      frame.read += size;
      at += size;
      this.#endIfRead(frame);
    }
  }

  /** Reads the head of a frame; returns its size. */
  #readHead(bytes: Uint8Array): number {
    const known = this.#head.length;
    const head = Buffer.concat([this.#head, bytes.subarray(0, MAX_HEAD_BYTES - known)]);
    const size = headSize(head);
    if (size === undefined || head.length < size) {
      this.#head = head;
      return head.length - known;
    }
    this.#head = Buffer.alloc(0);
    this.#frame = this.#begin(head.subarray(0, size));
    this.#endIfRead(this.#frame);
    return size - known;
  }

  #begin(head: Buffer): Frame {
    const [first = 0, second = 0] = head;
    const opcode = first & 0x0f;
    const isLast = (first & 0x80) !== 0;
    const length = lengthOf(head);
    if ((first & 0x70) !== 0) throw broken("A reserved bit is set");
    if ((second & 0x80) === 0) throw broken("A frame of a client must be masked");
    const mask = head.subarray(head.length - 4);
    if (opcode >= OPCODES.close) {
      if (opcode > OPCODES.pong) throw broken("The opcode is unknown");
      if (!isLast || length > MAX_CONTROL_BYTES) throw broken("A control frame is too long");
      return { opcode, isLast, mask, length, read: 0, payload: new Uint8Array(length) };
    }
    if (opcode > OPCODES.bytes) throw broken("The opcode is unknown");
    if ((opcode === OPCODES.continuation) !== (this.#opcode !== undefined)) {
      throw broken("A fragment does not follow its message");
    }
    this.#opcode ??= opcode;
    this.#isDropped ||= !this.#handlers.grow(length);
    if (this.#isDropped) this.#parts.take();
    const payload = this.#isDropped ? undefined : new Uint8Array(length);
    return { opcode, isLast, mask, length, read: 0, payload };
  }

  #endIfRead({ opcode, isLast, length, read, payload }: Frame): void {
    if (read < length) return;
    this.#frame = undefined;
    if (opcode >= OPCODES.close) return this.#onControl(opcode, payload ?? NOTHING);
    if (payload !== undefined) this.#parts.add(payload, isLast);
    if (!isLast) return;
    const type = this.#opcode;
    const data = this.#parts.take();
    const isDropped = this.#isDropped;
    this.#opcode = undefined;
    this.#isDropped = false;
    if (isDropped) return this.#handlers.message(undefined);
    this.#handlers.message(type === OPCODES.text ? toText(data) : data);
  }

  #onControl(opcode: number, payload: Uint8Array): void {
    if (opcode === OPCODES.ping) this.#handlers.ping(payload);
    if (opcode === OPCODES.close) this.#handlers.close(closeCodeOf(payload));
  }
}

/** Writes a frame, which a server does not mask. */
export function writeFrame(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const size = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(size + length);
  frame[0] = 0x80 | opcode;
  frame[1] = size === 2 ? length : size === 4 ? 126 : 127;
  if (size === 4) frame.writeUInt16BE(length, 2);
  if (size === 10) frame.writeBigUInt64BE(BigInt(length), 2);
  frame.set(payload, size);
  return frame;
}

/** Writes a close frame. */
export function writeClose(code: number | undefined, reason = ""): Buffer {
  if (code === undefined) return writeFrame(OPCODES.close, NOTHING);
  const payload = Buffer.concat([Buffer.alloc(2), Buffer.from(reason)]);
  payload.writeUInt16BE(code);
  return writeFrame(OPCODES.close, payload);
}

/** Two bytes, up to eight bytes for the length, and the mask. */
const MAX_HEAD_BYTES = 14;

/** The size of a frame's head; undefined while too few bytes are known. */
function headSize(head: Uint8Array): number | undefined {
  const second = head[1];
  if (second === undefined) return undefined;
  const short = second & 0x7f;
  const lengthSize = short === 126 ? 2 : short === 127 ? 8 : 0;
  return 2 + lengthSize + ((second & 0x80) === 0 ? 0 : 4);
}

function lengthOf(head: Buffer): number {
  const short = (head[1] ?? 0) & 0x7f;
  if (short < 126) return short;
  if (short === 126) return head.readUInt16BE(2);
  const length = head.readBigUInt64BE(2);
  if (length > Number.MAX_SAFE_INTEGER) throw broken("A frame is too long");
  return Number(length);
}

function unmask(bytes: Uint8Array, { mask, payload, read }: Frame): void {
  for (let index = 0; index < bytes.length; index++) {
    const at = read + index;
    (payload as Uint8Array)[at] = (bytes[index] as number) ^ (mask[at & 3] as number);
  }
}

const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function toText(bytes: Uint8Array): string {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    throw new FrameError(INVALID_TEXT, "A text is not valid UTF-8");
  }
}

/** The status code in a close frame. @throws {FrameError} for one that no endpoint may send. */
function closeCodeOf(payload: Uint8Array): number | undefined {
  if (payload.length === 0) return undefined;
  if (payload.length === 1) throw broken("A close frame has half a status code");
  const code = ((payload[0] as number) << 8) | (payload[1] as number);
  toText(payload.subarray(2));
  const isDefined = code >= 1000 && code <= 1014 && !NEVER_SENT.has(code);
  if (isDefined || (code >= 3000 && code <= 4999)) return code;
  throw broken("A close frame has a reserved status code");
}

/** Status codes that are never sent (RFC 6455, section 7.4.1). */
const NEVER_SENT = new Set([1004, 1005, 1006]);

function broken(message: string): FrameError {
  return new FrameError(PROTOCOL_ERROR, message);
}
