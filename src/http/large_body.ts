/** Large response bodies: encoded piece by piece, as fast as the client reads. */

import { closeIfUnread } from "../streaming/unread.ts";
import { Buffer } from "node:buffer";
import { type Clock, TimeSlice } from "../core/clock.ts";
import { encodePieces } from "../core/encode_text.ts";
import type { RouteResponse } from "./routes/route.ts";

/** Longer bodies, in UTF-16 units, are not encoded at once. */
const MAX_LENGTH_AT_ONCE = 256 * 1024;

/** When a body is aborted. */
export interface LargeBodyOptions {
  readonly clock: Clock;
  /** How long the client may stop reading, in milliseconds. */
  readonly writeTimeout: number;
  /** Called when the client has not read for `writeTimeout`. */
  readonly onUnread: () => void;
}

/** A body that is sent piece by piece. */
type LargeBody = string | readonly Uint8Array<ArrayBuffer>[];

/** Whether a body is so long that it is encoded piece by piece, or consists of pieces already. */
export function isLargeBody(body: RouteResponse["body"]): body is LargeBody {
  return Array.isArray(body) || typeof body === "string" && body.length > MAX_LENGTH_AT_ONCE;
}

/** The same response with a body that is encoded while it is sent. */
export function withLargeBody(
  { status, headers }: RouteResponse,
  body: LargeBody,
  options: LargeBodyOptions,
): RouteResponse {
  const size = typeof body === "string"
    ? Buffer.byteLength(body)
    : body.reduce((sum, piece) => sum + piece.length, 0);
  const length = { "content-length": String(size) };
  return { status, headers: { ...headers, ...length }, body: toPieces(body, options) };
}

function toPieces(
  body: LargeBody,
  { clock, writeTimeout, onUnread }: LargeBodyOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces: Iterator<Uint8Array, unknown> = typeof body === "string"
    ? encodePieces(body)
    : body.values();
  const slice = new TimeSlice();
  let cancelWait = () => {};
  return new ReadableStream({
    async pull(controller) {
      cancelWait();
      // A client that reads faster than this encodes must not block other connections.
      if (slice.isOver) await slice.next();
      const piece = pieces.next();
      if (piece.done) return controller.close();
      // The next piece overwrites this one.
      controller.enqueue(new Uint8Array(piece.value));
      cancelWait = closeIfUnread({ clock, ms: writeTimeout, onUnread }, controller);
    },
    cancel() {
      cancelWait();
    },
  });
}
