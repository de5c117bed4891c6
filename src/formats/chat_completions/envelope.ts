/** What the gateway stamps on every answer: the envelope, and the order of a stream. */

import {
  type ChunkBody,
  type ChunkChoice,
  type CompletionBody,
  type Delta,
  type FinishReason,
  isObject,
  type JsonObject,
  type Usage,
} from "../../chat/chat.ts";
import type { AnswerSummary, Envelope, StreamWriter } from "../../chat/caller_format.ts";

/** Names that the vendor gives and every event repeats are ours where they are longer, in characters. */
const MAX_REPEATED_NAME = 1024;
/** How much the events of one chunk may repeat of the members beside its choices, in characters. */
const MAX_REPEATED_TAIL = 1024 * 1024;

/** A completion as the caller gets it: complete where the vendor was not, as it came elsewhere. */
export function stampCompletion(body: CompletionBody, stamp: Envelope): JsonObject {
  const { id, created, model, choices, usage, ...rest } = body;
  return {
    id: id ?? stamp.id,
    object: "chat.completion",
    created: created ?? stamp.created,
    model: model ?? stamp.model,
    choices: choices.map(({ index, message, finish_reason, logprobs, ...others }) => {
      const called = message.tool_calls !== undefined && message.tool_calls.length > 0;
      const { tool_calls, refusal, content, ...spoken } = message;
      const elsewhere = called || refusal || spoken.function_call || spoken.audio;
      return {
        index,
        message: {
          ...spoken,
          role: "assistant",
          content: content || (elsewhere ? null : ""),
          refusal: refusal ?? null,
          ...(called ? { tool_calls } : {}),
        },
        logprobs: logprobs ?? null,
        finish_reason: called && finish_reason === "stop" ? "tool_calls" : finish_reason,
        ...others,
      };
    }),
    // Unknown is not zero.
    usage: usage ?? null,
    ...rest,
  };
}

interface ChoiceState {
  called: boolean;
  finished: boolean;
  reason: FinishReason | undefined;
  /** How many entries of `reasoning_details` went out. */
  details: number;
}

/**
 * Writes chunks as server-sent events in the order callers rely on: the role
 * first and once, then deltas, then the finish reason alone, then usage.
 */
export class ChunkWriter implements StreamWriter {
  /** True once something was written that is more than a role. */
  started = false;
  /** The last usage that the vendor reported. */
  usage: Usage | undefined;
  readonly #stamp: Envelope;
  readonly #includeUsage: boolean;
  readonly #choices = new Map<number, ChoiceState>();
  /** The envelope up to the choices, made at the first chunk. */
  #head = "";
  /** Members that came beside the usage, for the chunk that holds it. */
  #usageTail = "";
  /** Members of chunks before the first choice, for the first chunk that is written. */
  #early: JsonObject = {};
  #earlyChunks = 0;

  constructor(stamp: Envelope, includeUsage: boolean) {
    this.#stamp = stamp;
    this.#includeUsage = includeUsage;
  }

  /** The text of a chunk, which may be several events or none. */
  write(chunk: ChunkBody): string {
    const { id, created, model, choices, usage, ...rest } = chunk;
    if (usage) this.usage = usage;
    else if (usage === null && this.#includeUsage) rest.usage = null;
    if (choices.length === 0) {
      if (usage) this.#usageTail = toTail(rest);
      else if (this.#choices.size === 0) this.#holdBack(rest);
      else if (isNews(rest)) return this.#event("[]", toTail(rest));
      return "";
    }
    if (this.#head === "") this.#head = this.#toHead({ id, created, model });
    const tail = toTail(rest);
    const first = this.#earlyChunks === 0 ? tail : this.#takeEarly(rest);
    let text = "";
    let room = MAX_REPEATED_TAIL;
    for (const choice of choices) {
      const repeated = room >= 0 ? tail : "";
      text += this.#writeChoice(choice, repeated, text === "" ? first : repeated);
      room -= tail.length;
    }
    return text;
  }

  /** Keeps members of a chunk that comes before the role and, often, before the id and the model. */
  #holdBack(members: JsonObject): void {
    if (this.#earlyChunks++ < MAX_EARLY_CHUNKS) Object.assign(this.#early, members);
  }

  #takeEarly(members: JsonObject): string {
    const tail = toTail({ ...this.#early, ...members });
    this.#early = {};
    this.#earlyChunks = 0;
    return tail;
  }

  /** True when every choice that began has come to a finish, and one did begin. */
  get complete(): boolean {
    if (this.#choices.size === 0) return false;
    for (const choice of this.#choices.values()) if (!choice.finished) return false;
    return true;
  }

  /** What was answered, as the caller has seen it. */
  get summary(): AnswerSummary {
    const { id, model } = this.#head === ""
      ? this.#stamp
      : JSON.parse(`${this.#head.slice("data: ".length)}[]}`) as Envelope;
    const finishReasons = [...this.#choices.values()].flatMap(({ reason }) => reason ?? []);
    return { id, model, finishReasons };
  }

  /** The last events of a stream that came to its end. */
  end(): string {
    const usage = JSON.stringify(this.usage ?? null);
    const counted = this.#includeUsage
      ? this.#event("[]", `${this.#usageTail},"usage":${usage}`)
      : "";
    return `${counted}data: [DONE]\n\n`;
  }

  /** @param first the members beside the choices in the first event of these */
  #writeChoice(choice: ChunkChoice, tail: string, first: string): string {
    const { index, delta, finish_reason, logprobs, ...others } = choice;
    let state = this.#choices.get(index);
    let text = "";
    if (state === undefined) {
      state = { called: false, finished: false, reason: undefined, details: 0 };
      this.#choices.set(index, state);
      const role: Delta = { role: "assistant", content: delta.content === null ? null : "" };
      text += this.#choiceEvent({ index, delta: role, logprobs: null, finish_reason: null }, first);
    }
    const news = toNews(delta);
    if (news !== undefined) {
      if (news.tool_calls !== undefined) state.called = true;
      if (news.reasoning_details !== undefined) number(news.reasoning_details, state);
      this.started = true;
      text += this.#choiceEvent(
        { index, delta: news, logprobs: logprobs ?? null, finish_reason: null, ...others },
        tail,
      );
    } else if (!finish_reason && Object.values(others).some(isFilled)) {
      text += this.#choiceEvent(
        { index, delta: {}, logprobs: null, finish_reason: null, ...others },
        tail,
      );
    }
    if (finish_reason && !state.finished) {
      state.finished = true;
      this.started = true;
      const reason = state.called && finish_reason === "stop" ? "tool_calls" : finish_reason;
      state.reason = reason;
      text += this.#choiceEvent(
        {
          index,
          delta: {},
          logprobs: null,
          finish_reason: reason,
          ...(news === undefined ? others : {}),
        },
        tail,
      );
    }
    return text;
  }

  #choiceEvent(choice: ChunkChoice, tail: string): string {
    return this.#event(`[${JSON.stringify(choice)}]`, tail);
  }

  #event(choices: string, tail: string): string {
    if (this.#head === "") this.#head = this.#toHead({});
    return `${this.#head}${choices}${tail}}\n\n`;
  }

  #toHead(
    body: { id?: string | undefined; created?: number | undefined; model?: string | undefined },
  ): string {
    const head = JSON.stringify({
      id: orOurs(body.id, this.#stamp.id),
      object: "chat.completion.chunk",
      created: body.created ?? this.#stamp.created,
      model: orOurs(body.model, this.#stamp.model),
    });
    return `data: ${head.slice(0, -1)},"choices":`;
  }
}

/** Limits how many chunks before the first choice are kept; vendors send one at most. */
const MAX_EARLY_CHUNKS = 16;

function orOurs(name: string | undefined, ours: string): string {
  return name === undefined || name.length > MAX_REPEATED_NAME ? ours : name;
}

/** Members beside the choices that repeat on each chunk; alone they are no news. */
const REPEATED = new Set([
  "obfuscation",
  "service_tier",
  "system_fingerprint",
  "usage",
]);

function isNews(rest: JsonObject): boolean {
  for (const name in rest) if (!REPEATED.has(name)) return true;
  return false;
}

/** Whether a member of a choice says something by itself, as the results of a late filter do. */
function isFilled(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function toTail(rest: JsonObject): string {
  const text = JSON.stringify(rest);
  return text === "{}" ? "" : `,${text.slice(1, -1)}`;
}

/** Clients that put deltas together tell the entries of a list apart by their index. */
function number(details: unknown[], state: ChoiceState): void {
  details.forEach((entry, at) => {
    const index = state.details++;
    if (isObject(entry) && entry.index === undefined) details[at] = { ...entry, index };
  });
}

/** A delta without the role and without what is empty, or undefined when nothing is left. */
function toNews(delta: Delta): Delta | undefined {
  const { role: _, content, refusal, tool_calls, ...rest } = delta;
  let news: Delta | undefined;
  for (const name in rest) {
    if (rest[name] !== null && rest[name] !== undefined) (news ??= {})[name] = rest[name];
  }
  if (content) (news ??= {}).content = content;
  if (refusal) (news ??= {}).refusal = refusal;
  if (tool_calls !== undefined && tool_calls.length > 0) (news ??= {}).tool_calls = tool_calls;
  return news;
}
