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
import { PartialArguments } from "./arguments.ts";
import { toGeminiError } from "./errors.ts";
import { FenceFilter } from "../shared/json_fence.ts";
import { isText } from "../../core/json/values.ts";
import { failed, parseData, streamError, unreadableEvent } from "../shared/errors.ts";
import type { Call, UpstreamError } from "../../contract/vendor_request.ts";

/** The state of one candidate. */
interface ChoiceState {
  readonly index: number;
  readonly fence: FenceFilter | undefined;
  /** The number of calls that were passed on. */
  calls: number;
  /** A call with incomplete arguments. `index` is undefined for one that is not passed on. */
  open: { readonly index: number | undefined; readonly args: PartialArguments } | undefined;
  hasOutput: boolean;
  hasImage: boolean;
  /** The last image of the thoughts. */
  draft: JsonObject | undefined;
  /** The text so far, if it may be grounded in a search, and the last report on that. */
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
