/** Writes answers in OpenAI's format: adds missing members, and orders the events of a stream. */

import { copyTexts, hasTexts, writeJson } from "../../core/json/number_texts.ts";
import { isText } from "../../core/json/values.ts";
import {
  type ChunkBody,
  type ChunkChoice,
  type CompletionBody,
  type Delta,
  type FinishReason,
  isObject,
  type JsonObject,
  type Usage,
} from "../../contract/chat.ts";
import type { AnswerSummary, Envelope, StreamWriter, ToCost } from "../chat/caller_format.ts";

/**
 * A vendor's ID or model name over this many characters is replaced, since every event repeats it.
 */
const MAX_NAME_CHARS = 1024;
/**
 * The maximum length of a chunk's other members, in characters, that each of its events repeats.
 */
const MAX_REPEATED_CHARS = 1024 * 1024;

/** The completion for the caller: missing members are added, others are unchanged. */
export function stampCompletion(body: CompletionBody, stamp: Envelope): JsonObject {
  const { id, created, model, choices, usage, ...rest } = body;
  return {
    id: id ?? stamp.id,
    object: "chat.completion",
    created: created ?? stamp.created,
    model: model ?? stamp.model,
    choices: choices.map(({ index, message, finish_reason, logprobs, ...others }) => {
      const hasToolCalls = message.tool_calls !== undefined && message.tool_calls.length > 0;
      const { tool_calls, refusal, content, ...otherMembers } = message;
      const hasOtherContent = hasToolCalls || refusal || otherMembers.function_call ||
        otherMembers.audio;
      return {
        index,
        message: {
          ...otherMembers,
          role: "assistant",
          content: content || (hasOtherContent ? null : ""),
          refusal: refusal ?? null,
          ...(hasToolCalls ? { tool_calls } : {}),
        },
        logprobs: logprobs ?? null,
        finish_reason: hasToolCalls && finish_reason === "stop" ? "tool_calls" : finish_reason,
        ...others,
      };
    }),
    // Unknown usage is null, not zero.
    usage: usage ?? null,
    ...rest,
  };
}

interface ChoiceState {
  hasToolCalls: boolean;
  finished: boolean;
  reason: FinishReason | undefined;
  /** The number of written entries of `reasoning_details`. */
  details: number;
}

/**
 * Writes chunks as server-sent events in the order that clients expect: the role once, then deltas,
 * then the finish reason in a separate event, then usage.
 */
export class ChunkWriter implements StreamWriter {
  /** True once an event with content was written. */
  started = false;
  /** The last usage that the vendor reported. */
  usage: Usage | undefined;
  serviceTier: string | undefined;
  readonly #stamp: Envelope;
  readonly #includeUsage: boolean;
  readonly #toCost: ToCost | undefined;
  readonly #choices = new Map<number, ChoiceState>();
  /** The envelope before the choices, from the first chunk. */
  #head = "";
  /** Other members of the chunk with the usage. */
  #usageMembers = "";
  /** Members of chunks before the first choice. The first written event contains them. */
  #earlyMembers: JsonObject = {};
  #earlyChunks = 0;

  /** @param toCost for a caller that requests the cost */
  constructor(stamp: Envelope, includeUsage: boolean, toCost?: ToCost) {
    this.#toCost = toCost;
    this.#stamp = stamp;
    this.#includeUsage = includeUsage;
  }

  /** The text of a chunk, which may be several events or none. */
  write(chunk: ChunkBody): string {
    const { id, created, model, choices, usage, ...rest } = chunk;
    if (usage) {
      this.usage = usage;
      if (isText(rest.service_tier)) this.serviceTier = rest.service_tier;
    } else if (usage === null && this.#includeUsage) rest.usage = null;
    if (choices.length === 0) {
      if (usage) this.#usageMembers = toMembers(rest);
      else if (this.#choices.size === 0) this.#keepEarly(rest);
      else if (hasNewFields(rest)) return this.#event("[]", toMembers(rest));
      return "";
    }
    if (this.#head === "") this.#head = this.#toHead({ id, created, model });
    const members = toMembers(rest);
    const first = this.#earlyChunks === 0 ? members : this.#takeEarly(rest);
    let text = "";
    let remaining = MAX_REPEATED_CHARS;
    for (const choice of choices) {
      const repeated = remaining >= 0 ? members : "";
      text += this.#writeChoice(choice, repeated, text === "" ? first : repeated);
      remaining -= members.length;
    }
    return text;
  }

  /** Keeps the members of a chunk before the first choice, which often has no ID and no model. */
  #keepEarly(members: JsonObject): void {
    if (this.#earlyChunks++ < MAX_EARLY_CHUNKS) Object.assign(this.#earlyMembers, members);
  }

  #takeEarly(rest: JsonObject): string {
    const members = toMembers({ ...this.#earlyMembers, ...rest });
    this.#earlyMembers = {};
    this.#earlyChunks = 0;
    return members;
  }

  /** True when at least one choice began and every choice has a finish reason. */
  get complete(): boolean {
    if (this.#choices.size === 0) return false;
    for (const choice of this.#choices.values()) if (!choice.finished) return false;
    return true;
  }

  /** The ID, model and finish reasons that were written. */
  get summary(): AnswerSummary {
    const { id, model } = this.#head === ""
      ? this.#stamp
      : JSON.parse(`${this.#head.slice("data: ".length)}[]}`) as Envelope;
    const finishReasons = [...this.#choices.values()].flatMap(({ reason }) => reason ?? []);
    return { id, model, finishReasons };
  }

  /** The last events of a complete stream. */
  end(): string {
    const usage = JSON.stringify(this.#pricedUsage() ?? null);
    const usageEvent = this.#includeUsage
      ? this.#event("[]", `${this.#usageMembers},"usage":${usage}`)
      : "";
    return `${usageEvent}data: [DONE]\n\n`;
  }

  /** The usage, with its cost if the caller requests it; null if the price is unknown. */
  #pricedUsage(): Usage | undefined {
    const { usage } = this;
    if (usage === undefined || this.#toCost === undefined) return usage;
    return { ...usage, cost: this.#toCost(usage, this.serviceTier) ?? usage.cost ?? null };
  }

  /** @param first the other members of the first event that is written */
  #writeChoice(choice: ChunkChoice, members: string, first: string): string {
    const { index, delta, finish_reason, logprobs, ...others } = choice;
    let state = this.#choices.get(index);
    let text = "";
    if (state === undefined) {
      state = { hasToolCalls: false, finished: false, reason: undefined, details: 0 };
      this.#choices.set(index, state);
      const role: Delta = { role: "assistant", content: delta.content === null ? null : "" };
      text += this.#choiceEvent({ index, delta: role, logprobs: null, finish_reason: null }, first);
    }
    const newDelta = nonEmptyDelta(delta);
    if (newDelta !== undefined) {
      if (newDelta.tool_calls !== undefined) state.hasToolCalls = true;
      if (newDelta.reasoning_details !== undefined) addIndexes(newDelta.reasoning_details, state);
      this.started = true;
      text += this.#choiceEvent(
        { index, delta: newDelta, logprobs: logprobs ?? null, finish_reason: null, ...others },
        members,
      );
    } else if (!finish_reason && Object.values(others).some(isFilled)) {
      text += this.#choiceEvent(
        { index, delta: {}, logprobs: null, finish_reason: null, ...others },
        members,
      );
    }
    if (finish_reason && !state.finished) {
      state.finished = true;
      this.started = true;
      const reason = state.hasToolCalls && finish_reason === "stop" ? "tool_calls" : finish_reason;
      state.reason = reason;
      text += this.#choiceEvent(
        {
          index,
          delta: {},
          logprobs: null,
          finish_reason: reason,
          ...(newDelta === undefined ? others : {}),
        },
        members,
      );
    }
    return text;
  }

  #choiceEvent(choice: ChunkChoice, members: string): string {
    return this.#event(`[${writeJson(choice)}]`, members);
  }

  #event(choices: string, members: string): string {
    if (this.#head === "") this.#head = this.#toHead({});
    return `${this.#head}${choices}${members}}\n\n`;
  }

  #toHead(
    body: { id?: string | undefined; created?: number | undefined; model?: string | undefined },
  ): string {
    const head = JSON.stringify({
      id: vendorName(body.id, this.#stamp.id),
      object: "chat.completion.chunk",
      created: body.created ?? this.#stamp.created,
      model: vendorName(body.model, this.#stamp.model),
    });
    return `data: ${head.slice(0, -1)},"choices":`;
  }
}

/** The maximum number of chunks before the first choice that are kept. Vendors send at most one. */
const MAX_EARLY_CHUNKS = 16;

function vendorName(name: string | undefined, fallback: string): string {
  return name === undefined || name.length > MAX_NAME_CHARS ? fallback : name;
}

/** Members that vendors repeat in each chunk. A chunk with no other members is not written. */
const REPEATED_MEMBERS = new Set([
  "obfuscation",
  "service_tier",
  "system_fingerprint",
  "usage",
]);

function hasNewFields(rest: JsonObject): boolean {
  for (const name in rest) if (!REPEATED_MEMBERS.has(name)) return true;
  return false;
}

/** Whether a member of a choice has content, such as the results of an asynchronous filter. */
function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isObject(value) && Object.keys(value).length > 0;
}

function toMembers(rest: JsonObject): string {
  const text = writeJson(rest);
  return text === "{}" ? "" : `,${text.slice(1, -1)}`;
}

/** Adds the `index` by which clients merge the entries of a list from several deltas. */
function addIndexes(details: unknown[], state: ChoiceState): void {
  details.forEach((entry, at) => {
    const index = state.details++;
    if (isObject(entry) && entry.index === undefined) details[at] = { ...entry, index };
  });
}

/** The delta without the role and empty members, or undefined when nothing remains. */
function nonEmptyDelta(delta: Delta): Delta | undefined {
  const { role: _, content, refusal, tool_calls, ...rest } = delta;
  let newDelta: Delta | undefined;
  for (const name in rest) {
    if (rest[name] !== null && rest[name] !== undefined) (newDelta ??= {})[name] = rest[name];
  }
  if (newDelta !== undefined && hasTexts(rest)) copyTexts(rest, newDelta);
  if (content) (newDelta ??= {}).content = content;
  if (refusal) (newDelta ??= {}).refusal = refusal;
  if (tool_calls !== undefined && tool_calls.length > 0) (newDelta ??= {}).tool_calls = tool_calls;
  return newDelta;
}
