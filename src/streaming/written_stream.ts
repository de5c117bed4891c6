/** A stream whose events are all known when it begins. */

import type { AnswerSummary } from "../apis/chat/caller_format.ts";
import type { Usage } from "../contract/chat.ts";
import type { Packets } from "../upstream/read_response.ts";
import type { AnswerFold, OpenStream } from "./fold.ts";

/** What is known of the answer. */
interface WrittenAnswer {
  readonly usage: Usage | undefined;
  readonly summary: AnswerSummary;
}

/** A stream of this text. */
export function writtenStream(text: string, { usage, summary }: WrittenAnswer): OpenStream {
  const fold: AnswerFold = {
    started: true,
    ended: true,
    failure: undefined,
    usage,
    serviceTier: undefined,
    summary,
    outputChars: 0,
    onWritten: undefined,
    push: () => "",
    end: () => "",
    fail() {},
  };
  return { fold, packets: NO_PACKETS, first: encoder.encode(text) };
}

/** The packets of an answer that has been read. */
export const NO_PACKETS: Packets = {
  next: () => Promise.resolve(undefined),
  take: () => null,
  arrival: () => Promise.resolve(),
  close() {},
  finish: () => Promise.resolve(),
};

const encoder = new TextEncoder();
