/**
 * The tool calls of one streamed choice. Assigns pieces to calls, although vendors omit or repeat
 * indexes, IDs and types.
 */

import {
  type ChatRequest,
  type Delta,
  isObject,
  type JsonObject,
  type ToolCallDelta,
} from "../../contract/chat.ts";
import { JsonScanner } from "../../core/json/scan.ts";
import { isText } from "../../core/json/values.ts";
import { asText, isNamedCall, NO_ARGUMENTS } from "./dialect.ts";
import type { Call } from "../../contract/vendor_request.ts";

/** One call of a stream. */
interface StreamedCall {
  /** Its position among all calls. */
  readonly place: number;
  /** The vendor's index; undefined if it sends none. */
  readonly at: unknown;
  /** The ID; undefined until the call begins, if the vendor sends none. */
  id: string | undefined;
  /** The index of the call for the caller; undefined until it is forwarded. */
  position: number | undefined;
  /** Undefined until its name arrives. */
  name: string | undefined;
  /** The members of its first piece with a name. */
  start: JsonObject;
  /** Arguments that arrived before it was forwarded. */
  buffered: string;
  /** The arguments of the pieces that have a name. */
  readonly scanner: JsonScanner;
  /** Whether pieces without a name have continued the arguments. */
  isContinued: boolean;
}

/** Converts the pieces of a choice's calls to OpenAI's form. */
export class StreamedCalls {
  /** The number of forwarded calls. */
  begun = 0;
  /** The indexes of calls without arguments so far; custom tools need none. */
  readonly #empty = new Set<number>();
  /** The last call for each ID and each index of the vendor. */
  readonly #byId = new Map<string, StreamedCall>();
  readonly #byIndex = new Map<unknown, StreamedCall>();
  #last: StreamedCall | undefined;
  /** The last call, while more of its name may follow. */
  #held: StreamedCall | undefined;
  /** The names of the request's tools, sorted. */
  #names: readonly string[] | undefined;
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Completes the first piece of a call to OpenAI's form, and removes repeated members from later
   * pieces. A call begins with its name; a call without a name is omitted.
   */
  add(piece: JsonObject): readonly ToolCallDelta[] {
    const known = this.#find(piece);
    const isNamed = isNamedCall(piece);
    const call = known === undefined || isNamed && isNext(known, piece)
      ? this.#create(piece)
      : known;
    const text = argumentsIn(piece);
    if (isNamed) call.scanner.push(text);
    else if (text !== "") call.isContinued = true;
    if (call.position !== undefined) return this.#continue(call.position, piece);
    if (isNamed) {
      call.name = joinNames(call.name, nameIn(piece));
      call.start = { ...call.start, ...piece };
    }
    call.buffered += text;
    if (call.name === undefined) return [];
    const before = this.#held === call ? [] : this.flush();
    if (call.buffered === "" && this.#mayGrow(call)) {
      this.#held = call;
      return before;
    }
    this.#held = undefined;
    return [...before, this.#begin(call)];
  }

  /** Forwards the call whose name is complete, since no more pieces of it follow. */
  flush(): readonly ToolCallDelta[] {
    const held = this.#held;
    this.#held = undefined;
    return held === undefined ? [] : [this.#begin(held)];
  }

  /** Adds arguments to calls that have ended without any. */
  addMissingArguments(delta: Delta): void {
    if (this.#empty.size === 0) return;
    const empty = { arguments: NO_ARGUMENTS };
    const pieces = delta.tool_calls ?? [];
    // Keeps the first of several pieces of one call, which comes last here.
    const begun = new Map(pieces.toReversed().map((piece) => [piece.index, piece]));
    for (const index of this.#empty) {
      const piece = begun.get(index);
      if (piece !== undefined) piece.function = { ...piece.function, ...empty };
      else pieces.push({ index, function: empty });
    }
    this.#empty.clear();
    delta.tool_calls = pieces;
  }

  #create({ index, id }: JsonObject): StreamedCall {
    const call: StreamedCall = {
      place: this.#last === undefined ? 0 : this.#last.place + 1,
      at: index,
      id: undefined,
      position: undefined,
      name: undefined,
      start: {},
      buffered: "",
      scanner: new JsonScanner(),
      isContinued: false,
    };
    if (isText(id)) this.#identify(call, id);
    this.#byIndex.set(index, call);
    this.#last = call;
    return call;
  }

  #identify(call: StreamedCall, id: string): void {
    call.id = id;
    this.#byId.set(id, call);
  }

  #continue(index: number, piece: JsonObject): readonly ToolCallDelta[] {
    const rest = restOf(piece);
    if (isFilled(rest)) this.#empty.delete(index);
    return [{ index, ...rest }];
  }

  #begin(call: StreamedCall): ToolCallDelta {
    const id = call.id ?? this.#call.newId("call_");
    this.#identify(call, id);
    const start = startOf(call);
    const index = call.position = this.begun++;
    // Both are forwarded with this piece.
    call.buffered = "";
    const piece = call.start;
    call.start = {};
    if (!isFilled(start)) this.#empty.add(index);
    return { ...piece, index, id, ...start };
  }

  /**
   * Whether the name may be only the beginning of one: Google's endpoint for this format has sent
   * names in pieces (https://github.com/continuedev/continue/pull/5849, 2025-05).
   */
  #mayGrow({ name = "", start }: StreamedCall): boolean {
    if (isObject(start.custom)) return false;
    const names = this.#names ??= [...new Set(toolNames(this.#call.request))].sort();
    const [first, next] = entriesFrom(names, name);
    return first !== name || next?.startsWith(name) === true;
  }

  /**
   * The last call that a piece may belong to. Vendors omit indexes, IDs or both, use index 0 for
   * all calls, a new ID for each piece, or the tool's name as ID. A name with another ID or another
   * index, or with neither ID nor index, begins a call.
   */
  #find(piece: JsonObject): StreamedCall | undefined {
    const isNamed = isNamedCall(piece);
    const hasIndex = Number.isInteger(piece.index);
    const atIndex = hasIndex ? this.#byIndex.get(piece.index) : undefined;
    const byId = isText(piece.id) ? this.#byId.get(piece.id) : undefined;
    if (atIndex !== undefined && atIndex.id === piece.id) return atIndex;
    if (isNamed && isText(piece.id)) {
      const isElsewhere = hasIndex && Number.isInteger(byId?.at);
      return isElsewhere ? undefined : byId;
    }
    const other = hasIndex ? atIndex : isNamed ? undefined : this.#last;
    if (byId === undefined || other === undefined) return byId ?? other;
    return byId.place > other.place ? byId : other;
  }
}

/** Whether a named piece begins a new call. */
function isNext({ isContinued, scanner }: StreamedCall, piece: JsonObject): boolean {
  if (!argumentsIn(piece).trimStart().startsWith("{")) return false;
  // A vendor that continues without names begins a call with a name.
  return isContinued || scanner.complete;
}

/** A name that is repeated in each piece, grows with each piece, or is split into pieces. */
function joinNames(name: string | undefined, piece: string): string {
  return name === undefined || piece.startsWith(name) ? piece : name + piece;
}

/** The first two entries of a sorted list that are not less than a text. */
function entriesFrom(sorted: readonly string[], text: string): readonly string[] {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return sorted.slice(low, low + 2);
}

function* toolNames({ tools, functions }: ChatRequest): Iterable<string> {
  for (const tool of tools ?? []) {
    if (isObject(tool.function)) yield asText(tool.function.name);
  }
  for (const { name } of functions ?? []) yield name;
}

function nameIn({ custom, function: fn }: JsonObject): string {
  const named = isObject(custom) ? custom : fn;
  return String(isObject(named) ? named.name : "");
}

function isFilled({ custom, function: fn }: JsonObject): boolean {
  return isObject(custom) || isObject(fn) && isText(fn.arguments);
}

/** The function or the custom tool in the first piece of a call. */
function startOf({ start, name = "", buffered }: StreamedCall): JsonObject {
  const { type, custom, function: fn } = start;
  if (isObject(custom)) return { type: type ?? "custom", custom };
  const { name: _, arguments: _sent, ...others } = isObject(fn) ? fn : {};
  return { type: "function", function: { ...others, name, arguments: buffered } };
}

function argumentsIn({ function: fn }: JsonObject): string {
  return asText(isObject(fn) ? fn.arguments : undefined);
}

/** A piece of the arguments, or of a custom tool's input, in a later piece. */
function restOf({ custom, function: fn }: JsonObject): JsonObject {
  if (isObject(custom)) return { custom: { input: asText(custom.input) } };
  return { function: { arguments: argumentsIn({ function: fn }) } };
}
