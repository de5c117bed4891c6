/**
 * Forwards answers from operations other than chat as they arrive: long JSON lists, such as
 * vectors, and binary data.
 */

import type { AnswerSummary } from "../apis/chat/caller_format.ts";
import type { Usage } from "../contract/chat.ts";
import { type GatewayError, toGatewayError, unreadable } from "../core/errors.ts";
import type { ListScan } from "../core/json/list_scan.ts";
import type { JsonObject } from "../core/json/object.ts";
import { type AnswerFold, endedEarly, type OpenStream } from "./fold.ts";
import type { BytesWriter } from "../apis/native_answers.ts";
import type { UpstreamError } from "../contract/vendor_request.ts";
import type { Packets } from "../upstream/read_response.ts";

/** The facts about the answer. */
interface WrittenAnswer {
  readonly usage: Usage | undefined;
  readonly summary: AnswerSummary;
}

/** The facts about a document at its end. */
interface ListEnd {
  /** The members that follow the list. */
  readonly members: JsonObject;
  readonly usage: Usage | undefined;
  readonly summary: AnswerSummary;
}

/**
 * Completes a document from the vendor's members after the list.
 *
 * @throws {GatewayError} for a document of an unexpected type.
 */
type CompleteList = (tail: JsonObject) => ListEnd;

/** Forwards the bytes of a list, and writes the members after it. */
export class ListFold implements AnswerFold {
  ended = false;
  failure: GatewayError | undefined;
  usage: Usage | undefined;
  onWritten: ((output: string | Uint8Array) => void) | undefined;
  readonly serviceTier = undefined;
  readonly outputChars = 0;
  readonly #scan: ListScan;
  readonly #complete: CompleteList;
  #summary: AnswerSummary = { id: "", model: "", finishReasons: [] };

  constructor(scan: ListScan, complete: CompleteList) {
    this.#scan = scan;
    this.#complete = complete;
  }

  get started(): boolean {
    return this.#scan.hasBegun;
  }

  get summary(): AnswerSummary {
    return this.#summary;
  }

  push(bytes: Uint8Array): string | Uint8Array {
    if (this.ended) return "";
    const output = bytes.subarray(0, this.#scan.push(bytes));
    if (this.#scan.isUnknown) this.fail(unreadable(INVALID));
    this.onWritten?.(output);
    return output;
  }

  end(): string {
    if (this.ended) return "";
    const tail = this.#scan.end();
    try {
      if (tail === undefined) throw unreadable(INVALID);
      const { members, usage, summary } = this.#complete(tail);
      this.usage = usage;
      this.#summary = summary;
      this.ended = true;
      const text = JSON.stringify(members);
      const output = text === "{}" ? "}" : `,${text.slice(1)}`;
      this.onWritten?.(output);
      return output;
    } catch (thrown) {
      this.fail(toGatewayError(thrown));
      return "";
    }
  }

  fail(error: GatewayError): void {
    this.ended = true;
    this.failure = error;
  }
}

const INVALID = "The provider's answer is not a complete JSON object";

/** The facts about the answer before it has been read. */
interface PassedAnswer {
  /** The usage of a complete answer; undefined if it must be estimated. */
  readonly usage: Usage | undefined;
  /** The length of a text that stands for the answer in an estimate, in UTF-16 units. */
  readonly outputChars: number;
  readonly summary: AnswerSummary;
  /** Present if the caller requested events; if absent, the bytes are forwarded unchanged. */
  readonly writer?: BytesWriter | undefined;
  readonly toEndError: (error: UpstreamError) => GatewayError;
}

/** Forwards bytes to the caller as they arrive. */
export class BytesFold implements AnswerFold {
  started = false;
  ended = false;
  failure: GatewayError | undefined;
  onWritten: ((output: string | Uint8Array) => void) | undefined;
  readonly serviceTier = undefined;
  readonly #answer: PassedAnswer;

  constructor(answer: PassedAnswer) {
    this.#answer = answer;
  }

  get usage(): Usage | undefined {
    return this.ended && this.failure === undefined ? this.#answer.usage : undefined;
  }

  get outputChars(): number {
    return this.#answer.outputChars;
  }

  get summary(): AnswerSummary {
    return this.#answer.summary;
  }

  push(bytes: Uint8Array): string | Uint8Array {
    if (this.ended) return "";
    if (bytes.length === 0) return "";
    this.started = true;
    const output = this.#answer.writer?.write(bytes) ?? bytes;
    this.onWritten?.(output);
    return output;
  }

  end(): string {
    if (this.ended) return "";
    if (!this.started) {
      this.fail(this.#answer.toEndError(endedEarly(false)));
      return "";
    }
    this.ended = true;
    const output = this.#answer.writer?.end() ?? "";
    this.onWritten?.(output);
    return output;
  }

  fail(error: GatewayError): void {
    this.ended = true;
    this.failure = error;
  }
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
