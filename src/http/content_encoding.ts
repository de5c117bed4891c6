/**
 * Compressed request bodies, which the gateway does not take: their JSON and forms cannot be read.
 * The header is looked at only after a body could not be read.
 */

import { GatewayError } from "../core/errors.ts";
import { shortened } from "../core/shortened.ts";

/** The longest part of the header in a message, in UTF-16 units. */
const MAX_SHOWN_CHARS = 100;

/** The content-encoding of a body, for messages; undefined for one that is sent as it is. */
export function encodingOf(headers: Headers): string | undefined {
  const encoding = headers.get("content-encoding") ?? "identity";
  return /^\s*(?:identity)?\s*$/i.test(encoding) ? undefined : shortened(encoding, MAX_SHOWN_CHARS);
}

/** The error of a body that could not be read: `unsupported_media_type` for a compressed one. */
export function toEncodingError(thrown: unknown, headers: Headers): unknown {
  const encoding = encodingOf(headers);
  if (encoding === undefined || !isOfContent(thrown)) return thrown;
  const message =
    `The request body has content-encoding '${encoding}'; send it without compression`;
  return new GatewayError("unsupported_media_type", message);
}

function isOfContent(thrown: unknown): boolean {
  return thrown instanceof GatewayError &&
    (thrown.kind === "invalid_request" || thrown.kind === "invalid_value");
}
