/**
 * Members of requests that a vendor may read although their names are not those that the gateway
 * reads: JSON parsers of Go and .NET ignore the case of names, and many settings have several names.
 */

import { chatRequestSchema, isObject, type JsonObject } from "../chat/chat.ts";
import { CHOICES, OUTPUT_LIMITS } from "../chat/output_limits.ts";
import { GatewayError } from "../core/errors.ts";
import { invalidValue } from "../core/invalid_value.ts";
import { snakeCase } from "../core/snake_case.ts";
import { embeddingsRequest } from "../formats/embeddings/request.ts";
import { imageRequest } from "../formats/images/request.ts";
import { messagesRequest } from "../formats/messages/schema.ts";
import { moderationRequest } from "../formats/moderations/request.ts";
import { rerankRequest } from "../formats/rerank/request.ts";
import { responsesRequest } from "../formats/responses/request.ts";
import { speechRequest } from "../formats/speech/request.ts";
import { transcriptionRequest } from "../formats/transcriptions/request.ts";
import type { Adapter } from "../providers/contract/adapter.ts";
import type { Support } from "../providers/contract/support.ts";
import { adapters } from "../providers/registry.ts";

/**
 * Refuses members that a vendor could read, but the gateway does not.
 *
 * @param format the name of the caller format
 * @throws {GatewayError} `invalid_value` for a member whose name has another case than a known one,
 * and for two different values of one setting.
 */
export function checkMemberNames(body: unknown, format: string): void {
  if (!isObject(body)) return;
  const namesOf = NAMES.get(format) ?? openNames;
  checkNames(body, namesOf(), "");
  if (isObject(body.options)) checkNames(body.options, optionNames(), "options.");
  if (format !== "gemini") return;
  for (const name of ["generationConfig", "generation_config"]) {
    const config = body[name];
    if (isObject(config)) checkNames(config, configNames(), `${name}.`);
  }
}

/** The names that the gateway knows. */
interface Names {
  /** By name, the other spelling that it may have; empty for most. */
  readonly exact: ReadonlyMap<string, string>;
  readonly folded: ReadonlyMap<string, string>;
  /** The length of the longest one. */
  readonly longest: number;
}

function checkNames(object: JsonObject, names: Names, path: string): void {
  for (const name in object) {
    const other = names.exact.get(name);
    if (other === "") continue;
    if (other !== undefined) checkEqual(object, name, other, path);
    else if (name.length <= names.longest) {
      const known = names.folded.get(folded(name));
      if (known !== undefined) throw invalidValue(path + name, `must be written '${known}'`);
    }
  }
}

/** Refuses different values of the two names of one setting. */
function checkEqual(object: JsonObject, camel: string, snake: string, path: string): void {
  const one = object[camel];
  const other = object[snake];
  if (one === undefined || one === null || other === undefined || other === null) return;
  if (JSON.stringify(one) === JSON.stringify(other)) return;
  const param = path + snake;
  const message = `'${path}${camel}' and '${param}' are one setting with two values; send one`;
  throw new GatewayError("invalid_value", message, { param });
}

/**
 * The name with the simple case folding of Unicode, by which parsers compare names: the long s
 * (U+017F) is an s, and the Kelvin sign (U+212A) a k.
 */
function folded(name: string): string {
  let text = "";
  for (const character of name) {
    const lower = character.toUpperCase().toLowerCase();
    text += lower.length === character.length ? lower : character;
  }
  return text;
}

/** Names are known when the first request is read. */
function once(create: () => Iterable<string>): () => Names {
  let names: Names | undefined;
  return () => names ??= toNames(create());
}

function toNames(list: Iterable<string>): Names {
  const names = [...new Set(list)];
  const exact = names.map((name): [string, string] => {
    const snake = snakeCase(name);
    return [name, snake === name ? "" : snake];
  });
  return {
    exact: new Map(exact),
    folded: new Map(names.map((name) => [folded(name), name])),
    longest: Math.max(...names.map(({ length }) => length)),
  };
}

const SCHEMAS = [
  ...[chatRequestSchema, messagesRequest, responsesRequest, embeddingsRequest, rerankRequest],
  ...[moderationRequest, imageRequest, speechRequest, transcriptionRequest],
];

/** The names of OpenAI's formats, and of those that have none, with the fields of all vendors. */
const openNames = once(() => [
  ...SCHEMAS.flatMap(({ shape }) => Object.keys(shape)),
  ...["input", "documents", "provider", "file", "image", "images", "mask", "options"],
  ...["prompt", "suffix", "best_of", "echo", "top_k", "min_p", "task", "audio"],
  ...OUTPUT_LIMITS,
  ...CHOICES,
  ...[...adapters.values()].flatMap(fieldsOf),
]);

/** The fields of a vendor's tables, under its own names and those of callers. */
function fieldsOf(adapter: Adapter): readonly string[] {
  const { supports, embeddings, images, moderations, rerank, speech, transcriptions } = adapter;
  const apis = [embeddings, images, moderations, rerank, speech, transcriptions];
  return [supports, ...apis.map((api) => api?.supports)].flatMap((tables) => {
    const { parameters = {}, extensions = {} } = tables ?? {};
    const rules: Readonly<Record<string, Pick<Support, "level"> & { readonly to?: string }>> = {
      ...parameters,
      ...(extensions === "all" ? {} : extensions),
    };
    return Object.entries(rules).flatMap(([name, { to }]) => to === undefined ? name : [name, to]);
  });
}

/** The members of Ollama's requests: https://docs.ollama.com/api (2026-11). */
const ollamaNames = once(() => [
  ..."model name messages prompt suffix images format options system template".split(" "),
  ..."stream raw keep_alive think tools truncate shift context input dimensions".split(" "),
  ..."logprobs top_logprobs width height steps".split(" "),
  ...OUTPUT_LIMITS,
]);

/** Its options: https://docs.ollama.com/modelfile (2026-11), and those of its Go client. */
const optionNames = once(() => [
  ..."num_ctx num_batch num_gpu main_gpu use_mmap num_thread num_keep seed num_predict".split(" "),
  ..."top_k top_p min_p typical_p tfs_z repeat_last_n temperature repeat_penalty".split(" "),
  ..."presence_penalty frequency_penalty mirostat mirostat_tau mirostat_eta".split(" "),
  ..."penalize_newline stop numa low_vram f16_kv vocab_only use_mlock draft_num_predict".split(" "),
  ...OUTPUT_LIMITS,
]);

/** The members of Gemini's requests: https://ai.google.dev/api (2026-11). */
const geminiNames = once(() =>
  inBothSpellings([
    ..."contents systemInstruction tools toolConfig safetySettings generationConfig".split(" "),
    ..."cachedContent labels serviceTier model models content requests taskType title".split(" "),
    ..."outputDimensionality generateContentRequest store modelArmorConfig".split(" "),
    ..."embedContentConfig".split(" "),
  ])
);

const configNames = once(() =>
  inBothSpellings([
    ..."temperature topP topK candidateCount maxOutputTokens stopSequences seed".split(" "),
    ..."presencePenalty frequencyPenalty responseLogprobs logprobs responseMimeType".split(" "),
    ..."responseSchema responseJsonSchema responseModalities thinkingConfig".split(" "),
    ..."speechConfig mediaResolution imageConfig audioTimestamp routingConfig".split(" "),
    ..."enableEnhancedCivicAnswers enableAffectiveDialog".split(" "),
    ...OUTPUT_LIMITS,
    ...CHOICES,
  ])
);

function inBothSpellings(names: readonly string[]): string[] {
  return names.flatMap((name) => [name, snakeCase(name)]);
}

/** The names of the formats that differ from OpenAI's. */
const NAMES: ReadonlyMap<string, () => Names> = new Map([
  ["gemini", geminiNames],
  ["ollama", ollamaNames],
]);
