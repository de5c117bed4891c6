/** Restores the caller's names of tools and of their arguments' properties in answers. */

import {
  type ChunkChoice,
  type CompletionBody,
  isObject,
  type JsonObject,
  type ToolCallDelta,
  type Usage,
} from "../../../contract/chat.ts";
import type { Adapter } from "../../../contract/adapter.ts";
import type { Frame, Step, StreamDecoder } from "../../../contract/stream_decoder.ts";
import { type KeyNames, KeyRewriter, replaceKeys } from "./names.ts";
import type { Call } from "../../../contract/vendor_request.ts";

/** The names that were changed in a request. */
export interface Renamed {
  /** The caller's names of tools, by the names that were sent. */
  readonly tools: ReadonlyMap<string, string>;
  /** The caller's keys of arguments, by the caller's names of tools. */
  readonly properties?: ReadonlyMap<string, KeyNames> | undefined;
}

/**
 * An adapter whose answers contain the caller's names.
 *
 * @param sent the call with the names sent to the vendor
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
    const { tool_calls = [], function_call } = message;
    for (const call of [...tool_calls, { function: function_call }]) {
      const keys = restoreName(call, renamed);
      const { function: called } = call;
      if (keys !== undefined && isObject(called) && typeof called.arguments === "string") {
        called.arguments = replaceKeys(called.arguments, keys);
      }
    }
  }
  return body;
}

/** Decodes a stream with another decoder, and restores the names in its chunks. */
class RestoringDecoder implements StreamDecoder {
  readonly #decoder: StreamDecoder;
  readonly #renamed: Renamed;
  /** The arguments of calls with renamed keys, by choice and index. */
  readonly #open = new Map<number, Map<number, KeyRewriter>>();

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
    const { properties } = this.#renamed;
    let isPlain = true;
    for (const { choices } of step.chunks) {
      for (const choice of choices) {
        const { tool_calls, function_call } = choice.delta;
        const hasCalls = tool_calls !== undefined || function_call !== undefined;
        if (hasCalls) isPlain &&= properties === undefined;
        this.#restoreChoice(choice);
      }
    }
    // The template cache would bypass this decoder for the arguments of later events.
    return isPlain ? step : { ...step, plain: undefined };
  }

  #restoreChoice(choice: ChunkChoice): void {
    const { delta, index, finish_reason } = choice;
    if (delta.tool_calls !== undefined) {
      const pieces = delta.tool_calls.filter((piece) => this.#restorePiece(piece, index));
      if (pieces.length > 0) delta.tool_calls = pieces;
      else delete delta.tool_calls;
    }
    const { function_call: legacy } = delta;
    if (isObject(legacy) && !this.#restorePiece({ index: LEGACY, function: legacy }, index)) {
      delete delta.function_call;
    }
    if (!finish_reason) return;
    for (const [call, rewriter] of this.#open.get(index) ?? []) {
      const rest = rewriter.end();
      if (rest === "") continue;
      if (call === LEGACY) delta.function_call = { arguments: rest };
      else (delta.tool_calls ??= []).push(toPiece(call, rest));
    }
    this.#open.delete(index);
  }

  /** Returns whether any part of the piece can be forwarded yet. */
  #restorePiece(piece: ToolCallDelta, choice: number): boolean {
    const { function: called } = piece;
    const keys = restoreName(piece, this.#renamed);
    const open = this.#open.get(choice) ?? new Map<number, KeyRewriter>();
    if (keys !== undefined) this.#open.set(choice, open.set(piece.index, new KeyRewriter(keys)));
    const rewriter = open.get(piece.index);
    if (rewriter === undefined || called?.arguments === undefined) return true;
    const isFirst = called.name !== undefined;
    called.arguments = rewriter.push(called.arguments);
    return isFirst || called.arguments !== "";
  }
}

/** The index of a legacy `function_call`, which has a copy in `tool_calls`. */
const LEGACY = -1;

function toPiece(index: number, text: string): ToolCallDelta {
  return { index, function: { arguments: text } };
}

/** Restores the name of a call, or of its first piece. Returns the keys of its arguments. */
function restoreName(call: JsonObject, { tools, properties }: Renamed): KeyNames | undefined {
  const { function: fn, custom } = call;
  const called = isObject(fn) ? fn : custom;
  if (!isObject(called) || typeof called.name !== "string") return undefined;
  const name = tools.get(called.name) ?? called.name;
  called.name = name;
  return properties?.get(name);
}
