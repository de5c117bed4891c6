/**
 * Writes chunks as the events of `streamGenerateContent`: each is a partial answer.
 *
 * https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent (2026-11-24).
 */

import type {
  AnswerMessage,
  AnswerToolCall,
  Choice,
  ChunkBody,
  ChunkChoice,
  CompletionBody,
  FinishReason,
  Usage,
} from "../../contract/chat.ts";
import type { JsonObject } from "../../core/json/object.ts";
import {
  type AnswerSummary,
  type Envelope,
  PendingDetails,
  type StreamWriter,
} from "../chat/caller_format.ts";
import { isMarked } from "../chat/call_ids.ts";
import { InnerJson } from "../../core/json/inner_json.ts";
import { isText, toList } from "../../core/json/values.ts";
import {
  argumentsTextOf,
  canBeWritten,
  type CollectedCall,
  CollectedCalls,
  readCall,
} from "../calls.ts";
import {
  signatureOf,
  toCallPart,
  toFinishReason,
  toImagePart,
  toLogprobsMember,
  toSignature,
  toUsageMetadata,
  type WriteOptions,
} from "./answer_parts.ts";
import { type AnswerBlock, blocksOf } from "../chat/answer_blocks.ts";

/** The state of one choice. */
interface Candidate {
  readonly index: number;
  readonly calls: CollectedCalls;
  finish: FinishReason | undefined;
  /** Whether call IDs carry the state of the turn. */
  isCarried: boolean;
}

/** Writes one stream. */
export class GenerateWriter implements StreamWriter {
  started = false;
  usage: Usage | undefined;
  serviceTier: string | undefined;
  /** Whether an event like the last one may be written from a template. */
  isRepeatable = true;
  readonly details = new PendingDetails();
  readonly #envelope: Envelope;
  readonly #options: WriteOptions;
  readonly #candidates = new Map<number, Candidate>();
  readonly #json = new InnerJson();
  #id: string | undefined;
  #model: string | undefined;

  constructor(envelope: Envelope, options: WriteOptions) {
    this.#envelope = envelope;
    this.#options = options;
  }

  get complete(): boolean {
    return this.#candidates.size > 0 &&
      [...this.#candidates.values()].every(({ finish }) => finish !== undefined);
  }

  get summary(): AnswerSummary {
    const finishReasons = [...this.#candidates.values()].flatMap(({ finish }) => finish ?? []);
    return { id: this.#responseId, model: this.#modelVersion, finishReasons };
  }

  write(chunk: ChunkBody): string {
    if (chunk.usage) this.usage = chunk.usage;
    if (isText(chunk.service_tier)) this.serviceTier = chunk.service_tier;
    if (isText(chunk.id)) this.#id ??= chunk.id;
    if (isText(chunk.model)) this.#model ??= chunk.model;
    this.isRepeatable = false;
    let text = "";
    for (const choice of chunk.choices) text += this.#writeChoice(choice);
    return text;
  }

  end(): string {
    let text = "";
    let left = this.#candidates.size;
    for (const candidate of this.#candidates.values()) {
      left--;
      const parts = this.#toLastParts(candidate);
      const finishReason = toFinishReason(candidate.finish ?? "stop");
      const { index } = candidate;
      const last = { content: { parts, role: "model" }, finishReason, index };
      const usageMetadata = left === 0 ? toUsageMetadata(this.usage) : undefined;
      text += this.#event([last], usageMetadata);
    }
    return text;
  }

  get #responseId(): string {
    return this.#id ?? this.#envelope.id;
  }

  get #modelVersion(): string {
    return this.#model ?? this.#envelope.model;
  }

  #writeChoice({ index, delta, finish_reason, logprobs }: ChunkChoice): string {
    const candidate = this.#candidateOf(index);
    const parts: JsonObject[] = [];
    const { reasoning_content: thought, reasoning_details: details, content, refusal } = delta;
    if (isText(thought)) {
      this.started = true;
      if (this.#options.showsThoughts) parts.push({ text: thought, thought: true });
    }
    for (const text of [content, refusal]) if (isText(text)) parts.push({ text });
    for (const image of Array.isArray(delta.images) ? delta.images : []) {
      const part = toImagePart(image);
      if (part !== undefined) parts.push(part);
    }
    if (details !== undefined) this.details.push(details);
    for (const piece of delta.tool_calls ?? []) {
      const call = candidate.calls.add(piece);
      if (piece.id !== undefined && isMarked(piece.id)) candidate.isCarried = true;
      if (canBeWritten(call)) parts.push(this.#toPart(candidate, call));
    }
    if (finish_reason) candidate.finish ??= finish_reason;
    if (parts.length > 0 || candidate.calls.size > 0 || candidate.finish) this.started = true;
    if (parts.length === 0) return "";
    this.isRepeatable = parts.length === 1 && candidate.calls.size === 0 && logprobs == null;
    return this.#event([
      { content: { parts, role: "model" }, index, ...toLogprobsMember(logprobs) },
    ]);
  }

  /** The pending calls, and the rest of the turn's state. */
  #toLastParts(candidate: Candidate): JsonObject[] {
    const parts = candidate.calls.unwritten().map((call) => this.#toPart(candidate, call));
    const details = this.#takeDetails(candidate);
    if (details.length > 0) {
      parts.push({ text: "", thoughtSignature: toSignature({ details }) });
    }
    return parts.length > 0 ? parts : [{ text: "" }];
  }

  #toPart(candidate: Candidate, call: CollectedCall): JsonObject {
    call.isWritten = true;
    const text = argumentsTextOf(call);
    const signature = signatureOf(call.id, call.extra, this.#takeDetails(candidate));
    return toCallPart({ ...call, text }, signature, this.#json);
  }

  /** The state that has not been sent yet; none if the call IDs carry it. */
  #takeDetails({ index, isCarried }: Candidate): readonly unknown[] {
    if (index !== 0) return [];
    const details = this.details.take();
    return isCarried ? [] : details;
  }

  #candidateOf(index: number): Candidate {
    let candidate = this.#candidates.get(index);
    if (candidate === undefined) {
      candidate = { index, calls: new CollectedCalls(), finish: undefined, isCarried: false };
      this.#candidates.set(index, candidate);
    }
    return candidate;
  }

  #event(candidates: readonly JsonObject[], usageMetadata?: JsonObject): string {
    const body = {
      candidates,
      ...(usageMetadata && { usageMetadata }),
      modelVersion: this.#modelVersion,
      responseId: this.#responseId,
    };
    return `data: ${JSON.stringify(body)}\n\n`;
  }
}

/** The body of a non-streamed answer. */
export function writeResponse(
  body: CompletionBody,
  envelope: Envelope,
  options: WriteOptions,
): JsonObject {
  const json = new InnerJson();
  return {
    candidates: body.choices.map((choice) => ({
      content: { parts: toParts(choice, options, json), role: "model" },
      finishReason: toFinishReason(choice.finish_reason),
      index: choice.index,
      ...toLogprobsMember(choice.logprobs),
    })),
    usageMetadata: toUsageMetadata(body.usage),
    modelVersion: isText(body.model) ? body.model : envelope.model,
    responseId: isText(body.id) ? body.id : envelope.id,
  };
}

/** Thoughts, text, images, calls: the order in which Google sends them, unless the vendor's differs. */
function toParts({ message }: Choice, options: WriteOptions, json: InnerJson): JsonObject[] {
  const { refusal, tool_calls = [] } = message;
  const details = message.reasoning_details ?? [];
  const isCarried = tool_calls.some(({ id }) => isMarked(id));
  const toCall = (call: AnswerToolCall, at: number) => {
    const state = at === 0 && !isCarried ? details : [];
    return toCallPart(readCall(call), signatureOf(call.id, call.extra_content, state), json);
  };
  const images = toList(message.images).map(toImagePart).filter((part) => part !== undefined);
  const blocks = blocksOf(message);
  const parts: JsonObject[] = blocks === undefined
    ? [...toTextParts(message, options), ...images, ...tool_calls.map(toCall)]
    : [
      ...blocks.flatMap((block): JsonObject[] => {
        if (block.type !== "call") return toTextPart(block, options);
        const call = tool_calls[block.index];
        return call === undefined ? [] : [toCall(call, block.index)];
      }),
      ...toTextPart({ type: "text", text: refusal ?? "" }, options),
      ...images,
    ];
  if (tool_calls.length === 0 && details.length > 0) {
    const signature = toSignature({ details });
    const last = parts.findLast((part) => part.thought !== true);
    if (last === undefined) parts.push({ text: "", thoughtSignature: signature });
    else last.thoughtSignature = signature;
  }
  return parts;
}

function toTextParts(
  { reasoning_content: thought, content, refusal }: AnswerMessage,
  options: WriteOptions,
): JsonObject[] {
  return [
    ...toTextPart({ type: "thinking", text: thought ?? "" }, options),
    ...[content, refusal].flatMap((text) =>
      toTextPart({ type: "text", text: text ?? "" }, options)
    ),
  ];
}

function toTextPart(
  { type, text }: Exclude<AnswerBlock, { type: "call" }>,
  { showsThoughts }: WriteOptions,
): JsonObject[] {
  if (text === "" || type === "thinking" && !showsThoughts) return [];
  return [type === "thinking" ? { text, thought: true } : { text }];
}
