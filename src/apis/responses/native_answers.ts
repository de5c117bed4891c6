/**
 * The answers of providers that have the Responses API: they are forwarded unchanged except for
 * marked IDs.
 */

import { writeJson } from "../../core/json/number_texts.ts";
import type { AnswerSummary, CallerFormat } from "../chat/caller_format.ts";
import { type FinishReason, isObject, type JsonObject, type Usage } from "../../contract/chat.ts";
import { isText, toCount, toObject, toText } from "../../core/json/values.ts";
import type { Frame } from "../../contract/stream_decoder.ts";
import { unreadable } from "../../core/errors.ts";
import type { NativeAnswer, NativeAnswers, NativeStreamReader } from "../native_answers.ts";
import { stringLengthAfter } from "../read_fields.ts";
import { responses } from "./format.ts";
import type { IdMarker } from "./provider_ids.ts";
import { parsePassed } from "../../core/json/reader.ts";
import { writeFailure } from "./errors.ts";

/** The answers to one request at one provider, and the format that ends their streams. */
export interface NativeResponses {
  readonly answers: NativeAnswers;
  readonly format: CallerFormat;
}

/** Receives each state of a response from the provider, with the provider's own IDs. */
export type OnResponse = (response: JsonObject) => void;

/** Reads the answers of a provider. */
export function createNativeResponses(
  marker: IdMarker,
  onResponse: OnResponse = () => {},
): NativeResponses {
  let reader: ResponsesReader | undefined;
  return {
    answers: {
      createReader: () => reader = new ResponsesReader(marker, onResponse),
      readAnswer(body) {
        const read = readAnswer(body, marker);
        if (!("error" in read)) onResponse(body);
        return read;
      },
    },
    format: {
      ...responses,
      writeStreamError: (error) => writeFailure(error, reader?.response, reader?.nextSequence ?? 0),
    },
  };
}

function readAnswer(
  body: JsonObject,
  marker: IdMarker,
): NativeAnswer | { readonly error: unknown } {
  if (isObject(body.error)) return { error: { error: body.error } };
  if (!Array.isArray(body.output)) throw unreadable("The provider's answer has no output");
  const marked = marker.response(body);
  return {
    usage: readUsage(body.usage),
    serviceTier: readTier(body),
    summary: toSummary(marked),
    text: writeJson(marked),
  };
}

/** Events before the first item: the answer may still fail and be requested from another target. */
const BEGINNING = new Set(["response.created", "response.queued", "response.in_progress"]);
const ENDINGS = new Set(["response.completed", "response.incomplete", "response.cancelled"]);

class ResponsesReader implements NativeStreamReader {
  started = false;
  complete = false;
  outputChars = 0;
  usage: Usage | undefined;
  serviceTier: string | undefined;
  readonly rewrites = true;
  /** The response in the last event that contained one. */
  response: JsonObject | undefined;
  nextSequence = 0;
  readonly #marker: IdMarker;
  readonly #onResponse: OnResponse;

  constructor(marker: IdMarker, onResponse: OnResponse) {
    this.#marker = marker;
    this.#onResponse = onResponse;
  }

  get summary(): AnswerSummary {
    return toSummary(this.response ?? {});
  }

  push(
    { event, data }: Frame,
  ): { readonly error: unknown } | { readonly data: string } | undefined {
    if (data === "[DONE]") return undefined;
    // Most events are pieces of text: they are not parsed.
    if (event?.endsWith(".delta")) {
      this.started = true;
      this.outputChars += stringLengthAfter(data, '"delta"') ?? 0;
      this.#count(/"sequence_number": ?(\d{1,15})/.exec(data)?.[1]);
      return { data: this.#marker.eventText(data) };
    }
    const body = parsePassed(data);
    if (!isObject(body)) return undefined;
    const type = toText(body.type) || (event ?? "");
    if (isObject(body.response)) this.#onResponse(body.response);
    if (type === "error" || type === "response.failed") return { error: { error: errorIn(body) } };
    this.#count(body.sequence_number);
    if (!BEGINNING.has(type)) this.started = true;
    if (ENDINGS.has(type)) this.complete = true;
    if (isObject(body.response)) {
      this.usage = readUsage(body.response.usage) ?? this.usage;
      this.serviceTier = readTier(body.response) ?? this.serviceTier;
      const response = this.response = this.#marker.response(body.response);
      return { data: writeJson({ ...body, response }) };
    }
    if (isObject(body.item)) {
      return { data: writeJson({ ...body, item: this.#marker.item(body.item) }) };
    }
    if (data.includes('"container_id"')) {
      return { data: writeJson(this.#marker.event(body)) };
    }
    return { data: this.#marker.eventText(data) };
  }

  #count(sequence: unknown): void {
    const number = Number(sequence);
    if (Number.isSafeInteger(number)) this.nextSequence = number + 1;
  }
}

/** The error of an `error` event, which is flat or nested, or of a failed response. */
function errorIn(body: JsonObject): JsonObject {
  const failed = toObject(body.response);
  if (isObject(failed.error)) return failed.error;
  if (isObject(body.error)) return body.error;
  const { code, message, param } = body;
  return { code, message, param };
}

function toSummary({ id, model, status, output, incomplete_details: details }: JsonObject) {
  return {
    id: toText(id),
    model: toText(model),
    finishReasons: toReasons(status, output, details),
  };
}

function toReasons(status: unknown, output: unknown, details: unknown): FinishReason[] {
  if (status === "incomplete") {
    return [toObject(details).reason === "content_filter" ? "content_filter" : "length"];
  }
  if (status !== "completed") return [];
  const called = Array.isArray(output) &&
    output.some((item) => isObject(item) && CALLS.has(item.type));
  return [called ? "tool_calls" : "stop"];
}

const CALLS = new Set<unknown>(["function_call", "custom_tool_call"]);

/** The service tier that the vendor reports. */
export function readTier({ service_tier: tier }: JsonObject): string | undefined {
  return isText(tier) ? tier : undefined;
}

/** Token counts under the names of chat completions. */
export function readUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const input = toCount(usage.input_tokens);
  const output = toCount(usage.output_tokens);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: toCount(usage.total_tokens) || input + output,
    prompt_tokens_details: toObject(usage.input_tokens_details),
    completion_tokens_details: toObject(usage.output_tokens_details),
  };
}
