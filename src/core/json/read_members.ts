/** Which numbers of requests and answers the gateway reads. It passes on the text of all others. */

/** How the numbers of a list or an object are treated. */
export type NumberRule = "passed" | "read" | "by_name";

/** A list or an object with numbers. */
export interface NumberPlace {
  readonly isList: boolean;
  readonly numbers: NumberRule;
  /** In an object, the name of the next member; in a list, that of the member which holds it. */
  readonly memberName: string;
}

/** Members with numbers that the gateway reads, in the formats of callers and vendors. */
const READ = new Set([
  // Settings of requests.
  ..."temperature top_p topP p top_k topK k n candidateCount candidate_count".split(" "),
  ..."max_tokens max_completion_tokens max_output_tokens maxOutputTokens".split(" "),
  ..."frequency_penalty frequencyPenalty presence_penalty presencePenalty".split(" "),
  ..."logprobs top_logprobs budget_tokens token_budget thinkingBudget thinking_budget".split(" "),
  ..."dimensions outputDimensionality output_dimensionality".split(" "),
  ..."num_predict top_n max_tokens_per_doc max_chunks_per_doc".split(" "),
  // Positions and times of answers, and codes of errors.
  ..."index output_index content_index summary_index contentBlockIndex sequence_number".split(" "),
  ..."start_index end_index".split(" "),
  ..."created created_at code status status_code".split(" "),
  // Usage.
  ..."prompt_tokens completion_tokens total_tokens input_tokens output_tokens".split(" "),
  ..."cached_tokens cache_write_tokens audio_tokens reasoning_tokens thinking_tokens".split(" "),
  ..."cache_read_input_tokens cache_creation_input_tokens num_cached_tokens".split(" "),
  ..."ephemeral_5m_input_tokens ephemeral_1h_input_tokens image_tokens".split(" "),
  ..."prompt_cache_hit_tokens prompt_eval_count eval_count cost".split(" "),
  ..."promptTokenCount candidatesTokenCount thoughtsTokenCount totalTokenCount".split(" "),
  ..."toolUsePromptTokenCount cachedContentTokenCount tokenCount token_count totalTokens".split(
    " ",
  ),
  ..."inputTokens outputTokens totalTokens cacheReadInputTokens cacheWriteInputTokens".split(" "),
  ..."inputTextTokenCount inputTokenCount images".split(" "),
  "search_units",
  // Scores and vectors.
  "relevance_score",
  "score",
  ..."embedding embeddings values float".split(" "),
]);

/** Members with objects whose numbers the gateway reads, whatever their names. */
const READ_OBJECTS = new Set(["logit_bias", "max_price"]);

/**
 * Members with objects and lists whose numbers the gateway does not read, whatever their names:
 * inputs and results of tools, schemas, and data of the caller.
 */
const PASSED = new Set([
  "action",
  "args",
  "arguments",
  "attributes",
  "filters",
  "input",
  "input_examples",
  "input_schema",
  "inputSchema",
  "logprobs",
  "metadata",
  "parameters",
  "parametersJsonSchema",
  "properties",
  "responseJsonSchema",
  "schema",
]);

/** The depth of the object with a result in a request of Gemini's API. */
const RESULT_DEPTH = 4;

/**
 * How the numbers of the next list or object are treated. The `input` of a request is its
 * conversation or the texts to embed.
 *
 * @param outer the list or the object that holds it
 * @param depth of `outer`; 1 for the outermost
 */
export function numbersWithin(outer: NumberPlace | undefined, depth: number): NumberRule {
  if (outer === undefined) return "by_name";
  const { isList, memberName: name, numbers } = outer;
  if (isList || numbers !== "by_name") return numbers;
  if (name === "response") return depth >= RESULT_DEPTH ? "passed" : "by_name";
  if (PASSED.has(name) && (depth > 1 || name !== "input")) return "passed";
  return READ_OBJECTS.has(name) ? "read" : "by_name";
}

/**
 * Whether the gateway reads the next number of a list or an object. The `input` of a request to
 * embed may be lists of tokens.
 */
export function readsNumber(place: NumberPlace | undefined): boolean {
  // A number alone is no request.
  if (place === undefined) return true;
  const { isList, memberName: name, numbers } = place;
  return numbers === "read" ||
    numbers === "by_name" && (READ.has(name) || isList && name === "input");
}
