/** Writes answers whose text is a summary: their output is exactly one item. */

import type { AnswerSummary, CallerFormat, Envelope, StreamWriter } from "../chat/caller_format.ts";
import type {
  ChunkBody,
  CompletionBody,
  FinishReason,
  JsonObject,
  Usage,
} from "../../contract/chat.ts";
import { unreadable } from "../../core/errors.ts";
import { isText } from "../../core/json/values.ts";
import { toCompactionItem } from "./compaction.ts";
import type { AnswerContext } from "./format.ts";
import { ItemIds } from "./output_items.ts";
import { ended, toEnding, toResponse, toUsage } from "./response_object.ts";
import { writeFailure } from "./errors.ts";

/** The options of a summary. */
export interface CompactionContext extends Omit<AnswerContext, "names"> {
  /** Whether `POST /v1/responses/compact` was called, which has a short response. */
  readonly isEndpoint: boolean;
}

/**
 * The format for the answers to one request.
 *
 * @param base the format of other answers, which writes errors
 */
export function createCompactionFormat(
  base: CallerFormat,
  context: CompactionContext,
): CallerFormat {
  let stream: CompactionWriter | undefined;
  return {
    ...base,
    isPassable: (_body): _body is never => false,
    writeCompletion: (body, envelope) => JSON.stringify(toCompaction(body, envelope, context)),
    createStreamWriter: (envelope) => stream = new CompactionWriter(envelope, context),
    writeStreamError: (error) => writeFailure(error, stream?.response, stream?.sequence ?? 0),
  };
}

/** @throws {GatewayError} `upstream_error` for an answer without a summary. */
function toCompaction(
  { choices: [choice], model, usage }: CompletionBody,
  stamp: Envelope,
  { request, wallTime, onAnswer, isEndpoint }: CompactionContext,
): JsonObject {
  const text = choice?.message.content;
  if (!isText(text)) throw unreadable("The provider's answer has no summary");
  const envelope = { ...stamp, model: model ?? stamp.model };
  const output = [toCompactionItem(new ItemIds(envelope).of("compaction", 0), text)];
  if (isEndpoint) {
    const { id, created } = envelope;
    const members = { id, object: "response.compaction", created_at: created, output };
    return { ...members, usage: usage === undefined ? null : toUsage(usage) };
  }
  const response = ended(
    toResponse(request, envelope),
    toEnding("stop", false, wallTime()),
    output,
    usage,
  );
  onAnswer(response);
  return response;
}

/** Writes one stream. The item is complete when the answer is. */
class CompactionWriter implements StreamWriter {
  started = false;
  usage: Usage | undefined;
  serviceTier: string | undefined;
  readonly isRepeatable = false;
  /** The number of the next event. */
  sequence = 0;
  /** The response at its start. */
  response: JsonObject | undefined;
  readonly #context: CompactionContext;
  readonly #envelope: Envelope;
  #model: string | undefined;
  #summary = "";
  #finish: FinishReason | undefined;

  constructor(envelope: Envelope, context: CompactionContext) {
    this.#envelope = envelope;
    this.#context = context;
  }

  get complete(): boolean {
    return this.#finish !== undefined && this.#summary !== "";
  }

  get summary(): AnswerSummary {
    return {
      id: this.#envelope.id,
      model: this.#model ?? this.#envelope.model,
      finishReasons: this.#finish === undefined ? [] : [this.#finish],
    };
  }

  write(chunk: ChunkBody): string {
    if (chunk.usage) this.usage = chunk.usage;
    if (isText(chunk.service_tier)) this.serviceTier = chunk.service_tier;
    if (isText(chunk.model)) this.#model ??= chunk.model;
    for (const { index, delta, finish_reason } of chunk.choices) {
      if (index !== 0) continue;
      if (isText(delta.content)) this.#summary += delta.content;
      if (isText(delta.content) || isText(delta.reasoning_content)) this.started = true;
      if (finish_reason) this.#finish ??= finish_reason;
    }
    if (!this.started || this.response !== undefined) return "";
    const { request } = this.#context;
    this.response = toResponse(request, { ...this.#envelope, model: this.summary.model });
    return this.#event("response.created", { response: this.response }) +
      this.#event("response.in_progress", { response: this.response });
  }

  end(): string {
    const { wallTime, onAnswer } = this.#context;
    const id = new ItemIds(this.#envelope).of("compaction", 0);
    const item = toCompactionItem(id, this.#summary);
    const begun = { ...item, encrypted_content: "" };
    const response = ended(
      this.response ?? {},
      toEnding("stop", false, wallTime()),
      [item],
      this.usage,
    );
    onAnswer(response);
    return this.#event("response.output_item.added", { output_index: 0, item: begun }) +
      this.#event("response.output_item.done", { output_index: 0, item }) +
      this.#event("response.completed", { response });
  }

  #event(type: string, members: JsonObject): string {
    const event = { type, sequence_number: this.sequence++, ...members };
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
  }
}
