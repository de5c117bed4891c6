/**
 * A request of Gemini's `generateContent` as a chat request, for targets that have another API.
 *
 * Shapes: https://ai.google.dev/api/generate-content (2026-11-24).
 */

import type { ChatRequest, ReasoningEffort } from "../../contract/chat.ts";
import type { ConvertedRequest } from "../chat/caller_format.ts";
import { type FieldName, FieldPaths } from "../chat/field_paths.ts";
import { addTraits } from "../chat/web_search.ts";
import { GatewayError, invalidValue } from "../../core/errors.ts";
import { InnerJson, InnerText, STATE_LIMITS } from "../../core/json/inner_json.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { copyTexts, moveText } from "../../core/json/number_texts.ts";
import { isText, present } from "../../core/json/values.ts";
import { RequestChanges } from "../../contract/request_changes.ts";
import {
  listIn,
  memberOf,
  numberIn,
  objectIn,
  pathIn,
  SEED,
  spellingOf,
  stringIn,
} from "../read_fields.ts";
import { type Reading, toChatMessages, toSystemMessage } from "./read_contents.ts";
import { toChatTools, toJsonSchema } from "./read_tools.ts";

/** The parts of a request that are not in its body. */
export interface RequestTarget {
  readonly model: string;
  readonly stream: boolean;
}

/**
 * Checks the members that every target needs.
 *
 * @throws {GatewayError} `invalid_value` with the path of the fault in `param`.
 */
export function checkOutline(body: unknown): JsonObject {
  if (!isObject(body)) {
    throw new GatewayError("invalid_request", "The request body must be a JSON object");
  }
  const contents = listIn(body, "contents", "");
  if (contents === undefined) throw invalidValue("contents", "is required");
  if (contents.length === 0) throw invalidValue("contents", "must not be empty");
  return body;
}

/**
 * Converts a request.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault; `unsupported_content`
 * and `unsupported_parameter` for features that only Google's API has.
 */
export function readGenerateRequest(body: unknown, target: RequestTarget): ConvertedRequest {
  const checked = checkOutline(body);
  refuseGoogleOnly(checked);
  const changes = new RequestChanges();
  const reading: Reading = {
    changes,
    stateJson: new InnerJson(STATE_LIMITS),
    inputs: new InnerText(),
  };
  const instruction = memberOf(checked, "systemInstruction");
  const systemPath = spellingOf(checked, "systemInstruction");
  const system = toSystemMessage(instruction, systemPath, reading);
  const contents = listIn(checked, "contents", "") ?? [];
  const placed = [
    ...(system === undefined ? [] : [system]),
    ...toChatMessages(contents, "contents", reading),
  ];
  const { toolPaths, ...tools } = toChatTools(checked, changes);
  const config = objectIn(checked, "generationConfig", "") ?? {};
  const configPath = spellingOf(checked, "generationConfig");
  const thinking = objectIn(config, "thinkingConfig", configPath) ?? {};
  const chat = present({
    model: target.model,
    messages: placed.map(({ message }) => message),
    stream: target.stream || undefined,
    // Google reports usage in every stream.
    stream_options: target.stream ? { include_usage: true } : undefined,
    ...tools,
    ...toParameters(config, configPath, changes),
    response_format: toResponseFormat(config, configPath, changes),
    reasoning_effort: toEffort(thinking, `${configPath}.thinkingConfig`, changes),
    service_tier: toServiceTier(checked, changes),
  });
  copyTexts(checked, chat);
  moveText(config, "seed", chat);
  addTraits(chat, {
    isConverted: true,
    relaxesStrict: true,
    showsReasoning: memberOf(thinking, "includeThoughts") === true,
  });
  recordDropped(checked, config, changes);
  const origins = new FieldPaths({
    messages: placed.map(({ origin }) => origin),
    tools: toolPaths,
    parameters: "parameters",
    conversation: "contents",
    fields: FIELDS,
  });
  return { chat: chat as unknown as ChatRequest, origins, changes };
}

/** Numbers of `generationConfig`: their names in the chat request and their limits. */
const NUMBERS = [
  ["temperature", "temperature", { min: 0, max: 2 }],
  ["topP", "top_p", { min: 0, max: 1 }],
  ["topK", "top_k", { min: 0 }],
  ["candidateCount", "n", { min: 1, max: 128, isInteger: true }],
  ["maxOutputTokens", "max_tokens", { min: 1, isInteger: true }],
  ["seed", "seed", SEED],
  ["presencePenalty", "presence_penalty", { min: -2, max: 2 }],
  ["frequencyPenalty", "frequency_penalty", { min: -2, max: 2 }],
  ["logprobs", "top_logprobs", { min: 0, max: 20, isInteger: true }],
] as const;

/** The names of chat parameters here. */
const FIELDS: readonly FieldName[] = [
  ...NUMBERS.map(([own, chat]): FieldName => [chat, `generationConfig.${own}`]),
  ["max_completion_tokens", "generationConfig.maxOutputTokens"],
  ["stop", "generationConfig.stopSequences", "same"],
  ["logprobs", "generationConfig.responseLogprobs"],
  ["modalities", "generationConfig.responseModalities", "same"],
  ["response_format", "generationConfig.responseSchema"],
  ["reasoning_effort", "generationConfig.thinkingConfig"],
  ["tool_choice", "toolConfig"],
  ["service_tier", "serviceTier"],
  ["model", "model"],
  ["stream", "stream"],
];

function toParameters(config: JsonObject, path: string, changes: RequestChanges): JsonObject {
  const parameters: JsonObject = {};
  for (const [own, chat, rule] of NUMBERS) {
    const value = numberIn(config, own, path, rule);
    if (value !== undefined) parameters[chat] = value;
  }
  const stops = listIn(config, "stopSequences", path) ?? [];
  if (!stops.every((stop) => typeof stop === "string")) {
    throw invalidValue(pathIn(path, config, "stopSequences"), "must be an array of strings");
  }
  if (stops.length > 0) parameters.stop = stops;
  if (memberOf(config, "responseLogprobs") === true) parameters.logprobs = true;
  const modalities = listIn(config, "responseModalities", path)?.filter(isText) ?? [];
  const others = modalities.filter((name) => name.toUpperCase() !== "TEXT");
  if (others.length > 0) parameters.modalities = modalities.map((name) => name.toLowerCase());
  for (const name of ["speechConfig", "mediaResolution", "imageConfig", "audioTimestamp"]) {
    if (memberOf(config, name) !== undefined) changes.ignore(`generationConfig.${name}`);
  }
  return parameters;
}

/** Members of the body that are converted, or that are recorded separately. */
const TAKEN = new Set([
  "contents",
  "systemInstruction",
  "tools",
  "toolConfig",
  "generationConfig",
  "serviceTier",
  // The model that the path names.
  "model",
  "models",
]);

/** The same for `generationConfig`. */
const TAKEN_CONFIG = new Set<string>([
  ...NUMBERS.map(([own]) => own),
  "stopSequences",
  "responseLogprobs",
  "responseModalities",
  "responseMimeType",
  "responseSchema",
  "responseJsonSchema",
  "_responseJsonSchema",
  "thinkingConfig",
]);

function recordDropped(body: JsonObject, config: JsonObject, changes: RequestChanges): void {
  for (const [name, value] of Object.entries(body)) {
    if (value != null && !TAKEN.has(camelCase(name))) changes.ignore(camelCase(name));
  }
  for (const [name, value] of Object.entries(config)) {
    const own = camelCase(name);
    if (value != null && !TAKEN_CONFIG.has(own)) changes.ignore(`generationConfig.${own}`);
  }
}

function camelCase(name: string): string {
  return name.replace(/(?<=.)_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function refuseGoogleOnly(body: JsonObject): void {
  if (!isText(memberOf(body, "cachedContent"))) return;
  const param = spellingOf(body, "cachedContent");
  const message = `This model does not support '${param}', which only Google's own API has`;
  throw new GatewayError("unsupported_parameter", message, { param });
}

function toResponseFormat(
  config: JsonObject,
  path: string,
  changes: RequestChanges,
): JsonObject | undefined {
  const type = stringIn(config, "responseMimeType", path) ?? "text/plain";
  const schema = objectIn(config, "responseSchema", path);
  const json = objectIn(config, "responseJsonSchema", path) ??
    objectIn(config, "_responseJsonSchema", path);
  if (type !== "application/json") {
    if (type !== "text/plain") changes.ignore("generationConfig.responseMimeType");
    if (schema ?? json) changes.ignore("generationConfig.responseSchema");
    return undefined;
  }
  const own = json ?? (schema && toJsonSchema(schema, changes));
  if (own === undefined) return { type: "json_object" };
  return { type: "json_schema", json_schema: { name: "output", schema: own, strict: true } };
}

/**
 * Google's mapping of efforts to budgets: https://ai.google.dev/gemini-api/docs/openai
 * (2026-11-24).
 */
const LOW_BUDGET = 1024;
const MEDIUM_BUDGET = 8192;

const LEVELS = new Map<string, ReasoningEffort>([
  ["MINIMAL", "minimal"],
  ["LOW", "low"],
  ["MEDIUM", "medium"],
  ["HIGH", "high"],
]);

function toEffort(
  thinking: JsonObject,
  path: string,
  changes: RequestChanges,
): ReasoningEffort | undefined {
  const level = stringIn(thinking, "thinkingLevel", path)?.toUpperCase();
  if (level !== undefined) {
    const effort = LEVELS.get(level);
    if (effort === undefined && level !== "THINKING_LEVEL_UNSPECIFIED") {
      throw invalidValue(`${path}.thinkingLevel`, "must be MINIMAL, LOW, MEDIUM or HIGH");
    }
    return effort;
  }
  const budget = numberIn(thinking, "thinkingBudget", path, { min: -1, isInteger: true });
  if (budget === undefined || budget === -1) return undefined;
  const effort = budget === 0
    ? "none"
    : budget <= LOW_BUDGET
    ? "low"
    : budget <= MEDIUM_BUDGET
    ? "medium"
    : "high";
  changes.convert("thinkingConfig.thinkingBudget", budget, effort);
  return effort;
}

/** The tiers of the API, under OpenAI's names. */
const TIERS = new Map([
  ["STANDARD", "default"],
  ["FLEX", "flex"],
  ["PRIORITY", "priority"],
]);

function toServiceTier(body: JsonObject, changes: RequestChanges): string | undefined {
  const tier = stringIn(body, "serviceTier", "");
  const converted = TIERS.get(tier?.toUpperCase() ?? "");
  if (tier !== undefined && converted === undefined) changes.ignore("serviceTier");
  return converted;
}
