/** Gemini's streams: each event is a partial answer, and no event marks the end. */

import {
  type ChunkBody,
  type ChunkChoice,
  type Delta,
  type FinishReason,
  isObject,
  type JsonObject,
  type Usage,
} from "../../contract/chat.ts";
import {
  type Frame,
  NOTHING,
  type Step,
  type StreamDecoder,
} from "../../contract/stream_decoder.ts";
import {
  type AnswerRules,
  type Envelope,
  isFailure,
  readBlock,
  readEnvelope,
  readLogprobs,
  readPart,
  toCall,
} from "./answer.ts";
import { type Part, partsOf, readFinish, readUsage, toTier } from "../../apis/gemini/usage.ts";
import { readGrounding } from "./grounding.ts";
import { toGeminiError } from "./errors.ts";
import { FenceFilter } from "../shared/json_fence.ts";
import { isText } from "../../core/json/values.ts";
import { failed, parseData, streamError, unreadableEvent } from "../shared/errors.ts";
import type { Call, UpstreamError } from "../../contract/vendor_request.ts";

/** A value under construction. Objects are maps, so that a member can have any name. */
type Node =
  | { readonly type: "leaf"; value: unknown }
  | { readonly type: "object"; readonly members: Map<string, Node> }
  | { readonly type: "array"; readonly items: Node[] };

/** The state of one candidate. */
interface ChoiceState {
  readonly index: number;
  readonly fence: FenceFilter | undefined;
  /** The number of forwarded calls. */
  calls: number;
  /** A call with incomplete arguments. `index` is undefined for a call that is not forwarded. */
  open: { readonly index: number | undefined; readonly args: PartialArguments } | undefined;
  hasOutput: boolean;
  hasImage: boolean;
  /** The last image of the thoughts. */
  draft: JsonObject | undefined;
  /** The text so far, if it may be grounded in a search, and the last grounding metadata. */
  readonly texts: string[] | undefined;
  grounding: unknown;
  /** The last event with a finish reason: early models sent STOP in every event. */
  end: JsonObject | undefined;
}

/** Reads the events of `streamGenerateContent?alt=sse`. */
export class GeminiDecoder implements StreamDecoder {
  readonly #call: Call;
  readonly #rules: AnswerRules;
  readonly #choices = new Map<number, ChoiceState>();
  #envelope: Envelope | undefined;
  #usage: JsonObject | undefined;

  constructor(call: Call, rules: AnswerRules) {
    this.#call = call;
    this.#rules = rules;
  }

  get usage(): Usage | undefined {
    return readUsage(this.#usage);
  }

  push(frame: Frame): Step {
    if (frame.data === "") return NOTHING;
    const body = parseData(frame.data);
    const answer: unknown = Array.isArray(body) ? body[0] : body;
    if (!isObject(answer)) return unreadableEvent(body);
    if (answer.error) {
      return { chunks: [], failure: toGeminiError({ where: "stream", body: answer }) };
    }
    this.#envelope ??= readEnvelope(answer);
    this.#count(answer.usageMetadata);
    const candidates = Array.isArray(answer.candidates) ? answer.candidates.filter(isObject) : [];
    const blocked = candidates.length === 0 ? readBlock(answer) : undefined;
    if (blocked !== undefined) return { chunks: [], failure: blocked };
    const chunks: ChunkBody[] = [];
    for (const candidate of candidates) {
      const failure = this.#onCandidate(candidate, chunks);
      if (failure !== undefined) return { chunks, failure };
    }
    return { chunks };
  }

  /** The answer is complete if every candidate has a finish reason. */
  end(): Step {
    const choices: ChunkChoice[] = [];
    for (const state of this.#choices.values()) {
      const hasOutput = state.hasOutput || state.draft !== undefined;
      const finish = state.end && readFinish(state.end, hasOutput);
      if (finish === undefined) return failed("ended its stream before it was complete");
      if (typeof finish !== "string") return { chunks: [], failure: finish };
      choices.push(...this.#close(state, finish));
    }
    if (choices.length === 0) return failed("ended its stream without an answer");
    const tier = toTier(this.#usage);
    const last = { choices, usage: readUsage(this.#usage), ...(tier && { service_tier: tier }) };
    return { chunks: [{ ...this.#envelope, ...last }] };
  }

  #onCandidate(candidate: JsonObject, chunks: ChunkBody[]): UpstreamError | undefined {
    const index = Number.isInteger(candidate.index) ? candidate.index as number : 0;
    const state = this.#stateOf(index);
    if (isFailure(candidate.finishReason)) {
      const failure = readFinish(candidate, state.hasOutput);
      if (typeof failure !== "string") return failure;
    }
    const deltas: Delta[] = [];
    for (const part of partsOf(candidate)) {
      const failure = this.#onPart(state, part, deltas);
      if (failure !== undefined) return failure;
    }
    if (isText(candidate.finishReason)) state.end = candidate;
    if (state.texts !== undefined) state.grounding = candidate.groundingMetadata ?? state.grounding;
    let logprobs = readLogprobs(candidate);
    for (const delta of deltas) {
      const choice: ChunkChoice = { index, delta };
      if (logprobs !== undefined) choice.logprobs = logprobs;
      chunks.push({ ...this.#envelope, choices: [choice] });
      logprobs = undefined;
    }
    return undefined;
  }

  #onPart(state: ChoiceState, part: Part, deltas: Delta[]): UpstreamError | undefined {
    const piece = readPart(part);
    switch (piece?.type) {
      case "text": {
        if (piece.text === "") return undefined;
        state.hasOutput = true;
        const content = state.fence === undefined ? piece.text : state.fence.push(piece.text);
        state.texts?.push(content);
        if (content !== "") deltas.push({ content });
        return undefined;
      }
      case "reasoning":
        if (piece.text !== "") deltas.push({ reasoning_content: piece.text });
        return undefined;
      case "draft":
        state.draft = piece.image;
        return undefined;
      case "image":
        state.hasOutput = state.hasImage = true;
        deltas.push({ images: [piece.image] });
        return undefined;
      case "call":
        state.hasOutput = true;
        return this.#onCall(state, piece.call, piece.signature, deltas)
          ? undefined
          : streamError("sent a malformed function call");
    }
    return undefined;
  }

  /**
   * A call arrives complete in one event. Or it arrives in parts: the name, then pieces of the
   * arguments, then an empty call, which may be missing:
   * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-fc
   * (2026-11-20). Returns false for a malformed call.
   */
  #onCall(
    state: ChoiceState,
    call: JsonObject,
    signature: string | undefined,
    deltas: Delta[],
  ): boolean {
    const { name, args, partialArgs, willContinue } = call;
    if (isText(name)) {
      deltas.push(...closeCall(state));
      const kept = !(this.#rules.single && state.calls > 0);
      const index = kept ? state.calls++ : undefined;
      const pieces = new PartialArguments(isObject(args) ? args : {});
      const open = willContinue === true || partialArgs !== undefined;
      const text = open ? "" : JSON.stringify(args ?? {});
      if (index !== undefined) {
        const toolCall = toCall(call, text, signature, this.#call.newId, this.#rules);
        deltas.push({ tool_calls: [{ index, ...toolCall }] });
      }
      if (!open) return true;
      state.open = { index, args: pieces };
    } else if (state.open === undefined) return partialArgs === undefined;
    if (partialArgs !== undefined && !state.open?.args.add(partialArgs)) return false;
    if (willContinue !== true) deltas.push(...closeCall(state));
    return true;
  }

  #close(state: ChoiceState, finish_reason: FinishReason): ChunkChoice[] {
    const { index, draft, hasImage } = state;
    const rest = state.fence?.end() ?? "";
    const { texts, grounding } = state;
    const text = texts === undefined ? "" : texts.join("") + rest;
    const grounded = texts && readGrounding(grounding, text, this.#rules.request);
    const deltas: Delta[] = [
      ...closeCall(state),
      ...rest === "" ? [] : [{ content: rest }],
      ...grounded === undefined ? [] : [grounded],
      ...draft === undefined || hasImage ? [] : [{ images: [draft] }],
    ];
    return [
      ...deltas.map((delta): ChunkChoice => ({ index, delta })),
      { index, delta: {}, finish_reason },
    ];
  }

  #stateOf(index: number): ChoiceState {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const fence = this.#rules.fenced ? new FenceFilter() : undefined;
    const texts = this.#rules.grounded ? [] : undefined;
    const state: ChoiceState = {
      ...{ index, fence, texts, calls: 0, open: undefined },
      ...{ hasOutput: false, hasImage: false, draft: undefined },
      ...{ grounding: undefined, end: undefined },
    };
    this.#choices.set(index, state);
    return state;
  }

  /** Stores the usage, which is a total. Vertex sends events whose usage has no counts. */
  #count(usage: unknown): void {
    if (!isObject(usage)) return;
    if (usage.promptTokenCount !== undefined || this.#usage === undefined) this.#usage = usage;
  }
}

/** Closes the incomplete call, and returns the delta with its arguments. */
function closeCall(state: ChoiceState): Delta[] {
  const { open } = state;
  if (open === undefined) return [];
  state.open = undefined;
  if (open.index === undefined) return [];
  const text = open.args.toString();
  return [{ tool_calls: [{ index: open.index, function: { arguments: text } }] }];
}

/** Assembles the pieces of `partialArgs`. Exported for tests. */
export class PartialArguments {
  readonly #root: Node;

  /** @param whole members that arrived in one piece */
  constructor(whole: JsonObject) {
    const members = Object.entries(whole).map(([name, value]): [string, Node] => [
      name,
      { type: "leaf", value },
    ]);
    this.#root = { type: "object", members: new Map(members) };
  }

  /** Adds the pieces of one event. Returns false if they contradict earlier pieces. */
  add(pieces: unknown): boolean {
    return Array.isArray(pieces) && pieces.every((piece) => isObject(piece) && this.#put(piece));
  }

  /** The arguments so far, as JSON. */
  toString(): string {
    return JSON.stringify(toValue(this.#root));
  }

  #put(piece: JsonObject): boolean {
    const steps = readPath(piece.jsonPath);
    if (steps === undefined) return false;
    const value = valueOf(piece);
    let at: Node = this.#root;
    for (const [depth, step] of steps.entries()) {
      const next = steps[depth + 1];
      const fresh: Node = next === undefined
        ? { type: "leaf", value: undefined }
        : typeof next === "number"
        ? { type: "array", items: [] }
        : { type: "object", members: new Map() };
      const child = memberOf(at, step, fresh);
      if (child === undefined) return false;
      at = child;
    }
    if (at.type !== "leaf") return value === undefined;
    // Strings may arrive in several pieces.
    const grows = typeof at.value === "string" && typeof value === "string";
    if (value !== undefined) at.value = grows ? `${at.value}${value}` : value;
    return true;
  }
}

/** The member at a step of the path. A missing one is created. Items must arrive in order. */
function memberOf(node: Node, step: string | number, fresh: Node): Node | undefined {
  if (node.type === "object" && typeof step === "string") {
    const known = node.members.get(step);
    if (known === undefined) node.members.set(step, fresh);
    return known ?? fresh;
  }
  if (node.type !== "array" || typeof step !== "number" || step > node.items.length) {
    return undefined;
  }
  return node.items[step] ??= fresh;
}

/** The steps of a path such as `$.a['b c'][0]`; undefined for other syntax. */
function readPath(path: unknown): readonly (string | number)[] | undefined {
  if (typeof path !== "string" || !path.startsWith("$")) return undefined;
  const steps: (string | number)[] = [];
  let at = 1;
  while (at < path.length) {
    STEP.lastIndex = at;
    const found = STEP.exec(path);
    if (found === null) return undefined;
    const [text, name, index, single, double] = found;
    const quoted = single ?? double;
    steps.push(
      index === undefined ? name ?? quoted?.replace(/\\(.)/g, "$1") ?? "" : Number(index),
    );
    at += text.length;
  }
  return steps.length > 0 ? steps : undefined;
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

function valueOf(piece: JsonObject): unknown {
  if ("nullValue" in piece) return null;
  return piece.stringValue ?? piece.numberValue ?? piece.boolValue;
}

function toValue(node: Node): unknown {
  switch (node.type) {
    case "leaf":
      return node.value;
    case "array":
      return node.items.map(toValue);
    case "object":
      return Object.fromEntries([...node.members].map(([name, member]) => [name, toValue(member)]));
  }
}
