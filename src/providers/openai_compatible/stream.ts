/** Streams of the OpenAI dialect, whoever sends them. */

import {
  type ChunkBody,
  type ChunkChoice,
  type Delta,
  isObject,
  type JsonObject,
  type ToolCallDelta,
} from "../../chat/chat.ts";
import type { Frame } from "../contract/frames.ts";
import {
  type Call,
  NOTHING,
  type Plain,
  type Step,
  type StreamDecoder,
} from "../contract/adapter.ts";
import { tellFunctionCall } from "../shared/legacy_functions.ts";
import { moveReasoning, ReasoningDetails, tellThoughts } from "./answers.ts";
import { ThinkTags, toFinishReason } from "./answers.ts";
import {
  asText,
  type Dialect,
  envelopeOf,
  GAVE_UP,
  isNamedCall,
  isText,
  isWithoutCalls,
  NO_ARGUMENTS,
  textOfParts,
} from "./dialect.ts";
import { toError } from "./dialect.ts";
import { readUsage } from "../shared/usage.ts";

/** Reads the dialect's stream; only what is odd is changed. */
export class DialectDecoder implements StreamDecoder {
  /** For each choice, the tool calls seen so far. */
  readonly #tools = new Map<number, SeenCalls>();
  /** For each choice, the think tags of a vendor that writes them. */
  readonly #tags = new Map<number, ThinkTags>();
  /** For each choice, what its reasoning has come to, where that comes in pieces. */
  readonly #details = new Map<number, ReasoningDetails>();
  /** Choices whose think tags are not through. */
  readonly #thinking = new Set<number>();
  /** Choices whose last finish reason was an empty text, which some vendors mean. */
  readonly #hollow = new Set<number>();
  #broken = false;
  /** How many deltas had pieces of reasoning that were held back. */
  #held = 0;
  readonly #call: Call;
  readonly #dialect: Dialect;

  constructor(call: Call, dialect: Dialect) {
    this.#call = call;
    this.#dialect = dialect;
  }

  push(frame: Frame): Step {
    if (frame.data === "[DONE]") return { chunks: this.#finishHollow(), done: true };
    if (frame.data === "") return NOTHING;
    let body: unknown;
    try {
      body = JSON.parse(frame.data);
    } catch {
      return failed("The provider sent an event that is not JSON");
    }
    if (!isObject(body)) return failed("The provider sent an event that is not an object");
    const elsewhere = this.#dialect.failure?.(body);
    if (body.error || elsewhere || frame.event === "error") {
      const told = elsewhere ? { error: elsewhere } : body;
      return { chunks: [], failure: toError({ where: "stream", body: told }, this.#dialect) };
    }
    const held = this.#held;
    const chunk = this.#toChunk(body);
    if (this.#broken) return { ...failed(GAVE_UP), chunks: [chunk] };
    const regular = this.#isRegular() && held === this.#held;
    return { chunks: [chunk], plain: regular ? plainOf(chunk) : undefined };
  }

  /** The gateway itself sees to it that every choice came to a finish. */
  end(): Step {
    return NOTHING;
  }

  /** Whether nothing but the shared rules made the chunk. */
  #isRegular(): boolean {
    const { message, choice } = this.#dialect;
    return !message && !choice && this.#thinking.size === 0;
  }

  #finishHollow(): ChunkBody[] {
    return [...this.#hollow].map((index) => {
      const delta: Delta = {};
      this.#tellNoArguments(delta, index);
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
    tellFunctionCall(delta, true);
    moveReasoning(delta);
    if (Array.isArray(delta.content)) delta.content = textOfParts(delta.content);
    const finish = toFinishReason(choice.finish_reason, this.#dialect.finishReasons);
    if (choice.finish_reason === "") this.#hollow.add(index);
    else if (finish !== undefined) this.#hollow.delete(index);
    if (finish === "broken") this.#broken = true;
    if (this.#dialect.thinkTags) this.#tellThoughts(delta, index, finish !== undefined);
    if (this.#dialect.detailsInPieces) this.#tellDetails(delta, index, finish !== undefined);
    if (Array.isArray(delta.tool_calls)) {
      delta.tool_calls = delta.tool_calls.filter(isObject).flatMap((piece) =>
        this.#toToolCall(piece as JsonObject, index)
      );
    } else {
      delete delta.tool_calls;
    }
    // What was cut off is not without arguments.
    const through = finish !== undefined && finish !== "broken" && finish !== "length";
    if (through) this.#tellNoArguments(delta, index);
    const { message: _, ...others } = choice;
    const end = finish === undefined || finish === "broken" ? null : finish;
    const calls = this.#tools.get(index)?.begun ?? 0;
    const finish_reason = end !== null && isWithoutCalls(end, calls) ? "stop" : end;
    return { ...others, index, delta, finish_reason };
  }

  /** Takes the pieces out of a delta, and puts the whole into the last one. */
  #tellDetails(delta: Delta, choice: number, last: boolean): void {
    const { reasoning_details: pieces } = delta;
    const details = this.#details.get(choice) ?? new ReasoningDetails();
    this.#details.set(choice, details);
    delete delta.reasoning_details;
    if (Array.isArray(pieces)) {
      details.add(pieces);
      this.#held++;
    }
    if (!last || details.whole.length === 0) return;
    delta.reasoning_details = [...details.whole];
    this.#details.delete(choice);
  }

  #tellThoughts(delta: Delta, choice: number, last: boolean): void {
    const tags = this.#tags.get(choice) ?? new ThinkTags();
    this.#tags.set(choice, tags);
    tellThoughts(delta, tags, last);
    if (tags.through) this.#thinking.delete(choice);
    else this.#thinking.add(choice);
  }

  /**
   * The first piece of a call gets what OpenAI's has; later ones lose what they repeat. A call
   * begins with its name: one that gets none is left out.
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
      call.held += argumentsIn(piece);
      return [];
    }
    const id = call.id ?? this.#call.newId("call_");
    const start = startOf(piece, call.held);
    const index = calls.begin(call, id);
    if (!isFilled(start)) calls.empty.add(index);
    return [{ ...piece, index, id, ...start }];
  }

  /** Calls that came to their end without a text of arguments. */
  #tellNoArguments(delta: Delta, choice: number): void {
    const calls = this.#tools.get(choice);
    if (calls === undefined || calls.empty.size === 0) return;
    const empty = { arguments: NO_ARGUMENTS };
    const pieces = delta.tool_calls ?? [];
    // Of several pieces of one call the first counts, which comes last here.
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

/** A chunk of one choice that adds a piece of text, reasoning or arguments, and nothing else. */
function plainOf({ choices, usage, obfuscation }: ChunkBody): Plain | undefined {
  const [choice, ...others] = choices;
  if (choice === undefined || others.length > 0 || usage || choice.finish_reason) return undefined;
  const [member, ...more] = Object.entries(choice.delta);
  if (member === undefined || more.length > 0) return undefined;
  // Said again, it is left out.
  if (member[0] === "role") return undefined;
  const text = Array.isArray(member[1]) ? argumentsOf(member[1]) : member[1];
  return isText(text) ? { text, noise: isText(obfuscation) ? obfuscation : undefined } : undefined;
}

function argumentsOf([piece, ...others]: readonly ToolCallDelta[]): string | undefined {
  const starts = piece?.id !== undefined || piece?.function?.name !== undefined;
  return starts || others.length > 0 ? undefined : piece?.function?.arguments;
}

/** How a vendor told one tool call of a stream from the others. */
interface SeenCall {
  /** Its place among all that were seen. */
  readonly place: number;
  /** Absent where the vendor gave none, until the call begins. */
  id: string | undefined;
  /** The call's index for the caller; absent before its name came. */
  position: number | undefined;
  /** Arguments that came before the name. */
  held: string;
}

/** The tool calls of one choice, and how the vendor tells one from the others. */
class SeenCalls {
  /** How many of them have a name, and were passed on. */
  begun = 0;
  /** The positions of those without any arguments so far; custom tools need none. */
  readonly empty = new Set<number>();
  /** The last call of each id, and of each index that the vendor gave. */
  readonly #byId = new Map<string, SeenCall>();
  readonly #byIndex = new Map<unknown, SeenCall>();
  #last: SeenCall | undefined;

  /** Adds the call that a piece is the first of. */
  add({ index, id }: JsonObject): SeenCall {
    const place = this.#last === undefined ? 0 : this.#last.place + 1;
    const call: SeenCall = { place, id: undefined, position: undefined, held: "" };
    if (isText(id)) this.#name(call, id);
    this.#byIndex.set(index, call);
    this.#last = call;
    return call;
  }

  /** Notes that a call got its name, and gives its position among those that did. */
  begin(call: SeenCall, id: string): number {
    this.#name(call, id);
    // Said with the name, and not needed again.
    call.held = "";
    const position = this.begun++;
    call.position = position;
    return position;
  }

  #name(call: SeenCall, id: string): void {
    call.id = id;
    this.#byId.set(id, call);
  }

  /**
   * The last call that a piece may belong to. Vendors leave out indices, ids or both, give every
   * call the index 0, or every piece a new id: a name with another id, or with neither id nor
   * index, begins a call.
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

function isFilled({ custom, function: made }: JsonObject): boolean {
  return isObject(custom) || isObject(made) && isText(made.arguments);
}

/**
 * What the first piece of a call says of its function, or of its custom tool.
 *
 * @param held arguments that came before it
 */
function startOf(piece: JsonObject, held: string): JsonObject {
  const { type, custom, function: made } = piece;
  if (isObject(custom)) return { type: type ?? "custom", custom };
  const { name, arguments: _, ...others } = isObject(made) ? made : {};
  const text = held + argumentsIn(piece);
  return {
    type: "function",
    function: { ...others, name: String(name ?? ""), arguments: text },
  };
}

function argumentsIn({ function: made }: JsonObject): string {
  return asText(isObject(made) ? made.arguments : undefined);
}

/** What a later piece adds: a piece of the arguments, or of a custom tool's input. */
function restOf({ custom, function: made }: JsonObject): JsonObject {
  if (isObject(custom)) return { custom: { input: asText(custom.input) } };
  return { function: { arguments: argumentsIn({ function: made }) } };
}

function failed(message: string): Step {
  return { chunks: [], failure: { kind: "upstream_error", message } };
}
