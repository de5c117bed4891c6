/** What the gateway reads from answers of the Messages API that pass unchanged. */

import type { AnswerSummary } from "../../chat/caller_format.ts";
import type { FinishReason, Usage } from "../../chat/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, toText } from "../../core/json/values.ts";
import { toFinishReason, toTier, toUsage } from "../../providers/anthropic/answers.ts";
import type { Frame } from "../../providers/contract/frames.ts";
import { unreadable } from "../../core/errors.ts";
import { parseEvent } from "../event_data.ts";
import type { NativeAnswers, NativeStreamReader } from "../native_answers.ts";
import { skipAlike } from "../skipped_events.ts";
import { deltaLength, deltaLengthInBytes } from "./delta_length.ts";

/** Reads native answers. */
export const nativeAnswers: NativeAnswers = {
  createReader: () => new MessageReader(),
  readAnswer(body) {
    if (body.type === "error") return { error: body };
    if (!Array.isArray(body.content)) throw unreadable("The provider's answer has no content");
    const { id, model, usage, stop_reason } = body;
    return {
      usage: isObject(usage) ? toUsage(usage) : undefined,
      serviceTier: toTier(usage),
      summary: {
        id: toText(id),
        model: toText(model),
        finishReasons: isText(stop_reason) ? [finishReasonOf(stop_reason)] : [],
      },
    };
  },
};

function finishReasonOf(stopReason: string): FinishReason {
  return toFinishReason(stopReason, stopReason === "tool_use");
}

/** Most events are deltas, which contain nothing needed here. */
const DELTA_START = new TextEncoder().encode("event: content_block_delta\ndata: ");

/** Reads the events of one stream. */
class MessageReader implements NativeStreamReader {
  started = false;
  complete = false;
  outputChars = 0;
  #id = "";
  #model = "";
  #usage: JsonObject | undefined;
  #stopReason: string | undefined;

  get usage(): Usage | undefined {
    return this.#usage && toUsage(this.#usage);
  }

  get serviceTier(): string | undefined {
    return toTier(this.#usage);
  }

  get summary(): AnswerSummary {
    const finishReasons = this.#stopReason === undefined ? [] : [finishReasonOf(this.#stopReason)];
    return { id: this.#id, model: this.#model, finishReasons };
  }

  skip(bytes: Uint8Array, start: number): number {
    return skipAlike(bytes, start, DELTA_START, this.#countDelta);
  }

  readonly #countDelta = (bytes: Uint8Array, start: number, end: number) => {
    this.outputChars += deltaLengthInBytes(bytes, start, end);
  };

  push({ event, data }: Frame): { readonly error: unknown } | undefined {
    if (event === "content_block_delta") return this.#onDelta(data);
    const body = parseEvent(data);
    switch (event ?? body.type) {
      case "content_block_delta":
        return this.#onDelta(data);
      case "message_start":
        this.#begin(isObject(body.message) ? body.message : {});
        return undefined;
      case "message_delta":
        this.#count(body.usage);
        if (isObject(body.delta) && isText(body.delta.stop_reason)) {
          this.#stopReason = body.delta.stop_reason;
        }
        return undefined;
      case "message_stop":
        this.started = true;
        this.complete = true;
        return undefined;
      case "error":
        return { error: body };
      case "ping":
        return undefined;
      default:
        this.started = true;
        return undefined;
    }
  }

  #onDelta(data: string): undefined {
    this.outputChars += deltaLength(data);
    this.started = true;
  }

  #begin({ id, model, usage }: JsonObject): void {
    this.#id = toText(id);
    this.#model = toText(model);
    this.#count(usage);
  }

  /** The counts are running totals: later ones replace earlier ones. */
  #count(usage: unknown): void {
    if (!isObject(usage)) return;
    this.#usage ??= {};
    for (const [name, value] of Object.entries(usage)) {
      if (value !== null) this.#usage[name] = value;
    }
  }
}
