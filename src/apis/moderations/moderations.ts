/**
 * The moderations API: reads `POST /v1/moderations`, and writes its answer.
 *
 * https://platform.openai.com/docs/api-reference/moderations/create (2026-11).
 */

import { anyOf, boolean, json, listOf as arrayOf, object, text, toSchema } from "../openapi.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import * as z from "zod";
import { listOf } from "../../contract/first_fault.ts";
import {
  MODERATED_KINDS,
  type ModerationBody,
  type ModerationCall,
  type ModerationInput,
  type ModerationRequest,
} from "../../contract/rerank.ts";
import { countInput } from "../chat/token_estimate.ts";
import {
  inputUsage,
  type ReadUnary,
  type UnaryApi,
  type WriteContext,
  type WrittenAnswer,
} from "../operation.ts";
import { modelMembers, readFields, readObject, withoutNulls } from "../read_fields.ts";
import { invalidValue } from "../../core/errors.ts";

// Writes the answer of `POST /v1/moderations`: https://platform.openai.com/docs/api-reference/moderations/object (2026-11).

/** An answer before it is written. */
interface ModerationAnswer {
  readonly id: string;
  readonly model: string;
  readonly results: readonly JsonObject[];
  /** Further members of the vendor's answer. */
  readonly extra: JsonObject;
}

/** The text of an answer. A result without `flagged` is flagged if any of its categories is. */
function writeModeration({ id, model, results, extra }: ModerationAnswer): string {
  return JSON.stringify({ id, model, results: results.map(withFlag), ...extra });
}

function withFlag(result: JsonObject): JsonObject {
  if (typeof result.flagged === "boolean") return result;
  const { categories } = result;
  const flags = isObject(categories) ? Object.values(categories) : [];
  return { flagged: flags.includes(true), ...result };
}

/** The model of requests without one. */
const DEFAULT_MODEL = "omni-moderation-latest";

/** The maximum number of inputs of one request. */
const MAX_INPUTS = 2048;

const part = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.literal("image_url"), image_url: z.looseObject({ url: z.string() }) }),
]);
const texts = listOf(z.string(), { min: 1, max: MAX_INPUTS });
const parts = listOf(part, { min: 1, max: MAX_INPUTS });

/** The members of a request that a schema checks. */
const moderationRequest = z.looseObject({
  ...modelMembers,
  model: z.string().min(1).nullish(),
});

/**
 * Checks a parsed request body.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readRequest(body: unknown): ReadUnary<ModerationRequest, ModerationBody> {
  const { input, ...others } = readObject(body);
  const { models, model, ...members } = readFields(others, moderationRequest);
  const request = { ...withoutNulls(members), model: model ?? DEFAULT_MODEL };
  return { request: { ...request, input: readInput(input) }, models: models ?? undefined };
}

function readInput(input: unknown): ModerationRequest["input"] {
  if (input === undefined || input === null) throw invalidValue("input", "is required");
  if (typeof input === "string") return input;
  if (!Array.isArray(input)) {
    throw invalidValue("input", "must be a string, an array of strings, or an array of parts");
  }
  const entries = typeof input[0] === "object" ? parts : texts;
  return readFields({ input }, z.object({ input: entries })).input as ModerationInput;
}

function write(
  body: ModerationBody,
  { model }: ModerationCall,
  { id }: WriteContext,
): WrittenAnswer {
  const { results, tokens, extra = {} } = body;
  const answer = { id: body.id ?? id, model: body.model ?? model.upstream, results, extra };
  return {
    text: writeModeration(answer),
    usage: tokens === undefined ? undefined : inputUsage(tokens),
    id: answer.id,
    model: answer.model,
  };
}

const moderated = anyOf(text, arrayOf(anyOf(text, object({ type: text }))));

/** Moderation. Moderation models support no other operation. */
export const moderations: UnaryApi<ModerationRequest, ModerationBody> = {
  name: "moderations",
  noun: "moderation",
  title: "Moderation",
  endpoints: [{
    path: "/v1/moderations",
    mirror: "path",
    explainedAs: "moderations",
    schema: moderationRequest,
    describe: () => ({
      tag: "Retrieval",
      summary: "Classify content",
      request: ["ModerationRequest", toSchema(moderationRequest, { input: moderated })],
      answers: json("Moderation"),
      schemas: {
        Moderation: object({
          id: text,
          model: text,
          results: arrayOf(object({ flagged: boolean }, {
            categories: object({}),
            category_scores: object({}),
          })),
        }),
      },
      example: { input: "Hello" },
    }),
    read: readRequest,
  }],
  parameters: [],
  contents: { member: "inputs", kinds: MODERATED_KINDS },
  structural: new Set(["input"]),
  apiOf: ({ apis }) => apis.moderations,
  estimate: ({ input }, family) => ({ input: countInput(input).tokens(family), maxOutput: 0 }),
  write,
};
