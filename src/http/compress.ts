/**
 * Compresses reports for admins and for the console: large tables in JSON and CSV. Model responses
 * are never compressed, nor is any response that contains a secret next to text that a caller
 * chose.
 */

import { acceptsGzip } from "../console/page.ts";
import { TimeSlice } from "../core/clock.ts";
import { encodePieces } from "../core/bytes.ts";
import type { Route, RouteResponse } from "./routes/route.ts";

/** The minimum length of a response to compress, in UTF-16 units or bytes. */
const MIN_LENGTH = 1024;

/** The maximum number of bytes that are compressed at once, which takes about a millisecond. */
const MAX_BYTES_AT_ONCE = 32 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

/** Wraps a route to compress its responses for clients that accept gzip. */
export function compressed(route: Route): Route {
  const { handle } = route;
  if (handle === undefined) return route;
  return {
    ...route,
    async handle(request, context) {
      return await compress(request, await handle(request, context));
    },
  };
}

async function compress(request: Request, response: RouteResponse): Promise<RouteResponse> {
  const { body, headers, status } = response;
  if (status !== 200 || !isLong(body)) return response;
  const vary = { ...headers, vary: "accept-encoding" };
  // A response to HEAD has no body to compress.
  if (request.method !== "GET" || !acceptsGzip(request)) {
    return { status, headers: vary, body };
  }
  const pieces = typeof body === "string" ? encodePieces(body) : body;
  return {
    status,
    headers: { ...vary, "content-encoding": "gzip" },
    body: await gzip(pieces),
  };
}

function isLong(body: RouteResponse["body"]): body is string | readonly Bytes[] {
  if (typeof body === "string") return body.length > MIN_LENGTH;
  return Array.isArray(body) && body.reduce((sum, { length }) => sum + length, 0) > MIN_LENGTH;
}

/** Compresses piece by piece, so that other requests are served in between. */
async function gzip(pieces: Iterable<Uint8Array>): Promise<readonly Bytes[]> {
  const { readable, writable } = new CompressionStream("gzip");
  const compressing = Array.fromAsync(readable);
  const writer = writable.getWriter();
  const slice = new TimeSlice();
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += MAX_BYTES_AT_ONCE) {
      if (slice.isOver) await slice.next();
      // The next piece overwrites this one.
      await writer.write(piece.slice(at, at + MAX_BYTES_AT_ONCE));
    }
  }
  await writer.close();
  return await compressing;
}
