/** What the gateway reads from text completions that pass unchanged. */

import type { AnswerSummary } from "../../chat/caller_format.ts";
import type { FinishReason, Usage } from "../../chat/chat.ts";
import { unreadable } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, toText } from "../../core/json/values.ts";
import { readUsage } from "../../providers/shared/usage.ts";
import type { Frame } from "../../providers/contract/frames.ts";
import { parseEvent } from "../event_data.ts";
import type { NativeAnswers, NativeStreamReader } from "../native_answers.ts";

/** Reads native answers. */
export const nativeAnswers: NativeAnswers = {
  createReader: () => new CompletionReader(),
  readAnswer(body) {
    if (body.error) return { error: body };
    if (!Array.isArray(body.choices)) throw unreadable("The provider's answer has no choices");
    const reader = new CompletionReader();
    reader.read(body);
    return { usage: reader.usage, summary: reader.summary };
  },
};

const FINISHES: ReadonlySet<unknown> = new Set(["stop", "length", "content_filter"]);

class CompletionReader implements NativeStreamReader {
  started = false;
  complete = false;
  outputChars = 0;
  usage: Usage | undefined;
  readonly #finishReasons: FinishReason[] = [];
  #id = "";
  #model = "";

  get summary(): AnswerSummary {
    return { id: this.#id, model: this.#model, finishReasons: this.#finishReasons };
  }

  push({ data }: Frame): { readonly error: unknown } | undefined {
    if (data === "[DONE]") {
      this.complete = this.started;
      return undefined;
    }
    const event = parseEvent(data);
    if (event.error) return { error: event };
    this.read(event);
    return undefined;
  }

  /** Reads an event, or a whole answer. */
  read({ id, model, choices, usage }: JsonObject): void {
    if (isText(id)) this.#id = id;
    if (isText(model)) this.#model = model;
    this.usage = readUsage(usage, undefined) ?? this.usage;
    if (!Array.isArray(choices)) return;
    for (const { text, finish_reason } of choices.filter(isObject)) {
      this.outputChars += toText(text).length;
      if (isText(text) || isText(finish_reason)) this.started = true;
      if (FINISHES.has(finish_reason)) this.#finishReasons.push(finish_reason as FinishReason);
    }
  }
}
