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
  /** Called if the answer is not yet in the caller's format. */
  readonly format: () => CallerFormat;
  readonly stream: boolean;
  readonly stream_options?: ChatRequest["stream_options"];
}

/** The answer of a feature, if any. */
export async function answerReady(
  request: AskedRequest,
  style: AnswerStyle,
): Promise<ReadyResult | undefined> {
  const { chain, deps: { clock }, options: { deadline = Infinity } } = request;
  const { features, signal, startedAt } = request.record;
  const targets = chain.map(({ target }) => toTargetName(target));
  const leftMs = startedAt + deadline - clock.now();
  const ready = await features.ready(targets, { signal, leftMs });
  if (ready === undefined) return undefined;
  const { content, headers = {}, savedUsd, note } = ready;
  const written = content.type === "written"
    ? { result: toWritten(content.text, style.stream) }
    : await writeReady(content, style, request);
  return {
    ...{ ...written, headers },
    ...(savedUsd !== undefined && { savedUsd }),
    ...(note !== undefined && { note }),
  };
}

async function writeReady(
  content: Exclude<ReadyAnswer["content"], { readonly type: "written" }>,
  { format: formatOf, stream, stream_options }: AnswerStyle,
  { chain, deps: { clock, newId } }: AskedRequest,
): Promise<Pick<ReadyResult, "format" | "result">> {
  const format = formatOf();
  const envelope: Envelope = {
    id: newId(format.idPrefix),
    created: Math.floor(clock.wallTime() / 1000),
    model: chain[0]?.target.model.upstream ?? "",
  };
  if (stream) {
    const chunks = content.type === "chunks" ? content.chunks : toChunks(content.completion);
    return { format, result: writeStream(chunks, format, stream_options, envelope) };
  }
  if (content.type === "chunks") throw new GatewayError("internal", "A ready answer is a stream");
  return {
    format,
    result: whole(await format.writeCompletion(content.completion, envelope, true)),
  };
}

function whole(text: string): AttemptResult {
  return { type: "text", text, usage: undefined, summary: NO_SUMMARY };
}

/** All events of a stream. They are written at once, without the pauses of the original. */
function writeStream(
  chunks: readonly ChunkBody[],
  format: CallerFormat,
  stream_options: ChatRequest["stream_options"],
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
