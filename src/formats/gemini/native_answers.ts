/** What the gateway reads from answers of `generateContent` that pass unchanged. */

import type { AnswerSummary } from "../../chat/caller_format.ts";
import type { FinishReason, Usage } from "../../chat/chat.ts";
import { Bytes } from "../../core/compared_bytes.ts";
import { unreadable } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { Frame } from "../../providers/contract/frames.ts";
import { partsOf, readFinish, readUsage, toTier } from "../../providers/gemini/answer.ts";
import { parseEvent } from "../event_data.ts";
import { stringLengthAfter } from "../json_string_length.ts";
import { EventShape } from "./event_shape.ts";
import type { NativeAnswers, NativeStreamReader } from "../native_answers.ts";

/** Reads native answers. */
export const nativeAnswers: NativeAnswers = {
  createReader: () => new GenerateReader(),
  readAnswer(body) {
    if (body.error) return { error: body };
    const isBlocked = isObject(body.promptFeedback);
    if (!Array.isArray(body.candidates) && !isBlocked) {
      throw unreadable("The provider's answer has no candidates");
    }
    const reader = new GenerateReader();
    reader.read(body);
    const { serviceTier, summary, usage } = reader;
    return { usage, serviceTier, summary };
  },
};

/** Reads the events of one stream. */
class GenerateReader implements NativeStreamReader {
  /** Usage may follow the finish reason, and early models send one in every event. */
  readonly endsWithStream = true;
  started = false;
  outputChars = 0;
  #id = "";
  #model = "";
  #usage: JsonObject | undefined;
  /** The finish reasons by the index of the candidate; undefined for one that has not ended. */
  readonly #finishes = new Map<number, FinishReason | undefined>();
  #isBlocked = false;
  /** The last event, if only its length was counted: its usage is read when it is needed. */
  #unread: string | undefined;
  /** The shape of that event. */
  #shape: EventShape | undefined;
  /** Whether another event of the shape was skipped since then. */
  #isSkipped = false;

  get complete(): boolean {
    if (this.#isBlocked) return true;
    if (this.#finishes.size === 0) return false;
    for (const finish of this.#finishes.values()) if (finish === undefined) return false;
    return true;
  }

  get usage(): Usage | undefined {
    this.#readLast();
    return readUsage(this.#usage);
  }

  get serviceTier(): string | undefined {
    this.#readLast();
    return toTier(this.#usage);
  }

  get summary(): AnswerSummary {
    const finishReasons = [...this.#finishes.values()].flatMap((finish) => finish ?? []);
    return { id: this.#id, model: this.#model, finishReasons };
  }

  skip(bytes: Uint8Array, start: number): number {
    const shape = this.#shape;
    if (shape === undefined) return start;
    const compared = new Bytes(bytes);
    let at = start;
    for (let end = shape.match(compared, at); end !== -1; end = shape.match(compared, at)) {
      this.outputChars += shape.textBytes;
      this.#isSkipped = true;
      at = end;
    }
    return at;
  }

  push({ data }: Frame, bytes?: Uint8Array): { readonly error: unknown } | undefined {
    if (this.started && isPlainText(data)) {
      this.outputChars += stringLengthAfter(data, TEXT) ?? 0;
      this.#unread = data;
      this.#isSkipped = false;
      this.#shape = bytes && EventShape.of(bytes);
      return undefined;
    }
    this.#readLast();
    const body = parseEvent(data);
    if (body.error) return { error: body };
    this.read(body);
    return undefined;
  }

  /** Reads the usage in the last event that was only counted. */
  #readLast(): void {
    const data = this.#isSkipped ? this.#shape?.lastData : this.#unread;
    this.#unread = undefined;
    this.#isSkipped = false;
    if (data !== undefined) this.#readUsage(parseEvent(data));
  }

  #readUsage({ usageMetadata }: JsonObject): void {
    // Vertex sends events whose usage has no counts.
    if (isObject(usageMetadata) && (this.#usage === undefined || hasCounts(usageMetadata))) {
      this.#usage = usageMetadata;
    }
  }

  /** Reads a whole answer, or a part of one. */
  read(body: JsonObject): void {
    const { candidates, modelVersion, promptFeedback, responseId } = body;
    if (isText(responseId)) this.#id = responseId;
    if (isText(modelVersion)) this.#model = modelVersion;
    this.#readUsage(body);
    if (isObject(promptFeedback) && isText(promptFeedback.blockReason)) {
      this.#isBlocked = true;
      this.started = true;
    }
    for (const candidate of Array.isArray(candidates) ? candidates : []) {
      if (isObject(candidate)) this.#readCandidate(candidate);
    }
  }

  #readCandidate(candidate: JsonObject): void {
    const index = typeof candidate.index === "number" ? candidate.index : 0;
    for (const part of partsOf(candidate)) {
      this.started = true;
      this.outputChars += lengthOf(part);
    }
    const finish = isText(candidate.finishReason) ? toFinish(candidate) : undefined;
    if (finish !== undefined) this.started = true;
    this.#finishes.set(index, finish ?? this.#finishes.get(index));
  }
}

const TEXT = '"text"';

/**
 * Whether an event after the first one has one text and counts, and nothing that must be read at
 * once: it is not parsed, which would take most of the time of a stream. Quotes within texts are
 * escaped, so that they look different.
 */
function isPlainText(data: string): boolean {
  const text = data.indexOf(TEXT);
  return text !== -1 && data.indexOf(TEXT, text + TEXT.length) === -1 && !SPECIAL.test(data) &&
    data.includes('"promptTokenCount"');
}

const SPECIAL = /"(?:finishReason|error|promptFeedback|functionCall)"|"index"\s*:\s*[1-9]/;

function hasCounts({ promptTokenCount }: JsonObject): boolean {
  return promptTokenCount !== undefined;
}

/** A failure of the vendor is the caller's to read: it is a finish reason of the format. */
function toFinish(candidate: JsonObject): FinishReason {
  const finish = readFinish(candidate, true);
  return typeof finish === "string" ? finish : "stop";
}

/** The length of the output in a part, in UTF-16 units; approximate for calls. */
function lengthOf({ text, functionCall }: JsonObject): number {
  if (typeof text === "string") return text.length;
  return isObject(functionCall) ? JSON.stringify(functionCall.args ?? {}).length : 0;
}
