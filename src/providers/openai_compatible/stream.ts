/** Decodes the streams of OpenAI-compatible vendors. */

import {
  type ChunkBody,
  type ChunkChoice,
  type Delta,
  type FinishReason,
  isObject,
  type JsonObject,
  type ToolCallDelta,
} from "../../contract/chat.ts";
import {
  type Frame,
  NOTHING,
  type PlainEvent,
  type Step,
  type StreamDecoder,
} from "../../contract/stream_decoder.ts";
import { addToolCalls } from "../shared/messages.ts";
import {
  moveReasoning,
  ReasoningDetails,
  splitReasoning,
  ThinkTags,
  toFinishReason,
} from "./answers.ts";
import {
  ANSWER_ABORTED,
  type Dialect,
  envelopeOf,
  isWithoutCalls,
  textOfParts,
  toDialectError,
} from "./dialect.ts";
import { StreamedCalls } from "./stream_calls.ts";
import { readUsage } from "../../apis/usage.ts";
import { isText } from "../../core/json/values.ts";
import { parseData, unreadableEvent } from "../shared/errors.ts";
import type { Call } from "../../contract/vendor_request.ts";

/** Decodes one stream. Chunks in OpenAI's form stay unchanged. */
export class DialectDecoder implements StreamDecoder {
  /** The tool calls of each choice. */
  readonly #tools = new Map<number, StreamedCalls>();
  /** The think tags of each choice, if the vendor uses them. */
  readonly #tags = new Map<number, ThinkTags>();
  /** The merged reasoning details of each choice, if they arrive in pieces. */
  readonly #details = new Map<number, ReasoningDetails>();
  /** Choices that may still be inside think tags. */
  readonly #thinking = new Set<number>();
  /** Choices whose last finish reason was an empty text, which some vendors send at the end. */
  readonly #emptyFinish = new Set<number>();
  #broken = false;
  /** The number of deltas whose reasoning details were buffered. */
  #bufferedDetails = 0;
  readonly #call: Call;
  readonly #dialect: Dialect;

  constructor(call: Call, dialect: Dialect) {
    this.#call = call;
    this.#dialect = dialect;
  }

  push(frame: Frame): Step {
    if (frame.data === "[DONE]") return { chunks: this.#finishHollow(), done: true };
    if (frame.data === "") return NOTHING;
    const body = parseData(frame.data);
    if (!isObject(body)) return unreadableEvent(body);
    const elsewhere = this.#dialect.failure?.(body);
    if (body.error || elsewhere || frame.event === "error") {
      const reported = elsewhere ? { error: elsewhere } : body;
      return {
        chunks: [],
        failure: toDialectError({ where: "stream", body: reported }, this.#dialect),
      };
    }
    const bufferedDetails = this.#bufferedDetails;
    const chunk = this.#toChunk(body);
    if (this.#broken) {
      return { chunks: [chunk], failure: { kind: "upstream_error", message: ANSWER_ABORTED } };
    }
    const regular = this.#isRegular() && bufferedDetails === this.#bufferedDetails;
    return { chunks: [chunk], plain: regular ? plainOf(chunk) : undefined };
  }

  /** The gateway checks that every choice has a finish reason. */
  end(): Step {
    return NOTHING;
  }

  detailsOf(choice: number): readonly unknown[] {
    return this.#details.get(choice)?.entries ?? [];
  }

  get detailsMayGrow(): boolean {
    return this.#dialect.detailsInPieces === true;
  }

  /** Whether only the common rules were applied to the chunk. */
  #isRegular(): boolean {
    const { message, choice } = this.#dialect;
    return !message && !choice && this.#thinking.size === 0;
  }

  #finishHollow(): ChunkBody[] {
    return [...this.#emptyFinish].map((index) => {
      const delta: Delta = {};
      this.#endCalls(delta, index, "stop");
      return { choices: [{ index, delta, finish_reason: "stop" }] };
    });
  }

  #toChunk(body: JsonObject): ChunkBody {
    const { id, created, model, object: _, choices, usage, ...rest } = body;
    const counted = readUsage(this.#dialect.usage?.(body) ?? usage, this.#dialect.counts);
    return {
      ...rest,
      ...envelopeOf({ id, created, model }),
      choices: Array.isArray(choices)
        ? choices.filter(isObject).map((choice, index) => this.#toChoice(choice, index))
        : [],
      usage: counted ?? (usage === null ? null : undefined),
    };
  }

  #toChoice(choice: JsonObject, position: number): ChunkChoice {
    this.#dialect.choice?.(choice);
    const index = Number.isInteger(choice.index) ? choice.index as number : position;
    const delta: Delta = isObject(choice.delta) ? choice.delta : {};
    this.#dialect.message?.(delta);
    addToolCalls(delta, true);
    moveReasoning(delta);
    if (Array.isArray(delta.content)) delta.content = textOfParts(delta.content);
    const finish = toFinishReason(choice.finish_reason, this.#dialect.finishReasons);
    if (choice.finish_reason === "") this.#emptyFinish.add(index);
    else if (finish !== undefined) this.#emptyFinish.delete(index);
    if (finish === "broken") this.#broken = true;
    if (this.#dialect.thinkTags) this.#splitReasoning(delta, index, finish !== undefined);
    if (this.#dialect.detailsInPieces) this.#mergeDetails(delta, index, finish !== undefined);
    if (Array.isArray(delta.tool_calls)) {
      const calls = this.#callsOf(index);
      delta.tool_calls = delta.tool_calls.filter(isObject).flatMap((piece) =>
        calls.add(piece as JsonObject)
      );
    } else {
      delete delta.tool_calls;
    }
    if (finish !== undefined) this.#endCalls(delta, index, finish);
    const { message: _, ...others } = choice;
    const end = finish === undefined || finish === "broken" ? null : finish;
    const calls = this.#tools.get(index)?.begun ?? 0;
    const finish_reason = end !== null && isWithoutCalls(end, calls) ? "stop" : end;
    return { ...others, index, delta, finish_reason };
  }

  /**
   * Removes pieces of reasoning details from a delta, and adds the merged ones to the last delta.
   */
  #mergeDetails(delta: Delta, choice: number, last: boolean): void {
    const { reasoning_details: pieces } = delta;
    const details = this.#details.get(choice) ?? new ReasoningDetails();
    this.#details.set(choice, details);
    delete delta.reasoning_details;
    if (Array.isArray(pieces)) {
      details.add(pieces);
      this.#bufferedDetails++;
    }
    if (!last || details.entries.length === 0) return;
    delta.reasoning_details = [...details.entries];
    this.#details.delete(choice);
  }

  #callsOf(choice: number): StreamedCalls {
    const calls = this.#tools.get(choice) ?? new StreamedCalls(this.#call);
    this.#tools.set(choice, calls);
    return calls;
  }

  #endCalls(delta: Delta, choice: number, finish: FinishReason | "broken"): void {
    const calls = this.#tools.get(choice);
    if (calls === undefined) return;
    const held = calls.flush();
    if (held.length > 0) delta.tool_calls = [...(delta.tool_calls ?? []), ...held];
    // The arguments of a truncated call are incomplete, not missing.
    if (finish !== "broken" && finish !== "length") calls.addMissingArguments(delta);
  }

  #splitReasoning(delta: Delta, choice: number, last: boolean): void {
    const tags = this.#tags.get(choice) ?? new ThinkTags();
    this.#tags.set(choice, tags);
    splitReasoning(delta, tags, last);
    if (tags.isDone) this.#thinking.delete(choice);
    else this.#thinking.add(choice);
  }
}

/** The plain event of a chunk that only adds text, reasoning or arguments to one choice. */
function plainOf({ choices, usage, obfuscation }: ChunkBody): PlainEvent | undefined {
  const [choice, ...others] = choices;
  if (choice === undefined || others.length > 0 || usage || choice.finish_reason) return undefined;
  const [member, ...more] = Object.entries(choice.delta);
  if (member === undefined || more.length > 0) return undefined;
  // A repeated role is omitted.
  if (member[0] === "role") return undefined;
  const text = Array.isArray(member[1]) ? argumentsOf(member[1]) : member[1];
  return isText(text)
    ? { text, ignoredText: isText(obfuscation) ? obfuscation : undefined }
    : undefined;
}

function argumentsOf([piece, ...others]: readonly ToolCallDelta[]): string | undefined {
  const starts = piece?.id !== undefined || piece?.function?.name !== undefined;
  return starts || others.length > 0 ? undefined : piece?.function?.arguments;
}
