/** Decodes the streams of OpenAI-compatible vendors. */

import {
  type ChunkBody,
  type ChunkChoice,
  type Delta,
  isObject,
  type JsonObject,
  type ToolCallDelta,
} from "../../chat/chat.ts";
import type { Frame } from "../contract/frames.ts";
import type { Call } from "../contract/adapter.ts";
import {
  NOTHING,
  type PlainEvent,
  type Step,
  type StreamDecoder,
} from "../contract/stream_decoder.ts";
import { addToolCalls } from "../shared/legacy_functions.ts";
import { moveReasoning, ReasoningDetails, splitReasoning } from "./answers.ts";
import { ThinkTags, toFinishReason } from "./answers.ts";
import {
  ANSWER_ABORTED,
  asText,
  type Dialect,
  envelopeOf,
  isNamedCall,
  isWithoutCalls,
  NO_ARGUMENTS,
  textOfParts,
} from "./dialect.ts";
import { toError } from "./dialect.ts";
import { readUsage } from "../shared/usage.ts";
import { isText } from "../../core/json/values.ts";
import { parseEvent, unreadableEvent } from "../shared/answer_errors.ts";

/** Decodes one stream. Chunks in OpenAI's form stay unchanged. */
export class DialectDecoder implements StreamDecoder {
  /** The tool calls of each choice. */
  readonly #tools = new Map<number, SeenCalls>();
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
    const body = parseEvent(frame.data);
    if (!isObject(body)) return unreadableEvent(body);
    const elsewhere = this.#dialect.failure?.(body);
    if (body.error || elsewhere || frame.event === "error") {
      const told = elsewhere ? { error: elsewhere } : body;
      return { chunks: [], failure: toError({ where: "stream", body: told }, this.#dialect) };
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
      this.#addMissingArguments(delta, index);
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
      delta.tool_calls = delta.tool_calls.filter(isObject).flatMap((piece) =>
        this.#toToolCall(piece as JsonObject, index)
      );
    } else {
      delete delta.tool_calls;
    }
    // The arguments of a truncated call are incomplete, not missing.
    const isComplete = finish !== undefined && finish !== "broken" && finish !== "length";
    if (isComplete) this.#addMissingArguments(delta, index);
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

  #splitReasoning(delta: Delta, choice: number, last: boolean): void {
    const tags = this.#tags.get(choice) ?? new ThinkTags();
    this.#tags.set(choice, tags);
    splitReasoning(delta, tags, last);
    if (tags.isDone) this.#thinking.delete(choice);
    else this.#thinking.add(choice);
  }

  /**
   * Completes the first piece of a call to OpenAI's form, and removes repeated members from later
   * pieces. A call begins with its name; a call without a name is omitted.
   */
  #toToolCall(piece: JsonObject, choice: number): readonly ToolCallDelta[] {
    const calls = this.#tools.get(choice) ?? new SeenCalls();
    this.#tools.set(choice, calls);
    const known = calls.find(piece);
    if (known?.position !== undefined) {
      const rest = restOf(piece);
      if (isFilled(rest)) calls.empty.delete(known.position);
      return [{ index: known.position, ...rest }];
    }
    const call = known ?? calls.add(piece);
    if (!isNamedCall(piece)) {
      call.buffered += argumentsIn(piece);
      return [];
    }
    const id = call.id ?? this.#call.newId("call_");
    const start = startOf(piece, call.buffered);
    const index = calls.begin(call, id);
    if (!isFilled(start)) calls.empty.add(index);
    return [{ ...piece, index, id, ...start }];
  }

  /** Adds arguments to calls that have ended without any. */
  #addMissingArguments(delta: Delta, choice: number): void {
    const calls = this.#tools.get(choice);
    if (calls === undefined || calls.empty.size === 0) return;
    const empty = { arguments: NO_ARGUMENTS };
    const pieces = delta.tool_calls ?? [];
    // Keeps the first of several pieces of one call, which comes last here.
    const begun = new Map(pieces.toReversed().map((piece) => [piece.index, piece]));
    for (const index of calls.empty) {
      const piece = begun.get(index);
      if (piece !== undefined) piece.function = { ...piece.function, ...empty };
      else pieces.push({ index, function: empty });
    }
    calls.empty.clear();
    delta.tool_calls = pieces;
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

/** How a vendor identifies a tool call of a stream. */
interface SeenCall {
  /** Its position among all calls. */
  readonly place: number;
  /** Undefined until the call begins, if the vendor sends none. */
  id: string | undefined;
  /** The index of the call for the caller; undefined before its name arrives. */
  position: number | undefined;
  /** Arguments that arrived before the name. */
  buffered: string;
}

/** The tool calls of one choice. */
class SeenCalls {
  /** The number of calls that have a name and were passed on. */
  begun = 0;
  /** The indexes of calls without arguments so far; custom tools need none. */
  readonly empty = new Set<number>();
  /** The last call for each ID and each index of the vendor. */
  readonly #byId = new Map<string, SeenCall>();
  readonly #byIndex = new Map<unknown, SeenCall>();
  #last: SeenCall | undefined;

  /** Adds the call of a first piece. */
  add({ index, id }: JsonObject): SeenCall {
    const place = this.#last === undefined ? 0 : this.#last.place + 1;
    const call: SeenCall = { place, id: undefined, position: undefined, buffered: "" };
    if (isText(id)) this.#name(call, id);
    this.#byIndex.set(index, call);
    this.#last = call;
    return call;
  }

  /** Records that a call has its name, and returns its index for the caller. */
  begin(call: SeenCall, id: string): number {
    this.#name(call, id);
    // Passed on with the name.
    call.buffered = "";
    const position = this.begun++;
    call.position = position;
    return position;
  }

  #name(call: SeenCall, id: string): void {
    call.id = id;
    this.#byId.set(id, call);
  }

  /**
   * The last call that a piece may belong to. Vendors omit indexes, IDs or both, use index 0 for
   * all
   * calls, or a new ID for each piece. A name with another ID, or with neither ID nor index, begins
   * a call.
   */
  find(piece: JsonObject): SeenCall | undefined {
    const named = isText(isObject(piece.function) ? piece.function.name : undefined);
    const byId = isText(piece.id) ? this.#byId.get(piece.id) : undefined;
    if (named && isText(piece.id)) return byId;
    const other = Number.isInteger(piece.index)
      ? this.#byIndex.get(piece.index)
      : named
      ? undefined
      : this.#last;
    if (byId === undefined || other === undefined) return byId ?? other;
    return byId.place > other.place ? byId : other;
  }
}

function isFilled({ custom, function: fn }: JsonObject): boolean {
  return isObject(custom) || isObject(fn) && isText(fn.arguments);
}

/**
 * The function or the custom tool in the first piece of a call.
 *
 * @param buffered arguments that arrived before the name
 */
function startOf(piece: JsonObject, buffered: string): JsonObject {
  const { type, custom, function: fn } = piece;
  if (isObject(custom)) return { type: type ?? "custom", custom };
  const { name, arguments: _, ...others } = isObject(fn) ? fn : {};
  const text = buffered + argumentsIn(piece);
  return {
    type: "function",
    function: { ...others, name: String(name ?? ""), arguments: text },
  };
}

function argumentsIn({ function: fn }: JsonObject): string {
  return asText(isObject(fn) ? fn.arguments : undefined);
}

/** A piece of the arguments, or of a custom tool's input, in a later piece. */
function restOf({ custom, function: fn }: JsonObject): JsonObject {
  if (isObject(custom)) return { custom: { input: asText(custom.input) } };
  return { function: { arguments: argumentsIn({ function: fn }) } };
}
