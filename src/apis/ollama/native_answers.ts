/** Reads usage and finish reasons from answers of Ollama's API that are forwarded unchanged. */

import type { AnswerSummary } from "../chat/caller_format.ts";
import type { FinishReason, Usage } from "../../contract/chat.ts";
import { unreadable } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, toList } from "../../core/json/values.ts";
import type { Frame } from "../../contract/stream_decoder.ts";
import { parseEvent } from "../stream_record.ts";
import type { NativeAnswers, NativeStreamReader } from "../native_answers.ts";
import { addUp } from "../usage.ts";

/** Reads native answers. */
export const nativeAnswers: NativeAnswers = {
  createReader: () => new LineReader(),
  readAnswer(body) {
    if (body.error) return { error: body };
    if (body.done !== true) throw unreadable("The provider's answer is not complete");
    const reader = new LineReader();
    reader.read(body);
    const { usage, summary } = reader;
    return { usage, summary };
  },
};

/** Reads the lines of one stream. */
class LineReader implements NativeStreamReader {
  started = false;
  complete = false;
  outputChars = 0;
  usage: Usage | undefined;
  #model = "";
  #hasCalls = false;
  #finish: FinishReason | undefined;

  get summary(): AnswerSummary {
    const finishReasons = this.#finish === undefined ? [] : [this.#finish];
    return { id: "", model: this.#model, finishReasons };
  }

  push({ data }: Frame): { readonly error: unknown } | undefined {
    const line = parseEvent(data);
    if (line.error) return { error: line };
    this.read(line);
    return undefined;
  }

  /** Reads a line, or a whole answer. */
  read(line: JsonObject): void {
    const { done, done_reason, message, model } = line;
    if (isText(model)) this.#model = model;
    const holder = isObject(message) ? message : line;
    const { content = line.response, thinking, tool_calls } = holder;
    for (const text of [content, thinking]) if (isText(text)) this.#count(text.length);
    for (const call of toList(tool_calls)) {
      this.#hasCalls = true;
      const { arguments: input } = isObject(call) && isObject(call.function) ? call.function : {};
      this.#count(JSON.stringify(input ?? {}).length);
    }
    if (done !== true) return;
    this.started = true;
    this.complete = true;
    this.usage = toUsage(line);
    this.#finish = toFinishReason(done_reason, this.#hasCalls);
  }

  #count(chars: number): void {
    this.started = true;
    this.outputChars += chars;
  }
}

/** The messages of a chat, or the system message and the prompt: texts, images and arguments. */
export function toCountedContent(body: JsonObject): readonly unknown[] {
  const { messages, system, prompt, context, images } = body;
  if (messages === undefined) return [system, prompt, context, ...toList(images).map(toMedium)];
  return toList(messages).map((message) => {
    if (!isObject(message)) return message;
    const { role, content, thinking, tool_calls } = message;
    const media = toList(message.images).map(toMedium);
    const calls = toList(tool_calls).map((call) =>
      isObject(call) && isObject(call.function)
        ? { name: call.function.name, arguments: call.function.arguments }
        : call
    );
    return { role, parts: [content, thinking, ...media, ...calls] };
  });
}

function toMedium(data: unknown): JsonObject {
  return { type: "image_url", image_url: data };
}

/** The finish reason. Ollama names none for calls. */
export function toFinishReason(reason: unknown, called: boolean): FinishReason {
  return reason === "length" ? "length" : called ? "tool_calls" : "stop";
}

/** The usage. A missing count is 0: old servers omit the count of a cached prompt. */
export function toUsage({ prompt_eval_count, eval_count }: JsonObject): Usage | undefined {
  return addUp({ prompt: [prompt_eval_count], completion: [eval_count] });
}
