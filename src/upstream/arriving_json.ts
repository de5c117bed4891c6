/** Parses a large answer while it arrives, without keeping its text or blocking the event loop. */

import { TimeSlice } from "../core/clock.ts";
import { GatewayError, unreadable } from "../core/errors.ts";
import { JsonError, MAX_MEMBERS } from "../core/json/limits.ts";
import { JsonReader } from "../core/json/reader.ts";
import type { Packets } from "./read_response.ts";
import { parseAnswer } from "./vendor_answer.ts";
import type { JsonLimits } from "../core/json/scan.ts";

/** The maximum size of such an answer: 2048 vectors of 3072 numbers, with whitespace. */
const MAX_BYTES = 256 * 1024 * 1024;

const LIMITS: JsonLimits = { elements: 16_000_000, members: MAX_MEMBERS, depth: 64 };

/** Answers of up to this many UTF-16 units are parsed at once. */
const MAX_LENGTH_AT_ONCE = 128 * 1024;

/**
 * The number of UTF-16 units that are collected before parsing, so that most lists are complete.
 */
const PIECE_LENGTH = 256 * 1024;

/** The options for reading an answer's packets. */
export interface ArrivingOptions {
  /** Wraps each wait for the vendor. */
  readonly wait: <Result>(vendor: Promise<Result>) => Promise<Result>;
  /**
   * Called with the number of new bytes of a long answer.
   *
   * @throws {GatewayError} when there is no memory for it.
   */
  readonly onGrowth?: (bytes: number) => void;
}

/**
 * Reads an answer's JSON. The text of numbers is not preserved, since nearly all belong to vectors.
 *
 * @throws {GatewayError} `upstream_error` for an answer that is not JSON or too long.
 */
export async function readArrivingJson(
  packets: Pick<Packets, "next" | "close">,
  { wait, onGrowth }: ArrivingOptions,
): Promise<unknown> {
  const decoder = new TextDecoder();
  const slice = new TimeSlice();
  let reader: JsonReader | undefined;
  let text = "";
  let size = 0;
  let counted = PIECE_LENGTH;
  try {
    for (;;) {
      const packet = await wait(packets.next());
      if (packet === undefined) break;
      size += packet.byteLength;
      if (size > MAX_BYTES) throw tooLong();
      if (size > counted) {
        onGrowth?.(size - counted);
        counted = size;
      }
      text += decoder.decode(packet, { stream: true });
      if (text.length >= PIECE_LENGTH) {
        reader ??= new JsonReader(LIMITS, "values");
        // A complete list of numbers is parsed quickly.
        const end = text.lastIndexOf("]") + 1 || text.length;
        reader.push(text.slice(0, end));
        text = text.slice(end);
      }
      if (slice.isOver) await slice.next();
    }
    text += decoder.decode();
    if (reader === undefined && text.length <= MAX_LENGTH_AT_ONCE) {
      return parseAnswer(text, JSON.parse);
    }
    reader ??= new JsonReader(LIMITS, "values");
    reader.push(text);
    return reader.end();
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    throw thrown.limit === undefined
      ? unreadable("The provider's answer is not JSON", thrown)
      : unreadable(`The provider's answer has too many ${thrown.limit}`, thrown);
  } finally {
    packets.close();
  }
}

function tooLong(): GatewayError {
  const size = `${MAX_BYTES / 1024 / 1024} MiB`;
  return new GatewayError("upstream_error", `The provider's answer is over ${size}`);
}
