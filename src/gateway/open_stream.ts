/** Opens the stream of an attempt, and reads it until the answer has begun. */

import { Buffer } from "node:buffer";
import type { OpenStream } from "../streaming/fold.ts";
import { refuseOver } from "../streaming/frame_readers.ts";
import { readPackets } from "../upstream/read_response.ts";
import type { VendorResponse } from "../upstream/transport.ts";
import { readable } from "../upstream/upstream_errors.ts";
import type { VendorSession } from "./vendor_session.ts";

/**
 * Reads a stream up to its first event.
 *
 * @throws {GatewayError} a failure before that event, so that another target can be tried.
 */
export async function openStream(
  fold: OpenStream["fold"],
  response: VendorResponse,
  session: VendorSession,
): Promise<OpenStream> {
  const packets = readPackets(response, session.deadline.signal);
  let first = new Uint8Array();
  let isOver = false;
  try {
    while (!fold.started && !fold.ended) {
      const packet = await session.wait(packets.next());
      isOver = packet === undefined;
      const output = readable(() => packet === undefined ? fold.end() : fold.push(packet));
      // Copied, since the output of a fold is valid only until its next push.
      first = Buffer.concat([first, typeof output === "string" ? encoder.encode(output) : output]);
      refuseOver(first.length);
    }
    if (!fold.started && fold.failure !== undefined) throw fold.failure;
  } catch (thrown) {
    packets.close();
    const { attempt } = session;
    // An error event before the answer is a rejection; a stream that stops may have been billed.
    if (thrown === fold.failure && !isOver) attempt.refused();
    attempt.report(fold.usage);
    attempt.serviceTier = fold.serviceTier;
    attempt.isPartial = true;
    throw thrown;
  }
  session.deadline.begun();
  return { fold, packets, first };
}

const encoder = new TextEncoder();
