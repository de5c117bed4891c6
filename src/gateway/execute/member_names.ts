/**
 * Finds members that a vendor may read under names that the gateway does not read: JSON parsers of
 * Go and .NET ignore the case of names, and many settings have several names.
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { CHOICES, OUTPUT_LIMITS } from "../../apis/chat/output_limits.ts";
import { GatewayError, invalidValue } from "../../core/errors.ts";
import { snakeCase } from "../../core/text.ts";
import { OPERATIONS } from "./list.ts";

/**
 * Refuses members that a vendor could read although the gateway does not.
 *
 * @param format the name of the caller format
 * @throws {GatewayError} `invalid_value` for a member whose name differs from a known one only by
 * case, and for different values of two names of one setting.
 */
export function checkMemberNames(body: unknown, format: string): void {
  if (!isObject(body)) return;
  const namesOf = NAMES.get(format) ?? openNames;
  checkNames(body, namesOf(), "");
  if (isObject(body.options)) checkNames(body.options, optionNames(), "options.");
  if (format === "gemini") checkWithin(body, GEMINI_OBJECTS, "");
}

/** An object within a request, with its nested objects. */
interface Level {
  readonly name: string;
  readonly names: () => Names;
  readonly holds?: readonly Level[];
}

function checkWithin(object: JsonObject, levels: readonly Level[], path: string): void {
  for (const { name, names, holds = [] } of levels) {
    for (const spelling of inBothSpellings([name])) {
      const inner = object[spelling];
      if (!isObject(inner)) continue;
      const place = `${path}${spelling}.`;
      checkNames(inner, names(), place);
      checkWithin(inner, holds, place);
    }
  }
}

/** The names that the gateway knows. */
interface Names {
  readonly exact: ReadonlyMap<string, Known>;
  readonly folded: ReadonlyMap<string, string>;
  /** The length of the longest one. */
  readonly longest: number;
}

/** A name that the gateway knows. */
interface Known {
  /** The settings that this name belongs to; none for most names. */
  readonly settings: readonly Setting[];
  /** Whether its value may contain several names of one setting. */
  readonly isShared: boolean;
}

/** The names of one setting; `a.b` is the member `b` of the member `a`. */
type Setting = readonly string[];

function checkNames(object: JsonObject, names: Names, path: string): void {
  let isFirst = true;
  for (const name in object) {
    const known = names.exact.get(name);
    if (known === undefined) checkCase(name, names, path);
    else if (known !== ALONE) {
      // A single name cannot have different values.
      if (!isFirst || known.isShared) checkEqual(object, known.settings, path);
      isFirst = false;
    }
  }
}

function checkCase(name: string, { longest, folded: known }: Names, path: string): void {
  if (name.length > longest) return;
  const right = known.get(folded(name));
  if (right !== undefined) throw invalidValue(path + name, `must be written '${right}'`);
}

/** Refuses different values of two names of one setting. */
function checkEqual(object: JsonObject, settings: readonly Setting[], path: string): void {
  for (const setting of settings) {
    const given = setting.filter((name) => valueAt(object, name) != null);
    const [first = "", ...others] = given;
    if (others.length === 0) continue;
    const text = JSON.stringify(valueAt(object, first));
    const other = others.find((name) => JSON.stringify(valueAt(object, name)) !== text);
    if (other === undefined) continue;
    const param = path + other;
    const message = `'${path}${first}' and '${param}' are one setting with two values; send one`;
    throw new GatewayError("invalid_value", message, { param });
  }
}

function valueAt(object: JsonObject, name: string): unknown {
  const [head = "", member] = name.split(".");
  const value = object[head];
  if (member === undefined) return value;
  return isObject(value) ? value[member] : undefined;
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

/** The names are complete when the first request is read. */
function once(
  create: () => Iterable<string>,
  settings: readonly Setting[] = [],
): () => Names {
  let names: Names | undefined;
  return () => names ??= toNames([...new Set(create())], settings);
}

const ALONE: Known = { settings: [], isShared: false };

function toNames(list: readonly string[], settings: readonly Setting[]): Names {
  const all = settings.map(inBothSpellings);
  const named = new Set(all.flat());
  all.push(...list.filter((name) => !named.has(name)).map((name) => inBothSpellings([name])));
  const exact = new Map(list.map((name) => [name, ALONE]));
  for (const setting of all.filter(({ length }) => length > 1)) {
    const heads = setting.map(headOf);
    for (const head of new Set(heads)) {
      const { settings, isShared } = exact.get(head) ?? ALONE;
      const several = heads.indexOf(head) !== heads.lastIndexOf(head);
      exact.set(head, { settings: [...settings, setting], isShared: isShared || several });
    }
  }
  const names = [...exact.keys()];
  return {
    exact,
    folded: new Map(names.map((name) => [folded(name), name])),
    longest: Math.max(...names.map(({ length }) => length)),
  };
}

/** The member of a request that contains a name. */
function headOf(name: string): string {
  return name.split(".", 1)[0] ?? "";
}

function inBothSpellings(names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => [name, snakeCase(name)]))];
}

/**
 * Settings with several names that the gateway reads or counts: names of vendors, of older API
 * versions, and of clients that mix formats.
 */
const LIMITS: Setting = [...OUTPUT_LIMITS, "options.num_predict"];
const OPEN_SETTINGS: readonly Setting[] = [
  LIMITS,
  [...CHOICES],
  ["reasoning_effort", "reasoning.effort", "output_config.effort"],
  ["reasoning.summary", "reasoning.generate_summary"],
  ["verbosity", "text.verbosity"],
  ["output_format", "output_config.format"],
  ["input_type", "task_type"],
  // Of reranking.
  ["top_n", "top_k"],
];

/**
 * The fields of vendors' tables that no other list here has, under their own names and those of
 * callers: adapters are loaded on use. Exported for tests.
 */
export const VENDOR_FIELDS: readonly string[] = [
  ..."additionalModelRequestFields aspect_ratio autoTruncate bit_rate cache_control".split(" "),
  ..."cached_content cachedContent chunking_strategy citation_options context_bias".split(" "),
  ..."conversation_history detect_language diarize dictation embedding_type embedding_types".split(
    " ",
  ),
  ..."expressiveness extra_body file_format filler_words guardrailConfig guidance_scale k".split(
    " ",
  ),
  ..."keep_alive keyterm keyterms keywords language_code late_chunking mip_opt_out".split(" "),
  ..."negative_prompt next_text normalize normalized num_ctx num_inference_steps num_keep".split(
    " ",
  ),
  ..."num_speakers numerals output_dimension output_dtype outputDimensionality p".split(" "),
  ..."performanceConfig phoneme_hints previous_text priority profanity_filter".split(" "),
  ..."prompt_upsampling punctuate random_seed redact ref_audio repeat_last_n repeat_penalty".split(
    " ",
  ),
  ..."replace requestMetadata resolution safe_prompt safety_mode safety_settings".split(" "),
  ..."safety_tolerance safetySettings sample_rate shift smart_format strength tag".split(" "),
  ..."tag_audio_events taskType think timestamp_granularities topN truncation typical_p".split(" "),
  ..."user_id web_search_options".split(" "),
];

/** The names of OpenAI's formats, and of those that have none, with the fields of all vendors. */
const openNames = once(() => [
  ...OPERATIONS.flatMap(({ endpoints }) =>
    endpoints.flatMap(({ schema }) => Object.keys(schema.shape))
  ),
  ...["input", "documents", "provider", "file", "image", "images", "mask", "options"],
  ...["prompt", "suffix", "best_of", "echo", "top_k", "min_p", "task", "audio"],
  ...OUTPUT_LIMITS,
  ...CHOICES,
  ...VENDOR_FIELDS,
], OPEN_SETTINGS);

/** The members of Ollama's requests: https://docs.ollama.com/api (2026-11). */
const ollamaNames = once(() => [
  ..."model name messages prompt suffix images format options system template".split(" "),
  ..."stream raw keep_alive think tools truncate shift context input dimensions".split(" "),
  ..."logprobs top_logprobs width height steps".split(" "),
  ...OUTPUT_LIMITS,
], [LIMITS, ["model", "name"]]);

/** Its options: https://docs.ollama.com/modelfile (2026-11), and those of its Go client. */
const optionNames = once(() => [
  ..."num_ctx num_batch num_gpu main_gpu use_mmap num_thread num_keep seed num_predict".split(" "),
  ..."top_k top_p min_p typical_p tfs_z repeat_last_n temperature repeat_penalty".split(" "),
  ..."presence_penalty frequency_penalty mirostat mirostat_tau mirostat_eta".split(" "),
  ..."penalize_newline stop numa low_vram f16_kv vocab_only use_mlock draft_num_predict".split(" "),
  ...OUTPUT_LIMITS,
], [[...OUTPUT_LIMITS]]);

/** The members of Gemini's requests: https://ai.google.dev/api (2026-11). */
const geminiNames = once(() => [
  ..."contents systemInstruction tools toolConfig safetySettings generationConfig".split(" "),
  ..."cachedContent labels serviceTier model models content requests taskType title".split(" "),
  ..."outputDimensionality generateContentRequest store modelArmorConfig".split(" "),
  ..."embedContentConfig".split(" "),
]);

const configNames = once(() => [
  ..."temperature topP topK candidateCount maxOutputTokens stopSequences seed".split(" "),
  ..."presencePenalty frequencyPenalty responseLogprobs logprobs responseMimeType".split(" "),
  ..."responseSchema responseJsonSchema responseModalities thinkingConfig".split(" "),
  ..."speechConfig mediaResolution imageConfig audioTimestamp routingConfig".split(" "),
  ..."enableEnhancedCivicAnswers enableAffectiveDialog".split(" "),
  ...OUTPUT_LIMITS,
  ...CHOICES,
], [[...OUTPUT_LIMITS], [...CHOICES], ["responseSchema", "responseJsonSchema"]]);

const thinkingNames = once(() => "includeThoughts thinkingBudget thinkingLevel".split(" "));
const toolConfigNames = once(() => "functionCallingConfig retrievalConfig".split(" "));
const callingNames = once(() => "mode allowedFunctionNames streamFunctionCallArguments".split(" "));

/** The objects of Gemini's requests with settings. */
const GEMINI_OBJECTS: readonly Level[] = [
  {
    name: "generationConfig",
    names: configNames,
    holds: [{ name: "thinkingConfig", names: thinkingNames }],
  },
  {
    name: "toolConfig",
    names: toolConfigNames,
    holds: [{ name: "functionCallingConfig", names: callingNames }],
  },
];

/** The names of the formats that differ from OpenAI's. */
const NAMES: ReadonlyMap<string, () => Names> = new Map([
  ["gemini", geminiNames],
  ["ollama", ollamaNames],
]);
