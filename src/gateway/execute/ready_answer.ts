/** Writes answers that features provide without a target, in the caller's format. */

import type { CallerFormat, Envelope } from "../../apis/chat/caller_format.ts";
import type { ChatRequest, Choice, ChunkBody, CompletionBody } from "../../contract/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { ReadyAnswer } from "../feature.ts";
import { NOTHING, type StreamDecoder } from "../../contract/stream_decoder.ts";
import { toTargetName } from "../attempt_state.ts";
import type { AskedRequest, AttemptResult, ReadyResult } from "../operation.ts";
import { StreamFold } from "../../streaming/fold.ts";
import { NO_PACKETS, writtenStream } from "../../streaming/list_fold.ts";

/** The form in which the caller requests an answer. */
export interface AnswerStyle {
  readonly format: CallerFormat;
  readonly stream: boolean;
  readonly stream_options?: ChatRequest["stream_options"];
}

/**
 * The answer of a feature, if any.
 *
 * @param styleFor the style for an answer of this type
 */
export async function answerReady(
  request: AskedRequest,
  styleFor: (type: ReadyAnswer["content"]["type"]) => AnswerStyle | Promise<AnswerStyle>,
): Promise<ReadyResult | undefined> {
  const { chain, deps: { clock }, options: { deadline = Infinity } } = request;
  const { features, signal, startedAt } = request.record;
  const targets = chain.map(({ target }) => toTargetName(target));
  const leftMs = startedAt + deadline - clock.now();
  const ready = await features.ready(targets, { signal, leftMs });
  if (ready === undefined) return undefined;
  const style = await styleFor(ready.content.type);
  const result = await toResult(ready.content, style, request);
  const { headers = {}, savedUsd, note } = ready;
  return {
    ...{ result, format: style.format, headers },
    ...(savedUsd !== undefined && { savedUsd }),
    ...(note !== undefined && { note }),
  };
}

function toResult(
  content: ReadyAnswer["content"],
  style: AnswerStyle,
  { chain, deps: { clock, newId } }: AskedRequest,
): AttemptResult | Promise<AttemptResult> {
  if (content.type === "written") {
    return toWritten(content.text, style.stream);
  }
  const envelope: Envelope = {
    id: newId(style.format.idPrefix),
    created: Math.floor(clock.wallTime() / 1000),
    model: chain[0]?.target.model.upstream ?? "",
  };
  if (style.stream) {
    const chunks = content.type === "chunks" ? content.chunks : toChunks(content.completion);
    return writeStream(chunks, style, envelope);
  }
  if (content.type === "chunks") throw new GatewayError("internal", "A ready answer is a stream");
  return writeWhole(content.completion, style.format, envelope);
}

async function writeWhole(
  completion: CompletionBody,
  format: CallerFormat,
  envelope: Envelope,
): Promise<AttemptResult> {
  return whole(await format.writeCompletion(completion, envelope, true));
}

function whole(text: string): AttemptResult {
  return { type: "text", text, usage: undefined, summary: NO_SUMMARY };
}

/** All events of a stream. They are written at once, without the pauses of the original. */
function writeStream(
  chunks: readonly ChunkBody[],
  { format, stream_options }: AnswerStyle,
  envelope: Envelope,
): AttemptResult {
  const request = stream_options === undefined ? {} : { stream_options };
  const fold = new StreamFold({
    framing: "sse",
    decoder: new ChunkDecoder(chunks),
    writer: format.createStreamWriter(envelope, request, () => 0),
    toError: () => new GatewayError("internal", "A ready answer is not complete"),
    learnsAfter: Infinity,
  });
  const first = encoder.encode(fold.end());
  if (fold.failure !== undefined) throw fold.failure;
  return { type: "stream", stream: { fold, packets: NO_PACKETS, first } };
}

/** The answer for a text that is already in the caller's format. */
export function toWritten(text: string, stream: boolean): AttemptResult {
  if (!stream) return whole(text);
  const answer = { usage: undefined, summary: NO_SUMMARY };
  return { type: "stream", stream: writtenStream(text, answer) };
}

const encoder = new TextEncoder();

const NO_SUMMARY = { id: "", model: "", finishReasons: [] };

/** Returns all chunks at the end of its empty input. */
class ChunkDecoder implements StreamDecoder {
  readonly #chunks: readonly ChunkBody[];

  constructor(chunks: readonly ChunkBody[]) {
    this.#chunks = chunks;
  }

  push() {
    return NOTHING;
  }

  end() {
    return { chunks: this.#chunks, done: true };
  }

  detailsOf(choice: number): readonly unknown[] {
    return this.#chunks.flatMap(({ choices }) =>
      choices.flatMap(({ index, delta }) => index === choice ? delta.reasoning_details ?? [] : [])
    );
  }
}

/** A completion as the chunks of a stream: one for each choice, and one with the usage. */
function toChunks({ choices, usage, ...rest }: CompletionBody): readonly ChunkBody[] {
  const chunks = choices.map((choice) => ({ ...rest, choices: [toChunkChoice(choice)] }));
  return usage === undefined ? chunks : [...chunks, { ...rest, choices: [], usage }];
}

function toChunkChoice({ message, ...choice }: Choice): ChunkBody["choices"][number] {
  const { tool_calls, ...delta } = message;
  if (tool_calls === undefined) return { ...choice, delta };
  return { ...choice, delta: { ...delta, tool_calls: tool_calls.map(toCallDelta) } };
}

function toCallDelta(call: NonNullable<Choice["message"]["tool_calls"]>[number], index: number) {
  return { ...call, index };
}
