/** Gemini's streams: whole answers in small, one behind the other, and no mark at the end. */

import type { ChunkBody, ChunkChoice, Delta, FinishReason, JsonObject } from "../../chat/chat.ts";
import { isObject } from "../../chat/chat.ts";
import type { Frame } from "../contract/frames.ts";
import {
  type Call,
  NOTHING,
  type Step,
  type StreamDecoder,
  type Verdict,
} from "../contract/adapter.ts";
import { type AnswerRules, type Envelope, isFailure, isText, partsOf } from "./answer.ts";
import { readBlock, readEnvelope, readFinish, readLogprobs, readPart } from "./answer.ts";
import { readUsage, toCall, toTier } from "./answer.ts";
import { PartialArguments } from "./arguments.ts";
import type { Part } from "./turns.ts";
import { toError } from "./errors.ts";
import { FenceFilter } from "../shared/json_fence.ts";

/** What one candidate has come to so far. */
interface ChoiceState {
  readonly index: number;
  readonly fence: FenceFilter | undefined;
  /** Calls that were passed on. */
  calls: number;
  /** A call whose arguments still come in pieces; `index` is absent for one that is not passed on. */
  open: { readonly index: number | undefined; readonly args: PartialArguments } | undefined;
  spoken: boolean;
  /** Early models said STOP in every event, so the last reason counts, at the end. */
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

  push(frame: Frame): Step {
    if (frame.data === "") return NOTHING;
    let body: unknown;
    try {
      body = JSON.parse(frame.data);
    } catch {
      return failed("sent an event that is not JSON");
    }
    const answer: unknown = Array.isArray(body) ? body[0] : body;
    if (!isObject(answer)) return failed("sent an event that is not an object");
    if (answer.error) return { chunks: [], failure: toError({ where: "stream", body: answer }) };
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

  /** The end of the body is the end of the answer, if every candidate said why it ended. */
  end(): Step {
    const choices: ChunkChoice[] = [];
    for (const state of this.#choices.values()) {
      const finish = state.end && readFinish(state.end, state.spoken);
      if (finish === undefined) return failed("ended its stream before it was complete");
      if (typeof finish !== "string") return { chunks: [], failure: finish };
      choices.push(...this.#close(state, finish));
    }
    if (choices.length === 0) return failed("ended its stream without an answer");
    const tier = toTier(this.#usage);
    const last = { choices, usage: readUsage(this.#usage), ...(tier && { service_tier: tier }) };
    return { chunks: [{ ...this.#envelope, ...last }] };
  }

  #onCandidate(candidate: JsonObject, chunks: ChunkBody[]): Verdict | undefined {
    const index = Number.isInteger(candidate.index) ? candidate.index as number : 0;
    const state = this.#stateOf(index);
    if (isFailure(candidate.finishReason)) {
      const failure = readFinish(candidate, state.spoken);
      if (typeof failure !== "string") return failure;
    }
    const deltas: Delta[] = [];
    for (const part of partsOf(candidate)) {
      const failure = this.#onPart(state, part, deltas);
      if (failure !== undefined) return failure;
    }
    if (isText(candidate.finishReason)) state.end = candidate;
    let logprobs = readLogprobs(candidate);
    for (const delta of deltas) {
      const choice: ChunkChoice = { index, delta };
      if (logprobs !== undefined) choice.logprobs = logprobs;
      chunks.push({ ...this.#envelope, choices: [choice] });
      logprobs = undefined;
    }
    return undefined;
  }

  #onPart(state: ChoiceState, part: Part, deltas: Delta[]): Verdict | undefined {
    const piece = readPart(part);
    switch (piece?.type) {
      case "text": {
        if (piece.text === "") return undefined;
        state.spoken = true;
        const content = state.fence === undefined ? piece.text : state.fence.push(piece.text);
        if (content !== "") deltas.push({ content });
        return undefined;
      }
      case "reasoning":
        if (piece.text !== "") deltas.push({ reasoning_content: piece.text });
        return undefined;
      case "image":
        state.spoken = true;
        deltas.push({ images: [piece.image] });
        return undefined;
      case "call":
        state.spoken = true;
        return this.#onCall(state, piece.call, piece.signature, deltas)
          ? undefined
          : broken("sent a malformed function call");
    }
    return undefined;
  }

  /**
   * A call comes whole in one event, or opened by its name, followed by pieces
   * of its arguments and closed by an empty call, which may be missing:
   * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-fc
   * (2026-11-20). False for one that makes no sense.
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
        const made = toCall(call, text, signature, this.#call.newId, this.#rules);
        deltas.push({ tool_calls: [{ index, ...made }] });
      }
      if (!open) return true;
      state.open = { index, args: pieces };
    } else if (state.open === undefined) return partialArgs === undefined;
    if (partialArgs !== undefined && !state.open?.args.take(partialArgs)) return false;
    if (willContinue !== true) deltas.push(...closeCall(state));
    return true;
  }

  #close(state: ChoiceState, finish_reason: FinishReason): ChunkChoice[] {
    const { index } = state;
    const rest = state.fence?.end() ?? "";
    const deltas = [...closeCall(state), ...(rest === "" ? [] : [{ content: rest }])];
    return [
      ...deltas.map((delta): ChunkChoice => ({ index, delta })),
      { index, delta: {}, finish_reason },
    ];
  }

  #stateOf(index: number): ChoiceState {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const fence = this.#rules.fenced ? new FenceFilter() : undefined;
    const state = { index, fence, calls: 0, open: undefined, spoken: false, end: undefined };
    this.#choices.set(index, state);
    return state;
  }

  /** Counts are totals; Vertex sends events whose usage counts nothing. */
  #count(usage: unknown): void {
    if (!isObject(usage)) return;
    if (usage.promptTokenCount !== undefined || this.#usage === undefined) this.#usage = usage;
  }
}

/** The arguments of the call that is open, as they are when nothing more of them can come. */
function closeCall(state: ChoiceState): Delta[] {
  const { open } = state;
  if (open === undefined) return [];
  state.open = undefined;
  if (open.index === undefined) return [];
  const text = open.args.toString();
  return [{ tool_calls: [{ index: open.index, function: { arguments: text } }] }];
}

function broken(what: string): Verdict {
  return { kind: "upstream_error", message: `The provider ${what}` };
}

function failed(what: string): Step {
  return { chunks: [], failure: broken(what) };
}
