/**
 * Common code for `/api/chat` and `/api/generate`: validates the body, and converts it to a chat
 * request.
 */

import type { ChatRequest, Message, ReasoningEffort, Tool } from "../../contract/chat.ts";
import type { ConvertedRequest } from "../chat/caller_format.ts";
import { type FieldName, FieldPaths, type MessagePaths } from "../chat/field_paths.ts";
import { addTraits } from "../chat/web_search.ts";
import { GatewayError, invalidValue } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { copyTexts, moveText } from "../../core/json/number_texts.ts";
import { isText, present } from "../../core/json/values.ts";
import type { RequestChanges } from "../../contract/request_changes.ts";
import { numberIn, type NumberRule, objectIn, SEED } from "../read_fields.ts";

/** Numbers of `options`: their names in the chat request and their limits. */
const NUMBERS: readonly (readonly [own: string, chat: string, rule: NumberRule])[] = [
  ["temperature", "temperature", { min: 0 }],
  ["top_p", "top_p", { min: 0, max: 1 }],
  ["top_k", "top_k", { min: 0, isInteger: true }],
  ["min_p", "min_p", { min: 0, max: 1 }],
  ["seed", "seed", SEED],
  ["presence_penalty", "presence_penalty", { min: -2, max: 2 }],
  ["frequency_penalty", "frequency_penalty", { min: -2, max: 2 }],
];

const INTEGER: NumberRule = { min: Number.MIN_SAFE_INTEGER, isInteger: true };

/** The highest temperature of a chat request. */
const MAX_TEMPERATURE = 2;

/** The names of chat parameters here. */
const FIELDS: readonly FieldName[] = [
  ...NUMBERS.map(([own, chat]): FieldName => [chat, `options.${own}`]),
  ["max_tokens", "options.num_predict"],
  ["max_completion_tokens", "options.num_predict"],
  ["stop", "options.stop", "same"],
  ["response_format", "format"],
  ["reasoning_effort", "think"],
  ["logprobs", "logprobs"],
  ["top_logprobs", "top_logprobs"],
  ["model", "model"],
  ["stream", "stream"],
];

/** Members of `options` that are converted. */
const TAKEN_OPTIONS = new Set([...NUMBERS.map(([own]) => own), "num_predict", "stop"]);

/** Members of the body that only a server that runs the model can apply. */
const OWN_MEMBERS = ["keep_alive", "truncate", "shift", "template", "raw"];

/**
 * The settings as chat parameters.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault.
 */
function toParameters(body: JsonObject, changes: RequestChanges): JsonObject {
  const top = { min: 0, max: 20, isInteger: true };
  for (const name of OWN_MEMBERS) if (body[name] != null) changes.ignore(name);
  return present({
    ...toSampling(objectIn(body, "options", "") ?? {}, changes),
    response_format: toResponseFormat(body.format),
    reasoning_effort: toEffort(body.think, changes),
    logprobs: body.logprobs === true ? true : undefined,
    top_logprobs: body.logprobs === true ? numberIn(body, "top_logprobs", "", top) : undefined,
  });
}

function toSampling(options: JsonObject, changes: RequestChanges): JsonObject {
  const sampling: JsonObject = {};
  for (const [own, chat, rule] of NUMBERS) {
    const value = numberIn(options, own, "options", rule);
    if (value !== undefined) sampling[chat] = value;
  }
  moveText(options, "seed", sampling);
  const { temperature } = sampling;
  if (typeof temperature === "number" && temperature > MAX_TEMPERATURE) {
    changes.convert("options.temperature", temperature, MAX_TEMPERATURE);
    sampling.temperature = MAX_TEMPERATURE;
  }
  // Negative numbers mean "no limit" and "until the context is full".
  const most = numberIn(options, "num_predict", "options", INTEGER);
  if (most !== undefined && most >= 1) sampling.max_tokens = most;
  const stop = toStop(options.stop);
  if (stop.length > 0) sampling.stop = stop;
  for (const name of Object.keys(options)) {
    if (options[name] != null && !TAKEN_OPTIONS.has(name)) changes.ignore(`options.${name}`);
  }
  return sampling;
}

function toStop(stop: unknown): readonly string[] {
  const list = stop == null ? [] : Array.isArray(stop) ? stop : [stop];
  if (!list.every((text) => typeof text === "string")) {
    throw invalidValue("options.stop", "must be an array of strings");
  }
  return list.filter((text) => text !== "");
}

function toResponseFormat(format: unknown): JsonObject | undefined {
  if (format == null || format === "") return undefined;
  if (format === "json") return { type: "json_object" };
  if (!isObject(format)) throw invalidValue("format", "must be 'json' or a JSON schema");
  return { type: "json_schema", json_schema: { name: "output", schema: format, strict: true } };
}

/** The levels of `think`: https://docs.ollama.com/capabilities/thinking (2026-08). */
const LEVELS: ReadonlyMap<unknown, ReasoningEffort> = new Map([
  ["low", "low"],
  ["medium", "medium"],
  ["high", "high"],
  ["max", "max"],
]);

/** The effort for thinking without a level. */
const DEFAULT_EFFORT = "medium";

function toEffort(think: unknown, changes: RequestChanges): ReasoningEffort | undefined {
  if (think == null || think === "") return undefined;
  if (typeof think === "boolean") {
    const effort = think ? DEFAULT_EFFORT : "none";
    changes.convert("think", think, effort);
    return effort;
  }
  const effort = LEVELS.get(think);
  if (effort === undefined) {
    throw invalidValue("think", "must be true, false, 'low', 'medium', 'high' or 'max'");
  }
  return effort;
}

/** A body in which the members that every target needs have been validated. */
export interface CheckedBody {
  readonly body: JsonObject;
  readonly model: string;
  /** Ollama streams by default. */
  readonly stream: boolean;
}

/**
 * Checks the members that every target needs.
 *
 * @throws {GatewayError} `invalid_value` with the path of the fault in `param`.
 */
export function checkBody(body: unknown): CheckedBody {
  if (!isObject(body)) {
    throw new GatewayError("invalid_request", "The request body must be a JSON object");
  }
  // Older clients of some endpoints send `name`.
  const model = body.model ?? body.name;
  if (!isText(model)) throw invalidValue("model", "is required");
  const { stream } = body;
  if (stream != null && typeof stream !== "boolean") {
    throw invalidValue("stream", "must be true or false");
  }
  return { body, model, stream: stream ?? true };
}

/** The conversation of a request: messages, where each comes from, and tools. */
interface Conversation {
  readonly messages: readonly Message[];
  readonly origins: readonly MessagePaths[];
  /** The path of the conversation in the body. */
  readonly path: string;
  readonly tools?: readonly Tool[] | undefined;
  readonly toolPaths?: readonly string[];
}

/** Creates the chat request for a conversation, with the settings of its body. */
export function toConverted(
  { body, model, stream }: CheckedBody,
  { messages, origins, path, tools, toolPaths = [] }: Conversation,
  changes: RequestChanges,
): ConvertedRequest {
  const chat = present({
    model,
    messages,
    stream: stream || undefined,
    // The last line of every stream contains the usage.
    stream_options: stream ? { include_usage: true } : undefined,
    tools,
    ...toParameters(body, changes),
  });
  copyTexts(body, chat);
  const { think } = body;
  addTraits(chat, {
    isConverted: true,
    relaxesStrict: true,
    showsReasoning: think === true || isText(think),
  });
  return {
    chat: chat as unknown as ChatRequest,
    origins: new FieldPaths({
      messages: origins,
      tools: toolPaths,
      parameters: "parameters",
      conversation: path,
      fields: FIELDS,
    }),
    changes,
  };
}
