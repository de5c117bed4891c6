/** The output limits of a request, under any of the vendors' names. */

import type { JsonObject } from "../../core/json/object.ts";

/**
 * Names for the output limit: in OpenAI's, Anthropic's and Google's formats, and in Hugging Face
 * TGI, Bedrock's Llama and Titan, llama.cpp and Ollama (their documentation, 2026-11).
 */
export const OUTPUT_LIMITS: ReadonlySet<string> = new Set([
  ..."max_tokens max_completion_tokens max_output_tokens max_new_tokens".split(" "),
  ..."maxOutputTokens maxTokens maxTokenCount maxNewTokens".split(" "),
  ..."max_tokens_to_sample max_gen_len n_predict num_predict".split(" "),
]);

/** Names for the number of answers. */
export const CHOICES: ReadonlySet<string> = new Set([
  ..."n candidateCount candidate_count num_return_sequences".split(" "),
]);

/** The number of answers that a vendor generates; it may return fewer. */
const WRITTEN_ANSWERS: ReadonlySet<string> = new Set([...CHOICES, "best_of"]);

/** The output limits of a request. */
export interface RequestedOutput {
  /** The largest limit on the tokens of each answer; undefined if there is none. */
  readonly maxOutput: number | undefined;
  /** The largest number of answers; undefined if the request does not set it. */
  readonly choices: number | undefined;
}

/** Reads the output limits of a request. */
export function requestedOutput(request: JsonObject): RequestedOutput {
  let maxOutput: number | undefined;
  let choices: number | undefined;
  for (const name in request) {
    if (OUTPUT_LIMITS.has(name)) maxOutput = larger(maxOutput, request[name]);
    else if (WRITTEN_ANSWERS.has(name)) choices = larger(choices, request[name]);
  }
  return { maxOutput, choices };
}

/** Members that are not validated by a schema may be strings. */
function larger(known: number | undefined, value: unknown): number | undefined {
  const number = typeof value === "number" || typeof value === "string" ? Number(value) : NaN;
  return number > (known ?? 0) ? number : known;
}

/** The defaults without their output limits, if the request sets one. */
export function withoutLimits(defaults: JsonObject, request: JsonObject): JsonObject {
  if (requestedOutput(request).maxOutput === undefined) return defaults;
  const others = { ...defaults };
  for (const name of OUTPUT_LIMITS) delete others[name];
  return others;
}
