/** Removes a provider's credentials from the body of a passed error. */

import { Buffer } from "node:buffer";
import type { Provider } from "../config/providers.ts";
import { changedAnswer } from "./changed_answer.ts";
import type { Packets } from "./read_response.ts";

/** Bodies over this many bytes pass unchanged: they are not error messages. */
const MAX_BYTES = 64 * 1024;

/** The packets of an error without the provider's credentials. */
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
