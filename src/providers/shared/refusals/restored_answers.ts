/** Restores the caller's names of tools in answers. */

import type { ChunkBody, CompletionBody, JsonObject } from "../../../chat/chat.ts";
import { isObject } from "../../../core/json/object.ts";
import type { Usage } from "../../../chat/chat.ts";
import type { Adapter } from "../../contract/adapter.ts";
import type { Frame } from "../../contract/frames.ts";
import type { Call } from "../../contract/adapter.ts";
import type { Step, StreamDecoder } from "../../contract/stream_decoder.ts";

/** What was renamed in a request. */
export interface Renamed {
  /** The caller's names of tools, by the names that were sent. */
  readonly tools: ReadonlyMap<string, string>;
}

/**
 * An adapter whose answers have the caller's names.
 *
 * @param sent the call with the names that the vendor got
 */
export function restoring(adapter: Adapter, sent: Call, renamed: Renamed): Adapter {
  return {
    ...adapter,
    transparent: false,
    toCompletion: (answer) => restoreCompletion(adapter.toCompletion(answer, sent), renamed),
    decoder: ({ newId }) => new RestoringDecoder(adapter.decoder({ ...sent, newId }), renamed),
  };
}

function restoreCompletion(body: CompletionBody, renamed: Renamed): CompletionBody {
  for (const { message } of body.choices) {
    for (const call of message.tool_calls ?? []) restoreName(call, renamed);
  }
  return body;
}

/** Decodes a stream as another decoder does, and restores the names in its chunks. */
class RestoringDecoder implements StreamDecoder {
  readonly #decoder: StreamDecoder;
  readonly #renamed: Renamed;

  constructor(decoder: StreamDecoder, renamed: Renamed) {
    this.#decoder = decoder;
    this.#renamed = renamed;
  }

  get usage(): Usage | undefined {
    return this.#decoder.usage;
  }

  get detailsMayGrow(): boolean {
    return this.#decoder.detailsMayGrow === true;
  }

  detailsOf(choice: number): readonly unknown[] {
    return this.#decoder.detailsOf?.(choice) ?? [];
  }

  push(frame: Frame): Step {
    return this.#restore(this.#decoder.push(frame));
  }

  end(): Step {
    return this.#restore(this.#decoder.end());
  }

  #restore(step: Step): Step {
    for (const chunk of step.chunks) this.#restoreChunk(chunk);
    return step;
  }

  #restoreChunk({ choices }: ChunkBody): void {
    for (const { delta } of choices) {
      for (const piece of delta.tool_calls ?? []) restoreName(piece, this.#renamed);
    }
  }
}

/** Restores the name of a call, or of its first piece. */
function restoreName(call: JsonObject, { tools }: Renamed): void {
  const { function: fn, custom } = call;
  for (const called of [fn, custom]) {
    if (!isObject(called) || typeof called.name !== "string") continue;
    called.name = tools.get(called.name) ?? called.name;
  }
}
