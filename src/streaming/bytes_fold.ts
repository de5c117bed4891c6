/** Passes the bytes of an answer that is not text, such as audio. */

import type { AnswerSummary } from "../chat/caller_format.ts";
import type { Usage } from "../chat/chat.ts";
import type { GatewayError } from "../core/errors.ts";
import type { UpstreamError } from "../providers/contract/adapter.ts";
import type { BytesWriter } from "../formats/native_answers.ts";
import { type AnswerFold, endedEarly } from "./fold.ts";

/** What is known of the answer before it has been read. */
interface PassedAnswer {
  /** The usage of a complete answer; undefined if it must be estimated. */
  readonly usage: Usage | undefined;
  /** UTF-16 units of text that stand for the answer in an estimate. */
  readonly outputChars: number;
  readonly summary: AnswerSummary;
  /** For a caller that asked for events; the bytes pass unchanged when absent. */
  readonly writer?: BytesWriter | undefined;
  readonly toEndError: (error: UpstreamError) => GatewayError;
}

/** Passes bytes to the caller as they arrive. */
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
