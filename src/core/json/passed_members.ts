/** Members of requests and answers whose numbers are passed on as they were written. */

/**
 * Members whose objects and lists the gateway passes on without reading their numbers: inputs and
 * results of tools, schemas, and data of the caller.
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
  "outputs",
  "parameters",
  "parametersJsonSchema",
  "properties",
  "responseJsonSchema",
  "results",
  "schema",
]);

/** The depth of the object with a result in a request of Gemini's API. */
const RESULT_DEPTH = 4;

/**
 * Whether numbers below a member are passed on as they were written. The `input` of a request is
 * its conversation or the texts to embed.
 *
 * @param depth of the object that has the member; 1 for the outermost
 */
export function passesNumbers(name: string, depth: number): boolean {
  if (name === "response") return depth >= RESULT_DEPTH;
  return PASSED.has(name) && (depth > 1 || name !== "input");
}
