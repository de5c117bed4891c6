/**
 * OpenAI's text completions: the request, also as a chat request, and answers.
 *
 * https://platform.openai.com/docs/api-reference/completions (2026-11-28).
 */

import * as z from "zod";
import type { AnswerSummary, CallerFormat, Envelope, StreamWriter } from "../chat/caller_format.ts";
import type { ChunkBody, CompletionBody, FinishReason, Usage } from "../../contract/chat.ts";
import { listOf } from "../../contract/first_fault.ts";
import { isObject, type JsonObject, setMember } from "../../core/json/object.ts";
import { isText, toText } from "../../core/json/values.ts";
import { chatCompletions } from "../chat_completions/format.ts";
import { modelMembers, readFields, readObject, withoutNulls } from "../read_fields.ts";
import { invalidValue, unreadable } from "../../core/errors.ts";
import { readUsage } from "../usage.ts";
import type { Frame } from "../../contract/stream_decoder.ts";
import { parseEvent } from "../stream_record.ts";
import type { NativeAnswers, NativeStreamReader } from "../native_answers.ts";

const MAX_PROMPTS = 128;
const DEFAULT_MAX_TOKENS = 16;

/** The members of a request that the schema checks. All others are those of a chat request. */
export const completionRequest = z.looseObject({
  ...modelMembers,
  prompt: z.union([z.string(), listOf(z.string(), { min: 1, max: MAX_PROMPTS })]),
  max_tokens: z.int().min(1).nullish(),
  n: z.int().min(1).max(128).nullish(),
  best_of: z.int().min(1).max(128).nullish(),
  echo: z.boolean().nullish(),
  suffix: z.string().nullish(),
  stream: z.boolean().nullish(),
  logprobs: z.int().min(0).max(5).nullish(),
});

/** A checked request. */
export interface CompletionRequest {
  /** Without fallback models and null members, with the default for `max_tokens`. */
  readonly body: JsonObject;
  readonly model: string;
  readonly models: readonly string[] | undefined;
  readonly prompts: readonly string[];
  /** The choices of each prompt. */
  readonly n: number;
  readonly echo: boolean;
  readonly stream: boolean;
}

/**
 * Checks a parsed request body.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readCompletionRequest(body: unknown): CompletionRequest {
  const original = readObject(body);
  refuseTokens(original.prompt);
  const { models, ...members } = readFields(original, completionRequest);
  const { prompt, n, echo, stream, model } = members;
  return {
    body: { max_tokens: DEFAULT_MAX_TOKENS, ...withoutNulls(members) },
    model,
    models: models ?? undefined,
    prompts: typeof prompt === "string" ? [prompt] : prompt,
    n: n ?? 1,
    echo: echo ?? false,
    stream: stream ?? false,
  };
}

/** @throws {GatewayError} `invalid_value` for tokens, which mean something else to each model. */
function refuseTokens(prompt: unknown): void {
  if (!Array.isArray(prompt)) return;
  const [first] = prompt;
  if (typeof first !== "number" && !Array.isArray(first)) return;
  throw invalidValue("prompt", "must be a string or a list of strings: tokens are not supported");
}

/**
 * Members that a chat request does not have. `prompt` becomes its message, and this file handles
 * `echo`.
 */
const OWN_MEMBERS: ReadonlySet<string> = new Set([
  ...["prompt", "best_of", "echo", "suffix", "logprobs"],
]);

/** Members that a chat request cannot express. */
export const LOST_MEMBERS = ["best_of", "suffix", "logprobs"] as const;

/** The body of a chat request that continues a prompt. */
export function toChatBody({ body }: CompletionRequest, prompt: string): JsonObject {
  const chat: JsonObject = { messages: [{ role: "user", content: prompt }] };
  for (const name in body) if (!OWN_MEMBERS.has(name)) setMember(chat, name, body[name]);
  return chat;
}

/** One of several prompts, whose streams are written as one. */
interface StreamPart {
  /** The envelope of all events. */
  readonly stamp: Envelope;
  /** The index of the first choice. */
  readonly firstIndex: number;
}

/**
 * The format of `POST /v1/completions` for the answers to one request.
 *
 * @param part set for the answer to one of several prompts
 */
export function completionsFormat(request: Echoes, part?: StreamPart): CallerFormat {
  return {
    ...chatCompletions,
    name: "completions",
    idPrefix: "cmpl-",
    writeCompletion: (body, envelope) => JSON.stringify(toCompletion(body, envelope, request)),
    isPassable: (_body): _body is CompletionBody => false,
    createStreamWriter: (envelope, { stream_options }) =>
      new CompletionWriter(envelope, request, stream_options?.include_usage === true, part),
  };
}

/** The format before a request has been read: it writes errors. */
export const completions: CallerFormat = completionsFormat({ prompts: [], n: 1, echo: false });

type Echoes = Pick<CompletionRequest, "echo" | "n" | "prompts">;

/** The text before that of a choice. */
function prefixOf(index: number, { echo, n, prompts }: Echoes): string {
  return echo ? prompts[Math.floor(index / n)] ?? "" : "";
}

function toCompletion(
  { choices, model, created, usage }: CompletionBody,
  stamp: Envelope,
  request: Echoes,
): JsonObject {
  return {
    id: stamp.id,
    object: OBJECT,
    created: created ?? stamp.created,
    model: model ?? stamp.model,
    choices: choices.map(({ index, message, finish_reason }) => ({
      text: prefixOf(index, request) + (message.content ?? message.refusal ?? ""),
      index,
      logprobs: null,
      finish_reason: toReason(finish_reason),
    })),
    usage: usage ?? null,
  };
}

const OBJECT = "text_completion";

/** Text completions have no calls. */
function toReason(finish: FinishReason): string {
  return finish === "tool_calls" ? "stop" : finish;
}

/** The last events of a stream: with the usage, if the caller requests it. */
export function writeEnd(
  envelope: Envelope,
  includesUsage: boolean,
  usage: Usage | undefined,
): string {
  if (!includesUsage) return DONE;
  return writeEvent({ ...toHead(envelope), choices: [], usage: usage ?? null }) + DONE;
}

function writeEvent(event: JsonObject): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

function toHead({ id, created, model }: Envelope): JsonObject {
  return { id, object: OBJECT, created, model };
}

const DONE = "data: [DONE]\n\n";

/** Writes the chunks of a chat as pieces of texts. */
class CompletionWriter implements StreamWriter {
  started = false;
  usage: Usage | undefined;
  serviceTier: string | undefined;
  readonly isRepeatable = false;
  readonly #stamp: Envelope;
  readonly #request: Echoes;
  readonly #includesUsage: boolean;
  readonly #part: StreamPart | undefined;
  /** The finish reason of each choice that has begun. */
  readonly #choices = new Map<number, FinishReason | undefined>();
  #model = "";

  constructor(
    stamp: Envelope,
    request: Echoes,
    includesUsage: boolean,
    part: StreamPart | undefined,
  ) {
    this.#stamp = part?.stamp ?? stamp;
    this.#part = part;
    this.#request = request;
    this.#includesUsage = includesUsage;
  }

  get complete(): boolean {
    return this.#choices.size > 0 &&
      [...this.#choices.values()].every((finish) => finish !== undefined);
  }

  get summary(): AnswerSummary {
    const finishReasons = [...this.#choices.values()].flatMap((finish) => finish ?? []);
    return { id: this.#stamp.id, model: this.#model || this.#stamp.model, finishReasons };
  }

  write({ choices, model, usage, service_tier: tier }: ChunkBody): string {
    if (usage) this.usage = usage;
    if (isText(tier)) this.serviceTier = tier;
    if (isText(model)) this.#model ||= model;
    let events = "";
    const firstIndex = this.#part?.firstIndex ?? 0;
    for (const { index: at, delta, finish_reason } of choices) {
      const index = firstIndex + at;
      const { content, refusal, reasoning_content } = delta;
      const said = (content ?? "") + (refusal ?? "");
      if (said !== "" || finish_reason || reasoning_content) this.started = true;
      const prefix = this.#choices.has(index) ? "" : prefixOf(index, this.#request);
      const known = this.#choices.get(index);
      this.#choices.set(index, known ?? finish_reason ?? undefined);
      const text = prefix + said;
      if (text !== "" && known === undefined) events += this.#event(text, index, null);
      if (finish_reason && known === undefined) {
        events += this.#event("", index, toReason(finish_reason));
      }
    }
    return events;
  }

  end(): string {
    // The end of the stream follows the last prompt.
    if (this.#part !== undefined) return "";
    return writeEnd(this.#envelope, this.#includesUsage, this.usage);
  }

  get #envelope(): Envelope {
    return { ...this.#stamp, model: this.#model || this.#stamp.model };
  }

  #event(text: string, index: number, finish_reason: string | null): string {
    const choices = [{ text, index, logprobs: null, finish_reason }];
    return writeEvent({ ...toHead(this.#envelope), choices });
  }
}

/** Reads native answers. */
export const nativeAnswers: NativeAnswers = {
  createReader: () => new CompletionReader(),
  readAnswer(body) {
    if (body.error) return { error: body };
    if (!Array.isArray(body.choices)) throw unreadable("The provider's answer has no choices");
    const reader = new CompletionReader();
    reader.read(body);
    return { usage: reader.usage, summary: reader.summary };
  },
};

const FINISHES: ReadonlySet<unknown> = new Set(["stop", "length", "content_filter"]);

class CompletionReader implements NativeStreamReader {
  started = false;
  complete = false;
  outputChars = 0;
  usage: Usage | undefined;
  readonly #finishReasons: FinishReason[] = [];
  #id = "";
  #model = "";

  get summary(): AnswerSummary {
    return { id: this.#id, model: this.#model, finishReasons: this.#finishReasons };
  }

  push({ data }: Frame): { readonly error: unknown } | undefined {
    if (data === "[DONE]") {
      this.complete = this.started;
      return undefined;
    }
    const event = parseEvent(data);
    if (event.error) return { error: event };
    this.read(event);
    return undefined;
  }

  /** Reads an event, or a whole answer. */
  read({ id, model, choices, usage }: JsonObject): void {
    if (isText(id)) this.#id = id;
    if (isText(model)) this.#model = model;
    this.usage = readUsage(usage, undefined) ?? this.usage;
    if (!Array.isArray(choices)) return;
    for (const { text, finish_reason } of choices.filter(isObject)) {
      this.outputChars += toText(text).length;
      if (isText(text) || isText(finish_reason)) this.started = true;
      if (FINISHES.has(finish_reason)) this.#finishReasons.push(finish_reason as FinishReason);
    }
  }
}
