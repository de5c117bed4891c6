/** Reads the stream of events of an image: they pass unchanged. */

import { isObject } from "../../core/json/object.ts";
import { UNITS } from "../../core/units.ts";
import type { Usage } from "../../chat/chat.ts";
import type { Frame } from "../../providers/contract/frames.ts";
import { type NativeStreamReader, parseEvent } from "../native_answers.ts";
import { readUsage } from "../responses/native_answers.ts";
import { COMPLETED } from "./answer.ts";

const PARTIAL: ReadonlySet<unknown> = new Set([
  "image_generation.partial_image",
  "image_edit.partial_image",
]);
const WHOLE: ReadonlySet<unknown> = new Set(Object.values(COMPLETED));

const NO_TOKENS: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** Counts whole images, and reads their usage. */
export class ImageStreamReader implements NativeStreamReader {
  started = false;
  complete = false;
  /** A stream with several images has an event for each. */
  readonly endsWithStream = true;
  readonly outputChars = 0;
  readonly summary;
  #images = 0;
  #tokens: Usage | undefined;

  constructor(model: string) {
    this.summary = { id: "", model, finishReasons: [] };
  }

  get usage(): Usage | undefined {
    if (this.#images === 0) return undefined;
    return { ...(this.#tokens ?? NO_TOKENS), [UNITS]: { images: this.#images } };
  }

  push({ event, data }: Frame): { readonly error: unknown } | undefined {
    // Images are long, and only the last event has more than an image.
    if (PARTIAL.has(event)) return void (this.started = true);
    const body = parseEvent(data);
    if (!isObject(body)) return undefined;
    if (isObject(body.error)) return { error: body };
    if (PARTIAL.has(body.type)) this.started = true;
    if (!WHOLE.has(body.type)) return undefined;
    this.started = this.complete = true;
    this.#images++;
    this.#tokens = readUsage(body.usage) ?? this.#tokens;
    return undefined;
  }
}
