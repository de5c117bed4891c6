/**
 * The body of `POST /v1/responses`, validated as far as required for every target.
 *
 * Shapes: `CreateResponse` of https://github.com/openai/openai-openapi (v2.3.0, 2026-08-21).
 * Members that are not named here are kept: a native target receives the body unchanged.
 */

import * as z from "zod";
import { listOf, mapOf } from "../../contract/first_fault.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { GatewayError, invalidValue } from "../../core/errors.ts";
import { sentenceOf, shortPathOf, worstIssue } from "../../core/validation_messages.ts";
import { withTextsOf } from "../../core/json/number_texts.ts";

/** The value of `include` that requests the pages of a search. */
export const INCLUDE_PAGES = "web_search_call.action.sources";

const object = z.looseObject({});

const typed = z.looseObject({ type: z.string().min(1) });

/** The maximum number of fallback models of one request. */
const MAX_MODELS = 16;

/** The body of a request. */
export const responsesRequest = z.looseObject({
  model: z.string().min(1),
  // An extension of the gateway: more models to try after the first. Never forwarded.
  models: listOf(z.string().min(1), { max: MAX_MODELS }).nullish(),
  input: z.union([z.string(), listOf(object)]).nullish(),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  tools: listOf(typed).nullish(),
  tool_choice: z.union([z.string(), typed]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z.looseObject({ format: typed.nullish(), verbosity: z.string().nullish() }).nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
  include: listOf(z.string()).nullish(),
  metadata: mapOf(z.string()).nullish(),
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  previous_response_id: z.string().min(1).nullish(),
  conversation: z.union([z.string(), object]).nullish(),
  prompt: object.nullish(),
  service_tier: z.string().nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
});

/** A checked request. Optional members that were null are absent. */
export type ResponsesRequest = WithoutNulls<z.infer<typeof responsesRequest>>;

type WithoutNulls<Object> = { [Name in keyof Object]: Exclude<Object[Name], null> };

/**
 * Checks the body of a request.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readResponsesRequest(body: unknown): ResponsesRequest {
  if (!isObject(body)) {
    throw new GatewayError("invalid_request", "The request body must be a JSON object");
  }
  const result = responsesRequest.safeParse(body, { reportInput: true });
  if (!result.success) {
    const issue = worstIssue(result.error.issues);
    throw invalidValue(shortPathOf(issue.path), sentenceOf(issue));
  }
  const request: JsonObject = withTextsOf(body, result.data);
  for (const name in request) if (request[name] === null) delete request[name];
  const { input, previous_response_id, conversation, prompt } = request;
  if (input === undefined && !previous_response_id && !conversation && !prompt) {
    throw invalidValue("input", "is required");
  }
  return request as ResponsesRequest;
}

/** The input items of a request. A text becomes a user message. */
export function inputItemsOf({ input }: ResponsesRequest): readonly JsonObject[] {
  if (input === undefined) return [];
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  return input;
}

/** Whether a client requests the pages of searches. */
export function includesPages({ include }: Pick<ResponsesRequest, "include">): boolean {
  return include?.includes(INCLUDE_PAGES) === true;
}
